-- What somebody must be who wants to join a ladder or a tournament: more limits.
alter table ladders add column min_rating integer;                 -- in the pool of its matches
alter table ladders add column max_rating integer;
alter table ladders add column min_account_age_days smallint;
alter table tournaments add column min_account_age_days smallint;

-- What somebody must be who wants to join a ladder or a tournament: one object for all limits, for both.
alter table ladders add column entry_limits jsonb not null default '{}';
update ladders set entry_limits = jsonb_build_object('min_reliability_percent', min_reliability_percent)
    where min_reliability_percent is not null;
alter table ladders drop column min_reliability_percent;

alter table tournaments add column entry_limits jsonb not null default '{}';
update tournaments set entry_limits = jsonb_strip_nulls(jsonb_build_object(
    'min_reliability_percent', min_reliability_percent, 'min_rating', min_rating, 'max_rating', max_rating));
alter table tournaments drop column min_reliability_percent;
alter table tournaments drop column min_rating;
alter table tournaments drop column max_rating;

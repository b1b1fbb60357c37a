-- Ratings: one for each player and pool, and the ledger that each of them follows from.
-- Expands only. A match that was made before this has no pool and counts for no rating, whenever it ends; and nodes of the version before
-- must not serve matches beside newer ones, since they would end a rated match without rating it.

-- In which pool the result counts; null: in none. It is fixed when the match is made.
alter table matches add column pool text;
-- What the player's rating was when the match began; null: he had none.
alter table match_seats add column rating integer;

-- How a player stands in a pool: what the last of his changes in the ledger left, and no more.
create table ratings (
    account_id   uuid not null,
    pool         text not null,
    number       integer not null,               -- of his newest change in this pool
    rating       double precision not null,
    deviation    double precision not null,      -- as it was at `rated_at`: it grows with the time since
    volatility   double precision,               -- Glicko-2 only
    matches      integer not null,               -- how many count, without the annulled ones
    rated_at     timestamptz,                    -- when the last match was rated
    listed_until timestamptz,                    -- until then he stands on the leaderboard if he doesn't play on; null: he doesn't
    gone         boolean not null,               -- his account is deleted: he is never listed again
    primary key (account_id, pool)
);
create index ratings_leaderboard on ratings (pool, rating desc, account_id desc) include (listed_until) where listed_until is not null;
create index ratings_lapse on ratings (listed_until) where listed_until is not null;

-- The ledger: one row for each change of a rating, for ever. Nothing here is updated or deleted; a match that is annulled gets rows that compensate.
-- `number` counts a player's changes in a pool, from 1 without gaps, in the order in which they count: it is given while his row in `ratings` is locked.
create table rating_changes (
    account_id        uuid not null,
    pool              text not null,
    number            integer not null,
    match_id          uuid not null,
    seat              smallint not null,
    reason            text not null,             -- match | annulment
    algorithm         text not null,             -- glicko-2 | weng-lin
    version           integer not null,          -- of the algorithm and its constants
    at                timestamptz not null,
    before_rating     double precision not null,
    before_deviation  double precision not null,
    before_volatility double precision,
    after_rating      double precision not null,
    after_deviation   double precision not null,
    after_volatility  double precision,
    field             jsonb not null,            -- of a match: every seat's place, rating before and idle time, as the algorithm was given them
    annuls            integer,                   -- of an annulment: the number of the change that it takes back
    note              text,                      -- of an annulment: why
    primary key (account_id, pool, number)
);
-- A match changes a player's rating once, and is annulled once.
create unique index rating_changes_of_match on rating_changes (match_id, account_id, reason);

-- Where every thousandth player of a long leaderboard stood a moment ago: whoever wants to know a rank counts from the nearest one only.
create table leaderboard_marks (
    pool       text not null,
    position   integer not null,                 -- from 1
    rating     double precision not null,
    account_id uuid not null,
    primary key (pool, position)
);

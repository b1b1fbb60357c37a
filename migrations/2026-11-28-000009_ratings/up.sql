-- Ratings: one per player and pool, and the ledger that each of them follows from.

-- A player's rating in a pool: the outcome of their last change in the ledger.
create table ratings (
    account_id      uuid not null,
    pool            text not null,
    number          integer not null,            -- of the player's newest change in this pool
    rating          double precision not null,
    deviation       double precision not null,   -- at `rated_at`: it grows with the time since
    volatility      double precision,            -- Glicko-2 only
    matches         integer not null,            -- without annulled ones
    rated_at        timestamptz,                 -- the last rated match
    listed_until    timestamptz,                 -- on the leaderboard until then, unless they play; null: not on it
    account_deleted boolean not null,            -- never listed again
    primary key (account_id, pool)
);
create index ratings_leaderboard on ratings (pool, rating desc, account_id desc) include (listed_until)
    where listed_until is not null;
create index ratings_lapse on ratings (listed_until) where listed_until is not null;

-- The ledger: one row per change of a rating. Rows are never updated or deleted: corrections add rows.
-- `number` counts a player's changes in a pool, from 1 without gaps, in the order in which they count. It is taken
-- while the player's row in `ratings` is locked. A match (or a pair of games) can be rated more than once: first by its
-- result, then by each adjudication. `revision` counts these from 0; an annulment has the revision that it annuls.
create table rating_changes (
    account_id        uuid not null,
    pool              text not null,
    number            integer not null,
    match_id          uuid not null,             -- of paired games the first
    paired_match_id   uuid,                      -- of paired games the second
    seat              smallint not null,
    reason            text not null,             -- match | annulment | adjudication
    revision          smallint not null default 0,
    annuls            integer,                   -- of an annulment: the number of the annulled change
    note              text,                      -- of a correction: why
    algorithm         text not null,             -- glicko-2 | weng-lin
    algorithm_version integer not null,          -- of the algorithm and its constants
    before_rating     double precision not null,
    before_deviation  double precision not null,
    before_volatility double precision,
    after_rating      double precision not null,
    after_deviation   double precision not null,
    after_volatility  double precision,
    participants      jsonb not null,            -- every seat's rank, rating before and idle time: the input
    games             jsonb not null default '[]', -- of paired games: each with its ranks, as in `participants`
    at                timestamptz not null,
    primary key (account_id, pool, number)
);
create unique index rating_changes_by_match on rating_changes (match_id, account_id, reason, revision);
create index rating_changes_by_paired_match on rating_changes (paired_match_id) where paired_match_id is not null;
create index rating_changes_by_time on rating_changes (at, pool);

-- Moderators' decisions on the ranks of a finished match. Rows are never updated or deleted.
create table adjudications (
    match_id uuid not null,
    revision smallint not null,                  -- of the rating changes that it has made
    ranks    smallint[] not null,                -- by seat of this match, from 1
    note     text not null,
    at       timestamptz not null,
    primary key (match_id, revision)
);

-- Every thousandth player of a long leaderboard, a moment ago: a position is counted from the nearest sample.
create table leaderboard_samples (
    pool       text not null,
    position   integer not null,                 -- from 1
    rating     double precision not null,
    account_id uuid not null,
    primary key (pool, position)
);

-- Paired games are rated as one, and a match can be adjudicated after it has ended.
-- Expands only. Nodes of the version before rate each match by itself, so they must not serve paired games beside newer ones.

-- A match (or a pair of games) may be rated more than once: first by its result, then by each adjudication. `revision` counts these, from 0; an annulment has
-- the number of what it takes back.
alter table rating_changes
    add column revision        smallint not null default 0,
    add column paired_match_id uuid,                         -- of paired games: the second one; `match_id` is the first
    add column games           jsonb not null default '[]';  -- of paired games: each with its places, in the order of `field`
create unique index rating_changes_of_revision on rating_changes (match_id, account_id, reason, revision);
drop index rating_changes_of_match;
create index rating_changes_of_pair on rating_changes (paired_match_id) where paired_match_id is not null;

-- The decisions of moderators on what a finished match shall count as, for ever: what the ledger's adjudications are compared with.
create table adjudications (
    match_id uuid not null,
    revision smallint not null,                  -- of the changes that it has made
    places   smallint[] not null,                -- by seat of this match, from 1
    note     text not null,
    at       timestamptz not null,
    primary key (match_id, revision)
);

-- What the report of fair play reads: the newest changes, of all pools, or of one (which is told apart without a look at the row).
create index rating_changes_by_time on rating_changes (at, pool);

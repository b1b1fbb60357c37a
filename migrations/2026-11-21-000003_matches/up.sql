-- Matches. The log of entries is the truth; the head is what lists and the clock need to know of it without folding it.
-- Every key leads with the match (or the account), and nothing refers across from these tables: they can be spread over nodes.

-- The terms, which never change once the match exists.
create table matches (
    id         uuid primary key,
    variant    text not null,
    rule_set   jsonb not null,
    clock      jsonb not null,
    rated      boolean not null,
    spectators boolean not null,
    seed       bytea not null,                   -- 32 secret bytes, from which examples are drawn
    challenge_id uuid,
    created_at timestamptz not null
);
create index matches_of_variant on matches (variant, id desc);

-- One row a match, rewritten by every action. No index holds a column that an ordinary action changes, and pages keep free room,
-- so that PostgreSQL can rewrite it in place (a heap-only tuple). `wake_at` is at or before the deadline, not equal to it: it only
-- moves when a deadline comes earlier, or when the sweep finds that there is nothing to do yet.
create table match_heads (
    match_id    uuid primary key,
    seq         integer not null,                -- number of entries in the log
    edition     integer not null default 0,      -- counts changes beside the log: a player's name was blanked
    status      text not null,                   -- deploying | playing | finished | aborted
    to_act      integer not null,                -- bit n: seat n must act
    deadline    timestamptz,
    wake_at     timestamptz,
    started_at  timestamptz,
    finished_at timestamptz,
    result      jsonb
) with (fillfactor = 60);
create index match_heads_wake on match_heads (wake_at) where wake_at is not null;

-- The log: one row for each action that was accepted, its events as versioned bytes.
create table match_entries (
    match_id uuid not null,
    seq      integer not null,
    entry    bytea not null,
    primary key (match_id, seq)
);

-- Who sits where. Names are as they were when the match began (and blanked when an account is deleted).
create table match_seats (
    match_id   uuid not null,
    seat       smallint not null,
    account_id uuid not null,
    username   text not null,
    bot        boolean not null,
    running    boolean not null,
    primary key (match_id, seat)
);
create index match_seats_of_account on match_seats (account_id, match_id desc);
create index match_seats_running on match_seats (account_id, match_id) where running;

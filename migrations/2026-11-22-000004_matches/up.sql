-- Matches. The log is the truth; the head holds what lists and the clock must know without folding the log.
-- Every key begins with the match (or the account), and no foreign key leads out of these tables, so that they can be
-- spread over machines.

-- The Ed25519 keys that sign the records of matches. A match is signed with the key that it was made under, for ever:
-- these rows are never deleted.
create table record_keys (
    kid        text primary key,                 -- the RFC 7638 thumbprint
    seed       bytea not null,                   -- the private key
    created_at timestamptz not null
);

-- The terms of a match, which never change.
create table matches (
    id            uuid primary key,
    variant       text not null,
    rule_set      jsonb not null,
    clock         jsonb not null,
    rated         boolean not null,
    spectators    boolean not null,              -- whether others may watch it
    example_seed  bytea not null,                -- 32 secret bytes, from which examples of secret actions are drawn
    challenge_id  uuid,
    created_at    timestamptz not null,
    chance_seed   bytea not null,                -- taken from the challenge
    record_key_id text not null,                 -- `kid` of the key that signs its records
    pool          text,                          -- the rating pool in which its result counts; null: in none
    pairing_id    uuid,                          -- the pairing that it belongs to; null: none
    -- The format of its record, fixed when the match is made.
    record_format smallint not null default 1 check (record_format > 0)
);
create index matches_by_variant on matches (variant, id desc);

-- One row per match, updated by every action. No index holds a column that an ordinary action changes, and pages keep
-- free room, so that PostgreSQL can update the row in place (a heap-only tuple). `check_at` is at or before the
-- deadline, not equal to it: it changes only when a deadline comes earlier, or when a check finds that nothing is due.
create table match_heads (
    match_id     uuid primary key,
    seq          integer not null,               -- the number of entries in the log
    side_version integer not null default 0,     -- counts changes beside the log, such as a deleted player's name
    status       text not null,                  -- deploying | playing | finished | aborted
    to_act       integer not null,               -- bit n: seat n must act
    deadline     timestamptz,
    check_at     timestamptz,                    -- when to look for a time-out; null: the match is over
    started_at   timestamptz,
    finished_at  timestamptz,
    result       jsonb,
    timed_out    integer not null default 0      -- bit n: seat n ran out of time
) with (fillfactor = 60);
create index match_heads_due on match_heads (check_at) where check_at is not null;

-- The log of a match: one row for each accepted action, time-out or start.
create table match_log (
    match_id uuid not null,
    seq      integer not null,                   -- from 1 without gaps
    entry    bytea not null,                     -- the events, as versioned bytes
    primary key (match_id, seq)
);

-- Who sits where. Names are as they were when the match began, and are removed when an account is deleted.
create table match_seats (
    match_id          uuid not null,
    seat              smallint not null,
    account_id        uuid not null,
    username          text not null,
    bot               boolean not null,
    running           boolean not null,          -- whether the match is not over
    preferred_name    text,                      -- the nation that the player asked for
    nonce             text,                      -- what the player mixed into the chance of the match
    reminded_deadline timestamptz,               -- the deadline of the last reminder: there is one for each deadline
    reminded_at       timestamptz,
    rating            integer,                   -- of the player when the match began; null: none
    primary key (match_id, seat)
);
create index match_seats_by_account on match_seats (account_id, match_id desc);
create index match_seats_running on match_seats (account_id, match_id) where running;

-- Standing orders: actions that a player has left for a later turn. Only their owner sees them.
-- No column of another table says that there are any: an ordinary action reads and writes nothing here.
-- One row per seat that has ever had some, until the match ends. The row stays when the list is empty, so that no
-- revision is given twice.
create table standing_orders (
    match_id        uuid not null,
    seat            smallint not null,
    account_id      uuid not null,               -- whose seat it is
    revision        integer not null,            -- counts every change, by the owner or by executing an order
    orders          jsonb not null,              -- the list, as the API shows it
    has_orders      boolean not null,            -- whether the list is not empty
    min_delay_s     integer,                     -- the delay that the owner asks for; null: the usual one
    max_delay_s     integer,
    edited_at       timestamptz not null,        -- when the owner last changed it
    checked_seq     integer,                     -- the length of the log when the list was last checked
    due_at          timestamptz,                 -- when to execute; null: not while the log has `checked_seq` entries
    manual_since    timestamptz,                 -- the beginning of the turn that is left to the player, because
                                                 -- its order was dropped; null: none
    executing_seq   integer,                     -- the number of the log entry being written for this revision
    edited_revision integer,                     -- the revision that the owner wrote last: tells a repeated request
                                                 -- from a list that executing an order has changed
    primary key (match_id, seat)
) with (fillfactor = 60);
create index standing_orders_by_account on standing_orders (account_id);

-- Matches. The log is the truth; the head holds the part that lists and clocks need without folding the log.
-- Every key begins with the match (or the account), and no foreign key leads out of these tables, so that they can be
-- spread over machines.

-- The Ed25519 keys that sign the records of matches. A match is signed with the key it was made under, for ever: rows
-- are never deleted.
create table record_keys (
    kid        text primary key,                 -- the RFC 7638 thumbprint
    seed       bytea not null,                   -- the private key
    created_at timestamptz not null
);

-- The terms of a match, which never change.
create table matches (
    id             uuid primary key,
    variant        text not null,
    named_rule_set text,                         -- null: a variant, with or without changes
    rule_set       jsonb not null,               -- the JSON null once the match is in the archive
    clock          jsonb not null,
    rated          boolean not null,
    pool           text,                         -- the rating pool that its result counts in; null: none
    spectators     boolean not null,             -- others may watch it
    challenge_id   uuid,
    pairing_id     uuid,                         -- null: no contest
    chance_seed    bytea not null,               -- taken from the challenge
    example_seed   bytea not null,               -- 32 secret bytes, from which examples of secret actions are drawn
    record_key_id  text not null,                -- `kid` of the key that signs its records
    record_format  smallint not null constraint matches_record_format check (record_format > 0),
    created_at     timestamptz not null
);
create index matches_by_variant on matches (variant, id desc);
create index matches_by_named_rule_set on matches (named_rule_set, id desc) where named_rule_set is not null;
create index matches_by_pool on matches (pool, id desc) where pool is not null;

-- One row per match, updated by every action. No index holds a column that an ordinary action changes, and pages keep
-- free room, so that PostgreSQL can update the row in place (a heap-only tuple). `check_at` is at or before the
-- deadline, not equal to it: it changes only when a deadline comes earlier, or when a check finds nothing due.
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
    -- The accounts that answer for the end: out of time, or the player who aborted the match. The seats don't say it: a
    -- substitute doesn't answer for time that others have used up.
    at_fault     uuid[] not null default '{}',
    annulled     boolean not null default false  -- by a moderator: then it doesn't count in reliability
) with (fillfactor = 60);
create index match_heads_due on match_heads (check_at) where check_at is not null;
-- For going through the live matches.
create index match_heads_timed on match_heads (match_id) where check_at is not null;
create index match_heads_called_off on match_heads (finished_at) where status = 'aborted' and at_fault <> '{}';

-- The log of a match: one row for each accepted action, time-out or start.
create table match_log (
    match_id uuid not null,
    seq      integer not null,                   -- from 1 without gaps
    entry    bytea not null,                     -- the events, as versioned bytes
    -- The first 16 bytes of SHA-256 over the chain before and the entry; at first over the chance seed of the match.
    -- A missing, exchanged or changed entry breaks every chain after it.
    chain    bytea not null constraint match_log_chain_length check (length(chain) = 16),
    primary key (match_id, seq)
);

-- Names are as they were when the match began, and are removed when an account is deleted.
create table match_seats (
    match_id          uuid not null,
    seat              smallint not null,
    account_id        uuid not null,
    first_account_id  uuid,                      -- the player at the start, whom ratings count; null: the same
    username          text not null,
    bot               boolean not null,
    running           boolean not null,          -- the match is not over
    preferred_name    text,                      -- the nation that the player asked for
    nonce             text,                      -- the player's part in the chance of the match
    rating            integer,                   -- of the player when the match began; null: none
    reminded_deadline timestamptz,               -- the deadline of the last reminder: each deadline has one
    reminded_at       timestamptz,
    primary key (match_id, seat)
);
create index match_seats_by_account on match_seats (account_id, match_id desc);
create index match_seats_running on match_seats (account_id, match_id) where running;

-- Players who have left their seat to a substitute. Nobody can have two seats of a match, even one after the other.
create table former_players (
    match_id     uuid not null,
    account_id   uuid not null,
    seat         smallint not null,
    username     text not null,                  -- as in `match_seats`
    bot          boolean not null,
    until_at     timestamptz not null,
    last_message integer not null,               -- the newest in the players' room: the substitute reads later ones
    primary key (match_id, account_id)
);
create index former_players_by_account on former_players (account_id, match_id desc);

-- The result of each seat, for the statistics of players: written with the last entry, and follows from the log.
create table match_results (
    match_id    uuid not null,
    seat        smallint not null,
    account_id  uuid not null,
    variant     text not null,
    side        smallint not null,               -- the first seat of the team
    outcome     text not null,                   -- won | drawn | lost | aborted
    place       smallint,                        -- from 1; null: aborted
    played_out  boolean not null,                -- the battle decided it, and nothing else
    shots       integer,                         -- null: not a game of gunnery, or aborted
    hits        integer,
    finished_at timestamptz not null,
    primary key (match_id, seat) include (account_id, side, place)
);
create index match_results_by_account on match_results (account_id, variant)
    include (match_id, side, outcome, place, played_out, shots, hits, finished_at);

-- A work queue: matches that a repair has changed, whose logs are to be folded for their results.
create table match_results_due (
    match_id uuid primary key
);

-- Standing orders: actions that a player has left for a later turn. Only their owner sees them.
-- No column of another table says that there are any: an ordinary action reads and writes nothing here.
-- One row per player and match, until the match ends; a substitute begins with none. The row stays when the list is
-- empty, so that no revision is used twice.
create table standing_orders (
    match_id        uuid not null,
    account_id      uuid not null,
    seat            smallint not null,
    revision        integer not null,            -- counts every change, by the owner or by executing an order
    orders          jsonb not null,              -- the list, as the API shows it
    has_orders      boolean not null,            -- the list is not empty
    bytes           integer not null generated always as (octet_length(orders::text)) stored, -- for the quota
    min_delay_s     integer,                     -- the owner's own delay; null: the default
    max_delay_s     integer,
    edited_at       timestamptz not null,        -- the owner's last change
    -- The revision of that change: tells a repeated request from a list that executing an order has changed.
    edited_revision integer not null,
    checked_seq     integer,                     -- the length of the log when the list was last checked
    due_at          timestamptz,                 -- when to execute; null: not while the log has `checked_seq` entries
    manual_since    timestamptz,                 -- the start of a turn that is left to the player, because its order
                                                 -- was dropped; null: none
    executing_seq   integer,                     -- the number of the log entry that executes this revision
    executed_at     timestamptz,                 -- the last execution
    -- The account whose share of the job it takes; of a guest, a keyed hash of the address, which guests share.
    share_owner     uuid not null,
    primary key (match_id, account_id)
) with (fillfactor = 60);
create index standing_orders_by_account on standing_orders (account_id);

-- The order of play of rated matches that were aborted: the players have it again in their next one by the same rules.
create table kept_orders (
    match_id    uuid not null,                   -- the aborted match
    account_id  uuid not null,
    opponent_id uuid not null,
    rules       text not null,                   -- the variant, or the hash of the named rule set
    begins      boolean not null,
    used_by     uuid,                            -- the match in which the player has it again; null: still to come
    primary key (match_id, account_id)
);
create index kept_orders_by_account on kept_orders (account_id, rules) where used_by is null;
create index kept_orders_by_use on kept_orders (used_by) where used_by is not null;

-- Archive objects hold the logs of matches that ended long ago. Everything that lists, statistics, ratings and contests
-- read stays in the tables. The row is written before the object, so an unused object is found without listing the
-- archive.
create table archive_objects (
    id         uuid primary key,                 -- its name in the archive
    state      text not null constraint archive_objects_state check (state in ('writing', 'kept', 'abandoned')),
    created_at timestamptz not null,
    matches    integer,                          -- how many it holds
    bytes      bigint,
    sha256     bytea,
    constraint archive_objects_kept_whole
        check (state <> 'kept' or matches is not null and bytes is not null and sha256 is not null)
);

-- The part of an object that is the log of a match.
create table archived_matches (
    match_id    uuid primary key,
    object_id   uuid not null,
    byte_offset integer not null,
    byte_length integer not null,
    sha256      bytea not null,                  -- of these bytes
    restored_at timestamptz                      -- since then the log is in the tables again; null: it is not
);

-- Tournaments: their terms, who plays in them, and the boards of their rounds. The matches of a board stand with its pairing.
-- Expands only. Nodes of the version before know no tournaments, and don't touch these tables.

create table tournaments (
    id                        uuid primary key,
    maker_id                  uuid not null,
    title                     text not null,
    description               text,
    form                      text not null,     -- round-robin | swiss
    variant                   text not null,
    rule_set                  jsonb not null,
    clock                     jsonb not null,
    rated                     boolean not null,
    paired                    boolean not null,  -- a board is two games at once, each player begins one
    twice                     boolean not null,  -- round robin: everybody meets everybody twice
    simultaneous              boolean not null,  -- round robin: all rounds at once
    rounds                    smallint,          -- how many there are; of a round robin it is known when it has started
    who                       text not null,     -- everybody | humans | bots
    least_reliability_percent smallint,
    least_rating              integer,
    most_rating               integer,
    fewest_players            smallint not null,
    most_players              smallint not null,
    registration_ends_at      timestamptz,
    starts_at                 timestamptz,
    begins_at                 timestamptz not null, -- when it starts by itself, or is cancelled for want of players: `starts_at`, or 90 days after it was made
    status                    text not null,     -- open | running | finished | cancelled
    round                     smallint not null, -- which one is on; 0: none yet
    players                   smallint not null, -- how many have joined; from the start on: how many have started
    games_left                smallint not null, -- boards of the rounds under way that are not over
    chance                    bytea not null,    -- what the starting numbers are drawn by: a secret until it starts
    reason                    text,              -- why it was cancelled, or ended before its last round
    created_at                timestamptz not null,
    started_at                timestamptz,
    ended_at                  timestamptz
);
create index tournaments_made on tournaments (maker_id, id desc);
create index tournaments_by_status on tournaments (status, id desc);
create index tournaments_by_variant on tournaments (variant, id desc);
create index tournaments_by_form on tournaments (form, id desc);
create index tournaments_to_begin on tournaments (begins_at, id) where status = 'open';
create index tournaments_to_advance on tournaments (id) where status = 'running' and games_left = 0;

-- Who plays. Whoever leaves before the start goes without a trace.
create table tournament_players (
    tournament_id   uuid not null,
    account_id      uuid not null,
    joined_at       timestamptz not null,
    number          smallint,                    -- his starting number, from 1; null until the start
    rating          integer,                     -- in the pool of such matches, at the start
    missed          smallint not null,           -- boards in a row that he has lost on time
    withdrawn_at    timestamptz,
    withdrawn_round smallint,                    -- the last round in which he was paired, or could have been
    withdrawn_why   text,                        -- left | timed-out | account-deleted | account-suspended
    final           jsonb,                       -- how he stood at the end, tie-breaks included
    primary key (tournament_id, account_id)
);
create index tournament_players_of_account on tournament_players (account_id, tournament_id);

-- Who meets whom. Never deleted.
create table tournament_boards (
    tournament_id uuid not null,
    round         smallint not null,
    board         smallint not null,             -- from 1
    first         smallint not null,             -- the starting number of who begins (of paired games: the first one)
    second        smallint,                      -- null: a bye
    state         text not null,                 -- planned | waiting (its matches are to be opened) | running | over | dropped
    pairing_id    uuid,                          -- null: nothing was opened, or not yet
    first_halves  smallint,                      -- points, in halves; null: not over, or without result
    second_halves smallint,
    unplayed      boolean not null,              -- a bye, or somebody has won without play
    over_at       timestamptz,
    primary key (tournament_id, round, board)
);
create index tournament_boards_waiting on tournament_boards (tournament_id, round, board) where state = 'waiting';
create unique index tournament_boards_pairing on tournament_boards (pairing_id) where pairing_id is not null;

-- Tournaments: their terms, their players, and the boards of their rounds. The matches of a board are in its pairing.

create table tournaments (
    id                      uuid primary key,
    creator_id              uuid not null,
    title                   text not null,
    description             text,
    format                  text not null,       -- round-robin | swiss
    variant                 text not null,
    rule_set                jsonb not null,
    clock                   jsonb not null,
    rated                   boolean not null,
    paired_games            boolean not null,    -- a board is two games at once, each player begins one
    double_round_robin      boolean not null,    -- round robin: every two players meet twice
    all_rounds_at_once      boolean not null,    -- round robin only
    rounds                  smallint,            -- of a round robin: known when it has started
    eligibility             text not null,       -- everybody | humans | bots
    min_reliability_percent smallint,
    min_rating              integer,
    max_rating              integer,
    min_players             smallint not null,
    max_players             smallint not null,
    registration_ends_at    timestamptz,
    starts_at               timestamptz,         -- as the organizer set it; null: when the organizer says so
    start_due_at            timestamptz not null, -- when it starts by itself, or is cancelled for lack of players:
                                                 -- `starts_at`, or 90 days after it was made
    status                  text not null,       -- open | running | finished | cancelled
    round                   smallint not null,   -- the current one; 0: none yet
    players                 smallint not null,   -- who have joined; from the start on: who have started
    boards_left             smallint not null,   -- boards of the current rounds that are not over
    chance_seed             bytea not null,      -- the starting numbers are drawn from it: secret until the start
    reason                  text,                -- why it was cancelled, or ended before its last round
    created_at              timestamptz not null,
    started_at              timestamptz,
    ended_at                timestamptz
);
create index tournaments_by_creator on tournaments (creator_id, id desc);
create index tournaments_by_status on tournaments (status, id desc);
create index tournaments_by_variant on tournaments (variant, id desc);
create index tournaments_by_format on tournaments (format, id desc);
create index tournaments_to_start on tournaments (start_due_at, id) where status = 'open';
create index tournaments_to_advance on tournaments (id) where status = 'running' and boards_left = 0;

-- Who plays. The row of a player who leaves before the start is deleted.
create table tournament_players (
    tournament_id     uuid not null,
    account_id        uuid not null,
    joined_at         timestamptz not null,
    starting_number   smallint,                  -- from 1; null until the start
    rating            integer,                   -- in the pool of its matches, at the start
    missed            smallint not null,         -- consecutive boards lost on time
    withdrawn_at      timestamptz,
    withdrawn_round   smallint,                  -- the last round in which they were or could have been paired
    withdrawal_reason text,                      -- left | timed-out | account-deleted | account-suspended
    final_standing    jsonb,                     -- at the end, with tie-breaks
    primary key (tournament_id, account_id)
);
create index tournament_players_by_account on tournament_players (account_id, tournament_id);

-- Who meets whom in which round. Rows are never deleted.
create table tournament_boards (
    tournament_id      uuid not null,
    round              smallint not null,
    board              smallint not null,        -- from 1
    first_player       smallint not null,        -- the starting number of who begins (of paired games: the first one)
    second_player      smallint,                 -- null: a bye
    status             text not null,            -- planned | waiting (to be opened) | running | over | dropped
    pairing_id         uuid,                     -- null: nothing was opened, or not yet
    first_half_points  smallint,                 -- twice the points; null: not over, or without a result
    second_half_points smallint,
    unplayed           boolean not null,         -- a bye, or a win without play
    ended_at           timestamptz,
    primary key (tournament_id, round, board)
);
create index tournament_boards_waiting on tournament_boards (tournament_id, round, board) where status = 'waiting';
create unique index tournament_boards_by_pairing on tournament_boards (pairing_id) where pairing_id is not null;

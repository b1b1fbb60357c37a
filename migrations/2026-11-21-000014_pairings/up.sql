-- Pairings: players whom a ladder or a tournament has brought together, in one match or in two, and when these are over.
-- Expands only. Nodes of the version before end a match of a pairing without noting it, so they must not serve beside newer ones.

-- The pairing that the match belongs to; null: it is played for itself.
alter table matches add column pairing_id uuid;

create table pairings (
    id         uuid primary key,
    kind       text not null,                    -- ladder | tournament
    contest_id uuid not null,                    -- which one
    games      smallint not null,                -- how many matches: one, or two of paired games
    running    smallint not null,                -- how many of them are not over
    opened_at  timestamptz not null,
    ended_at   timestamptz,                      -- when the last of them was over
    settled_at timestamptz                       -- when the ladder or the tournament has taken the result in
);
create index pairings_of_contest on pairings (kind, contest_id, id);
create index pairings_due on pairings (kind, id) where running = 0 and settled_at is null;

create table pairing_players (
    pairing_id uuid not null,
    number     smallint not null,                -- from 0; who is first begins in the first game
    account_id uuid not null,
    primary key (pairing_id, number)
);
create index pairing_players_of_account on pairing_players (account_id, pairing_id);

create table pairing_games (
    pairing_id uuid not null,
    game       smallint not null,                -- from 1
    match_id   uuid not null,
    seats      smallint[] not null,              -- by seat: the number of the player who sits there
    primary key (pairing_id, game)
);

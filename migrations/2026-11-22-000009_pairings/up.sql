-- Pairings: players whom a contest (a ladder or a tournament) has brought together, in one match or in two.

create table pairings (
    id            uuid primary key,
    kind          text not null,                 -- of the contest: ladder | tournament
    contest_id    uuid not null,
    games         smallint not null,             -- how many matches: one, or two of paired games
    running_games smallint not null,             -- how many of them are not over
    opened_at     timestamptz not null,
    ended_at      timestamptz,                   -- when the last of them was over
    settled_at    timestamptz                    -- when the contest has counted the result
);
create index pairings_by_contest on pairings (kind, contest_id, id);
create index pairings_to_settle on pairings (kind, id) where running_games = 0 and settled_at is null;

create table pairing_players (
    pairing_id uuid not null,
    number     smallint not null,                -- from 0; number 0 begins in the first game
    account_id uuid not null,
    primary key (pairing_id, number)
);
create index pairing_players_by_account on pairing_players (account_id, pairing_id);

create table pairing_games (
    pairing_id uuid not null,
    game       smallint not null,                -- from 1
    match_id   uuid not null,
    seats      smallint[] not null,              -- by seat: the number of the player who sits there
    primary key (pairing_id, game)
);

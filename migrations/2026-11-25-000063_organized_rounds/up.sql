-- Who comes into a tournament after its start, who sits out at their own wish, and rounds that an organizer looks at
-- before they begin.

-- The first round into which a player could be drawn; null: the first one of the tournament.
alter table tournament_players add column first_round smallint;
-- Why somebody sits out a round: requested | late-entry; null: the draw has left them over, or it is no bye.
alter table tournament_boards add column bye text;

-- Byes of rounds that are not drawn. A row goes when its round is drawn: then it is a board.
create table tournament_bye_requests (
    tournament_id uuid        not null,
    account_id    uuid        not null,
    round         smallint    not null,
    half_points   smallint    not null,
    granted_by    uuid,                   -- the organizer who has asked for them; null: they have asked themselves
    asked_at      timestamptz not null,
    primary key (tournament_id, account_id, round)
);
create index tournament_bye_requests_by_account on tournament_bye_requests (account_id);

-- Rounds that were drawn before they began. drawn is what the draw gave, paired what an organizer has made of it; both
-- are {games: [[first, second], …], bye, out: [[number, half points], …]}.
create table tournament_drafts (
    tournament_id uuid        not null,
    round         smallint    not null,
    drawn         jsonb       not null,
    drawn_at      timestamptz not null,
    release_at    timestamptz not null,   -- when it begins by itself
    paired        jsonb,
    paired_by     uuid,
    paired_at     timestamptz,
    reason        text,                   -- null: nothing was changed, or its author has deleted their account
    released_at   timestamptz,            -- null: it waits
    primary key (tournament_id, round)
);
create unique index tournament_drafts_waiting on tournament_drafts (tournament_id) where released_at is null;
create index tournament_drafts_by_organizer on tournament_drafts (paired_by);

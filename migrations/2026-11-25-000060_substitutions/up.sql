-- Seats that change hands in the middle of a match.

-- Who sat there when the match began, if that is somebody else by now: whom ratings and contests count.
alter table match_seats add column first_account_id uuid;

-- Players who have had a seat and have it no more. Nobody has two seats of a match, one after the other either.
create table former_players (
    match_id    uuid not null,
    account_id  uuid not null,
    seat        smallint not null,
    username    text not null,                  -- as in match_seats
    bot         boolean not null,
    until_at    timestamptz not null,           -- when somebody else got the seat
    last_message integer not null,              -- the newest message in the players' room then: who has the seat now
                                                -- reads what came after it
    primary key (match_id, account_id)
);
create index former_players_by_account on former_players (account_id, match_id desc);

-- Requests for a substitute. Of a seat one is open at a time.
create table substitutions (
    id            uuid primary key,
    match_id      uuid not null,
    seat          smallint not null,
    asked_by      text not null,                -- player | organizer | moderator: by what right it was asked for
    requester_id  uuid not null,
    player_id     uuid not null,                -- who has the seat
    named_id      uuid,                         -- the player who is asked; null: whoever may
    candidate_id  uuid,                         -- who is ready to take it over
    status        text not null,                -- open | proposed | completed | withdrawn | declined | refused | expired
    message       text,                         -- null: none, or its author has deleted their account
    created_at    timestamptz not null,
    due_at        timestamptz not null,         -- when it expires, or when silence counts as agreement
    closed_at     timestamptz
);
create unique index substitutions_open on substitutions (match_id, seat) where closed_at is null;
create index substitutions_by_match on substitutions (match_id, id desc);
create index substitutions_offered on substitutions (id desc) where status = 'open' and named_id is null;
create index substitutions_due on substitutions (due_at) where closed_at is null;
create index substitutions_by_requester on substitutions (requester_id);
create index substitutions_by_candidate on substitutions (candidate_id);
create index substitutions_by_named on substitutions (named_id);

-- What the others of the match, or whoever decides in their place, have said to a proposal.
create table substitution_answers (
    substitution_id uuid not null,
    account_id      uuid not null,
    agrees          boolean not null,
    at              timestamptz not null,
    primary key (substitution_id, account_id)
);
create index substitution_answers_by_account on substitution_answers (account_id);

-- Challenges: offers to play. A challenge past `expires_at` is expired even while its status is still `open`: readers
-- compare the time. The status becomes `expired` when the accounts concerned have been notified.

create table challenges (
    id          uuid primary key,
    creator_id  uuid not null references accounts (id),
    opponent_id uuid references accounts (id),   -- of a direct challenge
    variant     text not null,
    rule_set    jsonb not null,
    clock       jsonb not null,
    rated       boolean not null,
    spectators  boolean not null,                -- whether others may watch the match
    seats       smallint not null,
    visibility  text not null,                   -- open | direct | link
    message     text,
    status      text not null,                   -- open | accepted | declined | withdrawn | expired
    reason      text,                            -- why it was declined or withdrawn
    match_id    uuid,                            -- the match that came of it
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    -- What the match draws its chance from: 32 bytes, secret until the match is over. Its hash is shown with the
    -- challenge from the beginning. A row without one gets 244 random bits from PostgreSQL's own source.
    chance_seed bytea not null default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')),
    min_reliability_percent smallint,            -- the least share of finished matches not lost on time; null: any
    rematch_of  uuid,                            -- the match that it repeats
    opponent_preferred_name text                 -- the nation of the other seat, unless its player asks for another
);
create index challenges_open on challenges (id desc) where status = 'open' and visibility = 'open';
create index challenges_by_creator on challenges (creator_id, id desc);
create index challenges_by_opponent on challenges (opponent_id, id desc) where opponent_id is not null;
create index challenges_expiring on challenges (expires_at) where status = 'open';
create index challenges_by_rematch on challenges (rematch_of) where rematch_of is not null;

-- The seats of a challenge that are taken.
create table challenge_seats (
    challenge_id   uuid not null references challenges (id) on delete cascade,
    seat           smallint not null,
    account_id     uuid not null references accounts (id),
    preferred_name text,                         -- the nation that the player asks for
    nonce          text,                         -- what the player mixes into the chance of the match
    primary key (challenge_id, seat),
    unique (challenge_id, account_id)            -- one player per seat, one seat per player
);
create index challenge_seats_by_account on challenge_seats (account_id, challenge_id);

-- Offers to play. An offer past `expires_at` is expired whether or not anything has said so: readers reckon it.

create table challenges (
    id         uuid primary key,
    creator_id uuid not null references accounts (id),
    opponent_id uuid references accounts (id),   -- for a direct challenge
    variant    text not null,
    rule_set   jsonb not null,
    clock      jsonb not null,
    rated      boolean not null,
    spectators boolean not null,
    seats      smallint not null,
    visibility text not null,                    -- open | direct | link
    message    text,
    status     text not null,                    -- open | accepted | declined | withdrawn
    reason     text,                             -- why it was declined or withdrawn
    match_id   uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create index challenges_open on challenges (id desc) where status = 'open' and visibility = 'open';
create index challenges_made on challenges (creator_id, id desc);
create index challenges_received on challenges (opponent_id, id desc) where opponent_id is not null;

create table challenge_seats (
    challenge_id uuid not null references challenges (id) on delete cascade,
    seat         smallint not null,
    account_id   uuid not null references accounts (id),
    primary key (challenge_id, seat),
    unique (challenge_id, account_id)            -- two people can't take one seat, nor one person two
);

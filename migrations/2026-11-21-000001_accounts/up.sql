-- Who plays: accounts, the sessions they sign in with, and their personal access tokens.
-- Secrets are stored as hashes only: Argon2id for passwords, SHA-256 for tokens of 256 random bits.

create table accounts (
    id            uuid primary key,
    username      text not null,
    username_key  text not null unique,          -- lower case: names don't mind case
    email         text,
    password_hash text not null,                 -- a PHC string; empty once deleted
    bot           boolean not null,
    created_at    timestamptz not null,
    deleted_at    timestamptz
);

create table sessions (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    device       text not null,                  -- what the client called itself (User-Agent), shortened
    created_at   timestamptz not null,
    last_used_at timestamptz not null,
    expires_at   timestamptz not null,
    ended_at     timestamptz
);
create index sessions_of_account on sessions (account_id, id);

-- Each refresh token is good once. All tokens of a session are one family: a second use ends the session.
create table refresh_tokens (
    hash       bytea primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    issued_at  timestamptz not null,
    used_at    timestamptz
);
create index refresh_tokens_of_session on refresh_tokens (session_id);

create table access_tokens (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    name         text not null,
    hash         bytea not null unique,
    scopes       text[] not null,
    created_at   timestamptz not null,
    last_used_at timestamptz,
    expires_at   timestamptz
);
create index access_tokens_of_account on access_tokens (account_id, id);

-- The Ed25519 keys that sign access tokens; the newest signs, all are published until they are retired.
create table signing_keys (
    kid        text primary key,
    seed       bytea not null,
    created_at timestamptz not null,
    retired_at timestamptz
);

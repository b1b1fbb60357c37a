-- Accounts, their roles, sessions, and access tokens.
-- Secrets are stored as hashes only: Argon2id for passwords, SHA-256 for tokens of 256 random bits.

create table accounts (
    id                uuid primary key,
    username          text not null,
    username_key      text not null unique,      -- the name in lower case: names are unique whatever their case
    email             text,
    password_hash     text not null,             -- a PHC string; empty once the account is deleted
    bot               boolean not null,
    created_at        timestamptz not null,
    deleted_at        timestamptz,
    -- Suspended from `suspended_at` on, until `suspended_until` (null: for good). It stands in the account's own row,
    -- because whoever lets an account begin something locks that row: an earlier suspension is seen, a later one waits.
    suspended_at      timestamptz,
    suspended_until   timestamptz,
    suspension_reason text
);
create index accounts_suspended on accounts (id) where suspended_at is not null;

-- Roles beside the player's. Only the operator's command grants and revokes them.
create table account_roles (
    account_id uuid not null,
    role       text not null,                    -- moderator | organizer
    granted_at timestamptz not null,
    primary key (account_id, role)
);

create table sessions (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    device       text not null,                  -- the client's User-Agent, shortened
    created_at   timestamptz not null,
    last_used_at timestamptz not null,
    expires_at   timestamptz not null,
    ended_at     timestamptz
);
create index sessions_by_account on sessions (account_id, id);

-- A refresh token can be used once. A second use ends the session.
create table refresh_tokens (
    hash       bytea primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    issued_at  timestamptz not null,
    used_at    timestamptz
);
create index refresh_tokens_by_session on refresh_tokens (session_id);

-- Personal access tokens, which an account makes for its programs.
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
create index access_tokens_by_account on access_tokens (account_id, id);

-- The Ed25519 keys that sign the access tokens of sessions. The newest one signs; all are published until retired.
create table signing_keys (
    kid        text primary key,                 -- the RFC 7638 thumbprint
    seed       bytea not null,                   -- the private key
    created_at timestamptz not null,
    retired_at timestamptz
);

-- A work queue: deleted accounts whose event logs, and whose words in the event logs of others, are still to be
-- deleted. A row is written with the deletion of the account, and goes when the work is done, by any node.
create table account_purges (
    account_id uuid primary key,
    deleted_at timestamptz not null              -- when the account was deleted
);

-- A work queue: suspended accounts whose running matches are still to be resigned.
create table pending_resignations (
    account_id uuid primary key,
    created_at timestamptz not null
);

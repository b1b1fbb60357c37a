-- Accounts, their names and roles, and the sessions and tokens they sign in with.
-- Secrets are stored only as hashes: Argon2id for passwords, SHA-256 for tokens of 192 random bits or more.

create table accounts (
    id                  uuid primary key,
    username            text not null,
    username_key        text not null unique,    -- in lower case: names are unique whatever their case
    -- SHA-256 of the name's appearance: no two accounts have names that look alike. It stays when the account is
    -- deleted, so that nobody can pose as a player who has left.
    username_skeleton   bytea not null,
    username_changed_at timestamptz,
    email               text,
    password_hash       text not null,           -- a PHC string; of a guest one that no password has; empty: deleted
    bot                 boolean not null,
    guest               boolean not null default false,
    -- A keyed hash of the guest's address, until the account is claimed: guests of one address share quotas.
    guest_origin        bytea,
    bio                 text,
    country             text,
    club                text,
    shows_time_zone     boolean not null default false,
    -- everybody | accounts (no guests) | played (only players with a match against it) | nobody
    challenges_from     text not null default 'everybody',
    -- The suspension is in the account's own row because every action that needs an active account locks this row:
    -- it sees an earlier suspension, and a later one waits for it.
    suspended_at        timestamptz,
    suspended_until     timestamptz,             -- null: for good
    suspension_reason   text,
    sign_in_warned_at   timestamptz,             -- the owner's last warning of many wrong passwords
    created_at          timestamptz not null,
    deleted_at          timestamptz
);
create unique index accounts_by_skeleton on accounts (username_skeleton);
-- Names are compared byte by byte, whatever the collation of the database.
create index accounts_by_name on accounts (username_key text_pattern_ops) where deleted_at is null;
create index accounts_guests on accounts (id) where guest;
create index accounts_by_guest_origin on accounts (guest_origin) where guest_origin is not null;
create index accounts_suspended on accounts (id) where suspended_at is not null;
-- A suspended account that is deleted keeps its name until the suspension ends.
create index accounts_deleted_while_suspended on accounts (suspended_until)
    where deleted_at is not null and suspended_at is not null;

-- For a year an earlier name leads to its account, and nobody else can take it or one that looks like it. Of a deleted
-- account only the skeleton stays.
create table former_usernames (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    username_key text unique,
    skeleton     bytea not null,
    left_at      timestamptz not null
);
create index former_usernames_by_account on former_usernames (account_id);
create index former_usernames_by_skeleton on former_usernames (skeleton);
create index former_usernames_by_time on former_usernames (left_at);

-- Only the operator's command grants and revokes roles.
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
    program      text,                           -- the browser or other program, guessed from it
    system       text,
    network      text,                           -- the address at sign-in, shortened
    client_id    text,                           -- the app that acts for the owner; null: the owner's own session
    redirect_uri text,                           -- where the app got its code; null: no app, or the device flow
    scopes       text[],                         -- the app's permissions
    passkey_id   uuid,                           -- the passkey that opened it, which proves both factors
    -- The SHA-256 of the part that all refresh tokens of the session share. After a restore the client may hold a token
    -- that is newer than the backup: it can continue with that once. Null: no token was issued yet.
    token_family bytea,
    may_rejoin   boolean not null default false,
    created_at   timestamptz not null,
    last_used_at timestamptz not null,
    expires_at   timestamptz not null,
    ended_at     timestamptz,
    constraint sessions_of_apps check ((client_id is null) = (scopes is null))
);
create index sessions_by_account on sessions (account_id, id);
create index sessions_with_apps on sessions (account_id, id) where client_id is not null;
create index sessions_by_client on sessions (client_id) where client_id is not null and ended_at is null;
create index sessions_by_passkey on sessions (passkey_id) where passkey_id is not null;
create index sessions_by_token_family on sessions (token_family) where token_family is not null;

-- A refresh token can be used once. A second use ends the session.
create table refresh_tokens (
    hash            bytea primary key,
    session_id      uuid not null references sessions (id) on delete cascade,
    issued_at       timestamptz not null,
    used_at         timestamptz,
    -- The next token is computed from this one and the salt, so a repeated request gets the same answer without a copy
    -- of it. Null: not used yet.
    successor_salt  bytea,
    -- Two networks have it, because the token before it was used from both: repeating it is not allowed.
    given_elsewhere boolean not null default false
);
create index refresh_tokens_by_session on refresh_tokens (session_id);

-- The service's own pages keep a cookie instead of tokens. A session outlives its cookie.
create table page_cookies (
    hash       bytea primary key,
    session_id uuid not null references sessions (id) on delete cascade,
    expires_at timestamptz not null
);
create index page_cookies_by_session on page_cookies (session_id);

-- Personal access tokens, for the owner's programs.
create table access_tokens (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    session_id   uuid not null,                  -- where it was made: if that session was stolen, the token goes too
    name         text not null,
    hash         bytea not null unique,
    scopes       text[] not null,
    created_at   timestamptz not null,
    last_used_at timestamptz,
    expires_at   timestamptz
);
create index access_tokens_by_account on access_tokens (account_id, id);

-- One-time tickets for event streams: a browser's EventSource can't send a token.
create table stream_tickets (
    hash       bytea primary key,
    account_id uuid not null,
    session_id uuid,                             -- of the token that asked for the ticket
    token_hash bytea,                            -- or the personal access token itself
    good_until timestamptz,                      -- the end of that token; null: it has none
    expires_at timestamptz not null,
    constraint stream_tickets_one_origin check ((session_id is null) <> (token_hash is null))
);
create index stream_tickets_by_expiry on stream_tickets (expires_at);
create index stream_tickets_by_account on stream_tickets (account_id);

-- The Ed25519 keys that sign the access tokens of sessions. The newest signs; all are published until they are retired.
create table signing_keys (
    kid        text primary key,                 -- the RFC 7638 thumbprint
    seed       bytea not null,                   -- the private key
    created_at timestamptz not null,
    retired_at timestamptz
);

-- The key of the checksum in refresh tokens and personal tokens: a node rejects an invented token without a look-up.
-- Its thief could only cause look-ups.
create table token_mac_key (
    only_row boolean primary key default true constraint token_mac_key_only_row check (only_row),
    key      bytea not null                      -- 32 random bytes
);

-- A work queue: deleted accounts whose events, and whose words in the events of others, are still to be deleted.
create table account_purges (
    account_id uuid primary key,
    deleted_at timestamptz not null              -- when the account was deleted
);

-- A work queue: suspended accounts whose live matches are still to be resigned.
create table pending_resignations (
    account_id uuid primary key,
    created_at timestamptz not null
);

-- Second factors, passkeys, recovery of an account, its security log, and apps that act for it (OAuth 2.1).
-- Every secret is stored as its SHA-256.

-- The secret of an authenticator app (TOTP).
create table second_factors (
    account_id     uuid primary key references accounts (id),
    secret         bytea not null,               -- encrypted if the operator has configured a key
    begun_at       timestamptz not null,
    enabled_at     timestamptz,                  -- null: the owner hasn't confirmed it yet
    last_step      bigint not null default 0,    -- of the last accepted code: neither it nor an earlier one works again
    failures       integer not null default 0,   -- wrong codes since `failures_since`
    failures_since timestamptz
);

-- One-time codes for an owner who has lost the authenticator.
create table recovery_codes (
    account_id uuid not null references accounts (id),
    hash       bytea not null,
    primary key (account_id, hash)
);

-- A sign-in with the right password that still lacks the second factor.
create table sign_in_challenges (
    hash       bytea primary key,
    account_id uuid not null references accounts (id),
    expires_at timestamptz not null,
    tries      integer not null default 0
);
create index sign_in_challenges_by_account on sign_in_challenges (account_id);
create index sign_in_challenges_by_time on sign_in_challenges (expires_at);

-- Passkeys (WebAuthn): the public half of a key that the owner's authenticator holds.
create table passkeys (
    id            uuid primary key,
    account_id    uuid not null references accounts (id),
    credential_id bytea not null unique,
    credential    jsonb not null,                -- public key, counter and flags, as webauthn-rs writes them
    name          text not null,
    created_at    timestamptz not null,
    last_used_at  timestamptz,
    cloned_at     timestamptz                    -- its counter went back: the key was copied, and is blocked
);
create index passkeys_by_account on passkeys (account_id, id desc);

-- A challenge for an authenticator to sign, once.
create table passkey_challenges (
    hash              bytea primary key,
    purpose           text not null,             -- registration | sign-in
    account_id        uuid references accounts (id), -- the owner of the passkey; null: any account
    sign_in_challenge bytea,                     -- the challenge that the answer is the second factor for
    state             jsonb not null,            -- as webauthn-rs writes it
    expires_at        timestamptz not null
);
create index passkey_challenges_by_account on passkey_challenges (account_id) where account_id is not null;
create index passkey_challenges_by_time on passkey_challenges (expires_at);

-- One-time links that let their reader set a new password.
create table password_reset_links (
    hash       bytea primary key,
    account_id uuid not null references accounts (id),
    restores   text,                             -- the earlier address that it restores; null: it restores none
    expires_at timestamptz not null
);
create index password_reset_links_by_account on password_reset_links (account_id);
create index password_reset_links_by_time on password_reset_links (expires_at);

-- A work queue: logins as they were typed, whether the account exists or not. Every request takes the same time, so
-- nobody learns from it which accounts exist.
create table password_reset_requests (
    login        text primary key,               -- in lower case: a name, or an address with an @
    requested_at timestamptz not null
);

-- The security log of an account, for its owner: kept for half a year, at most 500 rows per account.
create table security_events (
    id         uuid primary key,                 -- ascends with time
    account_id uuid not null references accounts (id),
    kind       text not null,
    at         timestamptz not null,
    program    text,                             -- as in `sessions`
    system     text,
    network    text,
    session_id uuid,                             -- the session it is about, which may be over
    subject    text                              -- an app, the name of a token, an earlier username
);
create index security_events_by_account on security_events (account_id, id);
create index security_events_by_time on security_events (at);

-- A work queue: mail about an account's security, which its owner can't turn off.
create table security_notices (
    id         uuid primary key,
    account_id uuid not null references accounts (id),
    kind       text not null,
    address    text not null,                    -- the recipient
    at         timestamptz not null,             -- of the event
    due_at     timestamptz not null,             -- of the next attempt
    attempts   integer not null default 0,
    program    text,
    system     text,
    network    text
);
create index security_notices_due on security_notices (due_at);
create index security_notices_by_account on security_notices (account_id);

-- Apps that an account has registered: their consent page shows a name and an owner. Their client_id is 'registered-'
-- and the id.
create table registered_apps (
    id            uuid primary key,
    account_id    uuid not null references accounts (id), -- the owner
    name          text not null,
    homepage      text not null,
    description   text not null,
    redirect_uris text[] not null,
    scopes        text[] not null,               -- the most it can request
    created_at    timestamptz not null,
    suspended_at  timestamptz                    -- since then the operator lets it get no grants
);
create index registered_apps_by_account on registered_apps (account_id, id);

-- The skeletons of app names, as in `accounts`. An abandoned name stays reserved for its owner for a time.
create table registered_app_names (
    skeleton   bytea primary key,
    app_id     uuid,                             -- null: abandoned
    account_id uuid,                             -- of an abandoned name: its owner; null: reserved for nobody
    free_at    timestamptz                       -- of an abandoned name: when anybody can take it
);
create index registered_app_names_by_app on registered_app_names (app_id) where app_id is not null;
create index registered_app_names_by_account on registered_app_names (account_id, free_at) where app_id is null;
create index registered_app_names_by_time on registered_app_names (free_at) where free_at is not null;

-- A used code stays for a day: its second use ends the session that the first has opened.
create table authorization_codes (
    hash            bytea primary key,
    account_id      uuid not null references accounts (id),
    page_session_id uuid not null,               -- where the owner consented: the grant ends with a stolen session
    client_id       text not null,
    redirect_uri    text not null,
    scopes          text[] not null,
    code_challenge  bytea not null,              -- the SHA-256 of the code verifier (PKCE, S256)
    expires_at      timestamptz not null,
    session_id      uuid                         -- the session that it has opened; null: not used yet
);
create index authorization_codes_by_time on authorization_codes (expires_at);
create index authorization_codes_by_account on authorization_codes (account_id);
create index authorization_codes_by_client on authorization_codes (client_id);

-- Devices without a browser, which wait until their user types the code elsewhere (RFC 8628).
create table device_codes (
    hash            bytea primary key,           -- of the code that the device keeps
    user_code       text not null unique,        -- the typed code, without its hyphen
    client_id       text not null,
    scopes          text[] not null,
    expires_at      timestamptz not null,
    interval_s      integer not null,            -- the least time between two requests of the device
    asked_at        timestamptz,                 -- its last request
    account_id      uuid references accounts (id), -- null: nobody has decided yet
    page_session_id uuid,                        -- as in `authorization_codes`; null: nobody has decided yet
    allowed         boolean not null default false
);
create index device_codes_by_time on device_codes (expires_at);
create index device_codes_by_account on device_codes (account_id) where account_id is not null;
create index device_codes_by_client on device_codes (client_id);

-- Passkeys (WebAuthn): the public half of a key that an authenticator of the account's owner holds.
create table passkeys (
    id            uuid primary key,
    account_id    uuid not null references accounts (id),
    credential_id bytea not null unique,                -- what the authenticator calls it
    credential    jsonb not null,                       -- public key, counter and flags, as webauthn-rs writes them
    name          text not null,
    created_at    timestamptz not null,
    last_used_at  timestamptz,
    cloned_at     timestamptz                           -- its counter went back: two have the key, and it opens nothing
);
create index passkeys_by_account on passkeys (account_id, id desc);

-- What an authenticator is asked to sign, once, by the SHA-256 of the secret that the client has for it.
create table passkey_challenges (
    hash              bytea primary key,
    purpose           text not null,                    -- registration | sign-in
    account_id        uuid references accounts (id),    -- whose passkey must answer; null: anybody's may
    sign_in_challenge bytea,                            -- what the answer is the second factor for, by its hash
    state             jsonb not null,                   -- as webauthn-rs writes it
    expires_at        timestamptz not null
);
create index passkey_challenges_by_account on passkey_challenges (account_id) where account_id is not null;
create index passkey_challenges_by_time on passkey_challenges (expires_at);

-- The passkey that has opened a session, which has shown both factors so.
alter table sessions add column passkey_id uuid;
create index sessions_by_passkey on sessions (passkey_id) where passkey_id is not null;

-- Web Push: browsers that are told of an account's events through the push service of their maker.
create table push_subscriptions (
    id            uuid primary key,
    account_id    uuid not null references accounts (id),
    session_id    uuid not null unique,                 -- the sign-in that made it: it ends with it, and there is one
    endpoint      text not null,                        -- where the push service takes messages for the browser
    endpoint_hash bytea not null unique,                -- its SHA-256: a browser belongs to one account
    host          text not null,
    p256dh        bytea not null,                       -- the browser's public key, which messages are encrypted for
    auth          bytea not null,                       -- the secret that it shares with the service
    name          text not null,
    kinds         text[] not null,
    language      text not null,
    told          bigint not null,                      -- the last event that was sent or passed over
    failures      integer not null default 0,           -- since the last success
    suspect       boolean not null default false,       -- its last attempt failed or was slow
    paused_until  timestamptz,
    delivered_at  timestamptz,
    claim_id      uuid,
    claimed_until timestamptz not null,
    created_at    timestamptz not null
);
create index push_subscriptions_by_account on push_subscriptions (account_id, id desc);

-- The key by which push services know the service (VAPID, RFC 8292), shared by all nodes.
create table vapid_key (
    only_row boolean primary key default true check (only_row),
    secret   bytea not null,                            -- 32 bytes, sealed if there is a sealing key
    public   bytea not null                             -- 65 bytes: the point, not compressed
);

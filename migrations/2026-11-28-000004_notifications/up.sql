-- Delivery of events by webhook, mail and Web Push. All three read the account's event log, and store nothing of it.

create table webhooks (
    account_id              uuid not null,
    id                      uuid not null,
    url                     text not null,
    host                    text not null,       -- deliveries to one host at a time are limited
    kinds                   text[] not null,     -- of events; empty: all
    secret                  bytea not null,      -- signs deliveries; encrypted if the operator has configured a key
    old_secret              bytea,               -- signs too, until `old_secret_until`
    old_secret_until        timestamptz,
    active                  boolean not null,
    disabled_reason         text,                -- why the service disabled it: gone | failing; null: it did not
    queued_up_to            bigint not null,     -- every event up to this number has a delivery or was skipped
    due_at                  timestamptz,         -- at or before its first pending delivery; null: none is pending
    failures                integer not null default 0, -- failed attempts since the last success
    suspect                 boolean not null default false, -- the last attempt failed or was slow: separate slots
    failing_since           timestamptz,
    paused_until            timestamptz,         -- no attempt before, after a failure
    delivered_at            timestamptz,         -- the last success
    claim_id                uuid,                -- of the node that delivers, until `claimed_until`
    claimed_until           timestamptz not null, -- without a claim: when the last one was returned
    manual_deliveries       integer not null default 0, -- pings and repeated deliveries since the time below
    manual_deliveries_since timestamptz,
    created_at              timestamptz not null,
    primary key (account_id, id)
) with (fillfactor = 60);

-- One row per event and webhook, and one per ping. The body is not stored: it is made from the event log.
create table webhook_deliveries (
    account_id      uuid not null,
    webhook_id      uuid not null,
    id              uuid not null,
    number          bigint,                      -- of the event; null: a ping
    kind            text not null,
    status          text not null,               -- pending | delivered | failed
    failures        integer not null default 0,  -- failed attempts in this series; a repeated delivery starts a new one
    attempts        integer not null default 0,  -- all attempts
    due_at          timestamptz,                 -- of the next attempt, while it is pending
    created_at      timestamptz not null,
    attempted_at    timestamptz,
    response_status integer,                     -- the HTTP status of the last attempt
    error           text,                        -- why the last attempt failed, in the service's own words
    primary key (account_id, webhook_id, id)
);
create index webhook_deliveries_pending on webhook_deliveries (account_id, webhook_id, number)
    where status = 'pending';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- One row per account that has changed its mail settings or asked for a confirmation. It is the queue of mail, too.
create table mail_settings (
    account_id        uuid primary key,
    kinds             text[] not null,           -- of events; empty: no mail
    digest            text not null,             -- immediate | hourly | daily
    daily_hour        smallint not null,         -- of the daily digest, in the time zone
    quiet_from        smallint,                  -- quiet hours, in minutes after midnight in the time zone; null: none
    quiet_until       smallint,
    time_zone         text not null,
    language          text not null,
    confirmed_address text,                      -- receives mail while it is the account's address
    unsubscribe_key   bytea not null,            -- signs the links that end all mail
    handled_up_to     bigint not null,           -- events up to this number have been sent or skipped
    seen_up_to        bigint not null,           -- events up to this number have been looked at
    -- The last event of the mail that is being sent. It stays when sending is retried: the mail keeps its Message-ID.
    sending_up_to     bigint,
    due_at            timestamptz,               -- null: nothing to send
    attempts          integer not null default 0,
    failing_since     timestamptz,
    failed_at         timestamptz,               -- the last mail that bounced; null: a later one was delivered
    failure           text,
    claim_id          uuid,                      -- of the node that sends, until `claimed_until`
    claimed_until     timestamptz,
    reset_mails       integer not null default 0, -- password links mailed since the time below
    reset_mails_since timestamptz,
    reset_mailed_at   timestamptz                -- the last of them
) with (fillfactor = 80);
create index mail_settings_due on mail_settings (due_at) where due_at is not null;
create index mail_settings_by_address on mail_settings (lower(confirmed_address)) where confirmed_address is not null;

-- Links that confirm an address, by the hash of their secret.
create table mail_confirmations (
    account_id   uuid not null,
    hash         bytea not null,
    address      text not null,
    requested_at timestamptz not null,
    used_at      timestamptz,
    sent         boolean not null,               -- false: over the limit of the address
    primary key (account_id, hash)
);
-- Limits mail to one address, however many accounts name it.
create index mail_confirmations_by_address on mail_confirmations (lower(address), requested_at);

-- Browsers that get an account's events through the push service of their maker.
create table push_subscriptions (
    id            uuid primary key,
    account_id    uuid not null references accounts (id),
    session_id    uuid not null unique,          -- the sign-in that made it, and ends it
    endpoint      text not null,                 -- where the push service takes messages for the browser
    endpoint_hash bytea not null unique,         -- its SHA-256: a browser belongs to one account
    host          text not null,
    p256dh        bytea not null,                -- the browser's public key, for encryption
    auth          bytea not null,                -- the secret that it shares with the service
    name          text not null,
    kinds         text[] not null,
    language      text not null,
    told          bigint not null,               -- the last event that was sent or skipped
    -- Later events that were sent before an earlier one: warnings don't wait.
    told_ahead    bigint[] not null default '{}',
    seen          bigint not null default 0,
    waits_until   timestamptz,                   -- no event up to `seen` is due before
    failures      integer not null default 0,    -- since the last success
    suspect       boolean not null default false, -- the last attempt failed or was slow: separate slots
    paused_until  timestamptz,
    delivered_at  timestamptz,
    claim_id      uuid,
    claimed_until timestamptz not null,
    created_at    timestamptz not null
);
create index push_subscriptions_by_account on push_subscriptions (account_id, id desc);

-- The key that identifies the service to push services (VAPID, RFC 8292), shared by all nodes.
create table vapid_key (
    only_row boolean primary key default true constraint vapid_key_only_row check (only_row),
    secret   bytea not null,                     -- 32 bytes, encrypted if the operator has configured a key
    public   bytea not null                      -- 65 bytes: the point, not compressed
);

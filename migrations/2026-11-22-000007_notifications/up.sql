-- Notifications that are delivered: webhooks and mail. Both read the account's event log, and store nothing of it.

-- Addresses to which the events of an account are sent.
create table webhooks (
    account_id              uuid not null,
    id                      uuid not null,
    url                     text not null,
    host                    text not null,       -- of the url: deliveries to one host at a time are limited
    kinds                   text[] not null,     -- of events; empty: all
    secret                  bytea not null,      -- signs deliveries; encrypted when the operator has given a key
    old_secret              bytea,               -- signs beside the new one until `old_secret_until`
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
    claim_id                uuid,                -- the claim of the node that works on it, until `claimed_until`
    claimed_until           timestamptz not null, -- without a claim: when the last one was given back
    manual_deliveries       integer not null default 0, -- pings and redeliveries asked for, counted since:
    manual_deliveries_since timestamptz,
    created_at              timestamptz not null,
    primary key (account_id, id)
) with (fillfactor = 60);

-- One row per event and webhook, and one per ping. The body is not stored: it is made from the account's event log.
create table webhook_deliveries (
    account_id      uuid not null,
    webhook_id      uuid not null,
    id              uuid not null,
    number          bigint,                      -- of the event; null: a ping
    kind            text not null,
    status          text not null,               -- pending | delivered | failed
    failures        integer not null default 0,  -- failed attempts in this series; asking for it again begins a new one
    attempts        integer not null default 0,  -- all attempts
    due_at          timestamptz,                 -- of the next attempt, while it is pending
    created_at      timestamptz not null,
    attempted_at    timestamptz,
    response_status integer,                     -- the HTTP status of the last attempt
    error           text,                        -- what was wrong with the last attempt, in the service's own words
    primary key (account_id, webhook_id, id)
);
create index webhook_deliveries_pending on webhook_deliveries (account_id, webhook_id, number) where status = 'pending';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- One row per account that has changed its mail settings or asked for a confirmation. It is the queue of mail, too.
create table mail_settings (
    account_id        uuid primary key,
    kinds             text[] not null,           -- of events that it wants mail about; empty: none
    digest            text not null,             -- each | hourly | daily
    daily_hour        smallint not null,         -- of the daily digest, in the time zone
    quiet_from        smallint,                  -- quiet hours, in minutes after midnight in the time zone; null: none
    quiet_until       smallint,
    time_zone         text not null,
    language          text not null,
    confirmed_address text,                      -- mail goes there while it is the account's address
    unsubscribe_key   bytea not null,            -- signs the links that end all mail
    handled_up_to     bigint not null,           -- events up to this number have been sent or skipped
    seen_up_to        bigint not null,           -- events up to this number have been looked at
    sending_up_to     bigint,                    -- the last event of the mail that is being sent. It stays the same
                                                 -- when sending is tried again: the mail keeps its Message-ID
    due_at            timestamptz,               -- when a mail is due; null: nothing waits
    attempts          integer not null default 0,
    failing_since     timestamptz,
    claim_id          uuid,                      -- the claim of the node that is sending, until `claimed_until`
    claimed_until     timestamptz
) with (fillfactor = 80);
create index mail_settings_due on mail_settings (due_at) where due_at is not null;

-- Links that were requested to confirm an address. Only the hash of the secret is stored.
create table mail_confirmations (
    account_id   uuid not null,
    hash         bytea not null,
    address      text not null,
    requested_at timestamptz not null,
    used_at      timestamptz,
    sent         boolean not null,               -- false: this one was over the limit for the address
    primary key (account_id, hash)
);
-- Limits mail to one address, however many accounts give it.
create index mail_confirmations_by_address on mail_confirmations (lower(address), requested_at);

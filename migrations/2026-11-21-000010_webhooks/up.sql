-- Webhooks: the events of an account, sent to addresses that its owner names. Both keys lead with the account.

create table webhooks (
    account_id       uuid not null,
    id               uuid not null,
    url              text not null,
    host             text not null,              -- of the url: how many deliveries go to one at a time is bounded
    kinds            text[] not null,            -- which events; empty: all
    secret           bytea not null,             -- sealed when the operator has given a key for it: see src/notices/webhooks/secret.rs
    old_secret       bytea,                      -- signs beside the new one, until
    old_secret_until timestamptz,
    active           boolean not null,
    off_reason       text,                       -- why it was switched off, unless by its owner: gone, failing
    told             bigint not null,            -- the number of the last event of the account for which there is a delivery, or which was passed over
    due_at           timestamptz,                -- at or before the moment at which the first of its pending deliveries is due; null: none is pending
    failures         integer not null default 0, -- failed attempts since the last one that went well
    suspect          boolean not null default false, -- the last attempt failed or took long: it is worked on in the places for these
    failing_since    timestamptz,
    rest_until       timestamptz,                -- after a failure nothing is tried before
    delivered_at     timestamptz,
    holder           uuid,                       -- the claim of the node that is at work on it,
    held_until       timestamptz not null,       -- which runs out then; when it has been given back: since when
    asked            integer not null default 0, -- deliveries asked for by hand since
    asked_since      timestamptz,
    created_at       timestamptz not null,
    primary key (account_id, id)
) with (fillfactor = 60);

-- One row an event and webhook (and one a ping). The body isn't kept: it is made of the account's log again.
create table webhook_deliveries (
    account_id   uuid not null,
    webhook_id   uuid not null,
    id           uuid not null,
    number       bigint,                         -- of the event; null: a ping
    kind         text not null,
    status       text not null,                  -- pending, delivered, failed
    step         integer not null default 0,     -- how many times it has failed in this series of attempts
    attempts     integer not null default 0,     -- how many times it was tried at all
    due_at       timestamptz,                    -- when it is tried next, while it is pending
    created_at   timestamptz not null,
    attempted_at timestamptz,
    answer       integer,                        -- the HTTP status of the last attempt
    diagnosis    text,                           -- what was wrong with the last attempt, in words of ours
    primary key (account_id, webhook_id, id)
);
create index webhook_deliveries_pending on webhook_deliveries (account_id, webhook_id, number) where status = 'pending';
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

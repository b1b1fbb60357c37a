-- Tickets that open one stream of events: for browsers, whose EventSource can't send a token. A row is deleted when its
-- ticket is used.
create table stream_tickets (
    hash       bytea primary key,                -- SHA-256 of the ticket
    account_id uuid not null,
    session_id uuid,                             -- the session of the token that it was made with
    token_hash bytea,                            -- or the personal access token
    good_until timestamptz,                      -- when that token stops being good; null: never
    expires_at timestamptz not null,             -- until when it can be used
    check ((session_id is null) <> (token_hash is null))
);
create index stream_tickets_by_expiry on stream_tickets (expires_at);
create index stream_tickets_by_account on stream_tickets (account_id);

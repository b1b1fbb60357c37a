-- Responses kept for 24 hours under the Idempotency-Key of the request that got them.
-- The key itself is not stored: `id` is a hash of it and of whose it is, `fingerprint` is keyed with it, and `response`
-- is encrypted with it. The table alone reveals nothing (a response may hold fresh tokens, a request a password).
-- For an action in a match the log holds the response already: `match_id` and `seq` say where.
create table idempotency_keys (
    id          bytea primary key,
    fingerprint bytea not null,                  -- of the request
    created_at  timestamptz not null,
    response    bytea,
    match_id    uuid,
    seq         integer
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

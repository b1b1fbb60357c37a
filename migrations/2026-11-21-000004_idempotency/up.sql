-- Answers kept for 24 hours under the Idempotency-Key of the request that got them.
-- The key itself is not stored: `id` is a hash of it and of whose it is, `fingerprint` is keyed with it, and `answer` is sealed with it,
-- so the table alone gives nothing away (an answer may hold fresh tokens, a request a password).
-- For an action in a match the log holds the answer already: `match_id` and `seq` say where.

create table idempotency_keys (
    id          bytea primary key,
    fingerprint bytea not null,
    created_at  timestamptz not null,
    answer      bytea,
    match_id    uuid,
    seq         integer
);
create index idempotency_keys_age on idempotency_keys (created_at);

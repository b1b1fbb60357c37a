-- Many seats, what they wish to be called, and proof: chance that is committed to before anybody joins, and keys that sign records.
-- Expands only, and what a node of the version before inserts gets the defaults below; but it can't read matches in which newer nodes have
-- written, so it must not serve matches beside them.

-- The Ed25519 keys that sign records of matches. A match is signed with the key that it was made under, for ever: these rows are never deleted.
create table record_keys (
    kid        text primary key,                 -- the RFC 7638 thumbprint
    seed       bytea not null,
    created_at timestamptz not null
);

-- What chance is drawn from: 32 bytes, secret until the match is over. Its hash stands on the challenge from the beginning.
-- A row that comes without one gets 244 random bits from PostgreSQL's own source.
alter table challenges add column chance bytea not null
    default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

alter table challenge_seats
    add column wish  text,                       -- what the seat wants to be called: a nation
    add column nonce text;                       -- what its player mixes into the chance of the match
create index challenge_seats_of_account on challenge_seats (account_id, challenge_id);

alter table matches
    add column chance     bytea,                 -- taken over from the challenge; null: made before there was one, and drawn from `seed`
    add column record_key text;                  -- kid of the key that signs the match's records; null: the oldest

alter table match_seats
    add column wish  text,
    add column nonce text;

-- In a match of many seats one of them may run out of time while the others play on: the result no longer says who did.
alter table match_heads add column timed_out integer not null default 0; -- bit n: seat n ran out of time
update match_heads set timed_out = case when (result->>'winner')::int = 0 then 2 when (result->>'winner')::int = 1 then 1 else 3 end
    where result->>'reason' = 'time';

-- Second factors: the secret of an authenticator app (TOTP), one for an account.
create table second_factors (
    account_id     uuid primary key references accounts (id),
    secret         bytea not null,                      -- encrypted when the operator has given a key
    enabled_at     timestamptz,                         -- since when sign-ins ask for it; null: it is being set up
    last_step      bigint not null default 0,           -- of the last code that was accepted: none up to it is again
    failures       integer not null default 0,          -- wrong codes since:
    failures_since timestamptz
);

-- Codes for when the app is lost, by their SHA-256. Each works once.
create table recovery_codes (
    account_id uuid not null references accounts (id),
    hash       bytea not null,
    primary key (account_id, hash)
);

-- What a right password opens where a second factor is asked for, by the SHA-256 of its secret.
create table sign_in_challenges (
    hash       bytea primary key,
    account_id uuid not null references accounts (id),
    expires_at timestamptz not null,
    tries      integer not null default 0
);
create index sign_in_challenges_by_account on sign_in_challenges (account_id);
create index sign_in_challenges_by_time on sign_in_challenges (expires_at);

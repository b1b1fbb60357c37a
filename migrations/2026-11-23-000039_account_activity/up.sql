-- The security log of an account, for its owner: sign-ins, and what was changed of how one signs in. Kept for half a
-- year, and at most 500 rows for an account.
create table security_events (
    id         uuid primary key,                        -- ascends with time
    account_id uuid not null references accounts (id),
    kind       text not null,
    at         timestamptz not null,
    program    text,                                    -- the rough client: a browser or another program
    system     text,
    network    text,                                    -- where the request came from, shortened
    session_id uuid,                                    -- of what the row tells; the session may be long over
    subject    text                                     -- an app, the name of a token, a name before
);
create index security_events_by_account on security_events (account_id, id);
create index security_events_by_time on security_events (at);

-- The same of the client of a session, as of its sign-in; null for sessions from before.
alter table sessions add column program text;
alter table sessions add column system text;
alter table sessions add column network text;

-- And of the request that a notice tells of.
alter table security_notices add column program text;
alter table security_notices add column system text;
alter table security_notices add column network text;

-- Names that accounts have had: for a year they lead to the account, and nobody else takes them or one that looks like
-- them. Of a deleted account only what the name looked like stays, as a hash.
create table former_usernames (
    id           uuid primary key,
    account_id   uuid not null references accounts (id),
    username_key text unique,
    skeleton     bytea not null,
    left_at      timestamptz not null
);
create index former_usernames_by_account on former_usernames (account_id);
create index former_usernames_by_skeleton on former_usernames (skeleton);
create index former_usernames_by_time on former_usernames (left_at);
alter table accounts add column username_changed_at timestamptz;

-- What an account says of its owner.
alter table accounts add column bio text;
alter table accounts add column country text;
alter table accounts add column club text;
alter table accounts add column shows_time_zone boolean not null default false;

-- Apps that act for an account (OAuth 2.1). Each grant is a session of its own, which is the family of its refresh
-- tokens.
alter table sessions add column client_id text;        -- what the app calls itself; null: the owner's own session
alter table sessions add column redirect_uri text;     -- where the app got its code; null: no app, or by the device flow
alter table sessions add column scopes text[];         -- what the app may do
alter table sessions add constraint sessions_of_apps check ((client_id is null) = (scopes is null));
create index sessions_with_apps on sessions (account_id, id) where client_id is not null;

-- The cookies of the service's own pages, by their SHA-256. Each opens a session, which has no tokens.
create table page_cookies (
    hash       bytea primary key,
    session_id uuid not null references sessions (id) on delete cascade
);
create index page_cookies_by_session on page_cookies (session_id);

-- Authorization codes, by their SHA-256. A used one stays for a day: its second use ends what the first has opened.
create table authorization_codes (
    hash           bytea primary key,
    account_id     uuid not null references accounts (id),
    client_id      text not null,
    redirect_uri   text not null,
    scopes         text[] not null,
    code_challenge bytea not null,                      -- the SHA-256 of the code verifier (PKCE, S256)
    expires_at     timestamptz not null,
    session_id     uuid                                 -- what was opened with it; null: it wasn't used
);
create index authorization_codes_by_time on authorization_codes (expires_at);
create index authorization_codes_by_account on authorization_codes (account_id);

-- Devices without a browser that wait until somebody types their code elsewhere (RFC 8628), by the SHA-256 of the code
-- that the device keeps.
create table device_codes (
    hash       bytea primary key,
    user_code  text not null unique,                    -- what is typed, without the hyphen
    client_id  text not null,
    scopes     text[] not null,
    expires_at timestamptz not null,
    interval_s integer not null,                        -- how long the device has to wait between two questions
    asked_at   timestamptz,                             -- when it asked last
    account_id uuid references accounts (id),           -- who has decided; null: nobody yet
    allowed    boolean not null default false
);
create index device_codes_by_time on device_codes (expires_at);
create index device_codes_by_account on device_codes (account_id) where account_id is not null;

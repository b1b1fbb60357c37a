-- A lost password: links that let somebody choose another one, by the SHA-256 of their secret. Each works once.
create table password_reset_links (
    hash       bytea primary key,
    account_id uuid not null references accounts (id),
    restores   text,                                    -- the address that it puts back; null: it changes none
    expires_at timestamptz not null
);
create index password_reset_links_by_account on password_reset_links (account_id);
create index password_reset_links_by_time on password_reset_links (expires_at);

-- A work queue: what was asked for as it was typed, whether there is such an account or not. So asking takes the same
-- work for everybody, and nobody learns from it who is here.
create table password_reset_requests (
    login        text primary key,                      -- in lower case: a name, or an address with an @
    requested_at timestamptz not null
);

-- A work queue: what the owners of accounts are told by mail about their security, whatever mail they want otherwise.
create table security_notices (
    id         uuid primary key,
    account_id uuid not null references accounts (id),
    kind       text not null,
    address    text not null,                           -- where the mail goes
    at         timestamptz not null,                    -- when it happened
    due_at     timestamptz not null,                    -- when sending is tried next
    attempts   integer not null default 0
);
create index security_notices_due on security_notices (due_at);
create index security_notices_by_account on security_notices (account_id);

-- How often links were mailed to an account: `reset_mails` since `reset_mails_since`, the last one at
-- `reset_mailed_at`.
alter table mail_settings add column reset_mails integer not null default 0;
alter table mail_settings add column reset_mails_since timestamptz;
alter table mail_settings add column reset_mailed_at timestamptz;
create index mail_settings_by_address on mail_settings (lower(confirmed_address)) where confirmed_address is not null;

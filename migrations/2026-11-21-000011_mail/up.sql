-- Mail: what each account wants to be written about, and how far that has gone. What is in a mail is read from the account's log of events when it is
-- sent; nothing of it is stored here. Both keys lead with the account.

-- One row for each account that has ever said what it wants, or asked for a confirmation.
create table mail_settings (
    account_id      uuid primary key,
    kinds           text[] not null,             -- the events that it wants to be written about; empty: none
    digest          text not null,               -- each, hourly or daily
    daily_hour      smallint not null,           -- the hour of the daily one, in the time zone
    quiet_from      smallint,                    -- quiet hours, in minutes from midnight in the time zone; null: none
    quiet_until     smallint,
    time_zone       text not null,
    language        text not null,
    confirmed       text,                        -- the address that was confirmed; mail goes there while it is the account's
    unsubscribe_key bytea not null,              -- what links that end all mail are signed with
    -- Where it stands. Events up to `dealt_with` have been sent or passed over; those up to `seen` have been looked at; `upto` is how far the mail goes
    -- that is being sent, or tried again: the same each time, so that it keeps its Message-ID.
    dealt_with      bigint not null,
    seen            bigint not null,
    upto            bigint,
    due_at          timestamptz,                 -- when a mail is due; null: nothing waits
    attempts        integer not null default 0,
    failing_since   timestamptz,
    lease           uuid,                        -- of the node that is sending, until `leased_until`
    leased_until    timestamptz
) with (fillfactor = 80);

create index mail_settings_due on mail_settings (due_at) where due_at is not null;

-- Links that were asked for to confirm an address. Only the hash of the secret is kept.
create table mail_confirmations (
    account_id uuid not null,
    hash       bytea not null,
    address    text not null,
    asked_at   timestamptz not null,
    used_at    timestamptz,
    sent       boolean not null,                 -- false: so many went there that this one was not sent
    primary key (account_id, hash)
);

-- So that nobody's mailbox is filled by many accounts that give his address.
create index mail_confirmations_address on mail_confirmations (lower(address), asked_at);

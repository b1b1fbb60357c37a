-- When a player plays: nights, days off and vacations, and reminders.
-- When a clock rests is written into the log of each match, as plain points in time: no match is folded from these
-- tables.

-- One row per account, made when it is first needed. Opening a match whose clock rests locks it in share mode, and
-- changing the calendar locks it for itself: a new match has the new calendar, or is among those that are replanned.
create table account_calendars (
    account_id         uuid primary key,
    revision           integer not null default 0,       -- counts changes, those of vacations included
    time_zone          text not null default 'UTC',      -- a name of the IANA database
    night_from         smallint,                         -- minutes after midnight in that zone; both or neither
    night_until        smallint,
    days_off           smallint not null default 0,      -- bit n: Monday + n
    remind_at_percent  smallint default 25,              -- of the time that a clock had; null: no reminders
    automatic_vacation boolean not null default false,   -- whether a vacation begins instead of a time-out
    feed_token_hash    bytea unique,                     -- SHA-256 of the secret in the address of the iCalendar feed
    effective_from     timestamptz                       -- from when on its nights and days off count in matches
                                                         -- that ran when they were changed; null: never changed
);

-- Vacations, past ones too: the vacation allowance that is left follows from all of them and the day of registration.
create table account_vacations (
    account_id uuid not null,
    id         uuid not null,
    starts_at  timestamptz not null,
    ends_at    timestamptz not null,
    automatic  boolean not null,
    primary key (account_id, id)
);
create index account_vacations_by_end on account_vacations (account_id, ends_at);

-- A work queue: accounts whose calendar has changed, so that the rests of their running matches must be planned again.
-- A row is written with the change and deleted when that is done.
create table replanning_queue (
    account_id uuid primary key,
    revision   integer not null,                         -- of the calendar; a change in the meantime keeps the row
    changed_at timestamptz not null
);

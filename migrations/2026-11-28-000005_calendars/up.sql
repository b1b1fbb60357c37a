-- When a player plays: nights, days off and vacations, and reminders.
-- The rests of a clock are written into the log of each match as points in time: no match is folded from these tables.

-- One row per account, made when it is first needed. Opening a match whose clock rests locks it in share mode, and
-- changing the calendar locks it exclusively: a new match has the new calendar, or is among those that are replanned.
create table account_calendars (
    account_id            uuid primary key,
    revision              integer not null default 0,     -- counts changes, of vacations too
    time_zone             text not null default 'UTC',    -- a name of the IANA database
    night_from            smallint,                       -- minutes after midnight in that zone; both or neither
    night_until           smallint,
    days_off              smallint not null default 0,    -- bit n: Monday + n
    effective_from        timestamptz,                    -- of these nights and days off in the matches that ran then;
                                                          -- null: never changed
    -- The nights and days off before them, which a canceled vacation restores. All null: not known.
    before_time_zone      text,
    before_night_from     smallint,
    before_night_until    smallint,
    before_days_off       smallint,
    before_effective_from timestamptz,                    -- null: from the beginning
    remind_at_percent     smallint default 25,            -- of the time that a clock had; null: no reminders
    automatic_vacation    boolean not null default false, -- a vacation begins instead of a time-out
    feed_token_hash       bytea unique,                   -- SHA-256 of the secret in the address of the iCalendar feed
    replanned_until       timestamptz                     -- a GCRA clock: how much planning the account has used
);

-- Vacations, past ones too: the allowance that is left follows from all of them and the day of registration.
create table account_vacations (
    account_id uuid not null,
    id         uuid not null,
    starts_at  timestamptz not null,
    ends_at    timestamptz not null,
    automatic  boolean not null,
    primary key (account_id, id)
);
create index account_vacations_by_end on account_vacations (account_id, ends_at);

-- A work queue: changes of calendars, for which the rests of live matches must be planned again. A change is due from
-- `changed_at` on, which is later than now for a vacation booked ahead.
create table replanning_queue (
    account_id uuid not null,
    revision   integer not null,                          -- of the calendar
    changed_at timestamptz not null,
    primary key (account_id, changed_at)
);
create index replanning_queue_by_time on replanning_queue (changed_at);

-- When a player doesn't play: his nights, days off and vacations; when he is warned; and how reliable somebody has to be.
-- Expands only. What a clock stands still for is written into the log of each match (as plain points in time), so no match is folded from these tables.

-- One row an account, made when it is first needed: whoever opens a match whose clocks rest shares it, and whoever changes the calendar locks it, so that
-- a new match has either the new calendar or is among those that are planned anew.
create table account_calendars (
    account_id         uuid primary key,
    edition            integer not null default 0,       -- counts changes, those of the vacations included
    time_zone          text not null default 'UTC',      -- a name of the IANA database
    night_from         smallint,                         -- minutes after midnight, by that zone; both or neither
    night_until        smallint,
    days_off           smallint not null default 0,      -- bit n: Monday + n
    warn_at_percent    smallint default 25,              -- of the time that a clock had; null: no warnings
    automatic_vacation boolean not null default false,
    feed               bytea unique,                     -- SHA-256 of the secret in the address of the iCalendar feed
    counts_from        timestamptz                       -- from when on its nights and days off count in matches that were running when they were changed; null: never changed
);

-- Vacations, past ones too: what is left in the bank follows from all of them and from the day of registration.
create table account_vacations (
    account_id uuid not null,
    id         uuid not null,
    starts_at  timestamptz not null,
    ends_at    timestamptz not null,
    automatic  boolean not null,
    primary key (account_id, id)
);
create index account_vacations_by_end on account_vacations (account_id, ends_at);

-- Accounts whose running matches have to be planned anew: written with the change, gone when it is done. As a rule it is empty.
create table calendar_changes (
    account_id uuid primary key,
    edition    integer not null,                         -- of the calendar; another change meanwhile keeps the row
    changed_at timestamptz not null
);

-- The deadline about which a seat was warned last, and when: each is told once. (Turns that are under way when this is applied are not warned about.)
alter table match_seats
    add column warned_deadline timestamptz,
    add column warned_at       timestamptz;

-- Whose share of finished matches not lost on time is less than this can't accept.
alter table challenges add column least_reliability_percent smallint;

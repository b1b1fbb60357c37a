-- What counts in running matches until the nights and days off count that were set last. It is put back where a
-- vacation is taken back. Null: not known.
alter table account_calendars
    add column before_time_zone text,
    add column before_night_from smallint,
    add column before_night_until smallint,
    add column before_days_off smallint,
    add column before_effective_from timestamptz;      -- from when on that one has counted; null: from the beginning

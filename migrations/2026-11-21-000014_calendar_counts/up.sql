-- From when on the nights and days off that an account has now count in matches that were running when it changed them; null: they were never changed.
-- Expands only.
alter table account_calendars add column counts_from timestamptz;

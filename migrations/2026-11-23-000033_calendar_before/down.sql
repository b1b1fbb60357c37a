alter table account_calendars
    drop column before_time_zone,
    drop column before_night_from,
    drop column before_night_until,
    drop column before_days_off,
    drop column before_effective_from;

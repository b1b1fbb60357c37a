alter table challenges drop column least_reliability_percent;
alter table match_seats drop column warned_deadline, drop column warned_at;
drop table calendar_changes;
drop table account_vacations;
drop table account_calendars;

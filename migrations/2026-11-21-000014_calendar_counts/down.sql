alter table account_calendars drop column counts_from;

alter table account_calendars drop column replanned_until;
alter table standing_orders drop column executed_at, drop column share_owner;

drop table account_events;
drop table event_counters;

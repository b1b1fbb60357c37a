drop table account_events, event_counters;

drop index challenges_expiring;
update challenges set status = 'open' where status = 'expired';
drop table account_events;
drop table event_counters;

drop index match_heads_timed;
drop table down_times, service_heartbeat;

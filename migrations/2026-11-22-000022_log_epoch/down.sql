drop table node_heartbeats;
drop table log_epoch;

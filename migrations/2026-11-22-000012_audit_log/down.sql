drop table audit_log;

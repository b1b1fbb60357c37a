drop table audit_log, case_entries, cases, abuse_reports;

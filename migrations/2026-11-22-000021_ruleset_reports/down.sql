drop table ruleset_reports;

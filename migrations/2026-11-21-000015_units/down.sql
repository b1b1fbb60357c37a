-- Goes only while no match was rated twice: the version before couldn't say what is left of one.
create unique index rating_changes_of_match on rating_changes (match_id, account_id, reason);
drop index rating_changes_of_revision, rating_changes_of_pair, rating_changes_by_time;
alter table rating_changes drop column revision, drop column paired_match_id, drop column games;
drop table adjudications;

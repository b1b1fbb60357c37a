drop index ladder_standings_by_account;
drop table match_results_due;
drop table match_results;

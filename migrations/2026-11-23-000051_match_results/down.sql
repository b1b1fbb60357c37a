drop table match_results_due;
drop table match_results;

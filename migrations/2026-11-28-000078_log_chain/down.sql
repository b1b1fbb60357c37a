alter table match_log drop column chain;

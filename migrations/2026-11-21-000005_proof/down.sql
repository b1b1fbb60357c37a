alter table match_heads drop column timed_out;
alter table match_seats drop column nonce, drop column wish;
alter table matches drop column record_key, drop column chance;
drop index challenge_seats_of_account;
alter table challenge_seats drop column nonce, drop column wish;
alter table challenges drop column chance;
drop table record_keys;

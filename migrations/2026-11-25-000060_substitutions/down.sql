drop table substitution_answers;
drop table substitutions;
drop table former_players;
alter table match_seats drop column first_account_id;

drop table tournament_drafts;
drop table tournament_bye_requests;
alter table tournament_boards drop column bye;
alter table tournament_players drop column first_round;

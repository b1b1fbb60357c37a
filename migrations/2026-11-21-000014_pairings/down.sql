drop table pairing_games;
drop table pairing_players;
drop table pairings;
alter table matches drop column pairing_id;

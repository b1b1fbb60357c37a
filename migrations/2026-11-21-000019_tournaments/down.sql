drop table tournament_boards;
drop table tournament_players;
drop table tournaments;

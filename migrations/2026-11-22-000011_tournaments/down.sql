drop table tournament_boards, tournament_players, tournaments;

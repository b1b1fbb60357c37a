drop table pairing_games, pairing_players, pairings;

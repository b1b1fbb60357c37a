drop table ladder_challenges;
drop table ladder_moves;
drop table ladder_places;

-- Tournaments of groups, then finals: the seed that a player has in the finals, from when these are drawn. Null: they
-- are not in them. The groups follow from the starting numbers, the boards of both from round and number.

alter table tournament_players add column finals_seed smallint;

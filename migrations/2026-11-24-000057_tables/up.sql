-- Tournaments at tables of three to seven: who sits at a table, in the order of the seats (first_player and
-- second_player are the first two), and the places of these when it is over; 0 is somebody who had withdrawn before it
-- began. Both are null of boards of two.

alter table tournament_boards
    add column table_seats smallint[],
    add column table_places smallint[];

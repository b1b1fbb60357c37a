-- What has been played at tables can't be told in other formats.

delete from tournament_boards where tournament_id in (select id from tournaments where format = 'tables');
delete from tournament_players where tournament_id in (select id from tournaments where format = 'tables');
delete from tournaments where format = 'tables';
alter table tournament_boards drop column table_seats, drop column table_places;

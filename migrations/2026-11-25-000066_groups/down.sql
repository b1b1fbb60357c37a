-- What has been played in groups can't be told in other formats.

delete from tournament_boards where tournament_id in (select id from tournaments where format = 'groups');
delete from tournament_players where tournament_id in (select id from tournaments where format = 'groups');
delete from tournaments where format = 'groups';
alter table tournament_players drop column finals_seed;

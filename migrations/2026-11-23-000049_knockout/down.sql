-- What has been played of knockouts can't be told in other formats.

delete from tournament_boards where tournament_id in (select id from tournaments where format = 'knockout');
delete from tournament_players where tournament_id in (select id from tournaments where format = 'knockout');
delete from tournaments where format = 'knockout';
alter table tournaments drop column knockout;

-- What has been played of knockouts can't be told in other formats.

delete from tournament_boards where tournament_id in (select id from tournaments where format = 'knockout');
delete from tournament_players where tournament_id in (select id from tournaments where format = 'knockout');
delete from tournaments where format = 'knockout';
alter table tournaments add column double_round_robin boolean not null default false;
alter table tournaments add column all_rounds_at_once boolean not null default false;
update tournaments set double_round_robin = coalesce((format_terms ->> 'twice')::boolean, false),
    all_rounds_at_once = coalesce((format_terms ->> 'at_once')::boolean, false);
alter table tournaments alter column double_round_robin drop default;
alter table tournaments alter column all_rounds_at_once drop default;
alter table tournaments drop column format_terms;

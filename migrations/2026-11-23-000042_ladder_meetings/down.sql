drop index ladder_challenges_running;
create unique index ladder_challenges_one_by_defender on ladder_challenges (ladder_id, defender_id)
    where status <> 'finished';
alter table ladder_positions drop column kept_until;
alter table ladder_positions drop column kept_since;
drop index ladder_standings_order;
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-half_points), pairings, (-won), since, account_id)
    include (half_points, won);
alter table ladder_standings drop column tie_break;
alter table ladder_standings drop column score;
alter table ladder_standings drop column best_results;
alter table ladder_standings drop column games;
drop table ladder_meetings;
drop index pairings_by_season;
alter table pairings drop column season;
update ladders set format_terms = null where format = 'rating';
update ladders set format_terms = format_terms - 'exclusive_s' - 'open_s' where format = 'position';
alter table ladders drop column ranking_results;
alter table ladders drop column ranking;
alter table ladders drop column max_meetings;

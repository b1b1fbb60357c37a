drop index ladder_standings_order;
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-half_points), pairings, (-won), since, account_id);

-- A rank in a ladder is counted. An index on expressions is read alone, without the rows, only if it also has the
-- columns that they are made of.
drop index ladder_standings_order;
create index ladder_standings_order on ladder_standings
    (ladder_id, season, section, division, (-half_points), pairings, (-won), since, account_id)
    include (half_points, won);

-- Members are told before a season of their ladder ends: when that is due. Null: they were told, the season is over, or
-- it has no end. (A tenth of the season before its end, at most three days: `src/ladders/season.rs`.)
alter table ladder_seasons add column warn_at timestamptz;
update ladder_seasons set warn_at = ends_at - least((ends_at - started_at) / 10, interval '3 days')
where ended_at is null;
create index ladder_seasons_warn on ladder_seasons (warn_at) where warn_at is not null;

delete from ladder_announcements where kind = 'season-end-near';
drop index ladder_seasons_warn;
alter table ladder_seasons drop column warn_at;

drop table contest_announcements;
drop table contest_log;
drop table contest_bars;

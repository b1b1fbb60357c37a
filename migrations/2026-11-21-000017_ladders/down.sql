drop table ladder_news;
drop table ladder_standings;
drop table ladder_seasons;
drop table ladder_members;
drop table ladders;

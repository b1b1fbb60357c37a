drop table contest_pauses;

drop table contest_entries;

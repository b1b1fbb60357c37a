drop table case_entries;
drop table cases;

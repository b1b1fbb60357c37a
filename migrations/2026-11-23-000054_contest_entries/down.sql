drop table contest_entries;
alter table tournaments drop column visibility;
alter table tournaments drop column entry;
alter table ladders drop column visibility;
alter table ladders drop column entry;

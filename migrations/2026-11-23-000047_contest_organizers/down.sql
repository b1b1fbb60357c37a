drop table contest_organizers;

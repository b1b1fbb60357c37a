alter table tournaments add column min_reliability_percent smallint;
alter table tournaments add column min_rating integer;
alter table tournaments add column max_rating integer;
update tournaments set min_reliability_percent = (entry_limits ->> 'min_reliability_percent')::smallint,
    min_rating = (entry_limits ->> 'min_rating')::integer, max_rating = (entry_limits ->> 'max_rating')::integer;
alter table tournaments drop column entry_limits;

alter table ladders add column min_reliability_percent smallint;
update ladders set min_reliability_percent = (entry_limits ->> 'min_reliability_percent')::smallint;
alter table ladders drop column entry_limits;

drop index replanning_queue_by_time;
alter table replanning_queue drop constraint replanning_queue_pkey, add primary key (account_id);
alter table standing_orders drop constraint standing_orders_pkey, add primary key (match_id, seat);
drop table spectators_room_visits;

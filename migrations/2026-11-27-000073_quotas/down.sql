drop index chat_messages_by_time;
alter table standing_orders drop column bytes;
alter table match_notes drop column bytes;
alter table accounts drop column guest_origin;

alter table challenges drop column rematch_of, drop column counter_wish;
drop table match_notes;
drop table shuns;
drop table chat_reports;
drop table chat_messages;
drop table chat_rooms;

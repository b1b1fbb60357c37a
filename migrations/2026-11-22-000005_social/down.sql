drop table match_notes, account_blocks, chat_reports, chat_messages, chat_rooms;

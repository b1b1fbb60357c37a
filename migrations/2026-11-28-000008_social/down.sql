drop table match_notes, account_blocks, spectators_room_visits, chat_messages, chat_rooms;

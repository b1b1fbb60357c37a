drop table match_notes, follows, account_blocks, spectators_room_visits, chat_messages, chat_rooms;

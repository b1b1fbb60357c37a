drop table match_seats, match_entries, match_heads, matches;

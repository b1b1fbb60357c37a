drop table standing_orders, match_seats, match_log, match_heads, matches, record_keys;

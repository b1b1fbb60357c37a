drop table archived_matches, archive_objects, kept_orders, standing_orders, match_results_due, match_results,
    former_players, match_seats, match_log, match_heads, matches, record_keys;

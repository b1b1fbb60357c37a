drop table ladder_challenges, ladder_position_changes, ladder_positions,
    ladder_announcements, ladder_standings, ladder_seasons, ladder_members,
    ladders;

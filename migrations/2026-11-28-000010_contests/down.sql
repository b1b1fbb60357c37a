drop table tournament_drafts, tournament_bye_requests, tournament_boards, tournament_players, tournaments,
    ladder_challenges, ladder_position_changes, ladder_positions, ladder_announcements, ladder_meetings,
    ladder_standings, ladder_seasons, ladder_members, ladders, contest_words, contest_pauses, contest_announcements,
    contest_log, contest_bars, contest_entries, contest_organizers, pairing_games, pairing_players, pairings;

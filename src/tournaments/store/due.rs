//! SQL condition: the job of tournaments has work. Part of the single statement that checks all jobs (`crate::jobs`).
//! `$1` is the time. It must hold whenever one of the lists read by the round has a row.

/// A tournament has due work.
pub const TOURNAMENTS: &str = "\
    EXISTS (SELECT FROM contest_pauses AS p WHERE NOT p.is_over AND p.kind = 'tournament' AND (p.until_at <= $1 \
      OR EXISTS (SELECT FROM tournaments AS t WHERE t.id = p.contest_id AND t.ended_at IS NOT NULL))) \
    OR EXISTS (SELECT FROM tournament_boards WHERE due_open AND status IN ('waiting', 'running') \
      AND (due_at <= $1 OR due_warn_at <= $1 OR due_checked < (SELECT max(number) FROM down_times))) \
    OR EXISTS (SELECT FROM pairings WHERE kind = 'tournament' AND running_games = 0 AND settled_at IS NULL) \
    OR EXISTS (SELECT FROM tournaments AS t WHERE t.status = 'open' AND t.start_due_at <= $1 \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = t.id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM tournaments AS t WHERE t.status = 'running' AND t.boards_left = 0 \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = t.id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM tournament_boards AS b WHERE b.status = 'waiting' \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = b.tournament_id AND NOT p.is_over))";

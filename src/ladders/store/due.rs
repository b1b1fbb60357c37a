//! SQL condition: the job of ladders has work. Part of the single statement that checks all jobs (`crate::jobs`). `$1`
//! is the time. It must hold whenever one of the lists read by the round has a row.

/// A ladder has due work.
pub const LADDERS: &str = "\
    EXISTS (SELECT FROM contest_pauses AS p WHERE NOT p.is_over AND p.kind = 'ladder' AND (p.until_at <= $1 \
      OR EXISTS (SELECT FROM ladders AS l WHERE l.id = p.contest_id AND l.closed_at IS NOT NULL))) \
    OR EXISTS (SELECT FROM pairings WHERE kind = 'ladder' AND running_games = 0 AND settled_at IS NULL) \
    OR EXISTS (SELECT FROM accounts AS a JOIN ladder_positions AS p ON p.account_id = a.id \
      JOIN ladders AS l ON l.id = p.ladder_id AND l.closed_at IS NULL \
      WHERE a.suspended_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until > $1)) \
    OR EXISTS (SELECT FROM ladder_challenges WHERE status = 'open' AND answer_by <= $1) \
    OR EXISTS (SELECT FROM ladder_positions WHERE check_at <= $1) \
    OR EXISTS (SELECT FROM ladders AS l WHERE l.closed_at IS NULL AND l.season_ends_at <= $1 \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = l.id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM ladders AS l WHERE l.closed_at IS NULL AND l.check_at <= $1 AND l.format = 'rating' \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = l.id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM ladders AS l WHERE l.closed_at IS NULL AND NOT l.official \
      AND l.below_minimum_since <= $1 - interval '5184000 seconds' \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = l.id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM ladder_seasons AS s JOIN ladders AS l ON l.id = s.ladder_id AND l.closed_at IS NULL \
      WHERE s.warn_at <= $1 \
      AND NOT EXISTS (SELECT FROM contest_pauses AS p WHERE p.contest_id = s.ladder_id AND NOT p.is_over)) \
    OR EXISTS (SELECT FROM ladder_announcements)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladders::create::DESERTED_S;

    #[test]
    fn a_ladder_is_deserted_after_the_same_time() {
        assert!(LADDERS.contains(&format!("interval '{DESERTED_S} seconds'")));
    }
}

//! Conditions for jobs about matches to have work, for the one statement that checks all jobs (`crate::jobs`). `$1` is
//! the time.

/// A match is due, as in `matches::due`.
pub const TIME_OUTS: &str = "EXISTS (SELECT 1 FROM match_heads WHERE check_at <= $1 LIMIT 1)";

/// A pause must be recorded in matches, as in `pauses::untold`.
pub const PAUSES: &str = "EXISTS (SELECT 1 FROM contest_pauses WHERE NOT matches_told)";

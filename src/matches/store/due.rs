//! Whether a round of a job about matches has something to do: conditions of the one statement that asks for all jobs
//! (`crate::jobs`). `$1` is the time.

/// A match is to be looked at: the same as `matches::due`.
pub const TIME_OUTS: &str = "EXISTS (SELECT 1 FROM match_heads WHERE check_at <= $1 LIMIT 1)";

/// Matches are to be told of a pause of their contest: the same as `pauses::untold`.
pub const PAUSES: &str = "EXISTS (SELECT 1 FROM contest_pauses WHERE NOT matches_told)";

//! Rating pools: which matches count for the same rating.

use core::fmt;
use core::str::FromStr;

use broadside_rules::{Clock, Variant, variants};

use crate::words::words;

/// A day, in seconds. With at least this much time for a move, a match is of the speed `days`.
const DAY_S: u32 = 86_400;

words! {
    /// How fast a match is.
    pub enum Speed {
        /// Less than a day for a move.
        Live,
        /// A day or more for a move.
        Days,
    }
}

impl Speed {
    /// How fast a match with this clock is; `None` without a clock.
    ///
    /// What counts is how long a player may let the other wait for one move: `move_s`, or, with a time bank,
    /// `initial_s` or `increment_s`, whichever is longer. (A bank that only grows to a day's worth by saving is live.)
    pub fn of(clock: &Clock) -> Option<Self> {
        let longest_s = match clock {
            Clock::PerMove(clock) => clock.move_s,
            Clock::Bank(clock) => clock.initial_s.max(clock.increment_s),
            Clock::None(_) => return None,
        };
        Some(if longest_s < DAY_S { Self::Live } else { Self::Days })
    }
}

/// Matches that count for one rating: those of a variant, a number of seats (two, or more) and a speed.
///
/// As text it is the variant, `-many` for more than two seats, and the speed: `classic-days`, `salvos-many-live`.
#[derive(Clone, Copy)]
pub struct Pool {
    /// The variant.
    pub variant: &'static Variant,
    /// Whether its matches have more than two seats.
    pub many: bool,
    /// How fast its matches are.
    pub speed: Speed,
}

impl Pool {
    /// The pool of a match with these terms; none without a clock.
    pub fn of(variant: &'static Variant, seats: usize, clock: &Clock) -> Option<Self> {
        Speed::of(clock).map(|speed| Self { variant, many: seats > 2, speed })
    }

    /// Every pool, in the order of the variants.
    pub fn all() -> impl Iterator<Item = Self> {
        variants().iter().flat_map(|variant| {
            let (min, max) = variant.seats();
            let sizes = [(min <= 2).then_some(false), (max > 2).then_some(true)].into_iter().flatten();
            sizes.flat_map(move |many| [Speed::Live, Speed::Days].map(|speed| Self { variant, many, speed }))
        })
    }
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        (self.variant.id, self.many, self.speed) == (other.variant.id, other.many, other.speed)
    }
}

impl Eq for Pool {}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = if self.many { "-many" } else { "" };
        write!(f, "{}{many}-{}", self.variant.id, self.speed.word())
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Pool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::all()
            .find(|pool| pool.to_string() == text)
            .ok_or_else(|| "is no pool; GET /v1/pools lists them".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pool_is_known_by_its_name() {
        let all: Vec<Pool> = Pool::all().collect();
        for pool in &all {
            assert_eq!(pool.to_string().parse::<Pool>().as_ref(), Ok(pool));
        }
        let names: std::collections::BTreeSet<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), all.len(), "two pools have one name");
        assert!("classic".parse::<Pool>().is_err() && "chess-live".parse::<Pool>().is_err());
    }

    #[test]
    fn what_counts_is_how_long_one_move_may_take() {
        let speed = |clock: serde_json::Value| Speed::of(&Clock::parse(&clock).unwrap());
        let per_move = |move_s: u32| speed(json!({ "kind": "per-move", "move_s": move_s }));
        let bank = |initial: u32, increment: u32| {
            speed(json!({ "kind": "bank", "initial_s": initial, "increment_s": increment, "cap_s": 1_209_600 }))
        };
        assert_eq!([per_move(86_399), per_move(86_400)], [Some(Speed::Live), Some(Speed::Days)]);
        assert_eq!([bank(86_399, 60), bank(86_400, 0)], [Some(Speed::Live), Some(Speed::Days)]);
        assert_eq!(bank(3600, 86_400), Some(Speed::Days));
        assert_eq!(speed(json!({ "kind": "none" })), None);
    }
}

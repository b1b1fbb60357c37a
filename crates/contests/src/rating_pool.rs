//! Rating pools: which matches count for the same rating.

use core::fmt;
use core::str::FromStr;

use broadside_rules::text::Digest;
use broadside_rules::{Clock, Variant, variants};

use crate::words::words;

/// A day, in seconds: the least time for a move of the speed `days`.
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
    /// The speed of a match with this clock; `None` without a clock.
    ///
    /// It depends on how long a player can let the other wait for one move: `move_s`, or, with a time bank, the longer
    /// of `initial_s` and `increment_s`. (A bank that only grows to a day's worth by saving is live.)
    pub fn of(clock: &Clock) -> Option<Self> {
        let longest_s = match clock {
            Clock::PerMove(clock) => clock.move_s,
            Clock::Bank(clock) => clock.initial_s.max(clock.increment_s),
            Clock::None(_) => return None,
        };
        Some(if longest_s < DAY_S { Self::Live } else { Self::Days })
    }
}

/// The name of a rule set: SHA-256 of its canonical JSON (RFC 8785), as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleSetHash(Digest);

impl RuleSetHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8; 32]) -> Self {
        Self(Digest::of(bytes))
    }

    /// The digits.
    #[must_use]
    pub const fn digest(self) -> Digest {
        self.0
    }

    /// The digits as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for RuleSetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for RuleSetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RuleSetHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digest = Digest::new(text).filter(|digest| digest.bytes().is_some());
        digest.map(Self).ok_or_else(|| "must be 64 hexadecimal digits in lower case".to_owned())
    }
}

/// The common rules of all matches of a pool.
#[derive(Clone, Copy)]
pub enum PoolRules {
    /// A variant's rules.
    Variant(&'static Variant),
    /// A named rule set.
    RuleSet(RuleSetHash),
}

impl PoolRules {
    /// The variant's id, or the hash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Variant(variant) => variant.id,
            Self::RuleSet(hash) => hash.as_str(),
        }
    }
}

/// Matches that count for one rating: those of a variant or a named rule set, a number of seats (two, or more) and a
/// speed.
///
/// As text it is the variant or the hash of the rule set, `-many` for more than two seats, and the speed:
/// `classic-days`, `salvos-many-live`.
#[derive(Clone, Copy)]
pub struct Pool {
    /// The rules.
    pub rules: PoolRules,
    /// Do its matches have more than two seats?
    pub many: bool,
    /// The speed.
    pub speed: Speed,
}

impl Pool {
    /// The pool of a match with these terms; `None` without a clock.
    pub fn of(rules: PoolRules, seats: usize, clock: &Clock) -> Option<Self> {
        Speed::of(clock).map(|speed| Self { rules, many: seats > 2, speed })
    }

    /// Every pool of the variants, in their order.
    pub fn all() -> impl Iterator<Item = Self> {
        variants().iter().flat_map(|variant| Self::all_of(PoolRules::Variant(variant), variant.seats()))
    }

    /// Every pool of these rules, for a number of seats from `min` to `max`.
    pub fn all_of(rules: PoolRules, (min, max): (u8, u8)) -> impl Iterator<Item = Self> {
        let sizes = [(min <= 2).then_some(false), (max > 2).then_some(true)].into_iter().flatten();
        sizes.flat_map(move |many| [Speed::Live, Speed::Days].map(|speed| Self { rules, many, speed }))
    }

    /// The named rule set; `None` for a variant.
    #[must_use]
    pub const fn rule_set(&self) -> Option<RuleSetHash> {
        match self.rules {
            PoolRules::Variant(_) => None,
            PoolRules::RuleSet(hash) => Some(hash),
        }
    }
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        (self.rules.as_str(), self.many, self.speed) == (other.rules.as_str(), other.many, other.speed)
    }
}

impl Eq for Pool {}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = if self.many { "-many" } else { "" };
        write!(f, "{}{many}-{}", self.rules.as_str(), self.speed.word())
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
        let of_rule_set = || {
            let hash = text.get(..64)?.parse().ok()?;
            // The name doesn't tell the rule set's numbers of seats.
            Self::all_of(PoolRules::RuleSet(hash), (2, u8::MAX)).find(|pool| pool.to_string() == text)
        };
        Self::all()
            .find(|pool| pool.to_string() == text)
            .or_else(of_rule_set)
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
    fn a_named_rule_set_has_pools_of_its_own() {
        let hash = RuleSetHash::of(&[0xab; 32]);
        let all: Vec<Pool> = Pool::all_of(PoolRules::RuleSet(hash), (2, 4)).collect();
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        let digits = "ab".repeat(32);
        assert_eq!(names, ["live", "days", "many-live", "many-days"].map(|rest| format!("{digits}-{rest}")));
        for pool in &all {
            assert_eq!(pool.to_string().parse::<Pool>().as_ref(), Ok(pool));
            assert!(Pool::all().all(|of_variant| of_variant != *pool));
        }
        for wrong in [&digits, &format!("{digits}-never"), &format!("{}-live", "AB".repeat(32)), &digits[1..]] {
            assert!(wrong.parse::<Pool>().is_err(), "{wrong}");
        }
        assert_eq!(Pool::all_of(PoolRules::RuleSet(hash), (3, 7)).count(), 2);
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

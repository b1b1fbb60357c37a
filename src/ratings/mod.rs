//! Ratings, and the ledger that everybody can recompute them from.
//!
//! | what | file |
//! |---|---|
//! | which pools there are, and what a rating is | here |
//! | the two methods, as their papers have them | [`glicko2`], [`weng_lin`] |
//! | which of them, with which constants; idle time, annulment, who is established | [`algorithm`] |
//! | a finished match is rated, or two paired games as one | [`rate`] |
//! | a match is annulled or adjudicated | [`redress`] |
//! | a player's ratings, their history, the leaderboards | [`read`] |
//! | an operator recomputes a pool | [`verify`] |
//! | what looks unfair is shown to moderators | [`fair_play`] |
//!
//! A rating changes in the transaction that ends its match, and nowhere else. Each change is a row of the ledger with everything that it was worked out from;
//! no row is ever changed, so whatever stands in [`Standing`] follows from the ledger, and the ledger from the results of matches.

pub mod algorithm;
pub mod corrections;
pub mod fair_play;
pub mod glicko2;
pub mod rate;
pub mod read;
pub(crate) mod store;
pub mod verify;
pub mod weng_lin;

use std::fmt;
use std::str::FromStr;

use broadside_rules::{Clock, Time, Variant, variants};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{AccountId, MatchId};

/// A day, in seconds: from so much time for a move on, a match is of the class `days`.
const DAY_S: u32 = 86_400;

/// How fast a match is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Speed {
    /// Less than a day for a move.
    Live,
    /// A day or more for a move.
    Days,
}

impl Speed {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Days => "days",
        }
    }

    /// How fast a match by this clock is; `None` without one. What counts is how long a player may let the other wait for one move: `move_s`, or of a bank
    /// `initial_s` or `increment_s`, whichever is more. (A bank that could only be saved up to a day's worth is live.)
    pub fn of(clock: &Clock) -> Option<Self> {
        let longest_s = match clock {
            Clock::PerMove(clock) => clock.move_s,
            Clock::Bank(clock) => clock.initial_s.max(clock.increment_s),
            Clock::None(_) => return None,
        };
        Some(if longest_s < DAY_S { Self::Live } else { Self::Days })
    }
}

/// Matches that count for one rating: of a variant, a number of seats (two, or more) and a speed.
#[derive(Clone, Copy)]
pub struct Pool {
    /// The variant.
    pub variant: &'static Variant,
    /// Whether its matches have more than two seats.
    pub many: bool,
    /// How fast they are.
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

/// A rating: what is believed of a player's strength.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct Rating {
    /// The strength; newcomers begin with 1500.
    #[schema(minimum = 0, maximum = 10000)]
    pub rating: f64,
    /// How uncertain it is: the standard deviation.
    #[schema(minimum = 0, maximum = 1000)]
    pub deviation: f64,
    /// How erratic the player is, in pools of duels (Glicko-2); null elsewhere.
    #[schema(minimum = 0, maximum = 1, required)]
    pub volatility: Option<f64>,
}

impl Rating {
    /// As it is shown beside a name.
    pub fn shown(&self) -> i32 {
        // Ratings are kept between 100 and 4000.
        self.rating.round() as i32
    }
}

/// How a player stands in a pool: what his newest change left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// Who.
    pub account: AccountId,
    /// The number of his newest change; 0: there was none.
    pub number: u32,
    /// His rating, as it was when the last match was rated.
    pub rating: Rating,
    /// How many matches count for it.
    pub matches: u32,
    /// When the last one was rated.
    pub rated_at: Option<Time>,
}

/// Why a rating has changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, ToSchema)]
#[schema(as = RatingChangeReason)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A rated match has ended.
    Match,
    /// A match was annulled, and what it had changed is taken back.
    Annulment,
    /// A moderator has decided what a finished match counts as.
    Adjudication,
}

impl Reason {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Annulment => "annulment",
            Self::Adjudication => "adjudication",
        }
    }

    /// The reason that a word names.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Match, Self::Annulment, Self::Adjudication].into_iter().find(|reason| reason.word() == word)
    }
}

/// A seat of a rated match, as the algorithm was given it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = RatedSeat)]
pub struct RatedSeat {
    /// The seat.
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    pub seat: u8,
    /// Whose it was: an account.
    #[schema(max_length = 36, format = Uuid)]
    pub player: String,
    /// The place taken, from 1; equals share one.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    pub place: u8,
    /// The number of this match's change in that player's own ledger of the pool.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    pub number: u32,
    /// His rating before, as his change before this one left it.
    pub before: Rating,
    /// Seconds since his last rated match of the pool; null: it is his first.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64, required)]
    pub idle_s: Option<u64>,
}

/// One of paired games, which are rated together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RatedGame {
    /// The match.
    #[schema(max_length = 36, format = Uuid)]
    pub match_id: String,
    /// The places taken in it, from 1, in the order of `field`; equals share one.
    #[schema(schema_with = crate::schemas::places)]
    pub places: Vec<u8>,
}

impl RatedGame {
    fn of(game: &rate::Game) -> Self {
        Self { match_id: game.match_id.to_string(), places: game.places.clone() }
    }
}

/// A row of the ledger.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Whose rating has changed.
    pub account: AccountId,
    /// In which pool.
    pub pool: Pool,
    /// Counts his changes in this pool, from 1, in the order in which they count.
    pub number: u32,
    /// The match; of paired games the first.
    pub match_id: MatchId,
    /// Of paired games that are rated together the second.
    pub paired: Option<MatchId>,
    /// His seat in the match.
    pub seat: u8,
    /// Why.
    pub reason: Reason,
    /// How often the match was rated before; of an annulment, that which it takes back.
    pub revision: u16,
    /// By which method.
    pub algorithm: String,
    /// In which version of it.
    pub version: u32,
    /// When.
    pub at: Time,
    /// The rating before.
    pub before: Rating,
    /// The rating after.
    pub after: Rating,
    /// Every seat of the match, as the algorithm was given it; empty for an annulment, which is worked out from the change that it takes back.
    pub field: Vec<RatedSeat>,
    /// Paired games, each with its places; empty unless there are two.
    pub games: Vec<RatedGame>,
    /// The number of the change that an annulment takes back.
    pub annuls: Option<u32>,
    /// Why the match was annulled or adjudicated.
    pub note: Option<String>,
}

/// Why a match is annulled or adjudicated: 1 to 500 characters, none of them a control character. Everybody can read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note(String);

impl Note {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Note {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = (1..=500).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err("must have 1 to 500 characters, and no control characters".to_owned())
        }
    }
}

/// The places of a match, by seat: 1 for the best, and who is as good as another shares his place, so that behind two firsts comes a third. Two to seven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places(Vec<u8>);

impl Places {
    /// The places, if they are some.
    pub fn new(places: Vec<u8>) -> Result<Self, String> {
        let right = |place: &u8| places.iter().filter(|other| *other < place).count() + 1 == usize::from(*place);
        if (2..=7).contains(&places.len()) && places.iter().all(right) {
            Ok(Self(places))
        } else {
            Err("must give each seat its place, from 1: equals share one, and as many places are left out behind it"
                .to_owned())
        }
    }

    /// By seat.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// What a match has done to its players' ratings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RatingEffect {
    /// By seat; empty when it has done nothing, or not yet.
    pub seats: Vec<SeatRating>,
    /// Whether it was taken back again.
    pub annulled: bool,
    /// Whether it comes of what a moderator has decided, and not of the result.
    pub adjudicated: bool,
}

/// What a match has done to the rating of one seat's player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatRating {
    /// The seat.
    pub seat: u8,
    /// The rating before.
    pub before: i32,
    /// The rating after.
    pub after: i32,
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

    #[test]
    fn a_note_is_safe_to_print() {
        assert!("played by one person in two seats".parse::<Note>().is_ok());
        assert!("".parse::<Note>().is_err() && "a\u{1b}[2J".parse::<Note>().is_err());
        assert!("x".repeat(501).parse::<Note>().is_err());
    }

    #[test]
    fn places_are_those_of_a_competition() {
        for right in [vec![1, 2], vec![2, 1], vec![1, 1], vec![1, 2, 2, 4], vec![3, 1, 1]] {
            assert_eq!(Places::new(right.clone()).unwrap().as_slice(), right);
        }
        for wrong in [vec![], vec![1], vec![2, 2], vec![0, 1], vec![1, 3], vec![1, 2, 4, 4], vec![1; 8]] {
            assert!(Places::new(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}

//! Ratings, and the public ledger from which they can be recomputed.
//!
//! | what | file |
//! |---|---|
//! | pools, the two methods and their constants, idle time, established players | the crate [`broadside_contests`] |
//! | a row of the ledger | here |
//! | a finished match is rated, or two paired games as one | [`rate`] |
//! | a match is annulled or adjudicated | [`corrections`] |
//! | a player's ratings, their history, the leaderboards | [`read`] |
//! | an operator recomputes a pool | [`verify`] |
//! | suspected cheating, for moderators | [`fair_play`] |
//!
//! A rating changes in the transaction that ends its match, and nowhere else. Each change is a row of the ledger with
//! all of its inputs. No row is ever changed, so [`PlayerRating`] follows from
//! the ledger, and the ledger from the results of matches.

pub mod corrections;
pub mod fair_play;
pub mod rate;
pub mod read;
pub(crate) mod store;
pub mod verify;

use broadside_contests::{Pool, Rating};
use broadside_rules::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{AccountId, MatchId};
use crate::string_enums::string_enums;
use crate::texts::{line, texts};

/// A player's rating in a pool, after the newest change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayerRating {
    pub account: AccountId,
    /// The number of the newest change; 0: none.
    pub number: u32,
    /// The rating at the time of the last rated match.
    pub rating: Rating,
    /// The number of matches that count.
    pub matches: u32,
    pub rated_at: Option<Time>,
}

string_enums! {
    /// Why a rating has changed.
    pub enum RatingChangeReason {
        /// A rated match has ended.
        Match,
        /// A match was annulled, and what it had changed is taken back.
        Annulment,
        /// A moderator has decided what a finished match counts as.
        Adjudication,
    }
}

/// A seat of a rated match, as the algorithm was given it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = RatedSeat)]
pub struct RatedSeat {
    /// The seat, from 0.
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    pub seat: u8,
    /// Whose it was: an account.
    #[schema(format = Uuid)]
    pub player_id: String,
    /// The place taken, from 1; equals share one.
    #[schema(minimum = 1, maximum = 7, format = Int32)]
    pub place: u8,
    /// The number of this match's change in that player's own ledger of the pool.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    pub number: u32,
    /// The player's rating before, as their change before this one left it.
    pub before: Rating,
    /// Seconds since the player's last rated match of the pool; null: it is their first.
    #[schema(minimum = 0, maximum = 9_007_199_254_740_991_i64, format = Int64, required)]
    pub idle_s: Option<u64>,
}

/// One of paired games, which are rated together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct RatedGame {
    /// The match.
    #[schema(format = Uuid)]
    pub match_id: String,
    /// The places taken in it, from 1, in the order of `participants`; equals share one.
    #[schema(schema_with = crate::schemas::places)]
    pub places: Vec<u8>,
}

impl RatedGame {
    fn of(game: &rate::CountedGame) -> Self {
        Self { match_id: game.match_id.to_string(), places: game.places.clone() }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct RatingChange {
    pub account: AccountId,
    pub pool: Pool,
    /// Numbers the player's changes in this pool from 1, in order.
    pub number: u32,
    /// The match, or the first of two paired games.
    pub match_id: MatchId,
    /// The second of two paired games that are rated together.
    pub paired: Option<MatchId>,
    pub seat: u8,
    pub reason: RatingChangeReason,
    /// The number of earlier ratings of the match; for an annulment, that of the rating it reverses.
    pub revision: u16,
    /// The method: `glicko-2` or `weng-lin`.
    pub algorithm: String,
    pub version: u32,
    pub at: Time,
    pub before: Rating,
    pub after: Rating,
    /// Every seat of the match, as input of the algorithm; empty for an annulment, which is computed from the change
    /// that it reverses.
    pub field: Vec<RatedSeat>,
    /// The two paired games with their places; empty for a single game.
    pub games: Vec<RatedGame>,
    /// The number of the change that an annulment reverses.
    pub annuls: Option<u32>,
    /// The reason of an annulment or adjudication.
    pub note: Option<String>,
}

texts! {
    /// Why a match is annulled or adjudicated: 1 to 500 characters on one line, not all of them blank. Everybody can
    /// read it.
    pub struct Note: |text| line(text, 1, 500);
}

/// The ranks of a match with two to seven seats, by seat: 1 for the best. Equals share a rank, so a third follows two
/// firsts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranks(Vec<u8>);

impl Ranks {
    /// Checks that the places form a valid ranking.
    pub fn new(places: Vec<u8>) -> Result<Self, String> {
        let right = |place: &u8| places.iter().filter(|other| *other < place).count() + 1 == usize::from(*place);
        if (2..=7).contains(&places.len()) && places.iter().all(right) {
            Ok(Self(places))
        } else {
            Err("must give each seat its place, from 1: equals share one, and as many places are left out behind it"
                .to_owned())
        }
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// The effect of a match on its players' ratings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RatingEffect {
    /// By seat; empty if there is no effect, or none yet.
    pub seats: Vec<SeatRating>,
    pub annulled: bool,
    /// True if a moderator set the result after the end.
    pub adjudicated: bool,
}

/// The effect of a match on the rating of one seat's player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatRating {
    pub seat: u8,
    pub before: i32,
    pub after: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_safe_to_print() {
        assert!("played by one person in two seats".parse::<Note>().is_ok());
        assert!("".parse::<Note>().is_err() && "a\u{1b}[2J".parse::<Note>().is_err());
        assert!("x".repeat(501).parse::<Note>().is_err());
    }

    #[test]
    fn places_are_those_of_a_competition() {
        for right in [vec![1, 2], vec![2, 1], vec![1, 1], vec![1, 2, 2, 4], vec![3, 1, 1]] {
            assert_eq!(Ranks::new(right.clone()).unwrap().as_slice(), right);
        }
        for wrong in [vec![], vec![1], vec![2, 2], vec![0, 1], vec![1, 3], vec![1, 2, 4, 4], vec![1; 8]] {
            assert!(Ranks::new(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}

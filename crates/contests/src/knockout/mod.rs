//! Knockout: the loser of a tie is out, until one player is left. A tie is two players of a round, and the boards that
//! they play one after another until one of them goes on. The rules:
//!
//! 1. **Bracket.** Starting numbers are seeds. The bracket has as many places as the next power of two, and is folded:
//!    1 meets the last seed, and if the higher seed always wins, the sums of the seeds of every tie of a round are
//!    equal. So 1 and 2 can't meet before the final. A place without a player is a bye: the best seeds have them.
//! 2. **Boards.** A tie is the best of an odd number of boards. It ends as soon as the lead is more than the boards
//!    left could make good. An aborted board counts as one, and brings nobody anything.
//! 3. **First moves.** On the first board the player begins who has begun less often before this round (boards begun
//!    less boards not begun); between equals the higher seed in ties 1, 3, 5 …, the lower one in the others. From board
//!    to board of a tie the first move alternates.
//! 4. **A drawn tie.** Further boards are played, one at a time, up to a limit; the first that is won decides. After
//!    the last of them the higher seed goes on.
//! 5. **Absence.** When a board ends, or is to begin, and the boards don't decide the tie, an absent player loses it.
//!    If both are absent, the higher seed goes on, to be beaten without play in the next round.
//! 6. **Third place.** If the terms have it and there were two semi-finals, their losers play for it beside the final.
//! 7. **Ranks.** 1 and 2 by the final, 3 and 4 by the tie for the third place; all others eliminated in the same round
//!    share a rank: 3, 5, 9 …
//!
//! Everything follows from the number of players, the terms and the boards, so everybody can reproduce a bracket. The
//! number of a board implies its tie: first the first board of each tie, then the second ones, and so on; a number is
//! left out where a tie needs no such board. Deliberately not here: drawing the seeds, and absences.

mod bracket;
mod rank;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use crate::tournament::Seeding;
pub(crate) use bracket::places;
pub use bracket::{Decision, Outcome, Tie, bracket, next_board, position, round_boards, rounds};
pub use rank::standings;

/// The most boards that a tie may be the best of.
pub const MAX_BEST_OF: u16 = 7;
/// The most further boards of a drawn tie.
pub const MAX_EXTRA_BOARDS: u16 = 4;

/// What a knockout is played by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = KnockoutTerms))]
pub struct Terms {
    /// Of how many boards a tie is the best: an odd number.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 7, format = Int32))]
    pub best_of: u16,
    /// How many further boards a drawn tie has at most, before the higher seed goes on.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 4, format = Int32))]
    pub extra_boards: u16,
    /// Whether those who have lost the semi-finals play for the third place.
    pub third_place: bool,
    /// In which order players are seeded.
    pub seeding: Seeding,
}

impl Default for Terms {
    fn default() -> Self {
        Self { best_of: 1, extra_boards: 2, third_place: false, seeding: Seeding::Rating }
    }
}

impl Terms {
    /// Can a tie be the best of this many boards?
    pub fn has_odd_best_of(&self) -> bool {
        (1..=MAX_BEST_OF).contains(&self.best_of) && self.best_of % 2 == 1
    }
}

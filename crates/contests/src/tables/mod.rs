//! Tournaments at tables of three to seven: in each round everybody sits at exactly one table. The rules:
//!
//! 1. **Sizes.** As few tables as possible with no more seats than in the terms, and no two of them differ by more than
//!    one seat. No table has fewer players than the rules of the game allow, or fewer than three.
//! 2. **Sitting out.** If the players can't be divided like this, as few as possible sit out: first those with the
//!    fewest rounds out, of these those with the fewest points, of these the last starting numbers. A player who sits
//!    out gets half a point, the average of a table.
//! 3. **Meetings.** Repeated meetings are avoided first: of each two at a table the square of the number of tables they
//!    have shared is counted. Of draws equal in this the better one has smaller differences of points at each table: of
//!    each two at a table the difference of their points is counted.
//! 4. **The search.** The players stand in the order of their points, then of their starting numbers, and fill the
//!    tables from the first one on. Then, for each player in this order and each one behind them at another table, the
//!    two swap if that makes the draw better, until a pass over all finds nothing. This is repeated from other orders,
//!    `1280 / players` of them (rounded down), each made of the one before by shuffling with SplitMix64 from a seed.
//!    The best draw counts, of equal ones the first. The search ends at a draw without any cost.
//! 5. **Seats.** A table is named after its best player, in the order of rule 4. The players sit in the order of their
//!    starting numbers, turned by as many seats as rounds were played before.
//! 6. **Points.** A table gives from 0 to 1: the share of the others at it who are placed behind the player, and half
//!    of the share of those with the same place. So tables of different sizes count the same. A player who had
//!    withdrawn before the table began is placed behind all, and gets nothing.
//!
//! All points are whole numbers of 1/120, so nothing is rounded: a table has one to six others. Everything follows from
//! the boards and a seed, so everybody can reproduce the draw of a round.

mod draw;
mod standings;
#[cfg(test)]
mod tests;

pub use draw::{Entrant, Round, draw, sizes};
pub use standings::{Score, standings};

use crate::Board;

/// One point, in the unit of points at tables.
pub const POINT: u32 = 120;
/// The points for sitting out.
pub const SITTING_OUT: u32 = POINT / 2;
/// The fewest players of a table.
pub const FEWEST: u16 = 3;

/// The place of a player who had withdrawn before the table began.
pub const ABSENT: u8 = 0;

/// The points for these places at a table, in the same order, in 1/120 of a point.
pub fn shares(places: &[u8]) -> Vec<u32> {
    let others = u32::try_from(places.len()).unwrap_or(u32::MAX).saturating_sub(1).max(1);
    let of = |at: usize| {
        let beaten = places.iter().enumerate().filter(|(other, _)| *other != at);
        let halves: u32 = beaten.map(|(_, place)| u32::from(against(places[at], *place))).sum();
        halves * (POINT / 2) / others
    };
    (0..places.len()).map(of).collect()
}

/// The half points of a place against another one.
fn against(own: u8, other: u8) -> u8 {
    match (own, other) {
        (ABSENT, _) => 0,
        (_, ABSENT) => 2,
        (own, other) if own < other => 2,
        (own, other) => u8::from(own == other),
    }
}

impl<P> Board<P> {
    /// The place of a player at a finished table; `None`: it is unfinished or aborted, or they don't sit at it.
    pub fn place_of(&self, number: u16) -> Option<u8> {
        let seat = self.table.iter().position(|player| *player == number)?;
        self.places.as_ref()?.get(seat).copied()
    }

    /// A player's points from a table, or from sitting out, in 1/120 of a point; `None`: it is unfinished or aborted.
    pub fn share_of(&self, number: u16) -> Option<u32> {
        if self.table.is_empty() {
            return self.halves_of(number).map(|halves| u32::from(halves) * (POINT / 2));
        }
        let seat = self.table.iter().position(|player| *player == number)?;
        shares(self.places.as_ref()?).get(seat).copied()
    }

    /// A player's half points against another one at the table.
    pub fn halves_against(&self, number: u16, other: u16) -> Option<u8> {
        Some(against(self.place_of(number)?, self.place_of(other)?))
    }
}

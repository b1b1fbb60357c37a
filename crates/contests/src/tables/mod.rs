//! Tournaments at tables of three to seven: in each round everybody sits at exactly one table. The rules:
//!
//! 1. **Sizes.** As few tables as possible with no more seats than the terms say, and no two of them differ by more
//!    than one seat. No table has fewer players than the rules of the game ask for, or fewer than three.
//! 2. **Sitting out.** If the players can't be divided like this, as few as possible sit out: those who have done so
//!    least often, of these those with the fewest points, of these the last starting numbers. Who sits out gets half a
//!    point, which is what a table gives on the average.
//! 3. **Who meets whom.** What is avoided first is that people meet again: of each two at a table the square of how
//!    often they have shared one before is counted. Between draws that are equal in this the one is better in which the
//!    points at each table differ less: of each two at a table the difference of their points is counted.
//! 4. **The search.** The players stand in the order of their points, then of their starting numbers, and fill the
//!    tables from the first one on. Then, for each player in this order and each one behind them at another table, the
//!    two swap if that makes the draw better, until a pass over all finds nothing. This is done again from other
//!    orders, `1280 / players` of them (rounded down), each made of the one before by shuffling with SplitMix64 from a
//!    seed. The best draw counts, of equal ones the first. Nothing is tried after a draw with which nothing is wrong.
//! 5. **Seats.** A table is named by its best player, in the order of rule 4. The players sit in the order of their
//!    starting numbers, turned by as many seats as rounds were played before.
//! 6. **Points.** A table gives from 0 to 1: the share of the others at it whom one is placed before, and half of it
//!    for those who share one's place. So tables of different sizes count the same. Who had withdrawn before the table
//!    began is placed behind all, and gets nothing.
//!
//! All points are whole numbers of 1/120, so nothing is rounded: a table has one to six others. Everything follows from
//! the boards and a seed, so everybody can draw a round again.

mod draw;
mod standings;
#[cfg(test)]
mod tests;

pub use draw::{Entrant, Round, draw, sizes};
pub use standings::{Score, standings};

use crate::Board;

/// One point, in the unit in which points at tables are counted.
pub const POINT: u32 = 120;
/// What sitting out is worth.
pub const SITTING_OUT: u32 = POINT / 2;
/// The least players of a table.
pub const FEWEST: u16 = 3;

/// The place of somebody who had withdrawn before the table began.
pub const ABSENT: u8 = 0;

/// What these places at a table are worth, in the same order, in 1/120 of a point.
pub fn shares(places: &[u8]) -> Vec<u32> {
    let others = u32::try_from(places.len()).unwrap_or(u32::MAX).saturating_sub(1).max(1);
    let of = |at: usize| {
        let beaten = places.iter().enumerate().filter(|(other, _)| *other != at);
        let halves: u32 = beaten.map(|(_, place)| u32::from(against(places[at], *place))).sum();
        halves * (POINT / 2) / others
    };
    (0..places.len()).map(of).collect()
}

/// What a place is worth against another one, in half points.
fn against(own: u8, other: u8) -> u8 {
    match (own, other) {
        (ABSENT, _) => 0,
        (_, ABSENT) => 2,
        (own, other) if own < other => 2,
        (own, other) => u8::from(own == other),
    }
}

impl<P> Board<P> {
    /// The place of a player at a table that is over; none: it isn't, was called off, or they don't sit at it.
    pub fn place_of(&self, number: u16) -> Option<u8> {
        let seat = self.table.iter().position(|player| *player == number)?;
        self.places.as_ref()?.get(seat).copied()
    }

    /// What a table, or sitting out, gave a player, in 1/120 of a point; none: it isn't over, or was called off.
    pub fn share_of(&self, number: u16) -> Option<u32> {
        if self.table.is_empty() {
            return self.halves_of(number).map(|halves| u32::from(halves) * (POINT / 2));
        }
        let seat = self.table.iter().position(|player| *player == number)?;
        shares(self.places.as_ref()?).get(seat).copied()
    }

    /// What a table gave a player against another one, in half points.
    pub fn halves_against(&self, number: u16, other: u16) -> Option<u8> {
        Some(against(self.place_of(number)?, self.place_of(other)?))
    }
}

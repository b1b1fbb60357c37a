//! Who begins, in the families in which one of two seats plays before the other.

use serde::Serialize;

use crate::{chance::Draws, seat::Seat};

/// Who begins, and is red.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum First {
    /// Drawn by lot.
    Random,
    /// Seat 0: that of whoever made the match.
    Creator,
    /// Seat 1: the other one.
    Opponent,
}

impl First {
    pub(super) const CHOICES: &[(&str, Self)] =
        &[("random", Self::Random), ("creator", Self::Creator), ("opponent", Self::Opponent)];

    /// The seat that begins, drawn where the rules leave it to chance.
    pub(super) fn seat(self, draws: &mut Draws<'_>) -> Seat {
        match self {
            Self::Random => Seat(draws.below(2) as u8),
            Self::Creator => Seat(0),
            Self::Opponent => Seat(1),
        }
    }
}

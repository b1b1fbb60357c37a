//! The first seat, in the families in which one seat plays before the others.

#[cfg(feature = "schema")]
use alloc::string::String;

use serde::Serialize;

use crate::{chance::Draws, illegal::UnknownWord, seat::Seat};

/// Who begins, and is red.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = FirstPlayer))]
#[serde(rename_all = "kebab-case")]
pub enum First {
    /// Drawn by lot.
    Random,
    /// Seat 0: that of whoever made the match.
    Creator,
    /// Seat 1: the other one, or the next of several.
    Opponent,
}

impl core::str::FromStr for First {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::CHOICES.iter().find(|(name, _)| *name == word);
        found.map(|(_, first)| *first).ok_or_else(|| UnknownWord::none_of(&["random", "creator", "opponent"]))
    }
}

impl First {
    pub(super) const CHOICES: &[(&str, Self)] =
        &[("random", Self::Random), ("creator", Self::Creator), ("opponent", Self::Opponent)];

    /// The first of two seats, drawn where the rules leave it to chance.
    pub(super) fn seat(self, draws: &mut Draws<'_>) -> Seat {
        self.among(2, draws)
    }

    /// The first of `seats` seats, drawn where the rules leave it to chance.
    pub(super) fn among(self, seats: u8, draws: &mut Draws<'_>) -> Seat {
        match self {
            Self::Random => Seat(draws.below(seats.into()) as u8),
            Self::Creator => Seat(0),
            Self::Opponent => Seat(1),
        }
    }
}

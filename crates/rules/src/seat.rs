//! Seats in a match, sets of seats, and viewers.
use alloc::vec::Vec;
use core::iter;

use serde::{Deserialize, Serialize};

/// A seat in the match, from 0: the creator of the match has seat 0. A number on the wire.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[serde(transparent)]
#[cbor(transparent)]
pub struct Seat(#[n(0)] pub u8);

impl Seat {
    /// The largest number of seats of any family.
    pub const MOST: u8 = 7;

    /// The seat as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The other seat of a match for two.
    #[must_use]
    pub const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A set of seats. An ascending array of numbers on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, minicbor::Encode, minicbor::Decode)]
#[cbor(transparent)]
pub struct SeatSet(#[n(0)] u8);

impl SeatSet {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of one seat.
    #[must_use]
    pub const fn only(seat: Seat) -> Self {
        Self(1u8.wrapping_shl(seat.0 as u32))
    }

    /// The seats 0 to `seats` − 1.
    #[must_use]
    pub const fn first(seats: u8) -> Self {
        let seats = if seats < Seat::MOST { seats } else { Seat::MOST };
        Self((1 << seats) - 1)
    }

    /// Is the seat in the set?
    #[must_use]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & Self::only(seat).0 != 0
    }

    /// Adds a seat.
    pub const fn insert(&mut self, seat: Seat) {
        self.0 |= Self::only(seat).0;
    }

    /// Removes a seat.
    pub const fn remove(&mut self, seat: Seat) {
        self.0 &= !Self::only(seat).0;
    }

    /// Is the set empty?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of seats.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The difference.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The seats, ascending.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let mut left = self.0;
        iter::from_fn(move || {
            let seat = left.trailing_zeros() as u8;
            (seat < 8).then(|| {
                left &= left - 1;
                Seat(seat)
            })
        })
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::NONE;
        seats.into_iter().for_each(|seat| set.insert(seat));
        set
    }
}

impl Serialize for SeatSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for SeatSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Seat>::deserialize(deserializer)?.into_iter().filter(|seat| seat.0 < 8).collect())
    }
}

/// The viewer, on which alone disclosure depends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Viewer {
    /// The player in this seat.
    Seat(Seat),
    /// Anybody else: public facts only.
    Spectator,
}

impl Viewer {
    /// The viewer's seat, unless a spectator.
    #[must_use]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Self::Seat(seat) => Some(seat),
            Self::Spectator => None,
        }
    }
}

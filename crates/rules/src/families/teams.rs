//! Teams of seats, in the families that have them.
use crate::{
    read::{Faults, Fields},
    seat::Seat,
};

/// The number of teams, with seat *i* in team *i* mod this number; `None` without teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Teams(pub Option<u8>);

impl Teams {
    /// The fewest and the most teams of a rule set.
    pub const BOUNDS: (u8, u8) = (2, 3);

    /// Reads `teams`: `null`, or the number of teams.
    pub fn read(fields: &Fields<'_>, faults: &mut Faults) -> Option<Self> {
        if fields.required("teams", faults)?.is_null() {
            return Some(Self(None));
        }
        let teams = fields.integer("teams", Self::BOUNDS.0.into(), Self::BOUNDS.1.into(), faults)?;
        Some(Self(Some(teams as u8)))
    }

    /// The team of a seat; without teams each seat is its own.
    pub const fn of(self, seat: Seat) -> u8 {
        match self.0 {
            Some(teams) if teams > 0 => seat.0 % teams,
            _ => seat.0,
        }
    }

    /// Are the seats in one team? A seat is, with itself.
    pub const fn allied(self, one: Seat, other: Seat) -> bool {
        self.of(one) == self.of(other)
    }
}

//! Who sits where: the seats of a match, their seas, and what the seas are called. It knows no ship and no shot.
use serde::Serialize;

use super::rules::{Rules, choice};
use crate::{families::family::Rules as _, seat::Seat};

choice! {
    /// The id of a sea, as the board of the match lists it.
    SeaId {
        /// The sea of red.
        Red = "red",
        /// The sea of blue.
        Blue = "blue",
        /// The sea of green.
        Green = "green",
        /// The sea of yellow.
        Yellow = "yellow",
        /// The sea of white.
        White = "white",
        /// The sea of black.
        Black = "black",
    }
}

impl SeaId {
    /// The id on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        Self::CHOICES[self as usize].0
    }
}

/// The seats of a match and their seas. Seas are numbered as their owners are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seating {
    seats: u8,
    /// Who begins.
    first: Seat,
    /// Is red the one that begins? Else colours go by seat.
    red_begins: bool,
}

impl Seating {
    /// How the seats of a match sit; until it is open, as if the first seat began.
    pub fn new(rules: &Rules, seats: u8) -> Self {
        Self { seats, first: Seat(0), red_begins: rules.seats() == (2, 2) }
    }

    /// The same seats when this one begins.
    pub const fn opened(self, first: Seat) -> Self {
        Self { first, ..self }
    }

    /// Who begins.
    pub const fn first(self) -> Seat {
        self.first
    }

    /// How many seats there are.
    pub const fn count(self) -> u8 {
        self.seats
    }

    /// The seats.
    pub fn seats(self) -> impl Iterator<Item = Seat> {
        (0..self.seats).map(Seat)
    }

    /// The seas, by number, in the order in which the board lists them.
    pub fn seas(self) -> impl Iterator<Item = usize> {
        let red = if self.red_begins { self.first.index() } else { 0 };
        let seas = usize::from(self.seats);
        (0..seas).map(move |nth| (red + nth) % seas)
    }

    /// The sea in which the ships of a seat lie.
    pub const fn sea_of(self, seat: Seat) -> usize {
        seat.index()
    }

    /// The seat whose ships lie in this sea.
    pub const fn owner(self, sea: usize) -> Seat {
        Seat(sea as u8)
    }

    /// Where there is only one sea to fire at: that sea.
    pub fn only_target(self, shooter: Seat) -> Option<usize> {
        let mut others = self.seas().filter(|sea| *sea != self.sea_of(shooter));
        others.next().filter(|_| others.next().is_none())
    }

    /// The sea of an event or a report: the one that it names, or the only one that it can be.
    pub fn target(self, shooter: Seat, named: Option<usize>) -> Option<usize> {
        named.or_else(|| self.only_target(shooter))
    }

    /// The id of a sea.
    pub fn id(self, sea: usize) -> SeaId {
        let nth = self.seas().position(|other| other == sea).unwrap_or_default();
        SeaId::CHOICES[nth.min(SeaId::CHOICES.len() - 1)].1
    }

    /// The sea of this id.
    pub fn sea(self, id: SeaId) -> Option<usize> {
        self.seas().find(|sea| self.id(*sea) == id)
    }

    /// The seat that plays after this one.
    pub const fn after(self, seat: Seat) -> Seat {
        Seat((seat.0 + 1) % self.seats)
    }
}

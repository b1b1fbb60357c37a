//! The seats of a match, their seas, and the names of the seas. It knows neither ships nor shots.
use serde::Serialize;

use super::{
    rules::{Rules, choice},
    sides::{MOST_SEATS, Seats, TeamSeas},
};
use crate::seat::{Seat, SeatSet};

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

/// The seats of a match, their sides and their seas. A sea has the number of its owner, or of the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seating {
    seats: u8,
    /// The number of teams, assigned in turn; the number of seats where each plays alone.
    sides: u8,
    /// The side of each seat, computed once: every shot needs it several times.
    side_of: [SeatSet; MOST_SEATS],
    first: Seat,
    /// Is the first seat red? Otherwise colours go by seat.
    red_begins: bool,
    /// Do the seats of a side share a sea?
    common: bool,
}

impl Seating {
    /// The seats of a match; until it is open, as if the first seat began.
    pub fn new(rules: &Rules, seats: u8) -> Self {
        let seats = seats.clamp(1, MOST_SEATS as u8);
        let sides = rules.teams.map_or(seats, |teams| teams.clamp(1, seats));
        let alone = sides == seats;
        let allies = |seat: u8| (0..seats).filter(|other| other % sides == seat % sides).map(Seat).collect();
        let side = |seat: usize| if alone { SeatSet::only(Seat(seat as u8)) } else { allies(seat as u8) };
        let common = rules.team_seas == TeamSeas::Common;
        let red_begins = rules.seats == Seats::TWO;
        Self { seats, sides, side_of: core::array::from_fn(side), first: Seat(0), red_begins, common }
    }

    /// The same seats with another first seat.
    pub const fn opened(self, first: Seat) -> Self {
        Self { first, ..self }
    }

    /// The number of seats.
    pub const fn count(self) -> u8 {
        self.seats
    }

    /// The seats.
    pub fn seats(self) -> impl Iterator<Item = Seat> {
        (0..self.seats).map(Seat)
    }

    /// The seats in the order of play.
    pub fn in_order(self) -> impl Iterator<Item = Seat> {
        (0..self.seats).map(move |nth| Seat(turned(self.first.0, nth, self.seats)))
    }

    /// The number of seats that have their turn before this one.
    pub const fn place(self, seat: Seat) -> usize {
        turned(seat.0, self.seats - self.first.0, self.seats) as usize
    }

    /// The side of a seat: the seat itself, and its allies.
    pub fn side(self, seat: Seat) -> SeatSet {
        self.side_of.get(seat.index()).copied().unwrap_or_default()
    }

    /// The sides.
    pub fn sides(self) -> impl Iterator<Item = SeatSet> {
        (0..self.sides).map(move |side| self.side(Seat(side)))
    }

    /// Are two seats on one side?
    pub fn allied(self, one: Seat, other: Seat) -> bool {
        self.side(one).contains(other)
    }

    /// The seas, by number, in the order of the board.
    pub fn seas(self) -> impl Iterator<Item = usize> {
        let seas = if self.common { self.sides } else { self.seats };
        let red = if self.red_begins { self.first.0 } else { 0 };
        (0..seas).map(move |nth| usize::from(turned(red, nth, seas)))
    }

    /// The sea with the ships of a seat.
    pub const fn sea_of(self, seat: Seat) -> usize {
        if self.common { seat.index() % self.sides as usize } else { seat.index() }
    }

    /// The seats with ships in this sea.
    pub fn owners(self, sea: usize) -> SeatSet {
        let owner = self.owner(sea);
        if self.common { self.side(owner) } else { SeatSet::only(owner) }
    }

    /// The seats that share the sea; `None` if it isn't shared.
    pub fn sharing(self, sea: usize) -> Option<SeatSet> {
        self.common.then(|| self.owners(sea))
    }

    /// The first seat with ships in this sea.
    pub const fn owner(self, sea: usize) -> Seat {
        Seat(sea as u8)
    }

    /// The seas of a seat's enemies, unless all of their owners are out.
    pub fn targets(self, seat: Seat, out: SeatSet) -> impl Iterator<Item = usize> {
        let own = self.side(seat);
        self.seas().filter(move |sea| !own.contains(self.owner(*sea)) && !self.owners(*sea).without(out).is_empty())
    }

    /// The sea of an event or a report: the named one, or the only possible one in a match for two.
    pub fn target(self, shooter: Seat, named: Option<usize>) -> Option<usize> {
        let mut others = self.targets(shooter, SeatSet::NONE).filter(|_| self.seats == 2);
        named.or_else(|| others.next())
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
}

/// The nth in a circle of `of`, starting from `from`. Both are below `of`: no division, which every shot would cost.
const fn turned(from: u8, nth: u8, of: u8) -> u8 {
    let at = from + nth;
    if at < of { at } else { at - of }
}

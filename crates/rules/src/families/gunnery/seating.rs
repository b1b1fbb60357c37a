//! Who sits where: the seats of a match, their seas, and what the seas are called. It knows no ship and no shot.
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

/// The seats of a match, their sides and their seas. Seas are numbered as their owners are, or as the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seating {
    seats: u8,
    /// Among how many teams they are divided in turn; as many as there are seats where each plays for themselves.
    sides: u8,
    /// The side of each seat: asked several times for every shot, so it is worked out once.
    side_of: [SeatSet; MOST_SEATS],
    /// Who begins.
    first: Seat,
    /// Is red the one that begins? Else colours go by seat.
    red_begins: bool,
    /// Does a side share a sea?
    common: bool,
}

impl Seating {
    /// How the seats of a match sit; until it is open, as if the first seat began.
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

    /// The same seats when this one begins.
    pub const fn opened(self, first: Seat) -> Self {
        Self { first, ..self }
    }

    /// How many seats there are.
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

    /// How many seats have their turn before this one.
    pub const fn place(self, seat: Seat) -> usize {
        turned(seat.0, self.seats - self.first.0, self.seats) as usize
    }

    /// The side that a seat is on: the seat itself, and its allies.
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

    /// The seas, by number, in the order in which the board lists them.
    pub fn seas(self) -> impl Iterator<Item = usize> {
        let seas = if self.common { self.sides } else { self.seats };
        let red = if self.red_begins { self.first.0 } else { 0 };
        (0..seas).map(move |nth| usize::from(turned(red, nth, seas)))
    }

    /// The sea in which the ships of a seat lie.
    pub const fn sea_of(self, seat: Seat) -> usize {
        if self.common { seat.index() % self.sides as usize } else { seat.index() }
    }

    /// The seats whose ships lie in this sea.
    pub fn owners(self, sea: usize) -> SeatSet {
        let owner = self.owner(sea);
        if self.common { self.side(owner) } else { SeatSet::only(owner) }
    }

    /// All whose sea it is, where a side shares it.
    pub fn sharing(self, sea: usize) -> Option<SeatSet> {
        self.common.then(|| self.owners(sea))
    }

    /// The seat whose ships lie in this sea, or the first of them.
    pub const fn owner(self, sea: usize) -> Seat {
        Seat(sea as u8)
    }

    /// The seas of a seat's enemies, as long as not all of them are out.
    pub fn targets(self, seat: Seat, out: SeatSet) -> impl Iterator<Item = usize> {
        let own = self.side(seat);
        self.seas().filter(move |sea| !own.contains(self.owner(*sea)) && !self.owners(*sea).without(out).is_empty())
    }

    /// The sea of an event or a report: the one that it names, or in a match for two the only one that it can be.
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

/// The nth of so many in a circle, from this one on. Both are below their number: no division, which a shot would feel.
const fn turned(from: u8, nth: u8, of: u8) -> u8 {
    let at = from + nth;
    if at < of { at } else { at - of }
}

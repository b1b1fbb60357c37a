//! The public state of the seats: who has deployed, who is out, and whose turn it is. The truth and every view keep the
//! same one by the same calls, so they cannot differ.
use super::seating::Seating;
use crate::{
    seat::{Seat, SeatSet},
    table::Step,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Muster {
    pub seating: Seating,
    pub deployed: SeatSet,
    /// The seats out of the match.
    pub out: SeatSet,
    /// Has the battle begun?
    pub playing: bool,
    /// The seat that must act in the battle.
    pub due: Option<Seat>,
}

impl Muster {
    pub const fn new(seating: Seating) -> Self {
        Self { seating, deployed: SeatSet::NONE, out: SeatSet::NONE, playing: false, due: None }
    }

    /// Is the seat still in the match?
    pub const fn plays(&self, seat: Seat) -> bool {
        !self.out.contains(seat)
    }

    /// Is any seat of the side still in the match?
    pub const fn side_plays(&self, side: SeatSet) -> bool {
        !side.without(self.out).is_empty()
    }

    /// The seats that still play, in the order of play.
    pub fn in_order(&self) -> impl Iterator<Item = Seat> + use<> {
        let muster = *self;
        self.seating.in_order().filter(move |seat| muster.plays(*seat))
    }

    /// The number of sides that still play.
    pub fn sides(&self) -> usize {
        self.seating.sides().filter(|side| self.side_plays(*side)).count()
    }

    /// The seats that must place a fleet now: the first of each sea without its fleet.
    pub fn deploying(&self) -> SeatSet {
        self.seating.seas().filter_map(|sea| self.missing(sea).next()).collect()
    }

    /// The seats whose fleets are still to be placed in a sea, in this order.
    pub fn missing(&self, sea: usize) -> impl Iterator<Item = Seat> + use<> {
        let muster = *self;
        let missing = move |seat: &Seat| muster.plays(*seat) && !muster.deployed.contains(*seat);
        self.seating.owners(sea).iter().filter(missing)
    }

    /// The step for the table.
    pub fn step(&self, acted: Seat, salvo: bool) -> Step {
        let to_act = if self.playing { self.due.map_or(SeatSet::NONE, SeatSet::only) } else { self.deploying() };
        Step { acted, to_act, playing: self.playing, salvo, out: self.out, goes_on: false }
    }

    /// Places a fleet; the battle begins with the last.
    pub fn deploy(&mut self, seat: Seat) {
        self.deployed.insert(seat);
        if self.deploying().is_empty() {
            self.playing = true;
            self.due = self.in_order().next();
        }
    }

    /// Removes a seat. Nothing more goes on when only one side is left; otherwise the following events tell the next to
    /// act.
    pub fn leave(&mut self, seat: Seat) -> Option<Step> {
        self.out.insert(seat);
        self.due = self.due.filter(|due| *due != seat);
        (self.sides() > 1).then(|| self.step(seat, false))
    }
}

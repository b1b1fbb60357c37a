//! The public part of a depths battle: the surface ships, the losses, and the turn. The truth and every viewer fold the
//! same public facts into it, so they cannot differ. It is given results only, so no secret can enter it.
use alloc::{vec, vec::Vec};

use super::{
    rules::{AfterMine, MOST_STEPS, Rules, SHIPS, SUBMARINES, Torpedoes, WithoutMove, full_load},
    water::{Line, Square},
};
use crate::{
    outcome::{Outcome, Place, Reason},
    seat::{Seat, SeatSet},
    table::Step,
    view_model::Round,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ship {
    /// The position: a square of the enemy's sea, or its port.
    pub at: Square,
    /// Depth charges left.
    pub charges: u8,
    pub afloat: bool,
}

impl Ship {
    /// Is it afloat and out of port?
    pub const fn is_at_sea(self) -> bool {
        self.afloat && !self.at.is_port()
    }
}

/// The surface ships of a seat, in the order of the fleet.
pub(crate) type Fleet = [Ship; SHIPS.len()];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Until both seats have placed their submarines and their mine.
    Deploying,
    Turn(Turn),
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub seat: Seat,
    /// The ship that has moved.
    pub moved: Option<u8>,
    /// Has a depth charge been dropped?
    pub charged: bool,
    /// The line of this turn's torpedoes.
    pub line: Option<Line>,
    /// The number of torpedoes fired.
    pub torpedoes: u8,
}

impl Turn {
    const fn of(seat: Seat) -> Self {
        Self { seat, moved: None, charged: false, line: None, torpedoes: 0 }
    }

    /// Has any step been made?
    pub const fn is_begun(&self) -> bool {
        self.moved.is_some() || self.charged || self.torpedoes > 0
    }
}

/// A way of one to three steps to its last square.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    squares: [Square; MOST_STEPS],
    len: u8,
}

impl Way {
    pub fn squares(&self) -> &[Square] {
        &self.squares[..usize::from(self.len)]
    }

    /// The last square; `None` before the first step.
    pub fn end(&self) -> Option<Square> {
        self.squares().last().copied()
    }

    fn longer(&self, by: Square) -> Option<Self> {
        let mut way = *self;
        *way.squares.get_mut(usize::from(self.len))? = by;
        way.len += 1;
        Some(way)
    }
}

#[derive(Clone, PartialEq)]
pub(crate) struct Surface {
    pub first: Seat,
    pub phase: Phase,
    pub deployed: [bool; 2],
    /// The fleets by seat. They sail on the other seat's sea.
    pub fleets: [Fleet; 2],
    /// The number of submarines that each seat has lost.
    pub submarines_lost: [u8; 2],
    /// The exploded mines, by the seat of their owner.
    pub exploded: [Option<Square>; 2],
    /// Turns ended, of both seats together.
    turns: u16,
}

impl Surface {
    pub fn new() -> Self {
        let ship = |ship: u8| Ship { at: Square::PORT, charges: full_load(ship), afloat: true };
        let fleet = [ship(0), ship(1), ship(2)];
        Self {
            first: Seat(0),
            phase: Phase::Deploying,
            deployed: [false; 2],
            fleets: [fleet; 2],
            submarines_lost: [0; 2],
            exploded: [None; 2],
            turns: 0,
        }
    }

    fn step(&self, acted: Seat, salvo: bool) -> Step {
        let to_act = match self.phase {
            Phase::Deploying => (0..2).map(Seat).filter(|seat| !self.deployed[seat.index()]).collect(),
            Phase::Turn(turn) => SeatSet::only(turn.seat),
            Phase::Over => SeatSet::NONE,
        };
        Step { acted, to_act, playing: self.phase != Phase::Deploying, salvo, out: SeatSet::NONE, goes_on: false }
    }

    /// Applies a seat's deployment.
    pub fn deploy(&mut self, seat: Seat) -> Option<Step> {
        *self.deployed.get_mut(seat.index())? = true;
        if self.deployed == [true; 2] {
            self.phase = Phase::Turn(Turn::of(self.first));
        }
        Some(self.step(seat, false))
    }

    /// Applies the move of a ship, sunk by a mine or not.
    pub fn sail(&mut self, seat: Seat, ship: u8, to: Square, mine: bool) -> Option<Step> {
        let moved = self.fleets.get_mut(seat.index())?.get_mut(usize::from(ship))?;
        moved.at = to;
        if to.is_port() {
            moved.charges = full_load(ship);
        }
        if mine {
            moved.afloat = false;
            *self.exploded.get_mut(seat.other().index())? = Some(to);
        }
        if let Phase::Turn(turn) = &mut self.phase {
            turn.moved = Some(ship);
        }
        Some(self.played(seat))
    }

    /// Applies a depth charge, which sank a submarine or not.
    pub fn charge(&mut self, seat: Seat, ship: u8, hit: bool) -> Option<Step> {
        let ship = self.fleets.get_mut(seat.index())?.get_mut(usize::from(ship))?;
        ship.charges = ship.charges.saturating_sub(1);
        if hit {
            let lost = self.submarines_lost.get_mut(seat.other().index())?;
            *lost = lost.saturating_add(1);
        }
        if let Phase::Turn(turn) = &mut self.phase {
            turn.charged = true;
        }
        Some(self.played(seat))
    }

    /// Applies a torpedo along a line at an enemy ship, which sank it or not.
    pub fn torpedo(&mut self, seat: Seat, target: u8, line: Line, hit: bool) -> Option<Step> {
        if hit {
            self.fleets.get_mut(seat.other().index())?.get_mut(usize::from(target))?.afloat = false;
        }
        if let Phase::Turn(turn) = &mut self.phase {
            turn.line = Some(line);
            turn.torpedoes = turn.torpedoes.saturating_add(1);
        }
        Some(self.played(seat))
    }

    /// Ends a seat's turn.
    pub fn end_turn(&mut self, rules: &Rules, seat: Seat) -> Option<Step> {
        self.turns = self.turns.saturating_add(1);
        let over = self.limit_reached(rules);
        self.phase = if over { Phase::Over } else { Phase::Turn(Turn::of(seat.other())) };
        Some(self.step(seat, true))
    }

    /// The effect of a step of a turn: the third loss of a kind ends the battle at that instant.
    fn played(&mut self, seat: Seat) -> Step {
        if self.winner().is_some() {
            self.phase = Phase::Over;
        }
        // It is one turn until its player ends it.
        Step { goes_on: self.phase != Phase::Over, ..self.step(seat, true) }
    }

    /// The seat that has sunk three of a kind, if any.
    pub fn winner(&self) -> Option<Seat> {
        let lost = |seat: &Seat| {
            usize::from(self.submarines_lost[seat.index()]) >= SUBMARINES
                || self.fleets[seat.index()].iter().all(|ship| !ship.afloat)
        };
        (0..2).map(Seat).find(lost).map(Seat::other)
    }

    /// The current round: a turn of each seat.
    pub fn round(&self, rules: &Rules) -> Option<Round> {
        (self.deployed == [true; 2]).then(|| Round::of(self.turns / 2 + 1, rules.turns))
    }

    fn limit_reached(&self, rules: &Rules) -> bool {
        self.turns >= rules.turns.saturating_mul(2)
    }

    /// The outcome of the battle, if it is over: by the loss of a fleet, or at the limit of turns by the pieces afloat.
    pub fn outcome(&self, rules: &Rules) -> Option<Outcome> {
        if let Some(winner) = self.winner() {
            return Some(Outcome::won_by(winner, Reason::Fleet));
        }
        if !self.limit_reached(rules) {
            return None;
        }
        let [mine, yours] = [Seat(0), Seat(1)].map(|seat| self.pieces_afloat(seat));
        Some(match mine.cmp(&yours) {
            core::cmp::Ordering::Greater => Outcome::won_by(Seat(0), Reason::Limit),
            core::cmp::Ordering::Less => Outcome::won_by(Seat(1), Reason::Limit),
            core::cmp::Ordering::Equal => {
                let places = [Seat(0), Seat(1)].map(|seat| Place { seat, place: 1 });
                Outcome { reason: Reason::Limit, winner: None, places: places.into() }
            }
        })
    }

    fn pieces_afloat(&self, seat: Seat) -> usize {
        let ships = self.fleets[seat.index()].iter().filter(|ship| ship.afloat).count();
        ships + SUBMARINES.saturating_sub(usize::from(self.submarines_lost[seat.index()]))
    }

    /// The squares of the other ships of the fleet, as a set.
    pub fn taken(&self, seat: Seat, ship: u8) -> u128 {
        let others = self.fleets[seat.index()].iter().enumerate();
        let others = others.filter(|(number, other)| *number != usize::from(ship) && other.is_at_sea());
        others.fold(0, |taken, (_, other)| taken | other.at.bit())
    }

    /// A shortest way to each place in reach of one move: squares by their number, then the port. A ship that enters
    /// port goes no further.
    pub fn reach(&self, rules: &Rules, seat: Seat, ship: u8) -> Vec<Way> {
        let mut reach: Vec<Way> = Vec::new();
        let Some(moving) = self.fleets[seat.index()].get(usize::from(ship)).filter(|ship| ship.afloat) else {
            return reach;
        };
        let taken = self.taken(seat, ship);
        let start = Way { squares: [moving.at; MOST_STEPS], len: 0 };
        let mut edge = vec![start];
        for _ in 0..MOST_STEPS {
            let mut further = Vec::new();
            for way in edge {
                let from = way.end().unwrap_or(moving.at);
                if from.is_port() && way.len > 0 {
                    continue;
                }
                let open = |to: &Square| {
                    rules.is_step(from, *to) && *to != moving.at && (to.is_port() || taken & to.bit() == 0)
                };
                for to in rules.waters().squares().chain([Square::PORT]).filter(open) {
                    if !reach.iter().any(|known| known.end() == Some(to))
                        && let Some(way) = way.longer(to)
                    {
                        reach.push(way);
                        further.push(way);
                    }
                }
            }
            edge = further;
        }
        reach.sort_by_key(Way::end);
        reach
    }

    /// The torpedoes left to the turn, by public knowledge; each needs a submarine on its line.
    pub fn torpedoes_left(&self, rules: &Rules, turn: &Turn) -> u8 {
        if turn.moved.is_none() && turn.charged && rules.without_move == WithoutMove::ChargeOrTorpedo {
            return 0;
        }
        let fleet = &self.fleets[turn.seat.index()];
        let mined = turn.moved.and_then(|ship| fleet.get(usize::from(ship))).is_some_and(|ship| !ship.afloat);
        let one = rules.torpedoes == Torpedoes::One || mined && rules.after_mine == AfterMine::One;
        let most = if one { 1 } else { SUBMARINES as u8 };
        most.saturating_sub(turn.torpedoes)
    }

    /// Is any step possible in this turn, by public knowledge? (A torpedo needs a submarine, whose position is secret.)
    pub fn can_move_or_charge(&self, rules: &Rules, seat: Seat) -> bool {
        let fleet = &self.fleets[seat.index()];
        fleet.iter().any(|ship| ship.is_at_sea() && ship.charges > 0)
            || (0..SHIPS.len() as u8).any(|ship| !self.reach(rules, seat, ship).is_empty())
    }
}

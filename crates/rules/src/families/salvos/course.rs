//! The public course of a match: nations, turns, detected and sunk ships, and the seats that are out, in order. The
//! truth and every view keep the same one by the same calls, so they cannot differ.
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{
    roster::{NATIONS_COUNT, Ships},
    rules::Rules,
};
use crate::{
    families::teams::Teams,
    outcome::{Outcome, Place, Reason},
    seat::{Seat, SeatSet},
    table::Step,
    view_model::Round,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Until all fleets are placed.
    Deploying,
    /// Until all have aimed their opening shots.
    Opening,
    /// This seat gives its orders.
    Turn { seat: Seat },
    /// No more turns.
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Course {
    seats: u8,
    /// The teams.
    pub teams: Teams,
    /// The first ship number of each nation, and the one after the last.
    ships: [u8; NATIONS_COUNT + 1],
    /// The nation of each seat, by number.
    nations: [u8; NATIONS_COUNT],
    pub phase: Phase,
    deployed: SeatSet,
    aimed: SeatSet,
    out: SeatSet,
    /// The groups of seats that went out together, in order.
    gone: [SeatSet; NATIONS_COUNT],
    groups: usize,
    /// The seats that have left since the last group was closed.
    leaving: SeatSet,
    /// The ships sunk by fire.
    pub sunk: Ships,
    /// The ships that have opened fire.
    pub detected: Ships,
    /// The current round, from 2; 0 until the opening shots, which are the first, are fired.
    round: u16,
    /// The seat that last acted or left.
    last: Seat,
}

impl Course {
    pub fn new(rules: &Rules, seats: u8) -> Self {
        let before = |nation: usize| rules.ships().partition_point(|ship| usize::from(ship.nation) < nation) as u8;
        Self {
            seats: seats.min(Seat::MOST),
            teams: rules.teams(),
            ships: core::array::from_fn(before),
            nations: [0; NATIONS_COUNT],
            phase: Phase::Deploying,
            deployed: SeatSet::NONE,
            aimed: SeatSet::NONE,
            out: SeatSet::NONE,
            gone: [SeatSet::NONE; NATIONS_COUNT],
            groups: 0,
            leaving: SeatSet::NONE,
            sunk: Ships::NONE,
            detected: Ships::NONE,
            round: 0,
            last: Seat(0),
        }
    }

    pub fn open(&mut self, names: &[u8]) {
        self.nations.iter_mut().zip(names).for_each(|(nation, name)| *nation = *name);
    }

    pub const fn seats(&self) -> u8 {
        self.seats
    }

    /// The nation of a seat.
    pub fn nation(&self, seat: Seat) -> u8 {
        self.nations.get(seat.index()).copied().unwrap_or_default()
    }

    /// The numbers of a seat's ships.
    pub fn fleet(&self, seat: Seat) -> core::ops::Range<usize> {
        let nation = usize::from(self.nation(seat));
        let number = |at: usize| self.ships.get(at).copied().map_or(0, usize::from);
        number(nation)..number(nation + 1)
    }

    /// The owner of the ship, if its nation plays.
    pub fn owner(&self, ship: usize) -> Option<Seat> {
        (0..self.seats).map(Seat).find(|seat| self.fleet(*seat).contains(&ship))
    }

    /// The ships of the nations that play, in the order of the roster.
    pub fn ships(&self) -> impl Iterator<Item = (usize, Seat)> + '_ {
        let count = self.ships.last().copied().map_or(0, usize::from);
        (0..count).filter_map(|ship| Some((ship, self.owner(ship)?)))
    }

    /// The ships of a seat and of its allies that are on the sea, in the order of the roster.
    pub fn friends(&self, seat: Seat) -> impl Iterator<Item = usize> + '_ {
        let allied = move |(_, owner): &(usize, Seat)| self.teams.allied(seat, *owner);
        self.ships().filter(allied).map(|(ship, _)| ship).filter(|ship| self.is_afloat(*ship))
    }

    /// The seats that still play.
    pub fn playing(&self) -> SeatSet {
        SeatSet::first(self.seats).iter().filter(|seat| !self.out.contains(*seat)).collect()
    }

    /// Do two sides still play?
    fn is_contested(&self) -> bool {
        let mut playing = self.playing().iter();
        playing.next().is_some_and(|first| playing.any(|other| !self.teams.allied(first, other)))
    }

    pub const fn has_deployed(&self, seat: Seat) -> bool {
        self.deployed.contains(seat)
    }

    /// The seats that have left since the last group went out.
    pub const fn leaving(&self) -> SeatSet {
        self.leaving
    }

    pub const fn has_aimed(&self, seat: Seat) -> bool {
        self.aimed.contains(seat)
    }

    /// Have all remaining seats aimed their opening shots?
    pub fn all_aimed(&self) -> bool {
        self.phase == Phase::Opening && self.without(self.aimed).is_empty()
    }

    /// Is the ship still on the sea: not sunk, and its owner not out?
    pub fn is_afloat(&self, ship: usize) -> bool {
        !self.sunk.contains(ship) && self.owner(ship).is_some_and(|seat| !self.out.contains(seat))
    }

    /// Has the seat a ship afloat that has opened fire? (Sheet 004, 5: only then may it order all its ships.)
    pub fn is_detected(&self, seat: Seat) -> bool {
        self.fleet(seat).any(|ship| self.detected.contains(ship) && !self.sunk.contains(ship))
    }

    fn without(&self, done: SeatSet) -> SeatSet {
        self.playing().iter().filter(|seat| !done.contains(*seat)).collect()
    }

    fn step(&self, to_act: SeatSet, salvo: bool) -> Step {
        Step { acted: self.last, to_act, playing: self.phase != Phase::Deploying, salvo, out: self.out, goes_on: false }
    }

    pub fn deployed(&mut self, seat: Seat) -> Step {
        self.last = seat;
        self.deployed.insert(seat);
        self.go_on_deploying()
    }

    fn go_on_deploying(&mut self) -> Step {
        let missing = self.without(self.deployed);
        if missing.is_empty() {
            self.phase = Phase::Opening;
            return self.step(self.playing(), false);
        }
        self.step(missing, false)
    }

    pub fn aimed(&mut self, seat: Seat) -> Step {
        self.last = seat;
        self.aimed.insert(seat);
        self.step(self.without(self.aimed), false)
    }

    /// A ship opens fire.
    pub const fn fires(&mut self, ship: usize) {
        self.detected.insert(ship);
    }

    /// Sinks ships together; fleets with no ship left are out, and share a place.
    pub fn sinks(&mut self, ships: Ships) {
        ships.iter().for_each(|ship| self.sunk.insert(ship));
        let none_left = |seat: &Seat| self.fleet(*seat).all(|ship| self.sunk.contains(ship));
        let lost: SeatSet = self.playing().iter().filter(none_left).collect();
        self.go(lost);
    }

    fn go(&mut self, seats: SeatSet) {
        self.left();
        if seats.is_empty() {
            return;
        }
        seats.iter().for_each(|seat| self.out.insert(seat));
        if let Some(group) = self.gone.get_mut(self.groups) {
            *group = seats;
            self.groups += 1;
        }
    }

    /// Closes the group of seats that have left together.
    pub fn left(&mut self) {
        let leaving = core::mem::take(&mut self.leaving);
        if !leaving.is_empty() {
            self.go(leaving);
        }
    }

    /// Ends the opening shots, the first round by the sheet: the first nation that still plays begins.
    pub fn opening_over(&mut self) -> Step {
        self.round = 2;
        let first = self.in_order().next();
        match first {
            Some(seat) if self.is_contested() => self.phase = Phase::Turn { seat },
            _ => self.phase = Phase::Over,
        }
        self.step(self.turn(), true)
    }

    /// Ends a seat's turn after its orders.
    pub fn turn_over(&mut self, rules: &Rules, seat: Seat) -> Step {
        self.last = seat;
        self.advance(rules, seat);
        self.step(self.turn(), true)
    }

    /// Removes a seat. No further turn when at most one side is left.
    pub fn leave(&mut self, rules: &Rules, seat: Seat) -> Option<Step> {
        self.last = seat;
        self.out.insert(seat);
        self.leaving.insert(seat);
        if !self.is_contested() {
            self.phase = Phase::Over;
            return None;
        }
        Some(match self.phase {
            Phase::Deploying => self.go_on_deploying(),
            Phase::Opening => self.step(self.without(self.aimed), false),
            Phase::Turn { seat: turn } => {
                if turn == seat {
                    self.advance(rules, seat);
                }
                self.step(self.turn(), false)
            }
            Phase::Over => self.step(SeatSet::NONE, false),
        })
    }

    /// Begins the next turn, that of the next nation that still plays. After the last one of a round, the next round
    /// begins.
    fn advance(&mut self, rules: &Rules, seat: Seat) {
        let nation = self.nation(seat);
        let after = self.in_order().find(|other| self.nation(*other) > nation);
        let next = after.or_else(|| self.in_order().next());
        if after.is_none() {
            self.round = self.round.saturating_add(1);
        }
        self.phase = match next {
            Some(seat) if self.is_contested() && self.round <= rules.rounds => Phase::Turn { seat },
            _ => Phase::Over,
        };
    }

    /// The current round: the opening shots are the first.
    pub fn round(&self, rules: &Rules) -> Option<Round> {
        let begun = self.round > 0 || matches!(self.phase, Phase::Opening);
        begun.then(|| Round::of(self.round, rules.rounds))
    }

    /// The seats that still play, in the order of the nations.
    pub fn in_order(&self) -> impl Iterator<Item = Seat> + '_ {
        let mut seats: Vec<Seat> = self.playing().iter().collect();
        seats.sort_by_key(|seat| self.nation(*seat));
        seats.into_iter()
    }

    const fn turn(&self) -> SeatSet {
        match self.phase {
            Phase::Turn { seat } => SeatSet::only(seat),
            _ => SeatSet::NONE,
        }
    }

    /// The result, if the match is over: `scores` rank the remaining seats among each other, and `left` is the reason
    /// of a seat that left.
    pub fn outcome(&self, left: Option<Reason>, scores: impl Fn(Seat) -> (u16, u16)) -> Option<Outcome> {
        if self.phase != Phase::Over {
            return None;
        }
        let reason = match left {
            _ if self.is_contested() => Reason::Limit,
            Some(reason) => reason,
            None => Reason::Fleet,
        };
        Some(self.ranked(reason, scores))
    }

    /// The places of all seats: the remaining ones by their scores, then the others, with the last to go out placed
    /// before the first. Allies share a place: by all their scores while one of them plays, and then by the last of
    /// them to go out.
    pub fn ranked(&self, reason: Reason, scores: impl Fn(Seat) -> (u16, u16)) -> Outcome {
        let gone = self.gone.iter().take(self.groups).chain([&self.leaving]).zip(1..);
        let gone = |seat: Seat| gone.clone().filter(|(group, _)| group.contains(seat)).map(|(_, at)| at).max();
        let standing = |seat: Seat| {
            let team = (0..self.seats).map(Seat).filter(|other| self.teams.allied(seat, *other));
            team.fold((0, (0, 0)), |(last, (armour, ships)), seat| {
                if self.out.contains(seat) {
                    return (last.max(gone(seat).unwrap_or_default()), (armour, ships));
                }
                let own = scores(seat);
                (u8::MAX, (armour + own.0, ships + own.1))
            })
        };
        let mut seats: Vec<_> = (0..self.seats).map(|seat| (Reverse(standing(Seat(seat))), Seat(seat))).collect();
        seats.sort();
        let better = |standing| seats.iter().filter(|(other, _)| *other < standing).count();
        let places = seats.iter().map(|(standing, seat)| Place { seat: *seat, place: better(*standing) as u8 + 1 });
        let places: Vec<Place> = places.collect();
        let mut best = places.iter().filter(|place| place.place == 1);
        let winner = match (best.next(), best.next()) {
            (Some(only), None) => Some(only.seat),
            _ => None,
        };
        Outcome { reason, winner, places }
    }
}

#[cfg(test)]
mod tests;

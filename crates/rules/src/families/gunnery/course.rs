//! The course of a battle: the turn, each side's score and losses, the seats that are out, in order, and the end. It
//! counts ships and cells, and knows no places.
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{
    ends::{Score, TurnLimitCount},
    event::{GIVE_UP, Next, Shot, Struck},
    mines,
    muster::Muster,
    rules::{ExtraShots, MOST_SHIPS, Rules, TurnOrder},
    salvo::{self, Strength, Wounds},
    sea::Sea,
    seating::Seating,
    sides::MOST_SEATS,
};
use crate::{
    outcome::{Outcome, Place, Reason},
    seat::{Seat, SeatSet},
};

#[derive(Clone, Copy)]
pub(crate) struct Course {
    pub muster: Muster,
    /// Ships sunk, by seat.
    lost: [u8; MOST_SEATS],
    /// Ships of a whole fleet, by seat.
    ships: [u8; MOST_SEATS],
    wounds: [[Wounds; MOST_SHIPS]; MOST_SEATS],
    /// The number of hits of the last salvo, by seat.
    last_hits: [u8; MOST_SEATS],
    /// The number of shots earned by hits, with which the turn goes on.
    reload: Option<u8>,
    scores: [Score; MOST_SEATS],
    untried: [u16; MOST_SEATS],
    /// The groups of seats that went out together, in order.
    gone: [SeatSet; MOST_SEATS],
    groups: usize,
    /// The seats that have left since the last group was closed.
    pub leaving: SeatSet,
    /// The seat that fires, or will after the relocations.
    turn: Seat,
    /// The extra turns that it still has.
    extra: u8,
    /// The turns of the first seat so far.
    round: u16,
    /// The seat that must first decide on the places of its ships.
    relocating: Option<Seat>,
    /// The seat that must first pay for a mine or a minesweeper.
    giving: Option<Seat>,
    /// The turns that each seat still loses.
    skips: [u8; MOST_SEATS],
}

/// The consequence of a salvo, or of leaving.
pub(crate) type Followed = Result<Next, Outcome>;

impl Course {
    pub fn new(rules: &Rules, seating: Seating, water: u16) -> Self {
        let mut ships = [0; MOST_SEATS];
        for seat in seating.seats() {
            ships[seat.index()] = rules.ships(seat).count() as u8;
        }
        Self {
            muster: Muster::new(seating),
            lost: [0; MOST_SEATS],
            ships,
            wounds: [[Wounds::default(); MOST_SHIPS]; MOST_SEATS],
            last_hits: [0; MOST_SEATS],
            reload: None,
            scores: [Score::default(); MOST_SEATS],
            untried: [water; MOST_SEATS],
            gone: [SeatSet::NONE; MOST_SEATS],
            groups: 0,
            leaving: SeatSet::NONE,
            turn: Seat(0),
            extra: 0,
            round: 1,
            relocating: None,
            giving: None,
            skips: [0; MOST_SEATS],
        }
    }

    const fn seating(&self) -> Seating {
        self.muster.seating
    }

    /// Sets the number of cells of water in each sea.
    pub const fn room(&mut self, water: u16) {
        self.untried = [water; MOST_SEATS];
    }

    /// Counts a placed fleet.
    pub fn deploy(&mut self, rules: &Rules, seat: Seat) {
        self.muster.deploy(seat);
        self.begin(rules);
    }

    /// Begins the first turn, if it is due.
    fn begin(&mut self, rules: &Rules) {
        if let Some(first) = self.muster.due {
            self.turn = first;
            self.extra = rules.extra_turns(first);
        }
    }

    /// The turns of the first seat, including this one, where a limit makes it matter.
    pub fn told_round(&self, rules: &Rules) -> Option<u16> {
        rules.turn_limit.map(|_| self.round)
    }

    /// The next to act.
    pub fn due(&self, rules: &Rules) -> Next {
        if let Some(seat) = self.giving {
            return Next { seat, shots: GIVE_UP };
        }
        match self.relocating {
            Some(seat) => Next { seat, shots: 0 },
            None => Next { seat: self.turn, shots: self.shots(rules, self.turn) },
        }
    }

    /// The number of shots of a seat's salvo: at most the most untried cells of an enemy sea.
    fn shots(&self, rules: &Rules, seat: Seat) -> u8 {
        let room = self.rooms(self.enemies(seat)).max().unwrap_or_default();
        if let Some(shots) = self.reload {
            return u16::from(shots).min(room) as u8;
        }
        let next_salvo = rules.salvo.extra == ExtraShots::NextSalvo;
        let earned = if next_salvo { self.last_hits[seat.index()] } else { 0 };
        salvo::size(rules, &self.muster, seat, |seat| self.strength(rules, seat), earned, room)
    }

    fn strength(&self, rules: &Rules, seat: Seat) -> Strength {
        let mut strength = Strength::default();
        for (ship, wounds) in rules.ships(seat).zip(self.wounds[seat.index()]) {
            strength.add(rules, ship, wounds);
        }
        strength
    }

    /// The target sea: the named one, or the only possible one.
    pub fn target(&self, shooter: Seat, named: Option<usize>) -> Option<usize> {
        let mut seas = self.seating().targets(shooter, self.muster.out).filter(|sea| self.untried[*sea] > 0);
        match named {
            Some(named) => seas.find(|sea| *sea == named),
            None => seas.next().filter(|_| seas.next().is_none()),
        }
    }

    /// Is a ship of the seat's enemies afloat, and in reach?
    fn has_aim(&self, rules: &Rules, seat: Seat) -> bool {
        let enemies = self.enemies(seat);
        let afloat = |other: Seat| self.lost[other.index()] < self.ships[other.index()];
        let reached = |side| rules.victory.aim().is_some_and(|(count, asked, _)| self.score(side, count) >= asked);
        let can_fire = self.rooms(enemies).any(|room| room > 0);
        can_fire && enemies.iter().any(afloat) && !reached(self.seating().side(seat))
    }

    fn enemies(&self, seat: Seat) -> SeatSet {
        SeatSet::first(self.seating().count()).without(self.seating().side(seat)).without(self.muster.out)
    }

    /// The number of untried cells in the sea of each of these seats.
    fn rooms(&self, seats: SeatSet) -> impl Iterator<Item = u16> {
        seats.iter().map(|seat| self.untried[self.seating().sea_of(seat)])
    }

    fn score(&self, side: SeatSet, count: TurnLimitCount) -> u16 {
        side.iter().map(|seat| self.scores[seat.index()].of(count)).sum()
    }

    /// Applies a salvo's results in a sea, and returns the consequence.
    pub(super) fn salvo(&mut self, rules: &Rules, seat: Seat, sea: &Sea, shots: &[Shot], owes: bool) -> Followed {
        let hits = shots.iter().filter(|shot| shot.hit()).count() as u8;
        let (hit, owner) = (hits > 0, self.seating().owner(sea.number));
        self.last_hits[seat.index()] = hits;
        self.reload = None;
        self.count(rules, seat, sea, shots);
        if hit && !rules.last_turn {
            self.settle(rules)?;
        }
        let again = match rules.turn {
            TurnOrder::Alternate => rules.salvo.extra == ExtraShots::AtOnce && hit,
            TurnOrder::WhileHitting => hit,
            TurnOrder::WhileMissing => !hit,
        };
        let mined = shots.iter().any(|shot| shot.struck() == Struck::Mine);
        if !(again && !mined && self.has_aim(rules, seat)) {
            self.skips[seat.index()] = self.skips[seat.index()].saturating_add(mines::turns_lost(rules, shots));
            self.pass(rules)?;
        } else if rules.salvo.extra == ExtraShots::AtOnce {
            self.reload = Some(hits);
        }
        // Even if nothing is afloat there any more: otherwise it would tell of secret sinkings.
        self.relocating = (rules.relocates_after(hit) && self.muster.plays(owner)).then_some(owner);
        self.giving = owes.then_some(seat);
        Ok(self.go_on(rules))
    }

    /// Ends the turn after a look, which is no salvo.
    pub fn scanned(&mut self, rules: &Rules) -> Followed {
        self.pass(rules)?;
        Ok(self.go_on(rules))
    }

    /// Counts the losses and the score of a seat's shots in a sea.
    fn count(&mut self, rules: &Rules, seat: Seat, sea: &Sea, shots: &[Shot]) {
        self.untried[sea.number] = self.untried[sea.number].saturating_sub(shots.len() as u16);
        for shot in shots {
            let Struck::Ship { ship: number, sunk } = shot.struck() else { continue };
            let Some((ship, of_seat)) = sea.ship(number) else { continue };
            if let Some(wounds) = self.wounds[ship.seat.index()].get_mut(of_seat) {
                *wounds = Wounds { hits: wounds.hits.saturating_add(1), sunk };
            }
            let score = &mut self.scores[seat.index()];
            score.hits += 1;
            if sunk {
                score.ships += 1;
                score.points += rules.points(usize::from(ship.class));
                self.lost[ship.seat.index()] += 1;
            }
        }
    }

    /// Counts the cells and mines that a seat has given up: its one enemy scores.
    pub(super) fn gave_up(&mut self, rules: &Rules, seat: Seat, sea: &Sea, shots: &[Shot], mines: u16) -> Followed {
        let enemy = self.seating().seats().find(|other| *other != seat).unwrap_or(seat);
        self.count(rules, enemy, sea, shots);
        self.untried[sea.number] = self.untried[sea.number].saturating_sub(mines);
        self.giving = None;
        if !rules.last_turn {
            self.settle(rules)?;
        }
        if !self.has_aim(rules, self.turn) {
            self.pass(rules)?;
        }
        Ok(self.go_on(rules))
    }

    fn go_on(&mut self, rules: &Rules) -> Next {
        let due = self.due(rules);
        self.muster.due = Some(due.seat);
        due
    }

    /// Applies a seat's decision on the places of its ships.
    pub fn relocated(&mut self, rules: &Rules) -> Next {
        self.relocating = None;
        self.go_on(rules)
    }

    /// Ends the turn: begins the next one of this round, or the first of the next.
    fn pass(&mut self, rules: &Rules) -> Result<(), Outcome> {
        self.reload = None;
        while self.extra > 0 && self.muster.plays(self.turn) && self.has_aim(rules, self.turn) {
            self.extra -= 1;
            match &mut self.skips[self.turn.index()] {
                0 => return Ok(()),
                skips => *skips -= 1,
            }
        }
        let order = self.seating();
        let ready = |course: &Self, seat: &Seat| course.muster.plays(*seat) && course.has_aim(rules, *seat);
        let mut from = order.place(self.turn) + 1;
        let next = loop {
            let next = order.in_order().skip(from).find(|seat| ready(self, seat));
            let Some(next) = next else {
                self.settle(rules)?;
                if let Some(limit) = rules.turn_limit.filter(|limit| self.round >= limit.turns) {
                    return Err(self.ranked(Reason::Limit, |side| self.score(side, limit.by)));
                }
                if !order.in_order().any(|seat| ready(self, &seat)) {
                    // If no seat has anything left to fire at, the scores decide.
                    let count = rules.victory.aim().map_or(TurnLimitCount::Ships, |(count, ..)| count);
                    return Err(self.ranked(Reason::Limit, |side| self.score(side, count)));
                }
                self.round += 1;
                from = 0;
                continue;
            };
            let skips = &mut self.skips[next.index()];
            if *skips == 0 {
                break next;
            }
            *skips -= 1;
            from = order.place(next) + 1;
        };
        self.turn = next;
        self.extra = if self.round == 1 { rules.extra_turns(next) } else { 0 };
        Ok(())
    }

    /// Ends the match if a side has won, and removes sides that are out by now.
    fn settle(&mut self, rules: &Rules) -> Result<(), Outcome> {
        if let Some((count, asked, reason)) = rules.victory.aim() {
            let capped = |side: SeatSet| self.score(side, count).min(asked);
            if self.seating().sides().any(|side| self.muster.side_plays(side) && capped(side) == asked) {
                return Err(self.ranked(reason, capped));
            }
        }
        self.sink_sides();
        if self.muster.sides() > 1 { Ok(()) } else { Err(self.ranked(Reason::Fleet, |_| 0)) }
    }

    /// Removes sides with no ship afloat; those that go together share a place.
    fn sink_sides(&mut self) {
        let sunk = |seat: Seat| !self.muster.plays(seat) || self.lost[seat.index()] >= self.ships[seat.index()];
        let sides = self.seating().sides().filter(|side| self.muster.side_plays(*side));
        let lost = sides.filter(|side| side.iter().all(sunk));
        let lost: SeatSet = lost.flat_map(SeatSet::iter).collect();
        self.go(lost);
    }

    fn go(&mut self, seats: SeatSet) {
        if seats.is_empty() {
            return;
        }
        seats.iter().for_each(|seat| self.muster.out.insert(seat));
        if let Some(group) = self.gone.get_mut(self.groups) {
            *group = seats;
            self.groups += 1;
        }
    }

    /// Closes the group of seats that have left together; removes sides without seats.
    fn close(&mut self) {
        let leaving = core::mem::take(&mut self.leaving);
        let with_leaver = |side: &SeatSet| side.iter().any(|seat| leaving.contains(seat));
        let sides = self.seating().sides().filter(|side| !self.muster.side_plays(*side) && with_leaver(side));
        let gone: SeatSet = sides.flat_map(SeatSet::iter).collect();
        self.go(gone);
    }

    /// The consequence of seats having left for this reason; `None` while fleets are still to be placed.
    pub fn left(&mut self, rules: &Rules, reason: Reason) -> Result<Option<Next>, Outcome> {
        self.close();
        if self.muster.sides() < 2 {
            return Err(self.ranked(reason, |_| 0));
        }
        if !self.muster.playing {
            if !self.muster.deploying().is_empty() {
                return Ok(None);
            }
            self.muster.playing = true;
            self.muster.due = self.muster.in_order().next();
            self.begin(rules);
            return Ok(Some(self.go_on(rules)));
        }
        if !rules.last_turn {
            self.settle(rules)?;
        }
        self.relocating = self.relocating.filter(|seat| self.muster.plays(*seat));
        if !(self.muster.plays(self.turn) && self.has_aim(rules, self.turn)) {
            self.pass(rules)?;
        }
        Ok(Some(self.go_on(rules)))
    }

    /// The places of all seats: those that still play by their scores, then the others, with the last to go out placed
    /// before the first. A side shares its place.
    pub fn ranked(&self, reason: Reason, score: impl Fn(SeatSet) -> u16) -> Outcome {
        let plays = |side: &SeatSet| self.muster.side_plays(*side);
        let mut playing: Vec<(Reverse<u16>, SeatSet)> =
            self.seating().sides().filter(plays).map(|side| (Reverse(score(side)), side)).collect();
        playing.sort_by_key(|(score, _)| *score);
        let mut places: Vec<Place> = Vec::new();
        let mut at = 0;
        while let Some((score, _)) = playing.get(at) {
            let equal = playing[at..].iter().take_while(|(other, _)| other == score);
            let seats: SeatSet = equal.clone().flat_map(|(_, side)| side.iter()).collect();
            at += equal.count();
            place(&mut places, seats);
        }
        let leaving = self.seating().sides().filter(|side| !plays(side));
        let leaving = leaving.filter(|side| side.iter().any(|seat| self.leaving.contains(seat)));
        let leaving: SeatSet = leaving.flat_map(SeatSet::iter).collect();
        let gone = self.gone.iter().take(self.groups).chain([&leaving]);
        gone.rev().for_each(|group| place(&mut places, *group));
        let best: Vec<Seat> = places.iter().filter(|place| place.place == 1).map(|place| place.seat).collect();
        let winner = if let [only] = best[..] { Some(only) } else { None };
        Outcome { reason, winner, places }
    }
}

/// Gives these seats the next place.
fn place(places: &mut Vec<Place>, seats: SeatSet) {
    let better = places.len() as u8;
    places.extend(seats.iter().map(|seat| Place { seat, place: better + 1 }));
}

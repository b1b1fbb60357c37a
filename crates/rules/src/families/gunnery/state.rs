//! The whole truth of a gunnery battle, and its judging. Only events leave it; legality is checked elsewhere.
use alloc::{vec, vec::Vec};

use super::{
    Gunnery,
    action::{Action, ShipPlace},
    course::{Course, Followed},
    event::{Clues, Event, Fleet, Moves, Next, Revealed, Salvo, Shot, Shots, Struck},
    fleet::Placement,
    mines,
    muster::Muster,
    placing::Placing,
    rules::{Clue, Rules},
    sea::Sea,
    seating::{SeaId, Seating},
    sides::MOST_IN_SEA,
    using::Used,
};
use crate::{
    chance::Draws,
    dice::Dice,
    families::family::{self, Decided, Event as _},
    grid::{Cell, CellSet},
    outcome::{Outcome, Reason},
    seat::{Seat, SeatSet},
    table::Step,
    text::Label,
};

#[derive(Clone)]
pub(crate) struct State {
    pub(super) course: Course,
    pub(super) seas: Vec<Sea>,
    /// The cells of land.
    pub(super) land: CellSet,
}

impl family::State<Gunnery> for State {
    fn new(rules: &Rules, seats: u8) -> Self {
        let seating = Seating::new(rules, seats);
        let seas = (0..seating.seas().count()).map(|number| Sea::new(rules, seating, number)).collect();
        let land = rules.given_land();
        Self { course: Course::new(rules, seating, rules.water(&land)), seas, land }
    }

    fn open(&mut self, first: Seat, _names: &[u8]) {
        self.course.muster.seating = self.seating().opened(first);
    }

    /// Removes a seat; the others play on as long as there are two sides.
    fn leave(&mut self, _rules: &Rules, seat: Seat) -> Option<Step> {
        self.course.leaving.insert(seat);
        if let Some(sea) = self.seas.get_mut(self.course.muster.seating.sea_of(seat)) {
            sea.withdraw(seat);
        }
        self.course.muster.leave(seat)
    }

    fn after_leaving(&self, rules: &Rules, reason: Reason) -> Decided<Event> {
        let mut course = self.course;
        match course.left(rules, reason) {
            Err(outcome) => (Vec::new(), Some(outcome)),
            Ok(next) => {
                let (seats, out) = (self.course.leaving, self.newly_out(&course));
                (vec![Event::Left { seats, out, next, round: course.told_round(rules) }], None)
            }
        }
    }

    fn drawn(&self) -> Outcome {
        self.course.ranked(Reason::Agreement, |_| 0)
    }

    fn decide(&self, rules: &Rules, seat: Seat, action: &Action, _draws: &mut Draws<'_>) -> Option<Decided<Event>> {
        let (event, outcome) = match action {
            Action::Deploy(deploy) => {
                let mut places = placed(rules, seat, &deploy.ships)?;
                places.sort_by_key(|(ship, _)| *ship);
                let mines: Option<CellSet> = deploy.mines.iter().map(|label| rules.board.parse(label)).collect();
                let mines = mines.and_then(mines::some);
                let fleet = Fleet(places.into_iter().map(|(_, place)| place).collect());
                (Event::Deployed { seat, fleet, mines }, None)
            }
            Action::Fire(fire) => self.fire(rules, seat, fire.target, &fire.cells)?,
            Action::UseWeapon(action) => self.use_weapon(rules, seat, action)?,
            Action::GiveUp(action) => self.give_up(rules, seat, action)?,
            Action::Relocate(relocate) => {
                let moves = Moves(placed(rules, seat, &relocate.ships)?);
                let mut course = self.course;
                let next = course.relocated(rules);
                (Event::Relocated { seat, moves, next: Some(next) }, None)
            }
        };
        Some((vec![event], outcome))
    }

    fn deploy_auto(&self, rules: &Rules, seat: Seat, dice: &mut Dice) -> Option<Action> {
        let muster = &self.course.muster;
        let missing: Vec<Seat> = muster.missing(self.seating().sea_of(seat)).collect();
        let taken = self.sea_of(seat)?.taken(rules).or(&rules.coast(&self.land));
        let places = Placing::new(rules).place(&missing, &taken, dice)?;
        let ships = rules.ships(seat).zip(&places).flat_map(|(ship, place)| rules.cells(ship, *place));
        let mines = mines::lay(rules, &ships.collect::<CellSet>().or(&self.land), dice);
        let mines = mines::some(mines);
        let placed = Event::Deployed { seat, fleet: Fleet(places), mines };
        placed.asked(rules, self.seating().count()).map(|(_, action)| action)
    }

    fn apply(&mut self, rules: &Rules, event: &Event) -> Option<Step> {
        match event {
            Event::Deployed { seat, fleet, mines } => {
                let sea = self.seas.get_mut(self.course.muster.seating.sea_of(*seat))?;
                sea.deploy(rules, rules.first_in_sea(*seat), fleet);
                sea.laid = mines.map_or(CellSet::NONE, |mines| mines.0);
                sea.mines = sea.laid;
                self.course.deploy(rules, *seat);
                Some(self.course.muster.step(*seat, false))
            }
            Event::Fired { seat, salvo, target, owed, .. } => {
                let target = self.seating().target(*seat, target.map(usize::from))?;
                let sea = self.seas.get_mut(target)?;
                sea.take(salvo.shots());
                let before = self.course.muster;
                if self.course.salvo(rules, *seat, sea, salvo.shots(), owed.is_some()).is_err() {
                    self.course.muster = Muster { due: None, ..before };
                }
                Some(self.course.muster.step(*seat, true))
            }
            Event::Scanned { seat, .. } => {
                let before = self.course.muster;
                if self.course.scanned(rules).is_err() {
                    self.course.muster = Muster { due: None, ..before };
                }
                Some(self.course.muster.step(*seat, true))
            }
            Event::GaveUp { seat, shots, mines, .. } => {
                let sea = self.seas.get_mut(self.course.muster.seating.sea_of(*seat))?;
                sea.take(&shots.0);
                let given = mines.map_or(CellSet::NONE, |mines| mines.0);
                sea.mines = sea.mines.without(&given);
                let before = self.course.muster;
                if self.course.gave_up(rules, *seat, sea, &shots.0, given.len()).is_err() {
                    self.course.muster = Muster { due: None, ..before };
                }
                Some(self.course.muster.step(*seat, false))
            }
            Event::Relocated { seat, moves, .. } => {
                self.seas.get_mut(self.course.muster.seating.sea_of(*seat))?.relocate(rules, moves);
                self.course.relocated(rules);
                Some(self.course.muster.step(*seat, false))
            }
            Event::Left { seats, .. } => {
                self.course.left(rules, Reason::Resignation).ok()?;
                Some(self.course.muster.step(seats.iter().next()?, false))
            }
            Event::IslandsDrawn { land } => {
                self.land = land.0;
                self.course.room(rules.water(&land.0));
                None
            }
            Event::Revealed { .. } => None,
        }
    }

    fn reveal(&self) -> Event {
        let revealed = |(number, sea): (usize, &Sea)| Revealed {
            first: Fleet(sea.ships.iter().filter_map(|ship| ship.first).collect()),
            last: Fleet(sea.ships.iter().filter_map(|ship| ship.place).collect()),
            shots: Shots(sea.shots.clone()),
            mines: mines::some(sea.laid),
            placed: self.seating().sharing(number).map(|_| sea.placed()),
        };
        Event::Revealed { seas: self.seas.iter().enumerate().map(revealed).collect() }
    }
}

impl State {
    fn fire(
        &self,
        rules: &Rules,
        seat: Seat,
        named: Option<SeaId>,
        cells: &[Label],
    ) -> Option<(Event, Option<Outcome>)> {
        let cells: Option<Vec<Cell>> = cells.iter().map(|label| rules.board.parse(label)).collect();
        self.volley(rules, seat, self.aimed_at(seat, named)?, &cells?, None)
    }

    pub(super) fn aimed_at(&self, seat: Seat, named: Option<SeaId>) -> Option<usize> {
        let named = named.and_then(|id| self.seating().sea(id));
        self.course.target(seat, named)
    }

    /// The sea's number in an event.
    pub(super) fn named(&self, target: usize) -> Option<u8> {
        (self.seating().count() > 2).then_some(target as u8)
    }

    /// The public consequences: the next to act, the seats that are out, and the result if the match ends here.
    pub(super) fn follow(
        &self,
        after: &Course,
        followed: Followed,
    ) -> (Option<Next>, Option<SeatSet>, Option<Outcome>) {
        match followed {
            Ok(next) => (Some(next), Some(self.newly_out(after)).filter(|out| !out.is_empty()), None),
            Err(outcome) => (None, None, Some(outcome)),
        }
    }

    /// Judges a salvo of the guns or of a weapon: each shot on the sea as the earlier shots left it.
    pub(super) fn volley(
        &self,
        rules: &Rules,
        seat: Seat,
        target: usize,
        cells: &[Cell],
        weapon: Option<Used>,
    ) -> Option<(Event, Option<Outcome>)> {
        let sea = self.seas.get(target)?;
        let mut fresh = [0u8; MOST_IN_SEA];
        let mut salvo = Salvo::default();
        let mut clues = Vec::new();
        for &cell in cells {
            let struck = sea.judge(rules, cell, &mut fresh);
            if rules.clue != Clue::None {
                let plain = matches!(struck, Struck::Nothing | Struck::Near);
                clues.push(if plain { sea.clue(rules, cell, &fresh) } else { None });
            }
            salvo.push(Shot::new(cell, struck));
        }
        let mut course = self.course;
        let owed = self.owed(rules, seat, sea, salvo.shots());
        let followed = course.salvo(rules, seat, sea, salvo.shots(), owed.is_some());
        let (next, out, outcome) = self.follow(&course, followed);
        let fired = Event::Fired {
            seat,
            salvo,
            next,
            target: self.named(target),
            owed: owed.filter(|_| next.is_some()),
            out,
            clues: Clues::new(clues),
            round: course.told_round(rules).filter(|_| next.is_some()),
            weapon,
        };
        Some((fired, outcome))
    }

    pub(super) fn sea_of(&self, seat: Seat) -> Option<&Sea> {
        self.seas.get(self.seating().sea_of(seat))
    }

    pub(super) const fn seating(&self) -> Seating {
        self.course.muster.seating
    }

    const fn newly_out(&self, after: &Course) -> SeatSet {
        after.muster.out.without(self.course.muster.out)
    }
}

/// A seat's ships as sent, by number and place.
pub(crate) fn placed(rules: &Rules, seat: Seat, ships: &[ShipPlace]) -> Option<Vec<(u8, Placement)>> {
    ships
        .iter()
        .map(|sent| {
            let (number, ship) = rules.ships(seat).enumerate().find(|(_, ship)| rules.ship_id(*ship) == sent.ship)?;
            let cells: Option<Vec<Cell>> = sent.cells.iter().map(|label| rules.board.parse(label)).collect();
            Some((number as u8, rules.covering(ship, &cells?)?))
        })
        .collect()
}

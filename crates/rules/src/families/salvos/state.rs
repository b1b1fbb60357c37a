//! The whole truth of a battle of this family, and its judging. Only events leave it; legality is checked elsewhere.
use alloc::{vec, vec::Vec};

use super::{
    Salvos,
    action::{Action, Order, OrdersAction, SalvosDeployAction, ShipCell},
    course::{Course, Phase},
    event::{Cells, Done, Event, History, Salvo},
    roster::Ships,
    rules::{Deployment, Rules},
    waters::{Gun, Waters},
};
use crate::{
    chance::Draws,
    dice::Dice,
    families::family::{self, Decided},
    grid::{Board, Cell, CellSet},
    outcome::{Outcome, Reason},
    seat::Seat,
    table::Step,
    text::Label,
};

#[derive(Clone)]
pub(crate) struct State {
    board: Board,
    course: Course,
    waters: Waters,
    bands: Vec<u8>,
    /// Have ships that were placed on one cell been parted, if there were any?
    settled: bool,
    first: Vec<Cell>,
    /// The opening shots aimed so far: ship and cell by seat.
    aims: Vec<Option<(usize, Cell)>>,
    /// The hidden part of every turn so far, to be revealed at the end.
    turns: History,
}

impl family::State<Salvos> for State {
    fn new(rules: &Rules, seats: u8) -> Self {
        Self {
            board: rules.layout(seats).board(),
            course: Course::new(rules, seats),
            waters: Waters::new(rules, seats),
            bands: Vec::new(),
            settled: rules.deployment != Deployment::Free,
            first: vec![Cell(0); rules.ships().len()],
            aims: vec![None; usize::from(seats)],
            turns: History::default(),
        }
    }

    fn open(&mut self, _first: Seat, names: &[u8]) {
        self.course.open(names);
    }

    fn decide(&self, rules: &Rules, seat: Seat, action: &Action, _draws: &mut Draws<'_>) -> Option<Decided<Event>> {
        match action {
            Action::Deploy(deploy) => {
                let deployed = self.deploy(rules, seat, deploy)?;
                let mut after = self.clone();
                after.apply(rules, &deployed);
                let settled = after.settle();
                Some(([deployed].into_iter().chain(settled).collect(), None))
            }
            Action::OpeningShot(shot) => {
                let (ship, cell) = (rules.number_of(&shot.ship)?, self.board.parse(&shot.cell)?);
                let aimed = Event::Aimed { seat, ship: ship as u8, cell: cell.0 };
                let mut after = self.clone();
                after.apply(rules, &aimed);
                let (mut events, outcome) = after.fire_the_opening(rules);
                events.insert(0, aimed);
                Some((events, outcome))
            }
            Action::Orders(orders) => self.carry_out(rules, seat, orders),
        }
    }

    fn deploy_auto(&self, rules: &Rules, seat: Seat, dice: &mut Dice) -> Option<Action> {
        let allies = self.course.friends(seat).filter(|ship| !self.course.fleet(seat).contains(ship));
        let deployed =
            allies.filter(|ship| self.course.owner(*ship).is_some_and(|ally| self.course.has_deployed(ally)));
        let taken = deployed.filter_map(|ship| self.waters.cell(ship)).collect();
        Some(Action::deploy(scattered(rules, &self.course, &self.bands, seat, &taken, dice)))
    }

    fn apply(&mut self, rules: &Rules, event: &Event) -> Option<Step> {
        match event {
            Event::BandsDrawn { bands } => {
                self.bands.clone_from(bands);
                None
            }
            Event::Deployed { seat, cells, .. } => {
                for (ship, cell) in self.course.fleet(*seat).zip(&cells.0) {
                    self.first[ship] = Cell(*cell);
                    self.waters.place(ship, Cell(*cell));
                }
                Some(self.course.deployed(*seat))
            }
            Event::Settled { ships, cells, .. } => {
                let parted: Vec<(usize, Cell)> =
                    ships.iter().map(|ship| usize::from(*ship)).zip(cells.0.iter().copied().map(Cell)).collect();
                for (ship, cell) in &parted {
                    *self.first.get_mut(*ship)? = *cell;
                }
                self.waters.settle(&self.course, &parted);
                self.settled = true;
                None
            }
            Event::Aimed { seat, ship, cell } => {
                *self.aims.get_mut(seat.index())? = Some((usize::from(*ship), Cell(*cell)));
                Some(self.course.aimed(*seat))
            }
            Event::Opened { .. } => {
                self.turns.push(event);
                take_opening(&mut self.course, &mut self.waters, event);
                Some(self.course.opening_over())
            }
            Event::Ordered { seat, done } => {
                self.turns.push(event);
                for done in done {
                    take_done(&mut self.course, done);
                    self.waters.take_done(done);
                }
                Some(self.course.turn_over(rules, *seat))
            }
            Event::Left { .. } => {
                self.course.left();
                None
            }
            Event::Revealed { .. } => None,
        }
    }

    fn leave(&mut self, rules: &Rules, seat: Seat) -> Option<Step> {
        for ship in self.course.fleet(seat) {
            self.waters.remove(ship);
        }
        self.course.leave(rules, seat)
    }

    /// The others play on: the opening shots are fired if only the leaving seats had not aimed.
    fn after_leaving(&self, rules: &Rules, reason: Reason) -> Decided<Event> {
        let score = |seat| self.waters.score(&self.course, seat);
        if let Some(outcome) = self.course.outcome(Some(reason), score) {
            return (Vec::new(), Some(outcome));
        }
        let left = Event::Left { seats: self.course.leaving() };
        let mut after = self.clone();
        after.apply(rules, &left);
        let settled = after.settle();
        let (fired, outcome) = after.fire_the_opening(rules);
        ([left].into_iter().chain(settled).chain(fired).collect(), outcome)
    }

    fn drawn(&self) -> Outcome {
        self.course.ranked(Reason::Agreement, |_| (0, 0))
    }

    fn reveal(&self) -> Event {
        let fleets = (0..self.course.seats()).map(|seat| self.waters.revealed(&self.course, Seat(seat), &self.first));
        Event::Revealed { fleets: fleets.collect(), turns: self.turns.clone() }
    }
}

impl State {
    /// Once all fleets are placed, parts ships on one cell. The event is always told: if it were left out, its absence
    /// would tell that no ships were parted.
    fn settle(&self) -> Option<Event> {
        if self.settled || self.course.phase != Phase::Opening {
            return None;
        }
        let parted = self.waters.parted(&self.course);
        let owners = parted.iter().filter_map(|(ship, _)| self.course.owner(*ship)).map(|seat| seat.0).collect();
        let (ships, cells) = parted.into_iter().map(|(ship, cell)| (ship as u8, cell.0)).unzip();
        Some(Event::Settled { ships, cells: Cells(cells), owners })
    }

    fn deploy(&self, rules: &Rules, seat: Seat, deploy: &SalvosDeployAction) -> Option<Event> {
        let cell = |ship: usize| {
            let placed = deploy.ships.iter().find(|placed| placed.ship == rules.ships()[ship].id)?;
            self.board.parse(&placed.cell).map(|cell| cell.0)
        };
        let cells: Option<Vec<u16>> = self.course.fleet(seat).map(cell).collect();
        Some(Event::Deployed { seat, nation: self.course.nation(seat), cells: Cells(cells?) })
    }

    fn fire_the_opening(&self, rules: &Rules) -> Decided<Event> {
        if !self.course.all_aimed() {
            return (Vec::new(), None);
        }
        let gun = |seat, ship| Gun { course: &self.course, ships: rules.ships(), seat, ship };
        let aim =
            |seat: Seat| self.aims.get(seat.index()).copied().flatten().map(|(ship, cell)| (gun(seat, ship), cell));
        let aimed: Vec<(Gun<'_>, Cell)> = self.course.in_order().filter_map(aim).collect();
        let opened = Event::Opened { salvos: self.waters.open(&aimed) };
        let (mut course, mut waters) = (self.course, self.waters.clone());
        take_opening(&mut course, &mut waters, &opened);
        course.opening_over();
        let outcome = course.outcome(None, |seat| waters.score(&course, seat));
        (vec![opened], outcome)
    }

    /// Carries out the orders of a turn, one after another.
    fn carry_out(&self, rules: &Rules, seat: Seat, orders: &OrdersAction) -> Option<Decided<Event>> {
        let (mut course, mut waters) = (self.course, self.waters.clone());
        let mut done = Vec::with_capacity(orders.orders.len());
        for order in &orders.orders {
            let ship = rules.number_of(&order.ship())?;
            let result = match order {
                Order::Fire(fire) => {
                    let cells: Option<Vec<Cell>> = fire.cells.iter().map(|cell| self.board.parse(cell)).collect();
                    let from = Gun { course: &course, ships: rules.ships(), seat, ship };
                    Done::Fired(waters.fire(&from, &cells?))
                }
                Order::Move(order) => Done::Moved(waters.go(ship, &order.steps)?),
            };
            take_done(&mut course, &result);
            done.push(result);
        }
        course.turn_over(rules, seat);
        let outcome = course.outcome(None, |seat| waters.score(&course, seat));
        Some((vec![Event::Ordered { seat, done }], outcome))
    }
}

/// Applies the opening shots to the course and the waters, all at once.
fn take_opening(course: &mut Course, waters: &mut Waters, event: &Event) {
    let Event::Opened { salvos } = event else { return };
    let mut sunk = Ships::NONE;
    for opening in salvos {
        course.fires(usize::from(opening.salvo.ship));
        opening.salvo.sunk().iter().for_each(|ship| sunk.insert(ship));
        waters.take_salvo(&opening.salvo);
    }
    course.sinks(sunk);
}

fn take_done(course: &mut Course, done: &Done) {
    if let Done::Fired(salvo @ Salvo { ship, .. }) = done {
        course.fires(usize::from(*ship));
        course.sinks(salvo.sunk());
    }
}

/// A seat's ships, scattered over its deployment cells that are free.
pub(crate) fn scattered(
    rules: &Rules,
    course: &Course,
    bands: &[u8],
    seat: Seat,
    taken: &CellSet,
    dice: &mut Dice,
) -> Vec<ShipCell> {
    let layout = rules.layout(course.seats());
    let open = layout.own_cells(bands, seat).filter(|cell| !taken.contains(*cell));
    let mut cells: Vec<Label> = open.map(|cell| layout.board().label(cell)).collect();
    dice.shuffle(&mut cells);
    let ships = course.fleet(seat).zip(cells);
    ships.map(|(ship, cell)| ShipCell { ship: rules.ships()[ship].id, cell }).collect()
}

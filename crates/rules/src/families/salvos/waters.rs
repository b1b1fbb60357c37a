//! The waters: the true position and armour of every ship, and the execution of orders, one after another. Legality is
//! checked elsewhere.
use alloc::{vec, vec::Vec};

use super::{
    course::Course,
    event::{Cells, Done, Moved, OpeningSalvo, Revealed, Salvo, Shot, Shots, Steps, Struck},
    roster::{Class, Ship, Ships},
    rules::Rules,
    sea::{self, Direction},
};
use crate::{
    grid::{Board, Cell},
    seat::Seat,
};

pub(crate) struct Gun<'a> {
    pub course: &'a Course,
    /// Every ship of the rule set.
    pub ships: &'a [Ship],
    pub seat: Seat,
    /// The number of the firing ship.
    pub ship: usize,
}

/// The value of a cell without a ship.
const WATER: u8 = u8::MAX;

#[derive(Clone)]
pub(crate) struct Waters {
    board: Board,
    /// The number of the ship on each cell, or [`WATER`].
    on: Vec<u8>,
    /// The cell of each ship, or its last.
    cells: Vec<Cell>,
    /// The armour left to each.
    armour: Vec<u8>,
}

impl Waters {
    pub fn new(rules: &Rules, seats: u8) -> Self {
        let (board, ships) = (rules.layout(seats).board(), rules.ships());
        Self {
            board,
            on: vec![WATER; usize::from(board.cells())],
            cells: vec![Cell(0); ships.len()],
            armour: ships.iter().map(|ship| ship.figures.armour).collect(),
        }
    }

    /// Puts a ship on a cell.
    pub fn place(&mut self, ship: usize, cell: Cell) {
        if let (Some(at), Some(on)) = (self.cells.get_mut(ship), self.on.get_mut(cell.index())) {
            *at = cell;
            *on = ship as u8;
        }
    }

    /// Removes a ship from the sea.
    pub fn remove(&mut self, ship: usize) {
        let Some(cell) = self.cells.get(ship) else { return };
        if let Some(on) = self.on.get_mut(cell.index()).filter(|on| usize::from(**on) == ship) {
            *on = WATER;
        }
    }

    /// The new cells of ships that share a cell: the first in the order of the roster stays; each other one goes to the
    /// nearest empty cell, of several such to the first, row by row.
    pub fn parted(&self, course: &Course) -> Vec<(usize, Cell)> {
        let mut taken = vec![false; self.on.len()];
        let mut crowded = Vec::new();
        for (ship, cell) in course.ships().filter_map(|(ship, _)| Some((ship, self.cell(ship)?))) {
            if !course.is_afloat(ship) {
                continue;
            }
            match taken.get_mut(cell.index()) {
                Some(taken) if !*taken => *taken = true,
                _ => crowded.push((ship, cell)),
            }
        }
        let parted = crowded.into_iter().filter_map(|(ship, cell)| {
            let free = self.board.iter().filter(|other| !taken[other.index()]);
            let to = free.min_by_key(|other| sea::distance(self.board, cell, *other))?;
            taken[to.index()] = true;
            Some((ship, to))
        });
        parted.collect()
    }

    /// Parts these ships from others, once all fleets are placed.
    pub fn settle(&mut self, course: &Course, parted: &[(usize, Cell)]) {
        for (ship, cell) in parted {
            if let Some(at) = self.cells.get_mut(*ship) {
                *at = *cell;
            }
        }
        self.on.fill(WATER);
        for (ship, _) in course.ships().filter(|(ship, _)| course.is_afloat(*ship)) {
            if let Some(on) = self.cells.get(ship).and_then(|cell| self.on.get_mut(cell.index())) {
                *on = ship as u8;
            }
        }
    }

    pub fn cell(&self, ship: usize) -> Option<Cell> {
        self.cells.get(ship).copied()
    }

    pub fn armour(&self, ship: usize) -> u8 {
        self.armour.get(ship).copied().unwrap_or_default()
    }

    fn ship_on(&self, cell: Cell) -> Option<usize> {
        self.on.get(cell.index()).map(|ship| usize::from(*ship)).filter(|ship| *ship < self.cells.len())
    }

    /// The ship in the cell that a salvo of this ship can touch: an enemy, and a submarine only by a direct salvo or a
    /// destroyer's (sheet 004, 2).
    fn touched(&self, from: &Gun<'_>, cell: Cell, direct: bool) -> Option<(usize, Seat)> {
        let ship = self.ship_on(cell)?;
        let owner = from.course.owner(ship).filter(|owner| !from.course.teams.allied(from.seat, *owner))?;
        let is = |ship: usize, class: Class| from.ships.get(ship).is_some_and(|ship| ship.class == class);
        let hit = !is(ship, Class::Submarine) || direct || is(from.ship, Class::Destroyer);
        hit.then_some((ship, owner))
    }

    /// Fires a salvo: each shot on the sea as the earlier shots left it.
    pub fn fire(&mut self, from: &Gun<'_>, cells: &[Cell]) -> Salvo {
        let direct = cells.iter().all(|cell| Some(cell) == cells.first());
        let mut shots = Vec::with_capacity(cells.len());
        for cell in cells {
            let touched = self.touched(from, *cell, direct);
            let struck = touched.map(|(struck, owner)| {
                let sunk = self.armour(struck) <= 1;
                let struck = Struck { ship: struck as u8, owner, sunk };
                self.take(struck);
                struck
            });
            shots.push(Shot { cell: *cell, struck });
        }
        Salvo { ship: from.ship as u8, shots: Shots(shots) }
    }

    /// Applies the result of a shot that struck.
    fn take(&mut self, struck: Struck) {
        let ship = usize::from(struck.ship);
        if let Some(armour) = self.armour.get_mut(ship) {
            *armour = if struck.sunk { 0 } else { armour.saturating_sub(1) };
        }
        if struck.sunk {
            self.remove(ship);
        }
    }

    /// Fires the opening shots, all at once on the same sea: a sunk ship has still fired, and a ship hit by two salvos
    /// is hit by both. In each salvo, the last shot at a sunk ship says so.
    pub fn open(&self, aimed: &[(Gun<'_>, Cell)]) -> Vec<OpeningSalvo> {
        let attack = |from: &Gun<'_>| from.ships.get(from.ship).map_or(0, |ship| ship.figures.attack);
        let damage = |target: usize| -> u32 {
            let touched = |(from, cell): &&(Gun<'_>, Cell)| self.touched(from, *cell, true);
            let at_it = aimed.iter().filter(|aim| touched(aim).is_some_and(|(ship, _)| ship == target));
            at_it.map(|(from, _)| u32::from(attack(from))).sum()
        };
        let fired = aimed.iter().map(|(from, cell)| {
            let (shots, cell) = (attack(from), *cell);
            let target = self.touched(from, cell, true);
            let shot = |nth: u8| {
                let struck = target.filter(|(target, _)| nth < self.armour(*target)).map(|(target, owner)| {
                    let last = nth + 1 == shots.min(self.armour(target));
                    let sunk = last && damage(target) >= u32::from(self.armour(target));
                    Struck { ship: target as u8, owner, sunk }
                });
                Shot { cell, struck }
            };
            let salvo = Salvo { ship: from.ship as u8, shots: Shots((0..shots).map(shot).collect()) };
            OpeningSalvo { seat: from.seat, salvo }
        });
        fired.collect()
    }

    /// Moves a ship until something is in its way.
    pub fn go(&mut self, ship: usize, steps: &[Direction]) -> Option<Moved> {
        let from = self.cell(ship)?;
        let (mut at, mut made) = (from, 0);
        for direction in steps {
            match sea::step(self.board, at, *direction) {
                Some(next) if self.ship_on(next).is_none_or(|other| other == ship) => at = next,
                _ => break,
            }
            made += 1;
        }
        self.remove(ship);
        self.place(ship, at);
        Some(Moved { ship: ship as u8, from: from.0, steps: Steps(steps.to_vec()), made })
    }

    /// Applies the results of a salvo.
    pub fn take_salvo(&mut self, salvo: &Salvo) {
        salvo.shots.0.iter().filter_map(|shot| shot.struck).for_each(|struck| self.take(struck));
    }

    /// Applies the result of an order.
    pub fn take_done(&mut self, done: &Done) {
        match done {
            Done::Fired(salvo) => self.take_salvo(salvo),
            Done::Moved(moved) => {
                let ship = usize::from(moved.ship);
                self.remove(ship);
                self.place(ship, moved.to(self.board));
            }
        }
    }

    /// The rank of a fleet at the limit: by the armour left, then by the ships afloat.
    pub fn score(&self, course: &Course, seat: Seat) -> (u16, u16) {
        let afloat = course.fleet(seat).filter(|ship| course.is_afloat(*ship));
        afloat.fold((0, 0), |(armour, ships), ship| (armour + u16::from(self.armour(ship)), ships + 1))
    }

    /// A seat's fleet, revealed; `first` has its deployment cells.
    pub fn revealed(&self, course: &Course, seat: Seat, first: &[Cell]) -> Revealed {
        let fleet = || course.fleet(seat).filter(|_| course.has_deployed(seat));
        Revealed {
            nation: course.nation(seat),
            first: Cells(fleet().map(|ship| first[ship].0).collect()),
            last: Cells(fleet().map(|ship| self.cells[ship].0).collect()),
            armour: fleet().map(|ship| self.armour[ship]).collect(),
        }
    }
}

impl Salvo {
    /// The ships that the salvo sank.
    pub(crate) fn sunk(&self) -> Ships {
        let struck = self.shots.0.iter().filter_map(|shot| shot.struck);
        struck.filter(|struck| struck.sunk).map(|struck| usize::from(struck.ship)).collect()
    }

    /// The ships that the salvo hit.
    pub(crate) fn hit(&self) -> Ships {
        self.shots.0.iter().filter_map(|shot| shot.struck).map(|struck| usize::from(struck.ship)).collect()
    }
}

//! The places of ships in a sea: placing, moving, and leaving with their seats. The effect of shots is in `state.rs`.
use super::{
    event::{Fleet, Moves},
    fleet,
    rules::Rules,
    sea::{Sea, WATER},
};
use crate::{
    grid::{Cell, CellSet},
    seat::{Seat, SeatSet},
};

impl Sea {
    /// Places a fleet, whose ships are numbered from `from`.
    pub(super) fn deploy(&mut self, rules: &Rules, from: usize, fleet: &Fleet) {
        for (ship, place) in self.ships.iter_mut().skip(from).zip(&fleet.0) {
            (ship.first, ship.place) = (Some(*place), Some(*place));
        }
        for number in from..from + fleet.0.len() {
            self.settle(rules, number);
        }
    }

    pub(super) fn withdraw(&mut self, seat: Seat) {
        let left = |on: u8| self.ships.get(usize::from(on)).is_some_and(|ship| ship.kind.seat == seat);
        for on in self.on.iter_mut().filter(|on| left(**on)) {
            *on = WATER;
        }
    }

    /// The seats whose ships are placed here.
    pub(super) fn placed(&self) -> SeatSet {
        self.ships.iter().filter(|ship| ship.first.is_some()).map(|ship| ship.kind.seat).collect()
    }

    /// The cells that the ships here close to others.
    pub(super) fn taken(&self, rules: &Rules) -> CellSet {
        let cells = self.on.iter().enumerate().filter(|(_, on)| **on != WATER);
        fleet::zone(rules.board, rules.contact, cells.map(|(index, _)| Cell(index as u16)))
    }

    /// Moves ships, which are whole again.
    pub(super) fn relocate(&mut self, rules: &Rules, moves: &Moves) {
        for (number, place) in &moves.0 {
            if let Some(ship) = self.ships.get_mut(usize::from(*number)) {
                ship.place = Some(*place);
                ship.hits = 0;
            }
        }
        self.on.fill(WATER);
        for number in 0..self.ships.len() {
            self.settle(rules, number);
        }
    }

    /// Records the cells of a ship.
    fn settle(&mut self, rules: &Rules, number: usize) {
        let ship = self.ships.get(number).and_then(|ship| Some((ship.kind, ship.place?)));
        for cell in ship.into_iter().flat_map(|(kind, place)| rules.cells(kind, place)) {
            if let Some(on) = self.on.get_mut(cell.index()) {
                *on = number as u8;
            }
        }
    }
}

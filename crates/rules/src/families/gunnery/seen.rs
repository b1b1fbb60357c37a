//! The ships of a sea as far as a viewer sees where they lie.
use alloc::vec::Vec;

use super::{
    action::ShipPlace,
    fleet::{self, Placement},
    knowledge::Known,
    rules::{Rules, Ship},
};
use crate::grid::{Cell, CellSet};

impl Known {
    /// These ships lie so.
    pub(super) fn see<'s>(&mut self, rules: &Rules, ships: impl Iterator<Item = &'s ShipPlace>) {
        for told in ships {
            let cells: Vec<Cell> = told.cells.iter().filter_map(|label| rules.board.parse(label)).collect();
            let ship = self.fleet.iter().zip(&mut self.places).find(|(ship, _)| rules.ship_id(**ship) == told.ship);
            if let Some((ship, place)) = ship {
                *place = rules.covering(*ship, &cells);
            }
        }
    }

    /// The cells that no other ship may be placed on for those that the viewer sees here.
    pub fn taken(&self, rules: &Rules) -> CellSet {
        let cells = self.here().flat_map(|(ship, place)| rules.cells(ship, place));
        fleet::zone(rules.board, rules.contact, cells)
    }

    /// The ships that the viewer sees here, with their numbers and places.
    pub fn seen(&self) -> impl Iterator<Item = (u8, Ship, Placement)> {
        let ships = (0..).zip(self.fleet.iter().zip(&self.places));
        ships.filter_map(|(number, (ship, place))| Some((number, *ship, (*place)?)))
    }

    /// The one that lies on a cell, or lay there when it could be shot at, by its number and its cells. (The fleet of
    /// whoever left before the battle was in nobody's way: it is the ship placed last.)
    pub fn seen_on(&self, rules: &Rules, cell: Cell) -> Option<(u8, CellSet)> {
        let ships = self.seen().map(|(number, ship, place)| (number, rules.cells(ship, place).collect::<CellSet>()));
        ships.filter(|(_, cells)| cells.contains(cell)).last()
    }

    /// How many cells of a ship that has left are hit, without those on which another was placed after it.
    pub(super) fn hits_on_left(&self, rules: &Rules, number: usize) -> u8 {
        let struck = (0..rules.board.cells()).map(Cell).filter(|cell| self.marks.of(*cell).is_struck());
        struck.filter(|cell| self.seen_on(rules, *cell).is_some_and(|(on, _)| usize::from(on) == number)).count() as u8
    }

    /// Those of them that are still here: whoever leaves takes their ships along.
    pub fn here(&self) -> impl Iterator<Item = (Ship, Placement)> {
        self.seen().filter(|(_, ship, _)| !self.left.contains(ship.seat)).map(|(_, ship, place)| (ship, place))
    }
}

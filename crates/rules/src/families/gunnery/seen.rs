//! The ships of a sea whose places a viewer sees.
use alloc::vec::Vec;

use super::{
    action::ShipPlace,
    fleet::{self, Placement},
    knowledge::Known,
    rules::{Rules, Ship},
};
use crate::grid::{Cell, CellSet};

impl Known {
    /// Takes in the places of these ships.
    pub(super) fn see<'s>(&mut self, rules: &Rules, ships: impl Iterator<Item = &'s ShipPlace>) {
        for told in ships {
            let cells: Vec<Cell> = told.cells.iter().filter_map(|label| rules.board.parse(label)).collect();
            let ship = self.fleet.iter().zip(&mut self.places).find(|(ship, _)| rules.ship_id(**ship) == told.ship);
            if let Some((ship, place)) = ship {
                *place = rules.covering(*ship, &cells);
            }
        }
    }

    /// The cells that the visible ships here close to others.
    pub fn taken(&self, rules: &Rules) -> CellSet {
        let cells = self.here().flat_map(|(ship, place)| rules.cells(ship, place));
        fleet::zone(rules.board, rules.contact, cells)
    }

    /// The visible ships here, with their numbers and places.
    pub fn seen(&self) -> impl Iterator<Item = (u8, Ship, Placement)> {
        let ships = (0..).zip(self.fleet.iter().zip(&self.places));
        ships.filter_map(|(number, (ship, place))| Some((number, *ship, (*place)?)))
    }

    /// The number and the cells of the ship on a cell, or of the one there when it could be shot at. (The fleet of a
    /// seat that left before the battle closed no cells: it is the ship placed last.)
    pub fn seen_on(&self, rules: &Rules, cell: Cell) -> Option<(u8, CellSet)> {
        let ships = self.seen().map(|(number, ship, place)| (number, rules.cells(ship, place).collect::<CellSet>()));
        ships.filter(|(_, cells)| cells.contains(cell)).last()
    }

    /// The number of hit cells of a ship that has left, without those on which another was placed after it.
    pub(super) fn hits_on_left(&self, rules: &Rules, number: usize) -> u8 {
        let struck = (0..rules.board.cells()).map(Cell).filter(|cell| self.marks.of(*cell).is_struck());
        struck.filter(|cell| self.seen_on(rules, *cell).is_some_and(|(on, _)| usize::from(on) == number)).count() as u8
    }

    /// The visible ships without those that left with their seats.
    pub fn here(&self) -> impl Iterator<Item = (Ship, Placement)> {
        self.seen().filter(|(_, ship, _)| !self.left.contains(ship.seat)).map(|(_, ship, place)| (ship, place))
    }
}

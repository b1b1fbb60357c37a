//! The truth of one sea: its ships and mines, and the result of a shot at a cell.
use alloc::{vec, vec::Vec};

use super::{
    clue,
    fleet::Placement,
    packed::{Shot, Struck},
    rules::{self, Rules, Sighting},
    seating::Seating,
    sides::MOST_IN_SEA,
};
use crate::grid::{Cell, CellSet};

/// The value of a cell without a ship.
pub(super) const WATER: u8 = u8::MAX;

#[derive(Clone)]
pub(super) struct Sea {
    pub(super) number: usize,
    /// The ships of this sea, placed or not.
    pub(super) ships: Vec<Ship>,
    /// The number of the ship on each cell, or [`WATER`].
    pub(super) on: Vec<u8>,
    /// Every shot at this sea, in order: no cell twice.
    pub(super) shots: Vec<Shot>,
    /// The cells of the laid mines, and of those still there.
    pub(super) laid: CellSet,
    pub(super) mines: CellSet,
}

#[derive(Clone, Copy)]
pub(super) struct Ship {
    pub(super) kind: rules::Ship,
    /// The first place, and the current one; `None` until it is placed.
    pub(super) first: Option<Placement>,
    pub(super) place: Option<Placement>,
    /// The number of its cells that are hit.
    pub(super) hits: u8,
}

impl Sea {
    /// The sea of this number, still empty.
    pub(super) fn new(rules: &Rules, seating: Seating, number: usize) -> Self {
        let ship = |kind| Ship { kind, first: None, place: None, hits: 0 };
        Self {
            number,
            ships: rules.ships_in(seating, number).map(ship).collect(),
            on: vec![WATER; usize::from(rules.board.cells())],
            shots: Vec::new(),
            laid: CellSet::NONE,
            mines: CellSet::NONE,
        }
    }

    /// The ship of this number, and its number in its owner's fleet.
    pub(super) fn ship(&self, number: u8) -> Option<(rules::Ship, usize)> {
        let (before, rest) = self.ships.split_at_checked(usize::from(number))?;
        let ship = rest.first()?.kind;
        Some((ship, before.iter().filter(|other| other.kind.seat == ship.seat).count()))
    }

    /// The result of a shot; `fresh` counts the hits of this salvo by ship.
    pub(super) fn judge(&self, rules: &Rules, cell: Cell, fresh: &mut [u8; MOST_IN_SEA]) -> Struck {
        if self.mines.contains(cell) {
            return Struck::Mine;
        }
        let Some((number, ship)) = self.ship_on(cell) else {
            return if self.is_near_a_ship(rules, cell, fresh) { Struck::Near } else { Struck::Nothing };
        };
        fresh[number] += 1;
        Struck::Ship { ship: number as u8, sunk: rules.sinking && ship.hits + fresh[number] == ship.kind.length }
    }

    pub(super) fn ship_on(&self, cell: Cell) -> Option<(usize, &Ship)> {
        let number = usize::from(*self.on.get(cell.index())?);
        Some((number, self.ships.get(number)?))
    }

    pub(super) fn is_afloat_on(&self, rules: &Rules, cell: Cell, fresh: &[u8; MOST_IN_SEA]) -> bool {
        self.ship_on(cell).is_some_and(|(number, ship)| !rules.sinking || ship.hits + fresh[number] < ship.kind.length)
    }

    /// The number in the answer to a shot that struck no ship.
    pub(super) fn clue(&self, rules: &Rules, cell: Cell, fresh: &[u8; MOST_IN_SEA]) -> Option<u8> {
        let occupied = |near: Cell| self.ship_on(near).is_some();
        clue::number(rules.clue, rules.board, cell, occupied, |other| self.is_afloat_on(rules, other, fresh))
    }

    fn is_near_a_ship(&self, rules: &Rules, cell: Cell, fresh: &[u8; MOST_IN_SEA]) -> bool {
        let afloat = |near: Cell| self.is_afloat_on(rules, near, fresh);
        match rules.sighting {
            Sighting::No => false,
            Sighting::Orthogonal => rules.board.orthogonal(cell).any(afloat),
            Sighting::All => rules.board.neighbours(cell).any(afloat),
        }
    }

    /// Applies the results of judged shots.
    pub(super) fn take(&mut self, shots: &[Shot]) {
        for shot in shots {
            if let Struck::Ship { ship, .. } = shot.struck()
                && let Some(ship) = self.ships.get_mut(usize::from(ship))
            {
                ship.hits += 1;
            }
            self.mines.remove(shot.cell());
            self.shots.push(*shot);
        }
    }
}

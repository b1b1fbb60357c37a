//! The waters: squares, cells below them, lines, and the ships on the surface.
use broadside_rules::families::depths::{
    Rules,
    rules::{Charge, Lines},
};

use crate::view::View;

pub(super) const DEPTHS: usize = 3;

/// The size of a sea, and its neighbourhoods.
pub(super) struct Waters<'r> {
    pub rules: &'r Rules,
    rows: usize,
    columns: usize,
    /// The squares of each torpedo line.
    pub lines: Vec<Vec<usize>>,
    /// The names of the lines.
    pub names: Vec<String>,
    /// The lines through each square.
    pub through: Vec<Vec<usize>>,
}

#[derive(Clone)]
pub(super) struct Fleet {
    pub ships: Vec<Surface>,
}

#[derive(Clone)]
pub(super) struct Surface {
    pub id: String,
    /// The square, or `None` in port.
    pub at: Option<usize>,
    pub charges: u16,
    pub full: u16,
    pub afloat: bool,
}

impl<'r> Waters<'r> {
    pub(super) fn new(rules: &'r Rules) -> Self {
        let (rows, columns) = (usize::from(rules.rows), usize::from(rules.columns));
        let square = |row: usize, column: usize| row * columns + column;
        let (mut lines, mut names): (Vec<Vec<usize>>, Vec<String>) = (Vec::new(), Vec::new());
        for row in 0..rows {
            lines.push((0..columns).map(|column| square(row, column)).collect());
            names.push(format!("row-{}", row + 1));
        }
        for column in 0..columns {
            lines.push((0..rows).map(|row| square(row, column)).collect());
            names.push(format!("column-{}", column + 1));
        }
        if rules.lines == Lines::StraightAndDiagonal {
            for sum in 0..rows + columns - 1 {
                let falling = (0..rows).filter_map(|row| {
                    let column = (row + sum + 1).checked_sub(rows).filter(|column| *column < columns)?;
                    Some(square(row, column))
                });
                let rising = (0..rows).filter_map(|row| {
                    let column = sum.checked_sub(row).filter(|column| *column < columns)?;
                    Some(square(row, column))
                });
                for line in [falling.collect::<Vec<_>>(), rising.collect()] {
                    if let [first, .., last] = line[..] {
                        names.push(format!("{}-{}", first + 1, last + 1));
                        lines.push(line);
                    }
                }
            }
        }
        let through = |square: usize| (0..lines.len()).filter(|line| lines[*line].contains(&square)).collect();
        let through = (0..rows * columns).map(through).collect();
        Self { rules, rows, columns, lines, names, through }
    }

    pub(super) const fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// The square of this number; `None` for the port.
    pub(super) fn square(&self, label: &str) -> Option<usize> {
        label.parse::<usize>().ok()?.checked_sub(1).filter(|square| *square < self.size())
    }

    /// The cell of this name, such as `14@200`.
    pub(super) fn cell(&self, label: &str) -> Option<usize> {
        let (square, depth) = label.split_once('@')?;
        let depth = (depth.parse::<usize>().ok()? / 100).checked_sub(1).filter(|depth| *depth < DEPTHS)?;
        Some(self.below(self.square(square)?, depth))
    }

    pub(super) const fn below(&self, square: usize, depth: usize) -> usize {
        depth * self.size() + square
    }

    pub(super) const fn above(&self, cell: usize) -> usize {
        cell % self.size()
    }

    /// Steps between two squares.
    pub(super) const fn apart(&self, one: usize, other: usize) -> usize {
        let rows = (one / self.columns).abs_diff(other / self.columns);
        let columns = (one % self.columns).abs_diff(other % self.columns);
        if rows > columns { rows } else { columns }
    }

    /// Steps from port to a square, over open water.
    pub(super) fn steps_from_port(&self, square: usize) -> usize {
        let arrows = self.rules.arrows.iter().map(|arrow| usize::from(*arrow).saturating_sub(1));
        arrows.map(|arrow| self.apart(arrow, square) + 1).min().unwrap_or(1)
    }

    /// The cells in which a charge in a cell nearly misses a submarine.
    pub(super) fn near(&self, cell: usize) -> Vec<u16> {
        let (square, depth) = (self.above(cell), cell / self.size());
        let level = (0..self.size()).filter(|other| {
            let straight =
                square / self.columns == other / self.columns || square % self.columns == other % self.columns;
            self.apart(square, *other) == 1 && (straight || self.rules.charge == Charge::Blast)
        });
        let mut near: Vec<usize> = level.map(|other| self.below(other, depth)).collect();
        if self.rules.charge == Charge::Cross {
            near.extend((0..DEPTHS).filter(|other| other.abs_diff(depth) == 1).map(|other| self.below(square, other)));
        }
        near.into_iter().map(|cell| cell as u16).collect()
    }

    /// The likelihood that this many torpedoes sink a ship.
    pub(super) fn sinks(&self, torpedoes: i32) -> f32 {
        let odds = self.rules.torpedo_hits;
        let misses = 1.0 - f32::from(odds.hits) / f32::from(odds.of.max(1));
        1.0 - misses.powi(torpedoes)
    }

    /// The surface ships of the viewer, or of the other seat.
    pub(super) fn fleet(&self, view: &View, own: bool) -> Fleet {
        let mut ships = Vec::new();
        for ship in view.seas.iter().flat_map(|sea| &sea.ships) {
            if (ship.seat == view.seat()) != own || ship.class == "submarine" {
                continue;
            }
            let at = ship.cells.as_ref().and_then(|cells| self.square(cells.first()?));
            let full = ship.stats.iter().find(|stat| stat.name == "charges").map_or(0, |stat| stat.max);
            let afloat = ship.afloat == Some(true);
            ships.push(Surface { id: ship.id.clone(), at, charges: ship.stat("charges"), full, afloat });
        }
        Fleet { ships }
    }
}

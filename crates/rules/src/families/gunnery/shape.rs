//! The shapes of ships, and their ways: turned by quarters and mirrored, each way once. It knows neither a board's laws
//! nor other ships.
use alloc::{string::String, vec::Vec};

use serde::Serialize;

use crate::{
    card::{Offset, Orientation},
    grid::{Board, Cell, CellSet},
};

/// The most cells of a ship.
pub const MOST_SHIP_CELLS: usize = 12;
/// The most rows and columns of a shape.
pub const MOST_SIDE: usize = 6;
/// The longest ship without a shape: a straight line.
pub const MOST_LINE: u8 = 6;

/// The shape of a ship as rows of one length, from the top: `x` a cell of the ship, `.` none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Shape(Vec<String>);

/// A fault in the rows of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeFault {
    /// No rows, too many, or of different or wrong lengths.
    Size,
    /// Other characters than `x` and `.`.
    Letter,
    /// No cells, or too many.
    Cells,
    /// A row or column at the edge without a cell.
    EmptyEdge,
    /// Cells that are not connected by their sides.
    Apart,
}

impl Shape {
    /// The shape of these rows.
    ///
    /// # Errors
    /// The first fault.
    pub fn new(rows: Vec<String>) -> Result<Self, ShapeFault> {
        let width = rows.first().map_or(0, String::len);
        let fits = (1..=MOST_SIDE).contains(&rows.len()) && (1..=MOST_SIDE).contains(&width);
        if !fits || rows.iter().any(|row| row.len() != width) {
            return Err(ShapeFault::Size);
        }
        if rows.iter().any(|row| row.bytes().any(|sign| sign != b'x' && sign != b'.')) {
            return Err(ShapeFault::Letter);
        }
        let shape = Self(rows);
        let cells: Vec<(i8, i8)> = shape.cells().collect();
        if cells.is_empty() || cells.len() > MOST_SHIP_CELLS {
            return Err(ShapeFault::Cells);
        }
        let (last_row, last_column) = (shape.0.len() as i8 - 1, width as i8 - 1);
        let in_row = |row| cells.iter().any(|cell| cell.0 == row);
        let in_column = |column| cells.iter().any(|cell| cell.1 == column);
        if !(in_row(0) && in_row(last_row) && in_column(0) && in_column(last_column)) {
            return Err(ShapeFault::EmptyEdge);
        }
        if !hang_together(&cells) {
            return Err(ShapeFault::Apart);
        }
        Ok(shape)
    }

    /// The number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells().count()
    }

    /// Always false: a shape has a cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells as rows and columns from the upper left corner of its box.
    fn cells(&self) -> impl Iterator<Item = (i8, i8)> {
        let row = |(row, text): (usize, &'_ String)| {
            let taken = text.bytes().enumerate().filter(|(_, sign)| *sign == b'x');
            taken.map(|(column, _)| (row as i8, column as i8)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(row)
    }
}

fn hang_together(cells: &[(i8, i8)]) -> bool {
    let mut reached: Vec<(i8, i8)> = cells.first().copied().into_iter().collect();
    let mut next = 0;
    while let Some((row, column)) = reached.get(next).copied() {
        next += 1;
        for near in [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)] {
            if cells.contains(&near) && !reached.contains(&near) {
                reached.push(near);
            }
        }
    }
    reached.len() == cells.len()
}

/// A way of a ship: the steps from its first cell (of the uppermost row the leftmost) to each of its cells, down and to
/// the right, in the order of the board's cells. The first step is (0, 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    steps: [(i8, i8); MOST_SHIP_CELLS],
    len: u8,
    /// The extent down, to the left and to the right of the first cell.
    down: u8,
    left: u8,
    right: u8,
}

impl Way {
    /// The way of these cells, at any position.
    fn of(mut cells: Vec<(i8, i8)>) -> Self {
        cells.sort_unstable();
        cells.truncate(MOST_SHIP_CELLS);
        let (row, column) = cells.first().copied().unwrap_or_default();
        let mut way = Self { steps: [(0, 0); MOST_SHIP_CELLS], len: cells.len() as u8, down: 0, left: 0, right: 0 };
        for (step, cell) in way.steps.iter_mut().zip(&cells) {
            let (down, right) = (cell.0 - row, cell.1 - column);
            *step = (down, right);
            way.down = way.down.max(down.unsigned_abs());
            way.left = way.left.max((-right).max(0).unsigned_abs());
            way.right = way.right.max(right.max(0).unsigned_abs());
        }
        way
    }

    /// The steps, down and to the right.
    pub fn steps(&self) -> &[(i8, i8)] {
        &self.steps[..usize::from(self.len)]
    }

    /// The cells of a ship from its first cell, which must fit the board.
    pub fn cells(&self, board: Board, first: Cell) -> impl Iterator<Item = Cell> + Clone + use<> {
        let (steps, columns) = (self.steps, i16::from(board.columns));
        (0..usize::from(self.len)).map(move |n| {
            let (down, right) = steps[n];
            Cell(first.0.wrapping_add_signed(i16::from(down) * columns + i16::from(right)))
        })
    }

    /// Does a ship with this first cell fit on the board?
    pub fn fits(&self, board: Board, first: Cell) -> bool {
        first.0 < board.cells()
            && u16::from(board.row(first)) + u16::from(self.down) < u16::from(board.rows)
            && board.column(first) >= self.left
            && u16::from(board.column(first)) + u16::from(self.right) < u16::from(board.columns)
    }

    /// The distance of each cell from the first one, in the order of the board's cells.
    pub fn distances(&self, board: Board) -> impl Iterator<Item = u16> + Clone + use<> {
        self.cells(board, Cell(0)).map(|cell| cell.0)
    }

    /// The first cells with which a ship fits the board.
    pub fn firsts(&self, board: Board) -> CellSet {
        let (rows, columns) = (board.rows.saturating_sub(self.down), board.columns.saturating_sub(self.right));
        let row = move |row: u8| (self.left..columns).filter_map(move |column| board.cell(row, column));
        (0..rows).flat_map(row).collect()
    }
}

/// The ways of a ship, each once: as given, then turned clockwise by one, two and three quarters, then the same of its
/// mirror image. Their order never changes: stored placements name a way by its number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ways(Vec<Way>);

impl Ways {
    pub fn new(length: u8, shape: Option<&Shape>, turning: bool, mirroring: bool) -> Self {
        let mut cells: Vec<(i8, i8)> = match shape {
            Some(shape) => shape.cells().collect(),
            None => (0..length as i8).map(|column| (0, column)).collect(),
        };
        let mut ways: Vec<Way> = Vec::new();
        for mirrored in [false, true] {
            if mirrored && !mirroring {
                break;
            }
            if mirrored {
                cells.iter_mut().for_each(|cell| cell.1 = -cell.1);
            }
            for turned in 0..4 {
                if turned == 0 || turning {
                    let way = Way::of(cells.clone());
                    if !ways.contains(&way) {
                        ways.push(way);
                    }
                }
                cells.iter_mut().for_each(|cell| *cell = (cell.1, -cell.0));
            }
        }
        Self(ways)
    }

    pub fn all(&self) -> &[Way] {
        &self.0
    }

    /// Are these the ways of a straight line that may be turned?
    pub fn is_line(&self) -> bool {
        *self == Self::new(self.0.first().map_or(0, |way| way.len), None, true, false)
    }

    /// The ways as told.
    pub fn card(&self) -> Vec<Orientation> {
        let step = |(row, column): &(i8, i8)| Offset { row: *row, column: *column };
        self.0.iter().map(|way| Orientation { cells: way.steps().iter().map(step).collect() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, vec, vec::Vec};

    use super::*;
    use crate::grid::Labels;

    fn shape(rows: &[&str]) -> Result<Shape, ShapeFault> {
        Shape::new(rows.iter().map(|row| (*row).to_owned()).collect())
    }

    fn ways(rows: &[&str], turning: bool, mirroring: bool) -> usize {
        Ways::new(0, Some(&shape(rows).unwrap()), turning, mirroring).all().len()
    }

    #[test]
    fn a_line_lies_across_then_down_as_stored_placements_say() {
        let ways = Ways::new(3, None, true, false);
        let steps: Vec<&[(i8, i8)]> = ways.all().iter().map(Way::steps).collect();
        assert_eq!(steps, [&[(0, 0), (0, 1), (0, 2)][..], &[(0, 0), (1, 0), (2, 0)][..]]);
        assert_eq!(Ways::new(1, None, true, true).all().len(), 1);
        assert_eq!(Ways::new(3, None, false, false).all().len(), 1);
    }

    #[test]
    fn each_way_is_there_once() {
        assert_eq!(ways(&["xx", "xx"], true, true), 1);
        assert_eq!(ways(&["xxx", ".x."], true, true), 4);
        assert_eq!(ways(&["x.", "x.", "xx"], true, false), 4);
        assert_eq!(ways(&["x.", "x.", "xx"], true, true), 8);
        assert_eq!(ways(&["x.", "x.", "xx"], false, true), 2);
        assert_eq!(ways(&["xx.", ".xx"], true, false), 2);
    }

    #[test]
    fn a_shape_that_begins_on_the_right_keeps_off_the_left_edge() {
        let board = Board { rows: 5, columns: 6, labels: Labels::RowLetter };
        let ways = Ways::new(0, Some(&shape(&[".x", "xx"]).unwrap()), false, false);
        let way = ways.all()[0];
        assert_eq!(way.steps(), [(0, 0), (1, -1), (1, 0)]);
        assert!(!way.fits(board, Cell(0)) && way.fits(board, Cell(1)) && way.fits(board, Cell(5)));
        assert!(!way.fits(board, Cell(25)));
        assert_eq!(way.cells(board, Cell(5)).collect::<Vec<_>>(), vec![Cell(5), Cell(10), Cell(11)]);
        let firsts: CellSet = board.iter().filter(|cell| way.fits(board, *cell)).collect();
        assert!(way.firsts(board) == firsts);
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        assert_eq!(shape(&[]), Err(ShapeFault::Size));
        assert_eq!(shape(&["xx", "x"]), Err(ShapeFault::Size));
        assert_eq!(shape(&["xxxxxxx"]), Err(ShapeFault::Size));
        assert_eq!(shape(&["xo"]), Err(ShapeFault::Letter));
        assert_eq!(shape(&["xxxxx", "xxxxx", "xxxxx"]), Err(ShapeFault::Cells));
        assert_eq!(shape(&["x.", "x."]), Err(ShapeFault::EmptyEdge));
        assert_eq!(shape(&["x.", ".x"]), Err(ShapeFault::Apart));
    }
}

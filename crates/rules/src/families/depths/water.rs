//! The waters of sheet 000: squares in rows and columns, three depths below them, and torpedo lines. It knows neither
//! ships nor turns.
use super::rules::{Charge, Lines};
use crate::text::{Label, LineId};

/// The depths, from the top.
pub(crate) const DEPTHS: [u16; 3] = [100, 200, 300];

/// The size of a sea. The sheet's has six rows and six columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waters {
    pub rows: u8,
    pub columns: u8,
}

/// A square of the surface, from 0 row by row, or the port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Square(pub u8);

/// A cell below the surface: all squares of each depth, from 0 at the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Cell(pub u8);

/// A torpedo line: the rows, the columns, then the diagonals that fall to the right and those that fall to the left,
/// each of at least two squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Line(pub u8);

impl Square {
    /// The port beside the sea.
    pub const PORT: Self = Self(u8::MAX);

    pub const fn is_port(self) -> bool {
        self.0 == Self::PORT.0
    }

    /// The square as one bit of a set.
    pub const fn bit(self) -> u128 {
        1 << (self.0 % 128)
    }

    /// Its number as people write it, or `port`.
    pub fn label(self) -> Label {
        if self.is_port() { Label::cut(format_args!("port")) } else { Label::cut(format_args!("{}", self.0 + 1)) }
    }
}

impl Cell {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The index of a depth in metres.
pub(crate) fn depth_index(depth: u16) -> Option<u8> {
    DEPTHS.iter().position(|known| *known == depth).map(|index| index as u8)
}

impl Waters {
    /// The fewest and the most rows, and columns.
    pub const SIDES: (u8, u8) = (5, 12);
    /// The most squares: the cells below them and the port are numbers of one byte.
    pub const MOST_SQUARES: u8 = 84;

    /// The number of squares of the surface.
    pub const fn size(self) -> u8 {
        self.rows * self.columns
    }

    /// The number of cells below the surface, on all depths.
    pub const fn cell_count(self) -> u8 {
        self.size() * DEPTHS.len() as u8
    }

    /// Every square of the surface, without the port.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        (0..self.size()).map(Square)
    }

    /// Every cell, depth by depth.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..self.cell_count()).map(Cell)
    }

    pub const fn row(self, square: Square) -> u8 {
        square.0 / self.columns
    }

    pub const fn column(self, square: Square) -> u8 {
        square.0 % self.columns
    }

    /// The number of a place in events: squares from 0, the port after the last of them.
    pub const fn number(self, place: Square) -> u8 {
        if place.is_port() { self.size() } else { place.0 }
    }

    /// The place with this number in events.
    pub const fn place(self, number: u8) -> Square {
        if number < self.size() { Square(number) } else { Square::PORT }
    }

    /// Are the two squares one step apart in any of the eight directions? Edges do not wrap.
    pub const fn are_beside(self, one: Square, other: Square) -> bool {
        if one.is_port() || other.is_port() || one.0 == other.0 {
            return false;
        }
        self.row(one).abs_diff(self.row(other)) <= 1 && self.column(one).abs_diff(self.column(other)) <= 1
    }

    /// The square of this number. Strict: from `1`, without leading zeros.
    pub fn parse_square(self, text: &str) -> Option<Square> {
        let number = match text.as_bytes() {
            [units @ b'1'..=b'9'] => units - b'0',
            [tens @ b'1'..=b'9', units @ b'0'..=b'9'] => (tens - b'0') * 10 + units - b'0',
            _ => return None,
        };
        (number <= self.size()).then_some(Square(number - 1))
    }

    /// The square of this number, or the port.
    pub fn parse_place(self, text: &str) -> Option<Square> {
        if text == "port" { Some(Square::PORT) } else { self.parse_square(text) }
    }

    /// The own name of a square or the port for a player's spelling in any case: `PORT` is `port`.
    pub fn read_place(self, text: &str) -> Option<Label> {
        let text = if text.eq_ignore_ascii_case("port") { "port" } else { text };
        self.parse_place(text).map(Square::label)
    }

    /// The cell under a square, by the index of the depth: 0, 1 or 2.
    pub const fn cell(self, square: Square, depth: u8) -> Cell {
        Cell(depth * self.size() + square.0)
    }

    /// The square above a cell.
    pub const fn above(self, cell: Cell) -> Square {
        Square(cell.0 % self.size())
    }

    /// The index of a cell's depth: 0, 1 or 2.
    pub const fn depth(self, cell: Cell) -> u8 {
        cell.0 / self.size()
    }

    /// The name of a cell: `14@200`.
    pub fn label(self, cell: Cell) -> Label {
        Label::cut(format_args!("{}@{}00", self.above(cell).0 + 1, self.depth(cell) + 1))
    }

    /// The cell of this name.
    pub fn parse_cell(self, text: &str) -> Option<Cell> {
        let (square, depth) = text.split_once('@')?;
        let depth = match depth {
            "100" => 0,
            "200" => 1,
            "300" => 2,
            _ => return None,
        };
        Some(self.cell(self.parse_square(square)?, depth))
    }

    /// Does a charge in one cell nearly miss a submarine in the other?
    pub fn are_near(self, charge: Charge, one: Cell, other: Cell) -> bool {
        let (above, beside) = (self.above(one), self.above(other));
        if self.depth(one) != self.depth(other) {
            let next = self.depth(one).abs_diff(self.depth(other)) == 1;
            return charge == Charge::Cross && above == beside && next;
        }
        let straight = self.row(above) == self.row(beside) || self.column(above) == self.column(beside);
        self.are_beside(above, beside) && (straight || charge == Charge::Blast)
    }

    /// The number of diagonals in one direction, of at least two squares.
    const fn diagonals(self) -> u8 {
        self.rows + self.columns - 3
    }

    /// The number of lines.
    pub const fn line_count(self, lines: Lines) -> u8 {
        match lines {
            Lines::Straight => self.rows + self.columns,
            Lines::StraightAndDiagonal => self.rows + self.columns + 2 * self.diagonals(),
        }
    }

    /// Every line.
    pub fn lines(self, lines: Lines) -> impl Iterator<Item = Line> {
        (0..self.line_count(lines)).map(Line)
    }

    /// Does the square lie on the line?
    pub const fn is_on(self, line: Line, square: Square) -> bool {
        if square.is_port() {
            return false;
        }
        let (row, column) = (self.row(square), self.column(square));
        let straight = self.rows + self.columns;
        match line.0 {
            n if n < self.rows => row == n,
            n if n < straight => column == n - self.rows,
            n if n < straight + self.diagonals() => self.rows - 2 + column == n - straight + row,
            n => row + column == n - straight - self.diagonals() + 1,
        }
    }

    /// The squares of a line, ascending.
    pub fn squares_on(self, line: Line) -> impl Iterator<Item = Square> {
        self.squares().filter(move |square| self.is_on(line, *square))
    }

    /// A line's id: `row-1`, `column-6`, or a diagonal's two end squares, the lower first: `1-36`.
    pub fn line_id(self, line: Line) -> LineId {
        if line.0 < self.rows {
            return LineId::cut(format_args!("row-{}", line.0 + 1));
        }
        if line.0 < self.rows + self.columns {
            return LineId::cut(format_args!("column-{}", line.0 - self.rows + 1));
        }
        match (self.squares_on(line).next(), self.squares_on(line).last()) {
            (Some(first), Some(last)) => LineId::cut(format_args!("{}-{}", first.0 + 1, last.0 + 1)),
            _ => LineId::cut(format_args!("")),
        }
    }

    /// The line of this id, if these rules have it.
    pub fn parse_line(self, lines: Lines, text: &str) -> Option<Line> {
        self.lines(lines).find(|line| self.line_id(*line).as_str() == text)
    }
}

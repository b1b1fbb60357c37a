//! The waters of sheet 000: six by six squares, three depths below them, the lines that torpedoes run along. Nothing in
//! here knows ships or turns.
use super::rules::{Charge, Lines};
use crate::text::{Label, LineId};

/// Rows and columns.
pub(crate) const SIDE: u8 = 6;
/// Squares of the surface.
pub(crate) const SQUARES: u8 = SIDE * SIDE;
/// Cells below the surface, on all depths.
pub(crate) const CELLS: u8 = SQUARES * 3;
/// The depths, from the top.
pub(crate) const DEPTHS: [u16; 3] = [100, 200, 300];

/// A square of the surface, counted from 0 row by row, or the port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Square(pub u8);

impl Square {
    /// The port beside the sea.
    pub const PORT: Self = Self(SQUARES);

    /// Every square of the surface, without the port.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SQUARES).map(Self)
    }

    pub const fn is_port(self) -> bool {
        self.0 >= SQUARES
    }

    pub const fn row(self) -> u8 {
        self.0 / SIDE
    }

    pub const fn column(self) -> u8 {
        self.0 % SIDE
    }

    /// The square as one bit of a set.
    pub const fn bit(self) -> u64 {
        1 << (self.0 % 64)
    }

    /// Are these two squares of the sea, one step apart in any of the eight directions? Edges do not wrap.
    pub const fn is_beside(self, other: Self) -> bool {
        if self.is_port() || other.is_port() || self.0 == other.0 {
            return false;
        }
        self.row().abs_diff(other.row()) <= 1 && self.column().abs_diff(other.column()) <= 1
    }

    /// Its number as people write it, or `port`.
    pub fn label(self) -> Label {
        if self.is_port() { Label::cut(format_args!("port")) } else { Label::cut(format_args!("{}", self.0 + 1)) }
    }

    /// The square of this number. Strict: `1` to `36` without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let number = match text.as_bytes() {
            [units @ b'1'..=b'9'] => units - b'0',
            [tens @ b'1'..=b'9', units @ b'0'..=b'9'] => (tens - b'0') * 10 + units - b'0',
            _ => return None,
        };
        (number <= SQUARES).then_some(Self(number - 1))
    }

    /// The square of this number, or the port.
    pub fn parse_or_port(text: &str) -> Option<Self> {
        if text == "port" { Some(Self::PORT) } else { Self::parse(text) }
    }
}

/// A cell below the surface: 36 for each depth, counted from 0 at the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Cell(pub u8);

impl Cell {
    /// Every cell, depth by depth.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CELLS).map(Self)
    }

    /// The cell under a square of the sea, by the number of the depth: 0, 1 or 2.
    pub const fn under(square: Square, depth: u8) -> Self {
        Self(depth * SQUARES + square.0)
    }

    /// The square above it.
    pub const fn square(self) -> Square {
        Square(self.0 % SQUARES)
    }

    /// The number of its depth: 0, 1 or 2.
    pub const fn depth(self) -> u8 {
        self.0 / SQUARES
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell as one bit of a set.
    pub const fn bit(self) -> u128 {
        1 << (self.0 % 128)
    }

    /// Its name: `14@200`.
    pub fn label(self) -> Label {
        Label::cut(format_args!("{}@{}00", self.square().0 + 1, self.depth() + 1))
    }

    /// The cell of this name.
    pub fn parse(text: &str) -> Option<Self> {
        let (square, depth) = text.split_once('@')?;
        let depth = match depth {
            "100" => 0,
            "200" => 1,
            "300" => 2,
            _ => return None,
        };
        Some(Self::under(Square::parse(square)?, depth))
    }

    /// The cells from which a submarine answers a charge here with a near miss (and the other way round).
    pub fn near(self, charge: Charge) -> Cells {
        let mut near = 0;
        let beside = |other: &Square| self.square().is_beside(*other);
        for other in Square::all().filter(beside) {
            let straight = other.row() == self.square().row() || other.column() == self.square().column();
            if straight || charge == Charge::Blast {
                near |= Self::under(other, self.depth()).bit();
            }
        }
        if charge == Charge::Cross {
            if self.0 >= SQUARES {
                near |= Self(self.0 - SQUARES).bit();
            }
            if self.0 + SQUARES < CELLS {
                near |= Self(self.0 + SQUARES).bit();
            }
        }
        Cells(near)
    }
}

/// The number of the depth of so many metres.
pub(crate) fn depth_index(depth: u16) -> Option<u8> {
    DEPTHS.iter().position(|known| *known == depth).map(|index| index as u8)
}

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cells(pub u128);

impl Cells {
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 & cell.bit() != 0
    }

    /// The cells, ascending.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            (bit < u32::from(CELLS)).then(|| {
                left &= left - 1;
                Cell(bit as u8)
            })
        })
    }
}

/// A torpedo line: the six rows, the six columns, then nine diagonals that fall to the right and nine that fall to the
/// left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Line(pub u8);

/// Diagonals of at least two squares, of one direction.
const DIAGONALS: u8 = 2 * SIDE - 3;
const STRAIGHT: u8 = 2 * SIDE;

impl Line {
    /// How many lines there are.
    pub const fn count(lines: Lines) -> u8 {
        match lines {
            Lines::Straight => STRAIGHT,
            Lines::StraightAndDiagonal => STRAIGHT + 2 * DIAGONALS,
        }
    }

    /// Every line.
    pub fn all(lines: Lines) -> impl Iterator<Item = Self> {
        (0..Self::count(lines)).map(Self)
    }

    /// Does the square lie on the line?
    pub const fn holds(self, square: Square) -> bool {
        if square.is_port() {
            return false;
        }
        let (row, column) = (square.row(), square.column());
        match self.0 {
            n if n < SIDE => row == n,
            n if n < STRAIGHT => column == n - SIDE,
            n if n < STRAIGHT + DIAGONALS => SIDE - 2 + column == n - STRAIGHT + row,
            n => row + column == n - STRAIGHT - DIAGONALS + 1,
        }
    }

    /// Its squares, ascending.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        Square::all().filter(move |square| self.holds(*square))
    }

    /// Its id: `row-1`, `column-6`, or a diagonal's two end squares, the lower first: `1-36`.
    pub fn id(self) -> LineId {
        if self.0 < SIDE {
            return LineId::cut(format_args!("row-{}", self.0 + 1));
        }
        if self.0 < STRAIGHT {
            return LineId::cut(format_args!("column-{}", self.0 - SIDE + 1));
        }
        let (first, last) = (self.squares().next(), self.squares().last());
        match (first, last) {
            (Some(first), Some(last)) => LineId::cut(format_args!("{}-{}", first.0 + 1, last.0 + 1)),
            _ => LineId::cut(format_args!("")),
        }
    }

    /// The line of this id, if these rules have it.
    pub fn parse(lines: Lines, text: &str) -> Option<Self> {
        Self::all(lines).find(|line| line.id().as_str() == text)
    }
}

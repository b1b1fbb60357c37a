//! A sea's grid: size, cells, names and neighbours. It knows neither ships nor shots.
use alloc::vec::Vec;
use core::{fmt, iter};

use serde::{Deserialize, Serialize};

use crate::text::Label;

/// How the cells of a board are named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// The letter names the row: `H10` is row H, column 10 (sheets 001 and 003).
    RowLetter,
    /// The letter names the column: `C4` is column C, row 4 (sheet 002).
    ColumnLetter,
}

/// A rectangular board of 5 to 26 rows and columns (families with boards of their own making go up to 60), and the way
/// its cells are named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = BoardSize))]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Rows, 5 to 26.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 26, format = Int32))]
    pub rows: u8,
    /// Columns, 5 to 26.
    #[cfg_attr(feature = "schema", schema(minimum = 5, maximum = 26, format = Int32))]
    pub columns: u8,
    /// How the cells are named.
    pub labels: Labels,
}

/// A cell of a board: row × columns + column, from 0 at the top left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u16);

impl Cell {
    /// The cell as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Board {
    /// The smallest number of rows and of columns.
    pub const LEAST: u8 = 5;
    /// The largest number of rows and of columns.
    pub const MOST: u8 = 26;

    /// The number of cells.
    #[must_use]
    pub const fn cells(self) -> u16 {
        self.rows as u16 * self.columns as u16
    }

    /// All cells, as a set.
    #[must_use]
    pub fn all(self) -> CellSet {
        self.iter().collect()
    }

    /// Every cell, row by row.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        (0..self.cells()).map(Cell)
    }

    /// The cell in this row and column, if the board has it.
    #[must_use]
    pub const fn cell(self, row: u8, column: u8) -> Option<Cell> {
        if row < self.rows && column < self.columns {
            Some(Cell(row as u16 * self.columns as u16 + column as u16))
        } else {
            None
        }
    }

    /// The row, from 0 at the top.
    #[must_use]
    pub const fn row(self, cell: Cell) -> u8 {
        (cell.0 / self.columns as u16) as u8
    }

    /// The column, from 0 at the left.
    #[must_use]
    pub const fn column(self, cell: Cell) -> u8 {
        (cell.0 % self.columns as u16) as u8
    }

    /// Does the cell lie on the edge of the board?
    #[must_use]
    pub const fn on_edge(self, cell: Cell) -> bool {
        let (row, column) = (self.row(cell), self.column(cell));
        row == 0 || column == 0 || row + 1 == self.rows || column + 1 == self.columns
    }

    /// Is the cell one of the four corners?
    #[must_use]
    pub const fn is_corner(self, cell: Cell) -> bool {
        let (row, column) = (self.row(cell), self.column(cell));
        (row == 0 || row + 1 == self.rows) && (column == 0 || column + 1 == self.columns)
    }

    /// The cell's name.
    #[must_use]
    pub const fn label(self, cell: Cell) -> Label {
        let (letter, number) = match self.labels {
            Labels::RowLetter => (self.row(cell), self.column(cell) + 1),
            Labels::ColumnLetter => (self.column(cell), self.row(cell) + 1),
        };
        let (text, len) = lettered(letter, [0; 7], 0);
        let (text, len) = numbered(number, text, len);
        Label::ascii(text, len as u8)
    }

    /// The rows' part of the cell names, from the top.
    #[must_use]
    pub fn row_titles(self) -> Vec<Label> {
        let title = if self.labels == Labels::RowLetter { letter_title } else { number_title };
        (0..self.rows).map(title).collect()
    }

    /// The columns' part of the cell names, from the left.
    #[must_use]
    pub fn column_titles(self) -> Vec<Label> {
        let title = if self.labels == Labels::RowLetter { number_title } else { letter_title };
        (0..self.columns).map(title).collect()
    }

    /// The cell of this name. Strict: upper-case letters (`A` to `Z`, then `AA`, `AB`, …), then the number without
    /// leading zeros, both on the board.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<Cell> {
        let (letter, digits) = match text.as_bytes() {
            [tens @ b'A'..=b'Z', units @ b'A'..=b'Z', digits @ ..] => {
                (u16::from(tens - b'A' + 1) * 26 + u16::from(units - b'A'), digits)
            }
            [letter @ b'A'..=b'Z', digits @ ..] => (u16::from(letter - b'A'), digits),
            _ => return None,
        };
        let number = match *digits {
            [units @ b'1'..=b'9'] => units - b'0',
            [tens @ b'1'..=b'9', units @ b'0'..=b'9'] => (tens - b'0') * 10 + units - b'0',
            _ => return None,
        };
        let (letter, number) = (u8::try_from(letter).ok()?, number - 1);
        match self.labels {
            Labels::RowLetter => self.cell(letter, number),
            Labels::ColumnLetter => self.cell(number, letter),
        }
    }

    /// The cell's own name for a player's spelling in any case (`b7` is `B7`). Only the own name is stored and shown,
    /// so a commitment never depends on the spelling.
    #[must_use]
    pub fn read(self, text: &str) -> Option<Label> {
        let cell = self.parse(&Label::new(text)?.upper())?;
        Some(self.label(cell))
    }

    /// The cells that share a side with this one, clockwise from the one above. Edges do not wrap.
    pub fn orthogonal(self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.around(cell, &[(-1, 0), (0, 1), (1, 0), (0, -1)])
    }

    /// The cells that share a side or a corner with this one, clockwise from the one above. Edges do not wrap.
    pub fn neighbours(self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.around(cell, &[(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)])
    }

    fn around(self, cell: Cell, steps: &'static [(i8, i8)]) -> impl Iterator<Item = Cell> {
        let (row, column) = (self.row(cell), self.column(cell));
        steps.iter().filter_map(move |(down, right)| {
            self.cell(row.checked_add_signed(*down)?, column.checked_add_signed(*right)?)
        })
    }
}

/// Writes the letters of a row or a column, from 0: `A` to `Z`, then `AA`, `AB`, …
const fn lettered(letter: u8, mut text: [u8; 7], mut len: usize) -> ([u8; 7], usize) {
    if letter >= 26 {
        text[len] = b'A' + (letter / 26 - 1) % 26;
        len += 1;
    }
    text[len] = b'A' + letter % 26;
    (text, len + 1)
}

const fn numbered(number: u8, mut text: [u8; 7], mut len: usize) -> ([u8; 7], usize) {
    if number >= 10 {
        text[len] = b'0' + number / 10;
        len += 1;
    }
    text[len] = b'0' + number % 10;
    (text, len + 1)
}

const fn letter_title(at: u8) -> Label {
    let (text, len) = lettered(at, [0; 7], 0);
    Label::ascii(text, len as u8)
}

const fn number_title(at: u8) -> Label {
    let (text, len) = numbered(at + 1, [0; 7], 0);
    Label::ascii(text, len as u8)
}

const WORDS: usize = 11;

/// A set of cells of a board of up to 26 × 26: a fixed bitset, iterated in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// The empty set.
    pub const NONE: Self = Self([0; WORDS]);

    /// Is the cell in the set?
    #[must_use]
    pub const fn contains(&self, cell: Cell) -> bool {
        let index = cell.index();
        index < WORDS * 64 && self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Adds a cell; returns whether it is new. A cell beyond 26 × 26 is ignored.
    pub const fn insert(&mut self, cell: Cell) -> bool {
        let index = cell.index();
        if index >= WORDS * 64 {
            return false;
        }
        let (word, bit) = (&mut self.0[index / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes a cell.
    pub const fn remove(&mut self, cell: Cell) {
        let index = cell.index();
        if index < WORDS * 64 {
            self.0[index / 64] &= !(1 << (index % 64));
        }
    }

    /// The number of cells.
    #[must_use]
    pub fn len(&self) -> u16 {
        self.0.iter().map(|word| word.count_ones() as u16).sum()
    }

    /// Is the set empty?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The intersection.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// The union.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// The difference.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Every cell number less by `steps`; those below 0 are left out.
    #[must_use]
    pub fn back(&self, steps: u16) -> Self {
        let (words, bits) = (usize::from(steps / 64).min(WORDS), steps % 64);
        let mut padded = [0; 2 * WORDS + 1];
        padded[..WORDS].copy_from_slice(&self.0);
        let from = &padded[words..=words + WORDS];
        Self(core::array::from_fn(|at| from[at] >> bits | from[at + 1] << 1 << (63 - bits)))
    }

    /// Every cell number more by `steps`.
    #[must_use]
    pub fn forward(&self, steps: u16) -> Self {
        let (words, bits) = (usize::from(steps / 64), steps % 64);
        let word = |at: usize| at.checked_sub(words).map_or(0, |at| self.0[at]);
        let last = |at: usize| if bits == 0 || at == 0 { 0 } else { word(at - 1) >> (64 - bits) };
        Self(core::array::from_fn(|at| word(at) << bits | last(at)))
    }

    /// The n-th member of these sets, ordered by cell, then by set: the cell and the index of the set.
    #[must_use]
    pub fn nth_of(sets: &[Self], n: usize) -> Option<(Cell, usize)> {
        let mut left = n;
        for at in 0..WORDS {
            let members = sets.iter().map(|set| set.0[at].count_ones() as usize).sum();
            if left < members {
                let cells = (0..64u32).filter(|bit| sets.iter().any(|set| set.0[at] >> bit & 1 == 1));
                let having = |bit: u32| (0..sets.len()).filter(move |set| sets[*set].0[at] >> bit & 1 == 1);
                let member = cells.flat_map(|bit| having(bit).map(move |set| (bit, set))).nth(left);
                return member.map(|(bit, set)| (Cell(at as u16 * 64 + bit as u16), set));
            }
            left -= members;
        }
        None
    }

    /// The cells, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |at| {
            let mut word = words[at];
            iter::from_fn(move || {
                let bit = word.trailing_zeros();
                (bit < 64).then(|| {
                    word &= word - 1;
                    Cell(at as u16 * 64 + bit as u16)
                })
            })
        })
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut set = Self::NONE;
        cells.into_iter().for_each(|cell| {
            set.insert(cell);
        });
        set
    }
}

impl Extend<Cell> for CellSet {
    fn extend<I: IntoIterator<Item = Cell>>(&mut self, cells: I) {
        cells.into_iter().for_each(|cell| {
            self.insert(cell);
        });
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|cell| cell.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_sets_are_counted_by_cell() {
        let sets = [&[3, 64, 200][..], &[0, 64, 65], &[64, 200, 675]];
        let sets = sets.map(|cells| cells.iter().map(|cell| Cell(*cell)).collect::<CellSet>());
        let members = [(0, 1), (3, 0), (64, 0), (64, 1), (64, 2), (65, 1), (200, 0), (200, 2), (675, 2)];
        for (n, (cell, set)) in members.into_iter().enumerate() {
            assert_eq!(CellSet::nth_of(&sets, n), Some((Cell(cell), set)));
        }
        assert_eq!(CellSet::nth_of(&sets, members.len()), None);
    }

    #[test]
    fn players_write_cells_in_either_case() {
        let board = |rows, labels| Board { rows, columns: 26, labels };
        let tall = board(60, Labels::RowLetter);
        for (written, name) in [("b7", "B7"), ("B7", "B7"), ("z26", "Z26"), ("aB3", "AB3"), ("bh26", "BH26")] {
            assert_eq!(tall.read(written).as_deref(), Some(name), "{written}");
            assert_eq!(tall.parse(written).is_some(), written == name, "{written}");
        }
        for wrong in ["", "b", "7b", "b07", "b 7", "b27", "é1", "aaa1", "b7b7b7b7"] {
            assert_eq!(board(26, Labels::ColumnLetter).read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_set_moves_by_any_number_of_cells() {
        let set: CellSet = [0, 5, 63, 64, 127, 130, 675].map(Cell).into_iter().collect();
        for steps in [0, 1, 5, 26, 63, 64, 65, 130, 700] {
            let back: CellSet = set.iter().filter_map(|cell| cell.0.checked_sub(steps)).map(Cell).collect();
            assert!(set.back(steps) == back, "back by {steps}");
            let forward: CellSet = set.iter().map(|cell| Cell(cell.0 + steps)).collect();
            assert!(set.forward(steps) == forward, "forward by {steps}");
        }
    }
}

//! A viewer's knowledge of each cell of a sea, in one byte a cell.
use alloc::{vec, vec::Vec};

use crate::{grid::Cell, view_model::MarkKind};

/// A mark in one byte: kind in the low three bits, class number in the high five (31: none).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(u8);

const NO_CLASS: u8 = 31;
const KINDS: [Option<MarkKind>; 8] = [
    None,
    Some(MarkKind::Miss),
    Some(MarkKind::Sighted),
    Some(MarkKind::Hit),
    Some(MarkKind::Sunk),
    Some(MarkKind::Tried),
    Some(MarkKind::Excluded),
    Some(MarkKind::Mine),
];

impl Mark {
    pub(super) const BLANK: Self = Self(NO_CLASS << 3);

    pub(super) fn new(kind: MarkKind, class: Option<u8>) -> Self {
        let kind = KINDS.iter().position(|other| *other == Some(kind)).unwrap_or_default() as u8;
        Self(class.unwrap_or(NO_CLASS) << 3 | kind)
    }

    pub(super) fn kind(self) -> Option<MarkKind> {
        KINDS[usize::from(self.0 & 7)]
    }

    pub(super) const fn class(self) -> Option<u8> {
        let class = self.0 >> 3;
        if class == NO_CLASS { None } else { Some(class) }
    }

    pub(super) fn is_tried(self) -> bool {
        !matches!(self.kind(), None | Some(MarkKind::Excluded))
    }

    pub(super) fn is_struck(self) -> bool {
        matches!(self.kind(), Some(MarkKind::Hit | MarkKind::Sunk))
    }
}

/// The marks of one sea. Untried cells are counted as marks are set, since every search for a target needs their
/// number.
#[derive(Clone, PartialEq)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    untried: u16,
}

impl Marks {
    /// A sea of this many cells, of which `water` are water.
    pub(super) fn blank(cells: u16, water: u16) -> Self {
        Self { marks: vec![Mark::BLANK; usize::from(cells)], untried: water }
    }

    pub(super) fn of(&self, cell: Cell) -> Mark {
        self.marks.get(cell.index()).copied().unwrap_or(Mark::BLANK)
    }

    /// Every cell with its mark, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Cell, Mark)> {
        (0..).map(Cell).zip(self.marks.iter().copied())
    }

    /// The number of cells of water that have not been shot at.
    pub(super) const fn untried(&self) -> u16 {
        self.untried
    }

    pub(super) fn put(&mut self, cell: Cell, mark: Mark) {
        let Some(old) = self.marks.get_mut(cell.index()) else { return };
        self.untried = (self.untried + u16::from(old.is_tried())).saturating_sub(mark.is_tried().into());
        *old = mark;
    }

    /// Marks a cell as excluded (nothing can lie on it), unless it has another mark.
    pub(super) fn exclude(&mut self, cell: Cell) {
        if self.of(cell) == Mark::BLANK {
            self.put(cell, Mark::new(MarkKind::Excluded, None));
        }
    }

    /// Clears all marks; `water` cells are water.
    pub(super) fn wipe(&mut self, water: u16) {
        self.marks.fill(Mark::BLANK);
        self.untried = water;
    }
}

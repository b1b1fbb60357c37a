//! What a viewer knows of one cell, in one byte.
use crate::view_model::MarkKind;

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

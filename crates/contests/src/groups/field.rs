//! A subset of the players of a tournament, numbered from 1 like those of a round robin or a knockout.

use crate::Board;
use crate::tie_breaks::Standing;

/// The starting numbers of these players, in the order of their own numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a>(pub(super) &'a [u16]);

impl Field<'_> {
    /// A player's own number; `None`: they are not in the subset.
    pub(super) fn local(self, number: u16) -> Option<u16> {
        let at = self.0.iter().position(|player| *player == number)?;
        u16::try_from(at + 1).ok()
    }

    /// The starting number of an own number.
    pub(super) fn number(self, local: u16) -> u16 {
        usize::from(local).checked_sub(1).and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }

    /// The boards of the subset in own numbers, without the first `before` rounds.
    pub(super) fn inside<'a, P: 'a>(self, boards: impl Iterator<Item = &'a Board<P>>, before: u16) -> Vec<Board<()>> {
        let inside = |board: &Board<P>| Board {
            second: board.second.and_then(|second| self.local(second)),
            halves: board.halves,
            unplayed: board.unplayed,
            ..Board::to_be(
                board.round.saturating_sub(before),
                board.board,
                self.local(board.first).unwrap_or_default(),
                0,
                board.state,
            )
        };
        boards.map(inside).collect()
    }

    /// The board in starting numbers, after `before` rounds.
    pub(super) fn outside<P>(self, board: Board<()>, before: u16) -> Board<P> {
        Board {
            second: board.second.map(|second| self.number(second)),
            halves: board.halves,
            unplayed: board.unplayed,
            ..Board::to_be(board.round + before, board.board, self.number(board.first), 0, board.state)
        }
    }

    /// A line of the subset's standings, in starting numbers.
    pub(super) fn standing(self, mut standing: Standing) -> Standing {
        standing.number = self.number(standing.number);
        for cell in &mut standing.cells {
            cell.opponent = cell.opponent.map(|opponent| self.number(opponent));
        }
        standing
    }
}

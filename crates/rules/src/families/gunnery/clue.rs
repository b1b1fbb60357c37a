//! The number in the answer to a miss, where the rules give one, and the conclusions from it.
use super::rules::Clue;
use crate::grid::{Board, Cell};

const fn apart(board: Board, a: Cell, b: Cell) -> (u8, u8) {
    (board.row(a).abs_diff(board.row(b)), board.column(a).abs_diff(board.column(b)))
}

fn distance(clue: Clue, board: Board, a: Cell, b: Cell) -> u8 {
    let (rows, columns) = apart(board, a, b);
    if clue == Clue::DistanceSteps { rows + columns } else { rows.max(columns) }
}

/// The number for a shot at this cell, which struck no ship. `occupied` returns whether a ship, sunk or not, lies on a
/// cell, `afloat` whether one afloat does. `None` if the rules give no number, or no ship is afloat.
pub(super) fn number(
    clue: Clue,
    board: Board,
    cell: Cell,
    occupied: impl Fn(Cell) -> bool,
    afloat: impl Fn(Cell) -> bool,
) -> Option<u8> {
    match clue {
        Clue::None => None,
        Clue::NeighboursOrthogonal => Some(board.orthogonal(cell).filter(|near| occupied(*near)).count() as u8),
        Clue::NeighboursAll => Some(board.neighbours(cell).filter(|near| occupied(*near)).count() as u8),
        Clue::DistanceKing | Clue::DistanceSteps => {
            board.iter().filter(|other| afloat(*other)).map(|other| distance(clue, board, cell, other)).min()
        }
    }
}

/// The cells without a ship afloat if a miss on this cell was answered with this number, as long as no ship moves.
pub(super) fn empty(clue: Clue, board: Board, cell: Cell, number: u8) -> impl Iterator<Item = Cell> {
    board.iter().filter(move |other| match clue {
        Clue::None => false,
        Clue::NeighboursOrthogonal => number == 0 && distance(Clue::DistanceSteps, board, cell, *other) == 1,
        Clue::NeighboursAll => number == 0 && distance(Clue::DistanceKing, board, cell, *other) == 1,
        Clue::DistanceKing | Clue::DistanceSteps => distance(clue, board, cell, *other) < number,
    })
}

//! The sea shared by all fleets: its size, the owners of deployment cells, directions, distances, reach and paths. It
//! doesn't know the positions of ships.
use alloc::vec::Vec;

use serde::Serialize;

use super::{roster::Figures, rules::Deployment};
use crate::{
    grid::{Board, Cell, CellSet, Labels},
    seat::Seat,
};

/// The sea of a match, and the owners of its deployment cells.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub seats: u8,
    pub rows_per_seat: u8,
    pub columns: u8,
    pub deployment: Deployment,
}

/// The shift of a cell's owner from one column to the next in an interleaved deployment: 1 for two and three seats,
/// else the smallest number from 2 that is coprime to the number of seats.
///
/// Rows then share evenly because the shift is coprime to the number of seats, and columns because their length is a
/// multiple of it. With 1, from four seats on, every seat's cells would lie on diagonals with wide strips between them.
pub(crate) const fn shift(seats: u8) -> u8 {
    if seats < 4 {
        return 1;
    }
    let mut shift = 2;
    while !coprime(shift, seats) {
        shift += 1;
    }
    shift
}

const fn coprime(a: u8, b: u8) -> bool {
    if b == 0 { a == 1 } else { coprime(b, a % b) }
}

impl Layout {
    /// The board: its area is proportional to the number of seats (sheet 004, 1).
    pub const fn board(self) -> Board {
        Board { rows: self.rows_per_seat * self.seats, columns: self.columns, labels: Labels::RowLetter }
    }

    /// The owner of a deployment cell; `None` if unknown yet, or anybody's. `bands` are the seats of the bands from the
    /// top.
    pub fn owner(self, bands: &[u8], cell: Cell) -> Option<Seat> {
        let (row, column) = (self.board().row(cell), self.board().column(cell));
        match self.deployment {
            Deployment::Interleaved if self.seats > 0 => {
                let along = u16::from(row) + u16::from(column) * u16::from(shift(self.seats));
                Some(Seat((along % u16::from(self.seats)) as u8))
            }
            Deployment::Interleaved | Deployment::Free => None,
            Deployment::Bands => bands.get(usize::from(row / self.rows_per_seat)).map(|seat| Seat(*seat)),
        }
    }

    /// May the seat deploy on this cell?
    pub fn is_open(self, bands: &[u8], seat: Seat, cell: Cell) -> bool {
        self.deployment == Deployment::Free || self.owner(bands, cell) == Some(seat)
    }

    /// The deployment cells of a seat.
    pub fn own_cells(self, bands: &[u8], seat: Seat) -> impl Iterator<Item = Cell> {
        self.board().iter().filter(move |cell| self.is_open(bands, seat, *cell))
    }
}

/// A direction of the compass; north is up, towards row A.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = CompassStep))]
pub enum Direction {
    /// One cell up.
    #[serde(rename = "N")]
    North,
    /// One cell up and to the right.
    #[serde(rename = "NE")]
    NorthEast,
    /// One cell to the right.
    #[serde(rename = "E")]
    East,
    /// One cell down and to the right.
    #[serde(rename = "SE")]
    SouthEast,
    /// One cell down.
    #[serde(rename = "S")]
    South,
    /// One cell down and to the left.
    #[serde(rename = "SW")]
    SouthWest,
    /// One cell to the left.
    #[serde(rename = "W")]
    West,
    /// One cell up and to the left.
    #[serde(rename = "NW")]
    NorthWest,
}

impl Direction {
    /// All eight with their names on the wire, clockwise from north.
    pub const ALL: [(&'static str, Self); 8] = [
        ("N", Self::North),
        ("NE", Self::NorthEast),
        ("E", Self::East),
        ("SE", Self::SouthEast),
        ("S", Self::South),
        ("SW", Self::SouthWest),
        ("W", Self::West),
        ("NW", Self::NorthWest),
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Is the direction diagonal?
    #[must_use]
    pub const fn is_diagonal(self) -> bool {
        self as u8 % 2 == 1
    }

    pub(crate) const fn numbered(number: u8) -> Option<Self> {
        if number < 8 { Some(Self::ALL[number as usize].1) } else { None }
    }

    const fn offset(self) -> (i8, i8) {
        match self {
            Self::North => (-1, 0),
            Self::NorthEast => (-1, 1),
            Self::East => (0, 1),
            Self::SouthEast => (1, 1),
            Self::South => (1, 0),
            Self::SouthWest => (1, -1),
            Self::West => (0, -1),
            Self::NorthWest => (-1, -1),
        }
    }
}

/// The next cell in a direction, if it is on the board.
pub(crate) fn step(board: Board, cell: Cell, direction: Direction) -> Option<Cell> {
    let (down, right) = direction.offset();
    board.cell(board.row(cell).checked_add_signed(down)?, board.column(cell).checked_add_signed(right)?)
}

/// The distance in king's moves.
pub(crate) const fn distance(board: Board, a: Cell, b: Cell) -> u8 {
    let rows = board.row(a).abs_diff(board.row(b));
    let columns = board.column(a).abs_diff(board.column(b));
    if rows > columns { rows } else { columns }
}

/// Can a ship with these figures fire this far?
pub(crate) const fn in_range(figures: Figures, distance: u8) -> bool {
    figures.nearest <= distance && distance <= figures.farthest
}

/// The cells that a ship on this cell can fire at, row by row.
pub(crate) fn targets(board: Board, from: Cell, figures: Figures) -> impl Iterator<Item = Cell> {
    let (row, column, far) = (board.row(from), board.column(from), figures.farthest);
    let rows = row.saturating_sub(far)..=row.saturating_add(far).min(board.rows.saturating_sub(1));
    let columns = column.saturating_sub(far)..=column.saturating_add(far).min(board.columns.saturating_sub(1));
    rows.flat_map(move |row| columns.clone().filter_map(move |column| board.cell(row, column)))
        .filter(move |cell| in_range(figures, distance(board, from, *cell)))
}

/// The cost of one step for a ship of this speed: a slow one may go any way.
const fn step_cost(speed: u8, direction: Direction) -> u8 {
    if speed > 1 && direction.is_diagonal() { 2 } else { 1 }
}

/// The cost of a path for a ship of this speed.
pub(crate) fn cost(speed: u8, steps: &[Direction]) -> u32 {
    steps.iter().map(|step| u32::from(step_cost(speed, *step))).sum()
}

/// A reachable cell, and a cheapest path to it.
pub(crate) struct Way {
    pub to: Cell,
    pub steps: Vec<Direction>,
}

/// The cells reachable for a ship of this speed without entering a closed one, the nearest first.
pub(crate) fn ways(board: Board, from: Cell, speed: u8, closed: &CellSet) -> Vec<Way> {
    struct Node {
        cell: Cell,
        cost: u8,
        came: Option<(usize, Direction)>,
    }
    let mut nodes = Vec::with_capacity(48);
    nodes.push(Node { cell: from, cost: 0, came: None });
    let mut reached = CellSet::NONE;
    reached.insert(from);
    // Cost by cost, so that the first way found to a cell is a cheapest one.
    for cost in 1..=speed {
        for at in 0..nodes.len() {
            for (_, direction) in Direction::ALL {
                let Node { cell, cost: so_far, .. } = nodes[at];
                if so_far + step_cost(speed, direction) != cost {
                    continue;
                }
                if let Some(next) = step(board, cell, direction).filter(|next| !closed.contains(*next))
                    && reached.insert(next)
                {
                    nodes.push(Node { cell: next, cost, came: Some((at, direction)) });
                }
            }
        }
    }
    let path = |end: &Node| {
        let mut steps = Vec::with_capacity(usize::from(end.cost));
        let mut came = end.came;
        while let Some((before, direction)) = came {
            steps.push(direction);
            came = nodes[before].came;
        }
        steps.reverse();
        Way { to: end.cell, steps }
    };
    nodes.iter().skip(1).map(path).collect()
}

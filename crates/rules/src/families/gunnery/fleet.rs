//! Where ships may lie: one ship's cells, the laws between ships, and the search for a way to place a fleet.
//! It knows cells and ships, but no shots except as cells that are closed.
use alloc::{boxed::Box, vec, vec::Vec};

use super::rules::{Border, Contact, Rules, Ship};
use crate::{
    dice::Dice,
    grid::{Board, Cell, CellSet},
    seat::Seat,
};

/// How one ship lies: its first cell (the topmost or leftmost) and its direction. A ship of one cell lies across.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Placement {
    pub first: Cell,
    pub down: bool,
}

impl Placement {
    /// The cells of a ship of this length, which must lie on the board.
    pub fn cells(self, board: Board, length: u8) -> impl Iterator<Item = Cell> + Clone + use<> {
        let step = if self.down { u16::from(board.columns) } else { 1 };
        (0..u16::from(length)).map(move |n| Cell(self.first.0 + n * step))
    }

    /// Does a ship of this length end on the board?
    pub fn fits(self, board: Board, length: u8) -> bool {
        if self.first.0 >= board.cells() {
            return false;
        }
        let (at, most) =
            if self.down { (board.row(self.first), board.rows) } else { (board.column(self.first), board.columns) };
        at + length <= most
    }

    /// The placement that covers exactly these cells, in any order, or `None` when they are not one straight row.
    pub fn covering(board: Board, cells: &[Cell]) -> Option<Self> {
        let first = *cells.iter().min()?;
        let length = u8::try_from(cells.len()).ok()?;
        let set: CellSet = cells.iter().copied().collect();
        [false, true].into_iter().map(|down| Self { first, down: down && length > 1 }).find(|way| {
            way.fits(board, length)
                && usize::from(set.len()) == cells.len()
                && way.cells(board, length).all(|cell| set.contains(cell))
        })
    }

    /// All placements of a ship of this length on the board, before any law.
    pub fn all(board: Board, length: u8) -> impl Iterator<Item = Self> {
        let ways: &'static [bool] = if length > 1 { &[false, true] } else { &[false] };
        board
            .iter()
            .flat_map(move |first| ways.iter().map(move |down| Self { first, down: *down }))
            .filter(move |way| way.fits(board, length))
    }
}

/// How a ship breaks the law of the border.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BorderFault {
    Corner,
    Along,
}

/// The law of the border for one ship.
pub(crate) fn border_fault(rules: &Rules, cells: impl Iterator<Item = Cell> + Clone) -> Option<BorderFault> {
    let board = rules.board;
    match rules.border {
        Border::Free => None,
        Border::EndOn if cells.clone().any(|cell| board.is_corner(cell)) => Some(BorderFault::Corner),
        Border::EndOn => (cells.filter(|cell| board.on_edge(*cell)).count() > 1).then_some(BorderFault::Along),
    }
}

/// The cells on which no other ship may stand beside a ship on these cells: its own, and where contact is forbidden all
/// around.
pub(crate) fn zone(rules: &Rules, cells: impl Iterator<Item = Cell>) -> CellSet {
    let mut zone = CellSet::NONE;
    for cell in cells {
        zone.insert(cell);
        if rules.contact == Contact::Forbidden {
            zone.extend(rules.board.neighbours(cell));
        }
    }
    zone
}

/// The placements of a ship of this length that keep the border and stay off the closed cells.
pub(crate) fn open_ways(rules: &Rules, length: u8, closed: &CellSet) -> impl Iterator<Item = Placement> {
    let (board, closed) = (rules.board, *closed);
    Placement::all(board, length).filter(move |way| {
        let cells = way.cells(board, length);
        cells.clone().all(|cell| !closed.contains(cell)) && border_fault(rules, cells).is_none()
    })
}

/// Is none of the new cells farther than this from the nearest old one, in steps to any of the eight neighbours?
pub(crate) fn is_within(board: Board, old: &CellSet, new: &CellSet, range: u8) -> bool {
    let steps = |a: Cell, b: Cell| board.row(a).abs_diff(board.row(b)).max(board.column(a).abs_diff(board.column(b)));
    new.iter().all(|cell| old.iter().any(|from| steps(cell, from) <= range))
}

/// The cells that a ship of this length may use at all, off the closed ones.
pub(crate) fn usable(rules: &Rules, length: u8, closed: &CellSet) -> CellSet {
    open_ways(rules, length, closed).flat_map(|way| way.cells(rules.board, length)).collect()
}

/// How many times a fleet is thrown at random before it is searched for.
const THROWS: u32 = 200;
/// How many placements a search may try in all.
const TRIES: u32 = 200_000;

/// A legal deployment of a seat's whole fleet, drawn by these dice. `None` only when the fleet cannot be placed, or
/// cannot be found to be: whatever [`is_placeable`] accepts, this places.
pub(crate) fn place(rules: &Rules, seat: Seat, dice: &mut Dice) -> Option<Vec<Placement>> {
    let order = longest_first(rules.ships(seat));
    (0..THROWS)
        .find_map(|_| throw(rules, &order, dice))
        .or_else(|| Search::new(rules, &order, dice).run())
        .or_else(|| fixed_search(rules, &order))
}

/// Has the search found that a seat's fleet can be placed? Always the same answer for the same rules.
pub(crate) fn is_placeable(rules: &Rules, seat: Seat) -> bool {
    fixed_search(rules, &longest_first(rules.ships(seat))).is_some()
}

/// The search with dice of its own, which [`place`] falls back on: what was once found placeable is placed.
fn fixed_search(rules: &Rules, order: &[(usize, u8)]) -> Option<Vec<Placement>> {
    let mut dice = Dice::from_seed([0; 32]);
    (0..THROWS).find_map(|_| throw(rules, order, &mut dice)).or_else(|| Search::new(rules, order, &mut dice).run())
}

/// The ships by number with their lengths, the longest first: they are the hardest to place.
fn longest_first(ships: impl Iterator<Item = Ship>) -> Vec<(usize, u8)> {
    let mut order: Vec<(usize, u8)> = ships.map(|ship| ship.length).enumerate().collect();
    order.sort_by_key(|(_, length)| core::cmp::Reverse(*length));
    order
}

/// One try to place ship after ship at random.
fn throw(rules: &Rules, order: &[(usize, u8)], dice: &mut Dice) -> Option<Vec<Placement>> {
    let mut closed = CellSet::NONE;
    let mut placed = vec![Placement { first: Cell(0), down: false }; order.len()];
    for (ship, length) in order {
        let ways: Vec<Placement> = open_ways(rules, *length, &closed).collect();
        let way = *dice.pick(&ways)?;
        closed.extend(zone(rules, way.cells(rules.board, *length)).iter());
        placed[*ship] = way;
    }
    Some(placed)
}

/// A search that goes back when it is stuck, with a bound on its tries.
struct Search<'r> {
    rules: &'r Rules,
    order: &'r [(usize, u8)],
    /// The ways of each length, in a random order.
    ways: Vec<Box<[Placement]>>,
    placed: Vec<Placement>,
    tries: u32,
}

impl<'r> Search<'r> {
    fn new(rules: &'r Rules, order: &'r [(usize, u8)], dice: &mut Dice) -> Self {
        let ways = (0..=6)
            .map(|length| {
                let mut ways: Vec<Placement> = open_ways(rules, length, &CellSet::NONE).collect();
                dice.shuffle(&mut ways);
                ways.into_boxed_slice()
            })
            .collect();
        Self { rules, order, ways, placed: vec![Placement { first: Cell(0), down: false }; order.len()], tries: TRIES }
    }

    fn run(mut self) -> Option<Vec<Placement>> {
        self.from(0, 0, CellSet::NONE).then_some(self.placed)
    }

    /// Places the ships from the n-th on; ships of one length are placed in the order of their ways, as they are alike.
    fn from(&mut self, n: usize, start: usize, closed: CellSet) -> bool {
        let Some(&(ship, length)) = self.order.get(n) else { return true };
        let board = self.rules.board;
        for index in start..self.ways[usize::from(length)].len() {
            let way = self.ways[usize::from(length)][index];
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            if way.cells(board, length).any(|cell| closed.contains(cell)) {
                continue;
            }
            self.placed[ship] = way;
            let mut closed = closed;
            closed.extend(zone(self.rules, way.cells(board, length)).iter());
            let alike = self.order.get(n + 1).is_some_and(|(_, next)| *next == length);
            if self.from(n + 1, if alike { index + 1 } else { 0 }, closed) {
                return true;
            }
        }
        false
    }
}

//! Where ships may lie: one ship's cells, the laws between ships, and the search for a way to place a fleet.
//! It knows cells and ships, but no shots except as cells that are closed.
use alloc::{boxed::Box, vec, vec::Vec};

use super::{
    rules::{Border, Contact, Rules, Ship},
    shape::{Way, Ways},
};
use crate::{
    dice::Dice,
    grid::{Board, Cell, CellSet},
    seat::Seat,
};

/// How one ship lies: its first cell (of its uppermost row the leftmost) and the number of its way among those of its
/// class. A straight line lies across in way 0 and down in way 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Placement {
    pub first: Cell,
    pub way: u8,
}

impl Rules {
    fn way(&self, ship: Ship, place: Placement) -> Option<&Way> {
        self.ways(ship).all().get(usize::from(place.way))
    }

    /// The cells of a ship where it lies, which must be on the board; none where its class knows no such way.
    pub(crate) fn cells(&self, ship: Ship, place: Placement) -> impl Iterator<Item = Cell> + Clone + use<> {
        self.way(ship, place).map(|way| way.cells(self.board, place.first)).into_iter().flatten()
    }

    /// Does a ship end on the board where it lies?
    pub(crate) fn fits(&self, ship: Ship, place: Placement) -> bool {
        self.way(ship, place).is_some_and(|way| way.fits(self.board, place.first))
    }

    /// The placement of a ship that covers exactly these cells, in any order, or `None` when it cannot lie so.
    pub(crate) fn covering(&self, ship: Ship, cells: &[Cell]) -> Option<Placement> {
        let first = *cells.iter().min()?;
        let set: CellSet = cells.iter().copied().collect();
        let covers = |way: &Way| {
            way.steps().len() == cells.len()
                && usize::from(set.len()) == cells.len()
                && way.fits(self.board, first)
                && way.cells(self.board, first).all(|cell| set.contains(cell))
        };
        let way = self.ways(ship).all().iter().position(covers)?;
        Some(Placement { first, way: way as u8 })
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

/// The cells that may not be taken beside something on these cells: its own, and those that it would touch.
pub(crate) fn zone(board: Board, contact: Contact, cells: impl Iterator<Item = Cell>) -> CellSet {
    let mut zone = CellSet::NONE;
    for cell in cells {
        zone.insert(cell);
        match contact {
            Contact::Allowed => {}
            Contact::Corners => zone.extend(board.orthogonal(cell)),
            Contact::Forbidden => zone.extend(board.neighbours(cell)),
        }
    }
    zone
}

/// The first cells from which a ship may lie in each of its ways: it keeps the border and stays off the closed cells.
pub(crate) fn open_ways(rules: &Rules, ways: &Ways, closed: &CellSet) -> Vec<CellSet> {
    let board = rules.board;
    let is_edge = |cell: &Cell| rules.border == Border::EndOn && board.on_edge(*cell);
    let edge: CellSet = board.iter().filter(is_edge).collect();
    let corners: CellSet = edge.iter().filter(|cell| board.is_corner(*cell)).collect();
    let closed = closed.or(&corners);
    let first_cells = |way: &Way| {
        let (mut firsts, mut on_edge) = (way.firsts(board), CellSet::NONE);
        for steps in way.distances(board) {
            let at_edge = edge.back(steps);
            firsts = firsts.without(&closed.back(steps)).without(&on_edge.and(&at_edge));
            on_edge = on_edge.or(&at_edge);
        }
        firsts
    };
    ways.all().iter().map(first_cells).collect()
}

/// The cells that are no farther than this from the nearest of some, in steps to any of the eight neighbours.
pub(crate) fn within(board: Board, cells: &CellSet, range: u8) -> CellSet {
    (0..range).fold(*cells, |reached, _| zone(board, Contact::Forbidden, reached.iter()))
}

/// One of these ways at random, each equally likely.
pub(crate) fn pick(open: &[CellSet], dice: &mut Dice) -> Option<Placement> {
    let count: usize = open.iter().map(|firsts| usize::from(firsts.len())).sum();
    if count == 0 {
        return None;
    }
    placements(open).nth(dice.index(count))
}

/// These ways by first cell, and for each cell in their order.
fn placements(open: &[CellSet]) -> impl Iterator<Item = Placement> {
    let all = open.iter().fold(CellSet::NONE, |all, firsts| all.or(firsts));
    let ways = move |first| (0..).zip(open).filter(move |(_, firsts)| firsts.contains(first));
    all.iter().flat_map(move |first| ways(first).map(move |(way, _)| Placement { first, way }))
}

/// The cells that a ship may use at all, off the closed ones.
pub(crate) fn usable(rules: &Rules, ways: &Ways, closed: &CellSet) -> CellSet {
    let mut usable = CellSet::NONE;
    for (way, firsts) in ways.all().iter().zip(open_ways(rules, ways, closed)) {
        for steps in way.distances(rules.board) {
            usable = usable.or(&firsts.forward(steps));
        }
    }
    usable
}

/// How many times a fleet is thrown at random before it is searched for.
const THROWS: u32 = 200;
/// How many placements a search may try in all.
const TRIES: u32 = 200_000;

/// A legal deployment of a seat's whole fleet off the closed cells, drawn by these dice. `None` only when the fleet
/// cannot be placed, or cannot be found to be: whatever [`is_placeable`] accepts, this places.
pub(crate) fn place(rules: &Rules, seat: Seat, closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
    let order = largest_first(rules, seat);
    (0..THROWS)
        .find_map(|_| throw(rules, &order, closed, dice))
        .or_else(|| Search::new(rules, &order, closed, dice).run())
        .or_else(|| fixed_search(rules, &order, closed))
}

/// Has the search found that a seat's fleet can be placed off the closed cells? Always the same answer for the same
/// rules.
pub(crate) fn is_placeable(rules: &Rules, seat: Seat, closed: &CellSet) -> bool {
    fixed_search(rules, &largest_first(rules, seat), closed).is_some()
}

/// The search with dice of its own, which [`place`] falls back on: what was once found placeable is placed.
fn fixed_search(rules: &Rules, order: &[Placed], closed: &CellSet) -> Option<Vec<Placement>> {
    let mut dice = Dice::from_seed([0; 32]);
    (0..THROWS)
        .find_map(|_| throw(rules, order, closed, &mut dice))
        .or_else(|| Search::new(rules, order, closed, &mut dice).run())
}

/// A ship of the fleet by its number, and its kind: ships that lie in the same ways are of one kind.
#[derive(Clone, Copy)]
struct Placed {
    number: usize,
    kind: usize,
    ship: Ship,
}

/// The ships, the largest first: they are the hardest to place. Ships of one kind stand together.
fn largest_first(rules: &Rules, seat: Seat) -> Vec<Placed> {
    let kind = |ship: &Ship| rules.fleet.iter().position(|class| class.ways() == rules.ways(*ship)).unwrap_or_default();
    let mut order: Vec<Placed> =
        rules.ships(seat).enumerate().map(|(number, ship)| Placed { number, kind: kind(&ship), ship }).collect();
    order.sort_by_key(|placed| (core::cmp::Reverse(placed.ship.length), placed.kind));
    order
}

const NOWHERE: Placement = Placement { first: Cell(0), way: 0 };

/// One try to place ship after ship at random.
fn throw(rules: &Rules, order: &[Placed], closed: &CellSet, dice: &mut Dice) -> Option<Vec<Placement>> {
    let mut closed = *closed;
    let mut placed = vec![NOWHERE; order.len()];
    for Placed { number, ship, .. } in order {
        let place = pick(&open_ways(rules, rules.ways(*ship), &closed), dice)?;
        closed = closed.or(&zone(rules.board, rules.contact, rules.cells(*ship, place)));
        placed[*number] = place;
    }
    Some(placed)
}

/// A search that goes back when it is stuck, with a bound on its tries.
struct Search<'r> {
    rules: &'r Rules,
    order: &'r [Placed],
    closed: CellSet,
    /// The ways of each kind, in a random order.
    ways: Vec<Box<[Placement]>>,
    placed: Vec<Placement>,
    tries: u32,
}

impl<'r> Search<'r> {
    fn new(rules: &'r Rules, order: &'r [Placed], closed: &CellSet, dice: &mut Dice) -> Self {
        let ways = rules.fleet.iter().map(|class| {
            let mut ways: Vec<Placement> = placements(&open_ways(rules, class.ways(), closed)).collect();
            dice.shuffle(&mut ways);
            ways.into_boxed_slice()
        });
        let ways = ways.collect();
        Self { rules, order, closed: *closed, ways, placed: vec![NOWHERE; order.len()], tries: TRIES }
    }

    fn run(mut self) -> Option<Vec<Placement>> {
        self.from(0, 0, self.closed).then_some(self.placed)
    }

    /// Places the ships from the n-th on; ships of one kind are placed in the order of their ways, as they are alike.
    fn from(&mut self, n: usize, start: usize, closed: CellSet) -> bool {
        let Some(&Placed { number, kind, ship }) = self.order.get(n) else { return true };
        let board = self.rules.board;
        for index in start..self.ways[kind].len() {
            let place = self.ways[kind][index];
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            if self.rules.cells(ship, place).any(|cell| closed.contains(cell)) {
                continue;
            }
            self.placed[number] = place;
            let closed = closed.or(&zone(board, self.rules.contact, self.rules.cells(ship, place)));
            let alike = self.order.get(n + 1).is_some_and(|next| next.kind == kind);
            if self.from(n + 1, if alike { index + 1 } else { 0 }, closed) {
                return true;
            }
        }
        false
    }
}

/// Do these ships lie on the board so?
pub(crate) fn lie(rules: &Rules, places: &[Placement], ships: impl Iterator<Item = Ship>) -> bool {
    let ships: Vec<Ship> = ships.collect();
    let fits = |(ship, place): (&Ship, &Placement)| rules.fits(*ship, *place);
    ships.len() == places.len() && ships.iter().zip(places).all(fits)
}

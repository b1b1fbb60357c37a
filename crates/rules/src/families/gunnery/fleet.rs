//! The placement of ships: one ship's cells, and the laws between ships. It knows no shots except as closed cells. The
//! search for a deployment is in `placing.rs`.
use alloc::vec::Vec;

use super::{
    rules::{Border, Contact, Rules, Ship},
    shape::{Way, Ways},
};
use crate::{
    dice::Dice,
    grid::{Board, Cell, CellSet},
};

/// The placement of one ship: its first cell (of its uppermost row the leftmost) and the number of its way among those
/// of its class. A straight line is horizontal in way 0 and vertical in way 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Placement {
    pub first: Cell,
    pub way: u8,
}

impl Rules {
    fn way(&self, ship: Ship, place: Placement) -> Option<&Way> {
        self.ways(ship).all().get(usize::from(place.way))
    }

    /// The cells of a placed ship, which must be on the board; none for a way that its class lacks.
    pub(crate) fn cells(&self, ship: Ship, place: Placement) -> impl Iterator<Item = Cell> + Clone + use<> {
        self.way(ship, place).map(|way| way.cells(self.board, place.first)).into_iter().flatten()
    }

    pub(crate) fn fits(&self, ship: Ship, place: Placement) -> bool {
        self.way(ship, place).is_some_and(|way| way.fits(self.board, place.first))
    }

    /// The placement of a ship that covers exactly these cells, in any order; `None` if there is none.
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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BorderFault {
    Corner,
    Along,
}

pub(crate) fn border_fault(rules: &Rules, cells: impl Iterator<Item = Cell> + Clone) -> Option<BorderFault> {
    let board = rules.board;
    match rules.border {
        Border::Free => None,
        Border::EndOn if cells.clone().any(|cell| board.is_corner(cell)) => Some(BorderFault::Corner),
        Border::EndOn => (cells.filter(|cell| board.on_edge(*cell)).count() > 1).then_some(BorderFault::Along),
    }
}

/// The cells closed by something on these cells: its own, and those that it would touch.
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

/// The possible places of ships with the same ways, by the board and the law of the border alone.
pub(crate) struct Berths {
    ways: Vec<Berth>,
    /// The possible distances of a ship's cells from its first.
    distances: Vec<u16>,
}

/// One of the ways: the first cells, and the distances that its cells have.
struct Berth {
    firsts: CellSet,
    cells: Vec<u8>,
}

impl Berths {
    pub fn new(rules: &Rules, ways: &Ways) -> Self {
        let board = rules.board;
        let is_edge = |cell: &Cell| rules.border == Border::EndOn && board.on_edge(*cell);
        let edge: CellSet = board.iter().filter(is_edge).collect();
        let corners: CellSet = edge.iter().filter(|cell| board.is_corner(*cell)).collect();
        let mut distances: Vec<u16> = Vec::new();
        let berth = |way: &Way| {
            let (mut firsts, mut on_edge) = (way.firsts(board), CellSet::NONE);
            let mut cells = Vec::with_capacity(way.steps().len());
            for steps in way.distances(board) {
                let at_edge = edge.back(steps);
                firsts = firsts.without(&corners.back(steps)).without(&on_edge.and(&at_edge));
                on_edge = on_edge.or(&at_edge);
                let known = distances.iter().position(|other| *other == steps).unwrap_or_else(|| {
                    distances.push(steps);
                    distances.len() - 1
                });
                cells.push(known as u8);
            }
            Berth { firsts, cells }
        };
        Self { ways: ways.all().iter().map(berth).collect(), distances }
    }

    /// The possible first cells of a ship in each of its ways, off the closed cells.
    pub fn open(&self, closed: &CellSet) -> Vec<CellSet> {
        let moved: Vec<CellSet> = self.distances.iter().map(|steps| closed.back(*steps)).collect();
        let open = |berth: &Berth| {
            berth.cells.iter().fold(berth.firsts, |firsts, cell| firsts.without(&moved[usize::from(*cell)]))
        };
        self.ways.iter().map(open).collect()
    }

    /// The number of cell sets that [`Self::open`] computes.
    pub fn cost(&self) -> u32 {
        let cells: usize = self.ways.iter().map(|berth| berth.cells.len()).sum();
        (self.distances.len() + cells) as u32
    }
}

/// The possible first cells of a ship in each of its ways: within the border and off the closed cells.
pub(crate) fn open_ways(rules: &Rules, ways: &Ways, closed: &CellSet) -> Vec<CellSet> {
    Berths::new(rules, ways).open(closed)
}

/// The cells at most this far from the nearest of `cells`, in steps to any of the eight neighbours.
pub(crate) fn within(board: Board, cells: &CellSet, range: u8) -> CellSet {
    (0..range).fold(*cells, |reached, _| zone(board, Contact::Forbidden, reached.iter()))
}

/// One of these ways at random, uniformly.
pub(crate) fn pick(open: &[CellSet], dice: &mut Dice) -> Option<Placement> {
    let count: usize = open.iter().map(|firsts| usize::from(firsts.len())).sum();
    if count == 0 {
        return None;
    }
    let (first, way) = CellSet::nth_of(open, dice.index(count))?;
    Some(Placement { first, way: way as u8 })
}

/// These ways by first cell, and for each cell in their order.
pub(super) fn placements(open: &[CellSet]) -> impl Iterator<Item = Placement> {
    let all = open.iter().fold(CellSet::NONE, |all, firsts| all.or(firsts));
    let ways = move |first| (0..).zip(open).filter(move |(_, firsts)| firsts.contains(first));
    all.iter().flat_map(move |first| ways(first).map(move |(way, _)| Placement { first, way }))
}

/// The cells that a ship can use at all, off the closed ones.
pub(crate) fn usable(rules: &Rules, ways: &Ways, closed: &CellSet) -> CellSet {
    let mut usable = CellSet::NONE;
    for (way, firsts) in ways.all().iter().zip(open_ways(rules, ways, closed)) {
        for steps in way.distances(rules.board) {
            usable = usable.or(&firsts.forward(steps));
        }
    }
    usable
}

/// Do the placed ships fit on the board?
pub(crate) fn lie(rules: &Rules, places: &[Placement], ships: impl Iterator<Item = Ship>) -> bool {
    let ships: Vec<Ship> = ships.collect();
    let fits = |(ship, place): (&Ship, &Placement)| rules.fits(*ship, *place);
    ships.len() == places.len() && ships.iter().zip(places).all(fits)
}

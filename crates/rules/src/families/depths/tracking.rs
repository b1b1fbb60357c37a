//! The tracking grid of sheet 000: the pegs that answers to depth charges put into a sea. They follow from the answers
//! alone, so everybody's are the same.
use alloc::{vec, vec::Vec};

use super::{
    event::Answer,
    rules::Charge,
    water::{CELLS, Cell},
};

/// What is in a hole of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Peg {
    #[default]
    None,
    /// A white peg beside a charge: no submarine here.
    White,
    /// A red peg: a submarine in one of several such cells.
    Red,
    /// A charge was dropped here: miss.
    Miss,
    /// A charge was dropped here: near miss, so many submarines.
    Near(u8),
    /// A flag: a submarine was sunk here.
    Flag,
}

/// A hole of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hole {
    peg: Peg,
    /// How many of the submarines that a near miss here has told of are not accounted for by a later hit.
    open: u8,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Grid {
    /// One for each cell.
    holes: Vec<Hole>,
    /// How many charges have hit.
    pub hits: u8,
}

impl Grid {
    pub fn new() -> Self {
        Self { holes: vec![Hole::default(); usize::from(CELLS)], hits: 0 }
    }

    pub fn peg(&self, cell: Cell) -> Peg {
        self.holes.get(cell.index()).map_or(Peg::None, |hole| hole.peg)
    }

    /// The pegs that are in, by cell.
    pub fn pegs(&self) -> impl Iterator<Item = (Cell, Peg)> + '_ {
        Cell::all().zip(&self.holes).map(|(cell, hole)| (cell, hole.peg)).filter(|(_, peg)| *peg != Peg::None)
    }

    /// Takes the answer to a charge in.
    pub fn learn(&mut self, charge: Charge, cell: Cell, answer: Answer) {
        let Some(hole) = self.holes.get_mut(cell.index()) else { return };
        let near = cell.near(charge);
        // A flag stays where it is, whatever a later charge there tells.
        let flagged = hole.peg == Peg::Flag;
        let (peg, open) = match answer {
            Answer::Miss => (Peg::Miss, 0),
            Answer::Near { count } => (Peg::Near(count), count),
            Answer::Hit => (Peg::Flag, hole.open),
        };
        *hole = Hole { peg: if flagged { Peg::Flag } else { peg }, open };
        for near in near.iter() {
            let Some(hole) = self.holes.get_mut(near.index()) else { continue };
            match (answer, hole.peg) {
                (Answer::Miss, Peg::None | Peg::Red) => hole.peg = Peg::White,
                (Answer::Near { .. }, Peg::None) => hole.peg = Peg::Red,
                (Answer::Hit, _) => hole.open = hole.open.saturating_sub(1),
                _ => {}
            }
        }
        if answer == Answer::Hit {
            self.hits = self.hits.saturating_add(1);
            self.whiten(charge);
        }
    }

    /// A red peg becomes white when every near miss beside it is accounted for by submarines that were sunk. (The sheet
    /// takes out the red pegs "around the submarine that was sunk"; where another near miss still stands by one, it
    /// stays.)
    fn whiten(&mut self, charge: Charge) {
        let open: Vec<bool> = self.holes.iter().map(|hole| hole.open > 0).collect();
        for (cell, hole) in Cell::all().zip(&mut self.holes).filter(|(_, hole)| hole.peg == Peg::Red) {
            if !cell.near(charge).iter().any(|near| open[near.index()]) {
                hole.peg = Peg::White;
            }
        }
    }
}

//! The tracking grid of sheet 000: the pegs for the answers to depth charges in a sea. They follow from the answers
//! alone, so everybody's are the same.
use alloc::{vec, vec::Vec};

use super::{
    event::Answer,
    rules::Charge,
    water::{Cell, Waters},
};

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
    /// A charge was dropped here: near miss, with the number of submarines.
    Near(u8),
    /// A flag: a submarine was sunk here.
    Flag,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Hole {
    peg: Peg,
    /// The submarines of a near miss here that no later hit accounts for.
    open: u8,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Grid {
    waters: Waters,
    /// One for each cell.
    holes: Vec<Hole>,
    /// The number of hits.
    pub hits: u8,
}

impl Grid {
    pub fn new(waters: Waters) -> Self {
        Self { waters, holes: vec![Hole::default(); usize::from(waters.cell_count())], hits: 0 }
    }

    pub fn peg(&self, cell: Cell) -> Peg {
        self.holes.get(cell.index()).map_or(Peg::None, |hole| hole.peg)
    }

    /// The pegs by cell.
    pub fn pegs(&self) -> impl Iterator<Item = (Cell, Peg)> + '_ {
        self.waters.cells().zip(&self.holes).map(|(cell, hole)| (cell, hole.peg)).filter(|(_, peg)| *peg != Peg::None)
    }

    /// Applies the answer to a charge.
    pub fn learn(&mut self, charge: Charge, cell: Cell, answer: Answer) {
        let Some(hole) = self.holes.get_mut(cell.index()) else { return };
        // A flag stays, whatever a later charge there tells.
        let flagged = hole.peg == Peg::Flag;
        let (peg, open) = match answer {
            Answer::Miss => (Peg::Miss, 0),
            Answer::Near { count } => (Peg::Near(count), count),
            Answer::Hit => (Peg::Flag, hole.open),
        };
        *hole = Hole { peg: if flagged { Peg::Flag } else { peg }, open };
        let waters = self.waters;
        let beside = waters.cells().zip(&mut self.holes).filter(|(near, _)| waters.are_near(charge, cell, *near));
        for (_, hole) in beside {
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

    /// A red peg becomes white when sunk submarines account for every near miss beside it. (The sheet takes out the red
    /// pegs "around the submarine that was sunk"; beside another open near miss a peg stays.)
    fn whiten(&mut self, charge: Charge) {
        let waters = self.waters;
        let open = waters.cells().zip(&self.holes).filter(|(_, hole)| hole.open > 0);
        let open: Vec<Cell> = open.map(|(cell, _)| cell).collect();
        for (cell, hole) in waters.cells().zip(&mut self.holes).filter(|(_, hole)| hole.peg == Peg::Red) {
            if !open.iter().any(|near| waters.are_near(charge, cell, *near)) {
                hole.peg = Peg::White;
            }
        }
    }
}

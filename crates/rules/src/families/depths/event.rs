//! The family's events, results and secrets included, and their bytes. Never serialized for a client: `disclose.rs`
//! decides what each viewer learns.
use alloc::vec::Vec;

use minicbor::{Decode, Encode};

use super::{
    Depths,
    action::Action,
    rules::{MOST_STEPS, Rules, SHIPS, SUBMARINES, ship_id},
    water::{Cell, DEPTHS, Line, Square, Waters},
};
use crate::{families::family, seat::Seat};

/// An event of the battle. Squares count from 0, and the port comes after the last of them (36 in the sheet's sea);
/// cells are depth × squares + square; ships and lines have their numbers.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// A seat placed its submarines and its mine.
    #[n(0)]
    Deployed {
        /// The seat that acted.
        #[n(0)]
        seat: Seat,
        /// The cells of the submarines, in the order of the action.
        #[n(1)]
        #[cbor(with = "minicbor::bytes")]
        submarines: [u8; SUBMARINES],
        /// The square above the mine.
        #[n(2)]
        mine: u8,
    },
    /// A surface ship moved.
    #[n(1)]
    Moved {
        /// The seat of the ship.
        #[n(0)]
        seat: Seat,
        /// The number of the ship.
        #[n(1)]
        ship: u8,
        /// The places of the path, in order.
        #[n(2)]
        #[cbor(with = "minicbor::bytes")]
        path: Vec<u8>,
        /// Did it end on the enemy's mine?
        #[n(3)]
        mine: bool,
    },
    /// A surface ship dropped a depth charge.
    #[n(2)]
    Charged {
        /// The seat of the ship.
        #[n(0)]
        seat: Seat,
        /// The number of the ship.
        #[n(1)]
        ship: u8,
        /// The cell in which the charge exploded.
        #[n(2)]
        cell: u8,
        /// The result.
        #[n(3)]
        answer: Answer,
    },
    /// A submarine fired a torpedo. No event has its number: those on the line fire one after another.
    #[n(3)]
    Torpedoed {
        /// The firing seat.
        #[n(0)]
        seat: Seat,
        /// The number of the enemy ship.
        #[n(1)]
        target: u8,
        /// The line.
        #[n(2)]
        line: u8,
        /// The number of the draw of chance.
        #[n(3)]
        draw: u32,
        /// The number drawn.
        #[n(4)]
        drawn: u8,
        /// Did it hit?
        #[n(5)]
        hit: bool,
    },
    /// A seat ended its turn.
    #[n(4)]
    TurnEnded {
        /// The seat.
        #[n(0)]
        seat: Seat,
    },
    /// The match has ended: both seas are revealed.
    #[n(5)]
    Revealed {
        /// The seas by seat.
        #[n(0)]
        seas: Vec<Revealed>,
    },
}

/// The result of a depth charge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Encode, Decode)]
#[cbor(flat)]
pub enum Answer {
    /// Nothing.
    #[n(0)]
    Miss,
    /// No submarine here, but some afloat next to it.
    #[n(1)]
    Near {
        /// The number of them, 1 to 3.
        #[n(0)]
        count: u8,
    },
    /// A submarine was here, and is sunk.
    #[n(2)]
    Hit,
}

/// A sea, revealed at the end.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Revealed {
    /// The submarines and the mine; `None` when the seat never deployed.
    #[n(0)]
    pub(crate) hidden: Option<Hidden>,
}

/// The hidden pieces in a seat's sea.
#[derive(Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct Hidden {
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub(crate) submarines: [u8; SUBMARINES],
    /// The sunk ones.
    #[n(1)]
    pub(crate) sunk: [bool; SUBMARINES],
    /// The square above the mine.
    #[n(2)]
    pub(crate) mine: u8,
}

impl Hidden {
    pub(crate) const fn new(submarines: [u8; SUBMARINES], mine: u8) -> Self {
        Self { submarines, sunk: [false; SUBMARINES], mine }
    }

    fn fits(&self, waters: Waters) -> bool {
        self.submarines.iter().all(|cell| *cell < waters.cell_count()) && self.mine < waters.size()
    }

    /// The cells of the submarines afloat.
    pub(crate) fn afloat(&self) -> impl Iterator<Item = Cell> + '_ {
        self.submarines.iter().zip(self.sunk).filter(|(_, sunk)| !sunk).map(|(cell, _)| Cell(*cell))
    }

    /// The number of submarines afloat on a torpedo line.
    pub(crate) fn on_line(&self, waters: Waters, line: Line) -> u8 {
        self.afloat().filter(|cell| waters.is_on(line, waters.above(*cell))).count() as u8
    }

    /// Sinks the submarine in this cell, if one is afloat there.
    pub(crate) fn sink(&mut self, cell: Cell) {
        for (lies, sunk) in self.submarines.iter().zip(&mut self.sunk) {
            *sunk |= *lies == cell.0;
        }
    }
}

impl family::Event<Depths> for Event {
    fn fits(&self, rules: &Rules, _seats: u8) -> bool {
        let ships = SHIPS.len() as u8;
        let waters = rules.waters();
        match self {
            Self::Deployed { seat, submarines, mine } => seat.0 < 2 && Hidden::new(*submarines, *mine).fits(waters),
            Self::Moved { seat, ship, path, .. } => {
                let known = path.iter().all(|square| *square <= waters.size());
                seat.0 < 2 && *ship < ships && (1..=MOST_STEPS).contains(&path.len()) && known
            }
            Self::Charged { seat, ship, cell, answer } => {
                let counted = !matches!(answer, Answer::Near { count } if !(1..=SUBMARINES as u8).contains(count));
                seat.0 < 2 && *ship < ships && *cell < waters.cell_count() && counted
            }
            Self::Torpedoed { seat, target, line, .. } => {
                seat.0 < 2 && *target < ships && *line < waters.line_count(rules.lines)
            }
            Self::TurnEnded { seat } => seat.0 < 2,
            Self::Revealed { seas } => {
                seas.len() <= 2 && seas.iter().all(|sea| sea.hidden.is_none_or(|hidden| hidden.fits(waters)))
            }
        }
    }

    /// Only torpedoes are left to chance.
    fn draws(&self) -> u32 {
        matches!(self, Self::Torpedoed { .. }) as u32
    }

    fn asked(&self, rules: &Rules, _seats: u8) -> Option<(Seat, Action)> {
        let waters = rules.waters();
        Some(match self {
            Self::Deployed { seat, submarines, mine } => {
                let cells = submarines.iter().map(|cell| waters.label(Cell(*cell)));
                (*seat, Action::deploy(cells.collect(), Square(*mine).label()))
            }
            Self::Moved { seat, ship, path, .. } => {
                (*seat, Action::sail(ship_id(*ship), path.iter().map(|place| waters.place(*place).label()).collect()))
            }
            Self::Charged { seat, ship, cell, .. } => {
                let depth = DEPTHS.get(usize::from(waters.depth(Cell(*cell))))?;
                (*seat, Action::charge(ship_id(*ship), *depth))
            }
            Self::Torpedoed { seat, target, line, .. } => {
                (*seat, Action::torpedo(ship_id(*target), waters.line_id(Line(*line))))
            }
            Self::TurnEnded { seat } => (*seat, Action::END_TURN),
            Self::Revealed { .. } => return None,
        })
    }

    /// The positions of submarines and mine are secret; everything else is public.
    fn is_secret(&self) -> bool {
        matches!(self, Self::Deployed { .. })
    }
}

impl Event {}

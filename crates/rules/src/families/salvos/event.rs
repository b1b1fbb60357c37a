//! The family's events, results and secrets included, and their bytes. Never serialized for a client: `disclose.rs`
//! decides what each viewer learns.
use alloc::vec::Vec;

use minicbor::{Decode, Decoder, Encode};

use super::{
    Salvos,
    action::{Action, FireOrder, MoveOrder, Order, ShipCell},
    roster,
    rules::Rules,
    sea::{self, Direction},
};
use crate::{
    families::family,
    grid::{Board, Cell},
    seat::Seat,
};

/// An event of the battle.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// The deployment bands of the seats were drawn.
    #[n(0)]
    BandsDrawn {
        /// The seat of each band, from the top.
        #[n(0)]
        #[cbor(with = "minicbor::bytes")]
        bands: Vec<u8>,
    },
    /// A seat placed its fleet.
    #[n(1)]
    Deployed {
        /// The seat of the fleet.
        #[n(0)]
        seat: Seat,
        /// The number of its nation.
        #[n(1)]
        nation: u8,
        /// The cell of each ship, in the order of the fleet.
        #[n(2)]
        cells: Cells,
    },
    /// A seat aimed its opening shot.
    #[n(2)]
    Aimed {
        /// The seat that acted.
        #[n(0)]
        seat: Seat,
        /// The ship, by number.
        #[n(1)]
        ship: u8,
        /// The cell aimed at.
        #[n(2)]
        cell: u16,
    },
    /// The opening shots were fired, all at once.
    #[n(3)]
    Opened {
        /// By seat, in the order of the nations.
        #[n(0)]
        salvos: Vec<OpeningSalvo>,
    },
    /// A seat's orders were carried out.
    #[n(4)]
    Ordered {
        /// The seat of the orders.
        #[n(0)]
        seat: Seat,
        /// The results of the orders, in order.
        #[n(1)]
        done: Vec<Done>,
    },
    /// Seats that left the match together have taken their ships off the sea.
    #[n(5)]
    Left {
        /// The seats.
        #[n(0)]
        seats: crate::seat::SeatSet,
    },
    /// All fleets are placed, and ships that were placed on one cell have been parted.
    #[n(7)]
    Settled {
        /// The numbers of the ships that were moved.
        #[n(0)]
        #[cbor(with = "minicbor::bytes")]
        ships: Vec<u8>,
        /// The new cell of each.
        #[n(1)]
        cells: Cells,
        /// The owner of each.
        #[n(2)]
        #[cbor(with = "minicbor::bytes")]
        owners: Vec<u8>,
    },
    /// The match has ended: everything is revealed.
    #[n(6)]
    Revealed {
        /// The fleets by seat.
        #[n(0)]
        fleets: Vec<Revealed>,
        /// The hidden part of every turn, from the opening on.
        #[n(1)]
        turns: History,
    },
}

/// The opening salvo of a seat.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct OpeningSalvo {
    #[n(0)]
    pub(crate) seat: Seat,
    #[n(1)]
    pub(crate) salvo: Salvo,
}

/// The result of an order.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Done {
    /// A ship fired.
    #[n(0)]
    Fired(#[n(0)] Salvo),
    /// A ship moved, or was stopped.
    #[n(1)]
    Moved(#[n(0)] Moved),
}

/// A ship's salvo and its effect.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Salvo {
    /// The number of the firing ship.
    #[n(0)]
    pub(crate) ship: u8,
    #[n(1)]
    pub(crate) shots: Shots,
}

/// A ship's move as far as it came.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Moved {
    /// The number of the ship.
    #[n(0)]
    pub(crate) ship: u8,
    /// The starting cell.
    #[n(1)]
    pub(crate) from: u16,
    #[n(2)]
    pub(crate) steps: Steps,
    /// The number of steps made.
    #[n(3)]
    pub(crate) made: u8,
}

/// A seat's fleet, revealed.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Revealed {
    /// The number of its nation.
    #[n(0)]
    pub(crate) nation: u8,
    /// The deployment cells of its ships; empty when it never deployed.
    #[n(1)]
    pub(crate) first: Cells,
    /// The last cells of its ships: at the end, or when they were sunk or their seat left.
    #[n(2)]
    pub(crate) last: Cells,
    /// The armour left to each.
    #[n(3)]
    #[cbor(with = "minicbor::bytes")]
    pub(crate) armour: Vec<u8>,
}

/// Cells by number, two bytes each in one byte string.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Cells(pub(crate) Vec<u16>);

/// Steps in order, one byte each in one byte string.
#[derive(Clone, PartialEq, Eq)]
pub struct Steps(pub(crate) Vec<Direction>);

/// Shots in order, three bytes each in one byte string.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Shots(pub(crate) Vec<Shot>);

/// A shot and its true effect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shot {
    pub cell: Cell,
    pub struck: Option<Struck>,
}

/// A ship that lost a point of armour to a shot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Struck {
    pub ship: u8,
    pub owner: Seat,
    pub sunk: bool,
}

/// The hidden part of a match's turns, as the bytes of one event after the other.
#[derive(Clone, PartialEq, Eq, Default, Encode, Decode)]
#[cbor(transparent)]
pub struct History(
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    Vec<u8>,
);

impl History {
    /// Adds the hidden part of a turn: its moves, and the shots that struck. Misses were posted.
    pub(crate) fn push(&mut self, event: &Event) {
        let struck = |salvo: &Salvo| Salvo {
            ship: salvo.ship,
            shots: Shots(salvo.shots.0.iter().copied().filter(|shot| shot.struck.is_some()).collect()),
        };
        let hidden = |done: &Done| match done {
            Done::Fired(salvo) => Some(struck(salvo)).filter(|salvo| !salvo.shots.0.is_empty()).map(Done::Fired),
            Done::Moved(moved) => Some(Done::Moved(moved.clone())),
        };
        let turn = match event {
            Event::Opened { salvos } => Event::Opened {
                salvos: salvos
                    .iter()
                    .map(|opening| OpeningSalvo { seat: opening.seat, salvo: struck(&opening.salvo) })
                    .collect(),
            },
            Event::Ordered { seat, done } => {
                Event::Ordered { seat: *seat, done: done.iter().filter_map(hidden).collect() }
            }
            _ => return,
        };
        // Writing to a Vec cannot fail: its error type has no value.
        let _ = minicbor::encode(&turn, &mut self.0);
    }

    /// The turns in order, as far as the bytes are readable.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Event> + '_ {
        let mut decoder = Decoder::new(&self.0);
        core::iter::from_fn(move || if decoder.position() < self.0.len() { decoder.decode().ok() } else { None })
    }
}

impl Moved {
    /// The cell of the ship after the move.
    pub(crate) fn to(&self, board: Board) -> Cell {
        let made = self.steps.0.iter().take(usize::from(self.made));
        made.fold(Cell(self.from), |cell, direction| sea::step(board, cell, *direction).unwrap_or(cell))
    }

    /// The cell that stopped it, if one did.
    pub(crate) fn stopped_at(&self, board: Board) -> Option<Cell> {
        sea::step(board, self.to(board), *self.steps.0.get(usize::from(self.made))?)
    }

    pub(crate) fn steps_made(&self) -> &[Direction] {
        self.steps.0.get(..usize::from(self.made)).unwrap_or(&self.steps.0)
    }
}

impl family::Event<Salvos> for Event {
    fn fits(&self, rules: &Rules, seats: u8) -> bool {
        self.fits_among(rules, seats)
    }

    fn asked(&self, rules: &Rules, seats: u8) -> Option<(Seat, Action)> {
        let board = rules.layout(seats).board();
        let label = |cell: u16| board.label(Cell(cell));
        let id = |ship: u8| rules.ships().get(usize::from(ship)).map(|ship| ship.id);
        match self {
            Self::Deployed { seat, nation, cells } => {
                let ships = roster::fleet(rules.ships(), *nation).zip(&cells.0);
                let place = |(ship, cell): (usize, &u16)| Some(ShipCell { ship: id(ship as u8)?, cell: label(*cell) });
                Some((*seat, Action::deploy(ships.filter_map(place).collect())))
            }
            Self::Aimed { seat, ship, cell } => Some((*seat, Action::opening_shot(id(*ship)?, label(*cell)))),
            Self::Ordered { seat, done } => {
                let order = |done: &Done| {
                    Some(match done {
                        Done::Fired(fired) => Order::Fire(FireOrder {
                            order: Default::default(),
                            ship: id(fired.ship)?,
                            cells: fired.shots.0.iter().map(|shot| board.label(shot.cell)).collect(),
                        }),
                        Done::Moved(moved) => Order::Move(MoveOrder {
                            order: Default::default(),
                            ship: id(moved.ship)?,
                            steps: moved.steps.0.clone(),
                        }),
                    })
                };
                Some((*seat, Action::orders(done.iter().filter_map(order).collect())))
            }
            Self::BandsDrawn { .. }
            | Self::Settled { .. }
            | Self::Opened { .. }
            | Self::Left { .. }
            | Self::Revealed { .. } => None,
        }
    }

    /// Secret are deployments, opening shots, and the unposted part of orders. All are always committed to, or the
    /// commitment itself would tell that something was not posted.
    fn is_secret(&self) -> bool {
        matches!(self, Self::Deployed { .. } | Self::Aimed { .. } | Self::Ordered { .. })
    }
}

impl Event {
    fn fits_among(&self, rules: &Rules, seats: u8) -> bool {
        let cells = rules.layout(seats).board().cells();
        let known = |seat: &Seat| seat.0 < seats;
        let ship = |ship: u8| usize::from(ship) < rules.ships().len();
        let lie = |nation: u8, places: &Cells| {
            places.0.len() == roster::fleet(rules.ships(), nation).len() && places.0.iter().all(|cell| *cell < cells)
        };
        let salvo = |salvo: &Salvo| {
            let struck = |struck: Struck| ship(struck.ship) && known(&struck.owner);
            ship(salvo.ship) && salvo.shots.0.iter().all(|shot| shot.cell.0 < cells && shot.struck.is_none_or(struck))
        };
        let order = |done: &Done| match done {
            Done::Fired(fired) => salvo(fired),
            Done::Moved(moved) => ship(moved.ship) && moved.from < cells,
        };
        let whole = |revealed: &Revealed| {
            let never = revealed.first.0.is_empty() && revealed.last.0.is_empty() && revealed.armour.is_empty();
            let armour = revealed.armour.len() == revealed.last.0.len();
            never || armour && lie(revealed.nation, &revealed.first) && lie(revealed.nation, &revealed.last)
        };
        match self {
            Self::BandsDrawn { bands } => {
                bands.len() == usize::from(seats) && bands.iter().all(|seat| known(&Seat(*seat)))
            }
            Self::Deployed { seat, nation, cells } => known(seat) && lie(*nation, cells),
            Self::Settled { ships, cells: places, owners } => {
                ships.len() == places.0.len()
                    && ships.len() == owners.len()
                    && owners.iter().all(|seat| known(&Seat(*seat)))
                    && ships.iter().all(|number| ship(*number))
                    && places.0.iter().all(|cell| *cell < cells)
            }
            Self::Aimed { seat, ship: aimed, cell } => known(seat) && ship(*aimed) && *cell < cells,
            Self::Opened { salvos } => salvos.iter().all(|opening| known(&opening.seat) && salvo(&opening.salvo)),
            Self::Ordered { seat, done } => known(seat) && done.iter().all(order),
            Self::Left { seats: left } => left.iter().all(|seat| known(&seat)),
            Self::Revealed { fleets, turns } => {
                let turn = |turn: Self| {
                    matches!(turn, Self::Opened { .. } | Self::Ordered { .. }) && turn.fits_among(rules, seats)
                };
                fleets.len() <= usize::from(seats) && fleets.iter().all(whole) && turns.turns().all(turn)
            }
        }
    }
}

//! What happens in a gunnery battle, results and secrets included, and its bytes. Never serialised for a client:
//! what each viewer learns of it is in `disclose.rs`.
use alloc::vec::Vec;

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    bytes::ByteVec,
    decode,
    encode::{self, Write},
};

use super::{
    Gunnery,
    action::{Action, ShipPlace},
    fleet::{Placement, lie},
    mines::{Owed, given, labels},
    rules::{MOST_SHOTS, Rules},
    seating::Seating,
};
use crate::{
    families::family,
    grid::{Cell, CellSet},
    seat::{Seat, SeatSet},
};

pub(crate) use super::next::GIVE_UP;
pub use super::next::{Clues, Next};

/// One thing that happened in the battle.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// A seat placed its fleet.
    #[n(0)]
    Deployed {
        /// Whose fleet.
        #[n(0)]
        seat: Seat,
        /// Where each ship lies, in the order of the fleet.
        #[n(1)]
        fleet: Fleet,
        /// Where its mines lie, in games with mines.
        #[n(2)]
        mines: Option<Cells>,
    },
    /// A seat fired a salvo, and this is what it did.
    #[n(1)]
    Fired {
        /// Who fired.
        #[n(0)]
        seat: Seat,
        /// The shots with their true results, in the order announced.
        #[n(1)]
        salvo: Salvo,
        /// Who acts next; `None` when the match ends here.
        #[n(2)]
        next: Option<Next>,
        /// The number of the sea fired at; `None` in a match for two, where there is only one.
        #[n(3)]
        target: Option<u8>,
        /// The number that each shot is answered with; empty where the rules give none.
        #[n(8)]
        clues: Clues,
        /// What the shooter owes first, if anything.
        #[n(7)]
        owed: Option<Owed>,
        /// Who is out by it, where the others play on.
        #[n(4)]
        out: Option<SeatSet>,
        /// How many turns the seat that began has had by the next one, where there is a limit.
        #[n(5)]
        round: Option<u16>,
    },
    /// The target of a salvo decided where its ships lie now.
    #[n(2)]
    Relocated {
        /// Whose ships.
        #[n(0)]
        seat: Seat,
        /// The ships that moved, by number, and where they lie now.
        #[n(1)]
        moves: Moves,
        /// Who acts next.
        #[n(2)]
        next: Option<Next>,
    },
    /// The islands of the match were drawn, before the first deployment.
    #[n(8)]
    IslandsDrawn {
        /// All land there is, given and drawn.
        #[n(0)]
        land: Cells,
    },
    /// A seat paid what a mine or a minesweeper had cost it.
    #[n(9)]
    GaveUp {
        /// Who paid.
        #[n(0)]
        seat: Seat,
        /// What was struck in its own sea.
        #[n(1)]
        shots: Shots,
        /// The mines that it gave away.
        #[n(2)]
        mines: Option<Cells>,
        /// Who acts next; `None` when the match ends here.
        #[n(3)]
        next: Option<Next>,
    },
    /// The match has ended: all seas whole.
    #[n(3)]
    Revealed {
        /// The seas by number.
        #[n(0)]
        seas: Vec<Revealed>,
    },
    /// Seats have left the match together, and others play on.
    #[n(5)]
    Left {
        /// Who has left.
        #[n(0)]
        seats: SeatSet,
        /// Who else is out by it.
        #[n(1)]
        out: SeatSet,
        /// Who acts next; `None` while fleets are still to be placed.
        #[n(2)]
        next: Option<Next>,
        /// How many turns the seat that began has had by the next one, where there is a limit.
        #[n(3)]
        round: Option<u16>,
    },
}

impl family::Event<Gunnery> for Event {
    fn fits(&self, rules: &Rules, seats: u8) -> bool {
        let seating = Seating::new(rules, seats);
        let known = |seat: &Seat| seat.0 < seats;
        let turn = |next: &Option<Next>| next.is_none_or(|next| known(&next.seat));
        let lie_in = |sea: usize, fleet: &Fleet| lie(rules, &fleet.0, rules.ships_in(seating, sea));
        let shots = |shots: &[Shot], sea: usize| {
            let ships = rules.ships_in(seating, sea).count();
            shots.iter().all(|shot| {
                let known = !matches!(shot.struck(), Struck::Ship { ship, .. } if usize::from(ship) >= ships);
                known && shot.cell().0 < rules.board.cells()
            })
        };
        let on_board =
            |cells: &Option<Cells>| cells.is_none_or(|cells| cells.0.iter().all(|cell| cell.0 < rules.board.cells()));
        match self {
            Self::Deployed { seat, fleet, mines } => {
                known(seat) && on_board(mines) && lie(rules, &fleet.0, rules.ships(*seat))
            }
            Self::Fired { seat, salvo, next, target, clues, .. } => {
                let named = target.map(usize::from);
                let target = seating.target(*seat, named).filter(|sea| seating.seas().any(|other| other == *sea));
                let numbered = clues.count().is_none_or(|count| count == salvo.shots().len());
                known(seat) && numbered && turn(next) && target.is_some_and(|sea| shots(salvo.shots(), sea))
            }
            Self::Relocated { seat, moves, next } => {
                let ship = |number: u8| rules.ships(*seat).nth(usize::from(number));
                let lies =
                    |(number, place): &(u8, Placement)| ship(*number).is_some_and(|ship| rules.fits(ship, *place));
                known(seat) && moves.0.iter().all(lies) && turn(next)
            }
            Self::GaveUp { seat, shots: given, mines, next } => {
                known(seat) && shots(&given.0, seating.sea_of(*seat)) && on_board(mines) && turn(next)
            }
            Self::IslandsDrawn { land } => on_board(&Some(*land)),
            Self::Left { seats: left, out, next, .. } => {
                left.iter().chain(out.iter()).all(|seat| known(&seat)) && turn(next) && !left.is_empty()
            }
            Self::Revealed { seas } => seas.iter().enumerate().all(|(sea, revealed)| {
                let never = revealed.first.0.is_empty() && revealed.last.0.is_empty();
                (never || lie_in(sea, &revealed.first) && lie_in(sea, &revealed.last))
                    && shots(&revealed.shots.0, sea)
                    && on_board(&revealed.mines)
            }),
        }
    }

    fn asked(&self, rules: &Rules, seats: u8) -> Option<(Seat, Action)> {
        let places = |seat: Seat, places: &mut dyn Iterator<Item = (usize, Placement)>| -> Vec<ShipPlace> {
            let place = |(number, place): (usize, Placement)| {
                let ship = rules.ships(seat).nth(number)?;
                let cells = rules.cells(ship, place).map(|cell| rules.board.label(cell));
                Some(ShipPlace { ship: rules.ship_id(ship), cells: cells.collect() })
            };
            places.filter_map(place).collect()
        };
        match self {
            Self::Deployed { seat, fleet, mines } => {
                let ships = places(*seat, &mut fleet.0.iter().copied().enumerate());
                Some((*seat, Action::deploy_mined(ships, labels(rules, mines))))
            }
            Self::GaveUp { seat, shots, mines, .. } => {
                Some((*seat, Action::GiveUp(given(rules, *seat, &shots.0, labels(rules, mines)))))
            }
            Self::Fired { seat, salvo, target, .. } => {
                let cells = salvo.shots().iter().map(|shot| rules.board.label(shot.cell())).collect();
                let seating = Seating::new(rules, seats);
                Some((*seat, Action::fire_at(target.map(|sea| seating.id(usize::from(sea))), cells)))
            }
            Self::Relocated { seat, moves, .. } => {
                let mut moved = moves.0.iter().map(|(ship, place)| (usize::from(*ship), *place));
                Some((*seat, Action::relocate(places(*seat, &mut moved))))
            }
            Self::IslandsDrawn { .. } | Self::Left { .. } | Self::Revealed { .. } => None,
        }
    }

    /// Where ships lie and whether they move is secret.
    fn is_secret(&self) -> bool {
        matches!(self, Self::Deployed { .. } | Self::Relocated { .. })
    }
}

/// Where the ships of a fleet lie, in order.
#[derive(Clone, PartialEq, Eq)]
pub struct Fleet(pub(crate) Vec<Placement>);

/// Ships that moved: number and new place.
#[derive(Clone, PartialEq, Eq)]
pub struct Moves(pub(crate) Vec<(u8, Placement)>);

/// Some cells, ascending: two bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Cells(pub(crate) CellSet);

/// A sea laid open at the end.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Revealed {
    /// Where the ships lay first; empty when the seat never deployed.
    #[n(0)]
    pub(crate) first: Fleet,
    /// Where they lie at the end.
    #[n(1)]
    pub(crate) last: Fleet,
    /// Every shot at this sea with its true result, in order.
    #[n(2)]
    pub(crate) shots: Shots,
    /// Where mines were laid, in games with mines.
    #[n(3)]
    pub(crate) mines: Option<Cells>,
}

/// Shots in order, as many as there were.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Shots(pub(crate) Vec<Shot>);

/// What a shot truly did.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Struck {
    Nothing,
    /// Nothing, but a ship afloat is near.
    Near,
    /// A mine.
    Mine,
    /// This ship, by number.
    Ship {
        ship: u8,
        sunk: bool,
    },
}

/// A shot and its true result in 16 bits: 10 for the cell, 6 for the result (0 nothing, 1 near, 2 + 2 × ship + sunk,
/// 63 a mine).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Shot(u16);

impl Shot {
    pub(crate) const fn new(cell: Cell, struck: Struck) -> Self {
        let code = match struck {
            Struck::Nothing => 0,
            Struck::Near => 1,
            Struck::Mine => 63,
            Struck::Ship { ship, sunk } => 2 + ship as u16 * 2 + sunk as u16,
        };
        Self(cell.0 << 6 | code & 63)
    }

    pub(crate) const fn cell(self) -> Cell {
        Cell(self.0 >> 6)
    }

    pub(crate) const fn struck(self) -> Struck {
        match self.0 & 63 {
            0 => Struck::Nothing,
            1 => Struck::Near,
            63 => Struck::Mine,
            code => Struck::Ship { ship: ((code - 2) / 2) as u8, sunk: code & 1 == 1 },
        }
    }

    pub(crate) const fn hit(self) -> bool {
        matches!(self.struck(), Struck::Ship { .. })
    }
}

/// The shots of one salvo, in place.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Salvo {
    shots: [Shot; MOST_SHOTS],
    len: u8,
}

impl Salvo {
    /// Adds a shot, if there is room.
    pub(crate) const fn push(&mut self, shot: Shot) {
        if (self.len as usize) < MOST_SHOTS {
            self.shots[self.len as usize] = shot;
            self.len += 1;
        }
    }

    pub(crate) fn shots(&self) -> &[Shot] {
        &self.shots[..usize::from(self.len)]
    }
}

// Placements and shots are packed: 2 bytes each in one CBOR byte string.

/// The lowest bit of the way (of a line: does it lie down?), ten bits for the first cell, and above them the way's
/// other bits.
fn pack(placement: Placement) -> [u8; 2] {
    let way = u16::from(placement.way);
    (way >> 1 << 11 | placement.first.0 << 1 | way & 1).to_be_bytes()
}

fn unpack(bytes: [u8; 2]) -> Placement {
    let packed = u16::from_be_bytes(bytes);
    Placement { first: Cell(packed >> 1 & 0x3ff), way: (packed >> 11 << 1 | packed & 1) as u8 }
}

fn bytes_of<'b, const N: usize>(d: &mut Decoder<'b>) -> Result<&'b [[u8; N]], decode::Error> {
    let (whole, rest) = d.bytes()?.as_chunks();
    if rest.is_empty() { Ok(whole) } else { Err(decode::Error::message("a broken byte string")) }
}

macro_rules! packed {
    ($type:ty, |$value:ident| $to:expr, |$parts:ident: [u8; $n:literal]| $from:expr) => {
        impl<C> Encode<C> for $type {
            fn encode<W: Write>(&self, e: &mut Encoder<W>, ctx: &mut C) -> Result<(), encode::Error<W::Error>> {
                let $value = self;
                let bytes: Vec<u8> = $to;
                ByteVec::from(bytes).encode(e, ctx)
            }
        }
        impl<'b, C> Decode<'b, C> for $type {
            fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, decode::Error> {
                let $parts = bytes_of::<$n>(d)?;
                $from
            }
        }
    };
}

packed!(Fleet, |fleet| fleet.0.iter().flat_map(|placement| pack(*placement)).collect(), |parts: [u8; 2]| {
    Ok(Self(parts.iter().map(|part| unpack(*part)).collect()))
});
packed!(
    Moves,
    |moves| moves.0.iter().flat_map(|(ship, to)| core::iter::once(*ship).chain(pack(*to))).collect(),
    |parts: [u8; 3]| Ok(Self(parts.iter().map(|[ship, high, low]| (*ship, unpack([*high, *low]))).collect()))
);
packed!(Shots, |shots| shots.0.iter().flat_map(|shot| shot.0.to_be_bytes()).collect(), |parts: [u8; 2]| {
    Ok(Self(parts.iter().map(|part| Shot(u16::from_be_bytes(*part))).collect()))
});
packed!(Cells, |cells| cells.0.iter().flat_map(|cell| cell.0.to_be_bytes()).collect(), |parts: [u8; 2]| {
    Ok(Self(parts.iter().map(|part| Cell(u16::from_be_bytes(*part))).collect()))
});
packed!(Salvo, |salvo| salvo.shots().iter().flat_map(|shot| shot.0.to_be_bytes()).collect(), |parts: [u8; 2]| {
    if parts.len() > MOST_SHOTS {
        return Err(decode::Error::message("a salvo of too many shots"));
    }
    let mut salvo = Self::default();
    parts.iter().for_each(|part| salvo.push(Shot(u16::from_be_bytes(*part))));
    Ok(salvo)
});

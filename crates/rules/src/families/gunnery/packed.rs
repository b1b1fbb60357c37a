//! The packed parts of events, and their bytes: placements and shots, two bytes each in one CBOR byte string.
use alloc::vec::Vec;

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    bytes::ByteVec,
    decode,
    encode::{self, Write},
};

use super::{fleet::Placement, rules::MOST_SHOTS};
use crate::grid::{Cell, CellSet};

/// The places of a fleet's ships, in order.
#[derive(Clone, PartialEq, Eq)]
pub struct Fleet(pub(crate) Vec<Placement>);

/// Ships that moved: number and new place.
#[derive(Clone, PartialEq, Eq)]
pub struct Moves(pub(crate) Vec<(u8, Placement)>);

/// Some cells, ascending: two bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Cells(pub(crate) CellSet);

/// Shots in order.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Shots(pub(crate) Vec<Shot>);

/// The true result of a shot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Struck {
    Nothing,
    /// Nothing, but a ship afloat is near.
    Near,
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

/// The shots of one salvo, stored in place.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Salvo {
    shots: [Shot; MOST_SHOTS],
    len: u8,
}

impl Salvo {
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

/// The lowest bit of the way (of a line: is it vertical?), ten bits for the first cell, and above them the other bits
/// of the way.
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

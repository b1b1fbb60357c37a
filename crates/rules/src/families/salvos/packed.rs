//! Cells, steps and shots in the log: byte strings of fixed parts.
use alloc::vec::Vec;

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    bytes::ByteVec,
    decode,
    encode::{self, Write},
};

use super::{
    event::{Cells, Shot, Shots, Steps, Struck},
    sea::Direction,
};
use crate::{grid::Cell, seat::Seat};

fn bytes_of<'b, const N: usize>(d: &mut Decoder<'b>) -> Result<&'b [[u8; N]], decode::Error> {
    let (whole, rest) = d.bytes()?.as_chunks();
    if rest.is_empty() { Ok(whole) } else { Err(decode::Error::message("a broken byte string")) }
}

macro_rules! packed {
    ($type:ty, |$value:ident| $to:expr, |$part:ident: [u8; $n:literal]| $from:expr) => {
        impl<C> Encode<C> for $type {
            fn encode<W: Write>(&self, e: &mut Encoder<W>, ctx: &mut C) -> Result<(), encode::Error<W::Error>> {
                let bytes: Vec<u8> = self.0.iter().flat_map(|$value| $to).collect();
                ByteVec::from(bytes).encode(e, ctx)
            }
        }
        impl<'b, C> Decode<'b, C> for $type {
            fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, decode::Error> {
                let parts = bytes_of::<$n>(d)?;
                Ok(Self(parts.iter().map(|$part| $from).collect::<Result<_, decode::Error>>()?))
            }
        }
    };
}

packed!(Cells, |cell| cell.to_be_bytes(), |part: [u8; 2]| Ok(u16::from_be_bytes(*part)));
packed!(Steps, |step| [*step as u8], |part: [u8; 1]| {
    Direction::numbered(part[0]).ok_or_else(|| decode::Error::message("no such direction"))
});
packed!(Shots, |shot| shot.pack(), |part: [u8; 3]| Ok(Shot::unpack(*part)));

/// The ship number of a shot that struck none.
const NONE: u32 = 63;

impl Shot {
    /// 24 bits, big endian: 9 for the cell, 6 for the ship struck (63: none), 3 for its owner, 1 for sunk; the rest 0.
    fn pack(self) -> [u8; 3] {
        let struck = self.struck.map_or(NONE << 4, |struck| {
            u32::from(struck.ship) << 4 | u32::from(struck.owner.0 & 7) << 1 | u32::from(struck.sunk)
        });
        let [_, bytes @ ..] = (u32::from(self.cell.0) << 10 | struck).to_be_bytes();
        bytes
    }

    const fn unpack([high, middle, low]: [u8; 3]) -> Self {
        let bits = u32::from_be_bytes([0, high, middle, low]);
        let struck = Struck { ship: (bits >> 4 & 63) as u8, owner: Seat((bits >> 1 & 7) as u8), sunk: bits & 1 == 1 };
        Self { cell: Cell((bits >> 10) as u16), struck: if struck.ship as u32 == NONE { None } else { Some(struck) } }
    }
}

//! Who acts next, and the numbers that misses were answered with, as they stand in an event; and their bytes.
use alloc::vec::Vec;

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    data::Type,
    decode,
    encode::{self, Write},
};

use crate::seat::Seat;

/// What stands for the shots of a turn in which a seat pays what it owes.
pub(crate) const GIVE_UP: u8 = u8::MAX;

/// The numbers that shots were answered with, a byte for each.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Clues(Vec<u8>);

impl Clues {
    const NONE: u8 = u8::MAX;

    /// Of shots in order, `None` for one that got no number; nothing at all if none did.
    pub(crate) fn new(numbers: Vec<Option<u8>>) -> Self {
        if numbers.iter().all(Option::is_none) {
            return Self::default();
        }
        Self(numbers.into_iter().map(|number| number.unwrap_or(Self::NONE)).collect())
    }

    /// For how many shots there are numbers; `None` where there is none.
    pub(super) fn count(&self) -> Option<usize> {
        (!self.0.is_empty()).then_some(self.0.len())
    }

    /// Of the shot with this number in its salvo.
    pub(crate) fn of(&self, shot: usize) -> Option<u8> {
        self.0.get(shot).copied().filter(|number| *number != Self::NONE)
    }
}

/// Who acts next: fires so many shots, or, with none, decides where the own ships lie. One small number in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// Who acts.
    pub(crate) seat: Seat,
    /// How many shots; 0 for a relocation.
    pub(crate) shots: u8,
}

// Left out where there are none, as before there were any.
impl<C> Encode<C> for Clues {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), encode::Error<W::Error>> {
        if self.0.is_empty() { e.null()?.ok() } else { e.bytes(&self.0)?.ok() }
    }

    fn is_nil(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'b, C> Decode<'b, C> for Clues {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, decode::Error> {
        if d.datatype()? == Type::Null {
            return d.null().map(|()| Self::default());
        }
        d.bytes().map(|bytes| Self(bytes.to_vec()))
    }

    fn nil() -> Option<Self> {
        Some(Self::default())
    }
}

impl<C> Encode<C> for Next {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), encode::Error<W::Error>> {
        // Fewer than 15 shots in the number that it has always been, with 15 for giving up; more in one that is larger
        // than any of those.
        let (seat, shots) = (u16::from(self.seat.0), u16::from(self.shots));
        e.u16(match self.shots {
            GIVE_UP => seat * 16 + 15,
            0..15 => seat * 16 + shots,
            _ => (seat + 1) * 256 + shots,
        })?
        .ok()
    }
}

impl<'b, C> Decode<'b, C> for Next {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, decode::Error> {
        let packed = d.u16()?;
        let (seat, shots) = match packed {
            0..256 if packed % 16 == 15 => (packed / 16, GIVE_UP),
            0..256 => (packed / 16, (packed % 16) as u8),
            _ => (packed / 256 - 1, (packed % 256) as u8),
        };
        Ok(Self { seat: Seat(seat as u8), shots })
    }
}

//! The next to act, and the numbers in the answers to misses, as events have them; and their bytes.
use alloc::vec::Vec;

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    data::Type,
    decode,
    encode::{self, Write},
};

use crate::seat::Seat;

/// The number of shots that stands for a payment.
pub(crate) const GIVE_UP: u8 = u8::MAX;

/// The numbers in the answers to shots, a byte for each.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Clues(Vec<u8>);

impl Clues {
    const NONE: u8 = u8::MAX;

    /// From the numbers of the shots in order, `None` for a shot without one; empty if no shot has one.
    pub(crate) fn new(numbers: Vec<Option<u8>>) -> Self {
        if numbers.iter().all(Option::is_none) {
            return Self::default();
        }
        Self(numbers.into_iter().map(|number| number.unwrap_or(Self::NONE)).collect())
    }

    /// The number of shots that it covers; `None` if there are no numbers.
    pub(super) fn count(&self) -> Option<usize> {
        (!self.0.is_empty()).then_some(self.0.len())
    }

    /// The number of the shot at this index of its salvo.
    pub(crate) fn of(&self, shot: usize) -> Option<u8> {
        self.0.get(shot).copied().filter(|number| *number != Self::NONE)
    }
}

/// The next to act: a salvo of `shots`, or, with 0, a relocation. One small number in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// The acting seat.
    pub(crate) seat: Seat,
    /// The number of shots; 0 for a relocation.
    pub(crate) shots: u8,
}

// Omitted if empty, as before they existed.
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
        // Fewer than 15 shots use the original number, with 15 for a payment; more use a larger number than any of
        // those.
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

//! Entries of a match's log and their bytes: the stored truth of a match. Decoding never panics, whatever the bytes.
//!
//! Logs are read for ever. A new kind of event gets a new number. A new field of an event gets the next number and
//! `#[cbor(default)]` (or is an `Option`): fields that older bytes don't have then take their default, and fields that
//! a newer build has written are skipped by an older one. Numbers are never used again, and no field changes its type.
//! `tests/frozen.rs` holds every build to that.
//!
//! Version 1: the version byte; six bytes of Unix milliseconds (big endian, signed); the seat that acted, or 255 when
//! it was the clock or the start; then the events, one CBOR item after another.
use alloc::vec::Vec;
use core::fmt;

use crate::{event::Event, seat::Seat, time::Time};

/// The version of the format that is written.
pub const VERSION: u8 = 1;

const HEAD: usize = 8;
const NOBODY: u8 = u8::MAX;
/// Times have 48 bits, which reach 4 459 years either way.
const MOST_MS: i64 = (1 << 47) - 1;

/// The results of one action, one time-out or the start, all at one time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The time.
    pub at: Time,
    /// The acting seat; `None` for the start and for the clock.
    pub seat: Option<Seat>,
    /// The events, in order.
    pub events: Vec<Event>,
}

/// Bytes that are no entry, or one of a later version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a readable log entry")
    }
}

impl core::error::Error for Unreadable {}

impl Entry {
    /// The entry as bytes. Times beyond 48 bits of milliseconds are cut to that range.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(32);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.at.0.clamp(-MOST_MS, MOST_MS).to_be_bytes()[2..]);
        bytes.push(self.seat.map_or(NOBODY, |seat| seat.0));
        for event in &self.events {
            // Writing to a Vec cannot fail: its error type has no value.
            let _ = minicbor::encode(event, &mut bytes);
        }
        bytes
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// When the bytes are not exactly one entry of a known version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let (head, body) = bytes.split_first_chunk::<HEAD>().ok_or(Unreadable)?;
        let [version, at @ .., seat] = *head;
        if version != VERSION {
            return Err(Unreadable);
        }
        let mut wide = [if at[0] & 0x80 == 0 { 0 } else { 0xff }; 8];
        wide[2..].copy_from_slice(&at);
        let mut decoder = minicbor::Decoder::new(body);
        let mut events = Vec::new();
        while decoder.position() < body.len() {
            events.push(decoder.decode().map_err(|_| Unreadable)?);
        }
        let seat = (seat != NOBODY).then_some(Seat(seat));
        Ok(Self { at: Time(i64::from_be_bytes(wide)), seat, events })
    }
}

//! The proof of a match: commitments to secret actions, and the hash chain of public reports. Records and their check
//! are in [`crate::record`], draws of chance in [`crate::chance`].
//!
//! Canonical JSON is RFC 8785 throughout. In words:
//! - a commitment is SHA-256(salt ‖ canonical JSON of the action), with 32 fresh random bytes of salt;
//! - link 0 of a chain is SHA-256(canonical JSON of the record's header), and link n is SHA-256(link n−1 ‖ canonical
//!   JSON of public report n), header and reports in the match's record format ([`Format`]).
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    action::Action,
    dice::Dice,
    event::{Event, TableEvent},
    record::{Format, Header},
    report::Report,
    setup::Setup,
};

/// SHA-256 of some bytes and the canonical JSON of a value.
pub(crate) fn hash(before: &[u8], value: &impl Serialize) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(before);
    // The hashed values have string keys and whole numbers, so they have a canonical form.
    hash.update(serde_json_canonicalizer::to_vec(value).unwrap_or_default());
    hash.finalize().into()
}

/// The commitment to a secret action.
#[must_use]
pub fn commitment(salt: &[u8; 32], action: &Action) -> [u8; 32] {
    hash(salt, action)
}

/// The events, each that came of a secret action followed by its commitment. The dice draw the salts: the same number
/// for every secret.
#[must_use]
pub fn seal(setup: &Setup, events: Vec<Event>, dice: &mut Dice) -> Vec<Event> {
    let mut sealed = Vec::with_capacity(events.len() + 1);
    for event in events {
        let secret = if event.is_secret() { event.asked(setup) } else { None };
        sealed.push(event);
        if let Some((seat, action)) = secret {
            let salt = dice.bytes();
            sealed.push(TableEvent::Sealed { seat, commitment: commitment(&salt, &action), salt }.into());
        }
    }
    sealed
}

/// The hash chain of public reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The record format of the match.
    pub format: Format,
    /// The number of reports.
    pub length: u32,
    /// The last link.
    pub head: [u8; 32],
}

impl Chain {
    /// The chain of a match before its first report.
    #[must_use]
    pub fn new(format: Format, header: &Header) -> Self {
        Self::from_root(format, &format.header(header))
    }

    /// The chain that starts from a header as a record shows it.
    pub(crate) fn from_root(format: Format, header: &Value) -> Self {
        Self { format, length: 0, head: hash(&[], header) }
    }

    /// Adds a public report, numbered and timed as a spectator got it.
    pub fn add(&mut self, report: &Report) {
        let report = self.format.report(report);
        // A faster canonical form, needed on every move: a `Value` keeps its names in order, and our names and numbers
        // need no other rule. Debug builds, and so all tests, compare it with the full one.
        let canonical = serde_json::to_vec(&report).unwrap_or_default();
        debug_assert!(serde_json_canonicalizer::to_vec(&report).is_ok_and(|again| again == canonical));
        self.extend(Sha256::new().chain_update(self.head).chain_update(canonical).finalize().into());
    }

    /// Adds a report as a record shows it, from any author.
    pub(crate) fn add_json(&mut self, report: &Value) {
        self.extend(hash(&self.head, report));
    }

    const fn extend(&mut self, head: [u8; 32]) {
        self.head = head;
        self.length += 1;
    }

    /// The signed message: "broadside record " and the format's number, the length as four bytes, big endian, and the
    /// last link.
    #[must_use]
    pub fn message(&self) -> Vec<u8> {
        [self.format.domain().as_bytes(), &self.length.to_be_bytes(), &self.head].concat()
    }
}

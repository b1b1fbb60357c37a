//! The verifiable chance of a match: a secret seed whose hash is published before the match begins, mixed with a nonce
//! of each seat. Once the seed is published, anybody can repeat the draws.
//!
//! Version 1:
//! - commitment = SHA-256(seed);
//! - key = SHA-256("broadside chance 1" ‖ seed ‖ for each seat, in order: the length of its nonce in one byte ‖ its
//!   nonce);
//! - draw number n of a purpose = SHA-256(key ‖ purpose ‖ n as four bytes, big endian); its first eight bytes, big
//!   endian, are x;
//! - a draw from 0 to k − 1 is ⌊x · k / 2⁶⁴⌋ (uneven by less than k / 2⁶⁴).
//!
//! The purpose is "opening" for draws before the first deployment, and "battle" afterwards; each counts from 0. Dice
//! ([`crate::Dice`]) are separate: they place ships and pick examples, which nobody has to verify.
use alloc::string::String;
use core::fmt;

use sha2::{Digest, Sha256};

/// A text that a player adds to the chance of a match: 1 to 64 printable ASCII characters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Nonce(String);

impl Nonce {
    /// The longest nonce, in characters.
    pub const MOST: usize = 64;

    /// The nonce, or `None` when it is empty, too long, or not printable ASCII.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let fits = (1..=Self::MOST).contains(&text.len()) && text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        fits.then(|| Self(text.into()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The source of chance: a secret until the match has ended.
#[derive(Clone)]
pub struct Chance {
    key: [u8; 32],
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance(…)")
    }
}

impl Chance {
    /// Chance from the server's seed and the players' nonces, by seat; a missing nonce counts with length 0.
    #[must_use]
    pub fn new(seed: &[u8; 32], nonces: &[Option<Nonce>]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"broadside chance 1");
        hash.update(seed);
        for nonce in nonces {
            let text = nonce.as_ref().map_or("", Nonce::as_str);
            hash.update([text.len() as u8]);
            hash.update(text.as_bytes());
        }
        Self { key: hash.finalize().into() }
    }

    /// The hash of the seed that is published before the match begins.
    #[must_use]
    pub fn commitment(seed: &[u8; 32]) -> [u8; 32] {
        Sha256::digest(seed).into()
    }

    fn draw(&self, purpose: &str, n: u32, below: u32) -> u32 {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update(purpose.as_bytes());
        hash.update(n.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let first = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        ((u128::from(first) * u128::from(below)) >> 64) as u32
    }
}

/// Draws of one purpose, counted.
pub struct Draws<'a> {
    chance: &'a Chance,
    purpose: &'static str,
    next: u32,
}

impl<'a> Draws<'a> {
    pub(crate) const fn opening(chance: &'a Chance) -> Self {
        Self { chance, purpose: "opening", next: 0 }
    }

    pub(crate) const fn battle(chance: &'a Chance, next: u32) -> Self {
        Self { chance, purpose: "battle", next }
    }

    /// The number of the next draw.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.next
    }

    /// A number from 0 to `n` − 1; advances the count.
    pub fn below(&mut self, n: u32) -> u32 {
        let drawn = self.chance.draw(self.purpose, self.next, n);
        self.next += 1;
        drawn
    }

    /// Shuffles the items (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u32 + 1) as usize;
            items.swap(last, chosen);
        }
    }
}

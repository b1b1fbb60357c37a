//! Chance as an argument: ChaCha12 from the caller's seed. The n-th draw is a fixed function of the seed, so draws are
//! written out here; a library's may change with its version.
use rand::{Rng, SeedableRng};

/// Dice from 32 bytes of seed: the same seed always gives the same throws.
#[derive(Clone)]
pub struct Dice(rand_chacha::ChaCha12Rng);

impl Dice {
    /// Dice from this seed.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(rand_chacha::ChaCha12Rng::from_seed(seed))
    }

    /// A number from 0 to `n` − 1, uniformly; 0 when `n` is 0. Draws 32 bits, and again when they fall into the uneven
    /// rest (2^32 mod `n`).
    pub fn below(&mut self, n: u32) -> u32 {
        if n < 2 {
            return 0;
        }
        let rest = (u32::MAX % n + 1) % n;
        loop {
            let draw = self.0.next_u32();
            if draw <= u32::MAX - rest {
                return draw % n;
            }
        }
    }

    /// 32 random bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// An index below the length; 0 when that is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).unwrap_or(u32::MAX)) as usize
    }

    /// One of the items, or `None` when there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.index(items.len());
        items.get(index)
    }

    /// Shuffles the items (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.index(last + 1);
            items.swap(last, chosen);
        }
    }
}

//! Chance as an argument: the same seed gives the same draws.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) struct Luck(ChaCha8Rng);

impl Luck {
    pub(crate) fn new(seed: u64, version: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&version.to_le_bytes());
        Self(ChaCha8Rng::from_seed(bytes))
    }

    /// From 0 to just below 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / (1_u32 << 24) as f32
    }

    /// From 0 to `n` − 1; 0 when `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(items.len());
        items.get(index)
    }

    /// Shuffles the items (Fisher and Yates, from the end).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last + 1);
            items.swap(last, chosen);
        }
    }

    /// An index by weight; `None` if all weights are 0.
    pub(crate) fn weighted(&mut self, weights: &[f32]) -> Option<usize> {
        let sum: f32 = weights.iter().sum();
        let mut drawn = self.unit() * sum;
        let last = weights.iter().rposition(|weight| *weight > 0.0)?;
        for (index, weight) in weights.iter().enumerate() {
            drawn -= weight;
            if drawn < 0.0 {
                return Some(index.min(last));
            }
        }
        Some(last)
    }
}

//! The running hash of a match's log: a missing, exchanged or changed entry breaks every later hash.

use sha2::{Digest, Sha256};

/// The first bytes of SHA-256 over the previous hash and the entry; initially, over the match's chance seed. It guards
/// against accidents, so half of the hash is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogChain([u8; Self::LENGTH]);

impl LogChain {
    /// In bytes.
    pub const LENGTH: usize = 16;

    pub fn new(chance_seed: &[u8; 32]) -> Self {
        Self::of(Sha256::digest(chance_seed).into())
    }

    #[must_use]
    pub fn with(self, entry: &[u8]) -> Self {
        Self::of(Sha256::new().chain_update(self.0).chain_update(entry).finalize().into())
    }

    fn of(hash: [u8; 32]) -> Self {
        let mut own = [0; Self::LENGTH];
        own.iter_mut().zip(hash).for_each(|(own, byte)| *own = byte);
        Self(own)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq<[u8]> for LogChain {
    fn eq(&self, stored: &[u8]) -> bool {
        self.0 == *stored
    }
}

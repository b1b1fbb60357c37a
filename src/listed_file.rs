//! A file in a manifest: its length and hash, for checking that a copy is complete.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A file in a manifest.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct ListedFile {
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

impl ListedFile {
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut digest = Sha256::new();
        let bytes = io::copy(&mut File::open(path)?, &mut Hashing(&mut digest))?;
        Ok(Self { bytes, sha256: digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect() })
    }
}

/// Writes into a hash.
struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

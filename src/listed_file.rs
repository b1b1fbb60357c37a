//! A file in a manifest: its length and its hash, by which whoever gets a copy finds out whether it is whole.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A file, as a manifest lists it.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct ListedFile {
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl ListedFile {
    /// Reads the file.
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

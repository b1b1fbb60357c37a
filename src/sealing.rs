//! Sealing of secrets that must be stored in a usable form. With an operator's key they are sealed (ChaCha20-Poly1305),
//! each bound to its owner, so that a copy of the database alone is worthless; otherwise they are stored in plain, like
//! the signing keys.

use std::fmt;
use std::str::FromStr;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// The first byte of a stored secret: plain, or sealed.
const PLAIN: u8 = 0;
const SEALED: u8 = 1;
/// The length of a nonce, in bytes.
pub const NONCE: usize = 12;

/// The operator's key, derived from a text of 32 characters or more. Its `Debug` prints no bytes.
#[derive(Clone)]
pub struct SealingKey([u8; 32]);

impl FromStr for SealingKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() < 32 {
            return Err("must have 32 characters at least, such as `openssl rand -base64 32` gives".to_owned());
        }
        Ok(Self(Sha256::new_with_prefix(b"broadside sealing key 1").chain_update(text).finalize().into()))
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey")
    }
}

/// The stored form of a secret of `owner`.
pub fn seal(secret: &[u8], owner: &[u8], key: Option<&SealingKey>, nonce: [u8; NONCE]) -> Result<Vec<u8>> {
    let Some(key) = key else { return Ok([&[PLAIN], secret].concat()) };
    let payload = Payload { msg: secret, aad: owner };
    let sealed = ChaCha20Poly1305::new(&key.0.into()).encrypt(&Nonce::from(nonce), payload);
    let sealed = sealed.map_err(|_| Error::internal("a secret could not be sealed"))?;
    Ok([&[SEALED], nonce.as_slice(), &sealed].concat())
}

/// Reads a stored secret; `None` if it can't be opened with this key, or has another owner.
pub fn open(stored: &[u8], owner: &[u8], key: Option<&SealingKey>) -> Option<Vec<u8>> {
    let (form, rest) = stored.split_first()?;
    match *form {
        PLAIN => Some(rest.to_vec()),
        SEALED => {
            let (nonce, msg) = rest.split_first_chunk::<NONCE>()?;
            let payload = Payload { msg, aad: owner };
            ChaCha20Poly1305::new(&key?.0.into()).decrypt(&Nonce::from(*nonce), payload).ok()
        }
        _ => None,
    }
}

//! Ed25519 keys: creation, naming, and their form in a key set. Used by [`crate::accounts`] for access tokens and by
//! [`crate::matches`] for records. A key serves only one of them; each of the two decides on storage and retention of
//! its keys.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::SigningKey;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// A signing key as stored. (No `Debug`, so that a seed can't be printed by accident.)
pub struct StoredKey {
    /// The RFC 7638 thumbprint.
    pub kid: String,
    /// The 32 secret bytes.
    pub seed: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicKey {
    /// The RFC 7638 thumbprint.
    pub kid: String,
    /// The 32 public bytes in base64url.
    pub x: String,
}

impl StoredKey {
    /// The key from these 32 random bytes.
    pub fn of(seed: [u8; 32]) -> Self {
        let kid = thumbprint(&SigningKey::from_bytes(&seed).verifying_key().to_bytes());
        Self { kid, seed: seed.to_vec() }
    }

    pub fn secret(&self) -> Result<SigningKey> {
        let seed = <[u8; 32]>::try_from(self.seed.as_slice());
        let seed = seed.map_err(|_| Error::internal("a signing key has not 32 bytes"))?;
        Ok(SigningKey::from_bytes(&seed))
    }

    pub fn public(&self) -> Result<PublicKey> {
        let public = self.secret()?.verifying_key().to_bytes();
        Ok(PublicKey { kid: self.kid.clone(), x: URL_SAFE_NO_PAD.encode(public) })
    }
}

/// The thumbprint of a public key's JWK (RFC 7638).
pub fn thumbprint(public: &[u8; 32]) -> String {
    let x = URL_SAFE_NO_PAD.encode(public);
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(jwk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_named_by_its_thumbprint() {
        // RFC 8037, appendix A.1 to A.3.
        let x = URL_SAFE_NO_PAD.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
        assert_eq!(thumbprint(&x.try_into().unwrap()), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let key = StoredKey::of([1; 32]);
        assert_eq!(key.kid.len(), 43);
        assert_ne!(key.kid, StoredKey::of([2; 32]).kid);
    }
}

//! Ed25519 keys: how one is made, named, and written in a key set. Used by [`crate::accounts`] for access tokens and by
//! [`crate::matches`] for records; a key serves one of them, and where each keeps its keys, and for how long, is theirs
//! to say.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::SigningKey;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// A signing key as the store holds it. (It has no `Debug`: a seed can't be printed by accident.)
pub struct StoredKey {
    /// Its name: the RFC 7638 thumbprint.
    pub kid: String,
    /// The 32 secret bytes.
    pub seed: Vec<u8>,
}

/// The public half of a signing key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicKey {
    /// Its name.
    pub kid: String,
    /// The 32 public bytes in base64url.
    pub x: String,
}

impl StoredKey {
    /// The key of these 32 random bytes.
    pub fn of(seed: [u8; 32]) -> Self {
        let kid = thumbprint(&SigningKey::from_bytes(&seed).verifying_key().to_bytes());
        Self { kid, seed: seed.to_vec() }
    }

    /// The key itself.
    pub fn secret(&self) -> Result<SigningKey> {
        let seed = <[u8; 32]>::try_from(self.seed.as_slice());
        let seed = seed.map_err(|_| Error::internal("a signing key has not 32 bytes"))?;
        Ok(SigningKey::from_bytes(&seed))
    }

    /// Its public half.
    pub fn public(&self) -> Result<PublicKey> {
        let public = self.secret()?.verifying_key().to_bytes();
        Ok(PublicKey { kid: self.kid.clone(), x: URL_SAFE_NO_PAD.encode(public) })
    }
}

/// The name of a public key: the thumbprint of its JWK (RFC 7638).
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

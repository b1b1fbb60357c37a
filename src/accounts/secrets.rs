//! Secrets that the service makes and hands out once: refresh tokens (`brt_…`) and personal access tokens (`bst_…`),
//! 256 random bits each.
//!
//! The prefix tells people and secret scanners what they have found. Only the SHA-256 of a secret is stored: with so
//! much randomness in it nobody finds it from that, and a slow hash would protect nothing more.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// What a refresh token begins with.
pub const REFRESH_PREFIX: &str = "brt_";
/// What a personal access token begins with.
pub const PERSONAL_PREFIX: &str = "bst_";

/// A token's SHA-256.
pub type TokenHash = [u8; 32];

/// The hash under which a token is stored and remembered.
pub fn hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}

/// A new secret: `prefix` and 43 characters of base64url.
pub fn new(prefix: &str, random: [u8; 32]) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random))
}

/// A refresh token as a client sends it. It has no `Debug`: it can't be printed by accident.
pub struct RefreshToken {
    text: String,
    hashed: TokenHash,
}

impl RefreshToken {
    /// Its hash, by which it is found.
    pub fn hashed(&self) -> &TokenHash {
        &self.hashed
    }

    /// The token that follows it: HMAC-SHA256 of `salt`, with this token as the key. Whoever doesn't have this token
    /// can't compute it from what is stored, and whoever repeats a request gets it again.
    pub fn successor(&self, salt: &[u8]) -> Result<String> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(self.text.as_bytes()).map_err(Error::internal)?;
        mac.update(salt);
        Ok(new(REFRESH_PREFIX, mac.finalize().into_bytes().into()))
    }
}

impl FromStr for RefreshToken {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let secret = text.strip_prefix(REFRESH_PREFIX).filter(|secret| secret.len() == 43);
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match secret {
            Some(secret) if secret.bytes().all(allowed) => Ok(Self { text: text.to_owned(), hashed: hash(text) }),
            _ => Err("must be a refresh token: brt_ and 43 characters".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_refresh_token_is_read_back() {
        let token = new(REFRESH_PREFIX, [255; 32]);
        assert_eq!(token.len(), 47);
        assert_eq!(token.parse::<RefreshToken>().unwrap().hashed(), &hash(&token));
        assert_ne!(token, new(REFRESH_PREFIX, [254; 32]));
    }

    #[test]
    fn a_token_has_one_successor_for_each_salt() {
        let token = |random| new(REFRESH_PREFIX, [random; 32]).parse::<RefreshToken>().unwrap();
        let next = token(1).successor(&[7; 32]).unwrap();
        assert!(next.parse::<RefreshToken>().is_ok(), "{next}");
        assert_eq!(next, token(1).successor(&[7; 32]).unwrap());
        assert_ne!(next, token(1).successor(&[8; 32]).unwrap());
        assert_ne!(next, token(2).successor(&[7; 32]).unwrap());
    }

    #[test]
    fn other_things_are_no_refresh_tokens() {
        let personal = new(PERSONAL_PREFIX, [1; 32]);
        let long = format!("{}x", new(REFRESH_PREFIX, [1; 32]));
        for bad in ["", "brt_", "eyJ.eyJ.x", &personal, &long, &format!("brt_{}", "é".repeat(21) + "x")] {
            assert!(bad.parse::<RefreshToken>().is_err(), "{bad}");
        }
    }
}

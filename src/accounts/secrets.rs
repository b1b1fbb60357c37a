//! Secrets that the service issues once: refresh tokens (`brt_…`), personal access tokens (`bst_…`), and event-stream
//! tickets (`bet_…`), each with 192 random bits and a 64-bit checksum that only the service can compute.
//!
//! The prefix identifies a leaked token for people and secret scanners. The checksum lets a node reject invented tokens
//! without a look-up. Only the SHA-256 of a secret is stored: with 192 random bits it can't be inverted, and a slow
//! hash would add no protection.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

pub const REFRESH_PREFIX: &str = "brt_";
pub const PERSONAL_PREFIX: &str = "bst_";

pub const TICKET_PREFIX: &str = "bet_";

pub type TokenHash = [u8; 32];

/// The hash under which a token is stored and cached.
pub fn hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}

/// A new secret: `prefix` and 43 characters of base64url.
pub fn new(prefix: &str, random: [u8; 32]) -> String {
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random))
}

/// The number of random bytes of a token; the rest of its 32 bytes are the checksum.
const RANDOM_BYTES: usize = 24;

/// The number of random bytes that all refresh tokens of a session share.
const FAMILY_BYTES: usize = 12;

/// Makes and recognizes tokens: their checksum is the beginning of the HMAC-SHA256 of the prefix and the random bytes.
/// It has no `Debug`, so that its key can't be logged by accident.
pub struct TokenMaker {
    key: [u8; 32],
}

impl TokenMaker {
    /// Takes a checksum key of 32 bytes.
    pub fn with_key(key: &[u8]) -> Result<Self> {
        let key = key.try_into().map_err(|_| Error::internal("the key of the checksums of tokens has not 32 bytes"))?;
        Ok(Self { key })
    }

    /// A token with this prefix, from the first 24 of these random bytes.
    pub fn make(&self, prefix: &str, mut random: [u8; 32]) -> Result<String> {
        let (secret, checksum) = random.split_at_mut(RANDOM_BYTES);
        let mac = self.mac(prefix, secret)?.finalize().into_bytes();
        checksum.copy_from_slice(&mac[..checksum.len()]);
        Ok(new(prefix, random))
    }

    pub fn has_made(&self, prefix: &str, token: &str) -> bool {
        let bytes = token.strip_prefix(prefix).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let Some((secret, checksum)) = bytes.as_deref().and_then(|bytes| bytes.split_at_checked(RANDOM_BYTES)) else {
            return false;
        };
        let is_whole = checksum.len() == 32 - RANDOM_BYTES;
        is_whole && self.mac(prefix, secret).is_ok_and(|mac| mac.verify_truncated_left(checksum).is_ok())
    }

    /// A keyed hash of a text that must not be stored: equal for equal texts, and impossible to test guesses against
    /// without the key.
    pub fn mark(&self, prefix: &str, text: &str) -> Result<Vec<u8>> {
        Ok(self.mac(prefix, text.as_bytes())?.finalize().into_bytes().to_vec())
    }

    fn mac(&self, prefix: &str, secret: &[u8]) -> Result<Hmac<Sha256>> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.key).map_err(Error::internal)?;
        mac.update(prefix.as_bytes());
        mac.update(secret);
        Ok(mac)
    }
}

/// True if a token, issued or invented, has this prefix and 43 characters of base64url.
pub fn is_well_formed(prefix: &str, token: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    token.strip_prefix(prefix).is_some_and(|secret| secret.len() == 43 && secret.bytes().all(allowed))
}

/// A refresh token from a client. It has no `Debug`, so that it can't be logged by accident.
pub struct RefreshToken {
    text: String,
    hashed: TokenHash,
}

impl RefreshToken {
    pub fn hashed(&self) -> &TokenHash {
        &self.hashed
    }

    pub fn is_made_by(&self, maker: &TokenMaker) -> bool {
        maker.has_made(REFRESH_PREFIX, &self.text)
    }

    /// The SHA-256 of the part shared by all tokens of its session.
    pub fn family(&self) -> TokenHash {
        Sha256::digest(self.family_bytes()).into()
    }

    fn family_bytes(&self) -> [u8; FAMILY_BYTES] {
        let bytes = self.text.strip_prefix(REFRESH_PREFIX).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        bytes.and_then(|bytes| bytes.first_chunk().copied()).unwrap_or_default()
    }

    /// The next token: the part shared by the session's tokens, and the HMAC-SHA256 of `salt` with this token as the
    /// key. It can't be computed from stored data without this token, and a repeated request gets the same one.
    pub fn successor(&self, maker: &TokenMaker, salt: &[u8]) -> Result<String> {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(self.text.as_bytes()).map_err(Error::internal)?;
        mac.update(salt);
        let mut random: [u8; 32] = mac.finalize().into_bytes().into();
        random[..FAMILY_BYTES].copy_from_slice(&self.family_bytes());
        maker.make(REFRESH_PREFIX, random)
    }
}

impl FromStr for RefreshToken {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if is_well_formed(REFRESH_PREFIX, text) {
            Ok(Self { text: text.to_owned(), hashed: hash(text) })
        } else {
            Err("must be a refresh token: brt_ and 43 characters".to_owned())
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
        let maker = TokenMaker::with_key(&[9; 32]).unwrap();
        let next = token(1).successor(&maker, &[7; 32]).unwrap();
        assert!(next.parse::<RefreshToken>().unwrap().is_made_by(&maker), "{next}");
        assert_eq!(next, token(1).successor(&maker, &[7; 32]).unwrap());
        assert_ne!(next, token(1).successor(&maker, &[8; 32]).unwrap());
        assert_ne!(next, token(2).successor(&maker, &[7; 32]).unwrap());
        let family = |token: &str| token.parse::<RefreshToken>().unwrap().family();
        assert_eq!(family(&next), token(1).family());
        assert_ne!(family(&next), token(2).family());
    }

    #[test]
    fn a_maker_recognises_its_tokens_and_nothing_else() {
        let maker = TokenMaker::with_key(&[9; 32]).unwrap();
        let token = maker.make(PERSONAL_PREFIX, [5; 32]).unwrap();
        assert!(is_well_formed(PERSONAL_PREFIX, &token) && maker.has_made(PERSONAL_PREFIX, &token));
        assert_ne!(token, maker.make(PERSONAL_PREFIX, [6; 32]).unwrap());
        assert!(!TokenMaker::with_key(&[8; 32]).unwrap().has_made(PERSONAL_PREFIX, &token));
        assert!(!maker.has_made(REFRESH_PREFIX, &token.replace(PERSONAL_PREFIX, REFRESH_PREFIX)));
        for at in PERSONAL_PREFIX.len()..token.len() {
            let other = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
            let mut changed = token.clone();
            changed.replace_range(at..=at, other);
            assert!(!maker.has_made(PERSONAL_PREFIX, &changed), "{changed}");
        }
        for bad in ["", "bst_", &new(PERSONAL_PREFIX, [5; 32]), &token[..46], &format!("{token}A")] {
            assert!(!maker.has_made(PERSONAL_PREFIX, bad), "{bad}");
        }
        assert!(TokenMaker::with_key(&[9; 31]).is_err());
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

//! The secrets of webhooks: created, stored, and used to sign (Standard Webhooks: `whsec_`, `webhook-signature: v1,…`).
//!
//! A secret must be stored in a form that can sign. With an operator's key it is sealed (ChaCha20-Poly1305, bound to
//! its webhook), so that a copy of the database alone can't sign; otherwise it is stored in plain, like the signing
//! keys.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::error::{Error, Result};
use crate::ids::WebhookId;
use crate::sealing::{self, NONCE, SealingKey};

pub const PREFIX: &str = "whsec_";

/// The secret of a webhook. (No `Debug`, so that it can't be printed by accident.)
pub struct Secret([u8; 32]);

impl Secret {
    pub fn of(random: [u8; 32]) -> Self {
        Self(random)
    }

    /// The text shown once to its owner.
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    pub fn signature(&self, id: &str, timestamp_s: i64, body: &str) -> Result<String> {
        signature(&self.0, id, timestamp_s, body)
    }
}

/// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
fn signature(key: &[u8], id: &str, timestamp_s: i64, body: &str) -> Result<String> {
    let mut mac =
        <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).map_err(|_| Error::internal("a key of no length"))?;
    for part in [id, ".", &timestamp_s.to_string(), ".", body] {
        mac.update(part.as_bytes());
    }
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// The stored form of a secret.
pub fn seal(secret: &Secret, webhook: WebhookId, key: Option<&SealingKey>, nonce: [u8; NONCE]) -> Result<Vec<u8>> {
    sealing::seal(&secret.0, webhook.0.as_bytes(), key, nonce)
}

/// Reads a stored secret; `None` if it can't be opened with this key.
pub fn open(stored: &[u8], webhook: WebhookId, key: Option<&SealingKey>) -> Option<Secret> {
    sealing::open(stored, webhook.0.as_bytes(), key)?.try_into().ok().map(Secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_example_of_the_specification_comes_out() {
        // The test vector of the Standard Webhooks reference libraries.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}").unwrap();
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_shown_with_its_prefix() {
        let text = Secret::of([7; 32]).text();
        assert_eq!(STANDARD.decode(text.strip_prefix("whsec_").unwrap()).unwrap(), [7; 32]);
    }

    #[test]
    fn what_is_sealed_opens_with_its_key_and_for_its_webhook_alone() {
        let (one, two) = (WebhookId(Uuid::from_u128(1)), WebhookId(Uuid::from_u128(2)));
        let key: SealingKey = "0123456789abcdef0123456789abcdef".parse().unwrap();
        let other: SealingKey = "x123456789abcdef0123456789abcdef".parse().unwrap();
        let sealed = seal(&Secret::of([7; 32]), one, Some(&key), [3; 12]).unwrap();
        assert!(!sealed.windows(8).any(|bytes| bytes == [7; 8]));
        assert_eq!(open(&sealed, one, Some(&key)).unwrap().0, [7; 32]);
        assert!(open(&sealed, two, Some(&key)).is_none());
        assert!(open(&sealed, one, Some(&other)).is_none());
        assert!(open(&sealed, one, None).is_none());
        let mut torn = sealed.clone();
        torn[20] ^= 1;
        assert!(
            open(&torn, one, Some(&key)).is_none()
                && open(&[], one, None).is_none()
                && open(&[9, 9], one, None).is_none()
        );
        // Secrets stored before there was a key remain valid.
        let plain = seal(&Secret::of([7; 32]), one, None, [3; 12]).unwrap();
        assert_eq!(open(&plain, one, Some(&key)).unwrap().0, [7; 32]);
        assert!("short".parse::<SealingKey>().is_err());
    }
}

//! The service's key for push services (VAPID, RFC 8292): ECDSA on P-256, one for all nodes, created at the first start
//! and never replaced, because browsers' subscriptions are bound to it.
//!
//! It is stored in the database like the other signing keys, and sealed if the operator has set a sealing key.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside_rules::Time;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::Serialize;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint;
use web_push_native::p256::pkcs8::EncodePrivateKey;

use super::store;
use crate::contact::Contact;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::notifications::webhooks::target::Target;
use crate::sealing::{self, SealingKey};

/// Validity of a token, in seconds: 12 of the allowed 24 hours.
const TOKEN_S: i64 = 12 * 60 * 60;
/// The context to which the sealed key is bound.
const OWNER: &[u8] = b"broadside: the key of Web Push";

/// The service's key pair. (No `Debug`, so that it can't be printed by accident.)
pub struct VapidKey {
    signing: EncodingKey,
    public: String,
}

/// The claims of a token.
#[derive(Serialize)]
struct Claims<'a> {
    aud: String,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<&'a str>,
}

impl VapidKey {
    /// Reads the key, and creates it if missing. `None` if it can't be opened with this sealing key, which is logged.
    pub async fn open(ctx: &Context, sealing_key: Option<&SealingKey>) -> Result<Option<Self>> {
        let (secret, public) = drawn(ctx);
        let sealed = sealing::seal(&secret.to_bytes(), OWNER, sealing_key, ctx.random())?;
        let mut tx = ctx.db.begin().await?;
        let (stored, public) = store::find_or_insert_key(&mut tx, sealed, public).await?;
        tx.commit().await?;
        let opened = sealing::open(&stored, OWNER, sealing_key).and_then(|bytes| SecretKey::from_slice(&bytes).ok());
        let Some(secret) = opened else {
            tracing::error!("the key of Web Push can't be opened: was the sealing key changed? There is no Web Push");
            return Ok(None);
        };
        let der = secret.to_pkcs8_der().map_err(Error::internal)?;
        let signing = EncodingKey::from_ec_der(der.as_bytes());
        Ok(Some(Self { signing, public: URL_SAFE_NO_PAD.encode(public) }))
    }

    /// The public half: an uncompressed point, in base64url.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The `Authorization` header of a message to this push service.
    pub fn authorization(&self, target: &Target, subject: Option<&str>, now: Time) -> Result<String> {
        let exp = now.0.div_euclid(1000) + TOKEN_S;
        let claims = Claims { aud: target.url().origin().ascii_serialization(), exp, sub: subject };
        let token = jsonwebtoken::encode(&Header::new(Algorithm::ES256), &claims, &self.signing);
        let token = token.map_err(Error::internal)?;
        Ok(format!("vapid t={token}, k={}", self.public))
    }
}

fn drawn(ctx: &Context) -> (SecretKey, Vec<u8>) {
    loop {
        // All but one of 2^32 numbers of 256 bits are keys.
        if let Ok(secret) = SecretKey::from_slice(&ctx.random::<32>()) {
            let public = secret.public_key().to_encoded_point(false).as_bytes().to_vec();
            return (secret, public);
        }
    }
}

/// The contact for push services' questions: the operator, or else the service itself. Some services require one, and
/// accept mail addresses and https pages.
pub fn subject(contact: Option<&Contact>, public_url: &str) -> Option<String> {
    let page = |url: &str| url.starts_with("https://").then(|| url.to_owned());
    match contact {
        Some(Contact::Mail(address)) => Some(format!("mailto:{address}")),
        Some(Contact::Page(url)) => page(url).or_else(|| page(public_url)),
        None => page(public_url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_service_is_told_whom_to_ask() {
        let told = |contact: &str| subject(Some(&contact.parse().unwrap()), "https://club.example");
        assert_eq!(told("help@club.example").unwrap(), "mailto:help@club.example");
        assert_eq!(told("https://club.example/help").unwrap(), "https://club.example/help");
        assert_eq!(told("http://club.example/help").unwrap(), "https://club.example");
        assert_eq!(subject(None, "http://127.0.0.1:8080"), None);
    }
}

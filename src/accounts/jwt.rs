//! Access tokens: JWTs (RFC 7519) signed only with Ed25519 (EdDSA, RFC 8037), following RFC 8725.
//!
//! Pure: keys and the time are arguments. [`super::keys`] loads the keys; [`super::authentication`] checks that a
//! token's session is live.

use broadside_rules::Time;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::oauth::apps::AppGrant;
use super::oauth::request::listed;
use crate::error::{Error, Result};
use crate::ids::{AccountId, SessionId};
use crate::keys::{PublicKey, StoredKey};

/// Lifetime of an access token, in seconds.
pub const ACCESS_TOKEN_S: u32 = 15 * 60;
/// The `iss` and the `aud` of the tokens.
const ISSUER: &str = "broadside";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claims {
    pub account: AccountId,
    pub session: SessionId,
    pub expires_at: Time,
}

/// The claims on the wire; times in whole seconds since 1970.
#[derive(Serialize, Deserialize)]
struct WireClaims {
    iss: String,
    aud: String,
    sub: Uuid,
    sid: Uuid,
    iat: i64,
    exp: i64,
    /// The acting app (RFC 9068), if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// The app's scopes. Informative only: the current grant is looked up, because it may have been revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

/// The internal reason of a refusal; callers get the same answer for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenError {
    /// Another node may have created a key meanwhile.
    UnknownKey,
    /// Not a JSON Web Token.
    Malformed,
    /// The signature or the contents are not ours.
    Invalid,
    Expired,
}

struct TokenKey {
    public: PublicKey,
    signing: EncodingKey,
    verifying: DecodingKey,
}

/// The keys valid at one time, newest first.
pub struct KeyRing(Vec<TokenKey>);

impl KeyRing {
    /// The ring of `stored` keys, newest first.
    pub(super) fn of(stored: &[StoredKey]) -> Result<Self> {
        stored.iter().map(TokenKey::of).collect::<Result<_>>().map(KeyRing)
    }

    /// An access token, signed with the newest key.
    pub fn sign(&self, account: AccountId, session: SessionId, now: Time) -> Result<String> {
        self.sign_for(account, session, None, now)
    }

    /// An access token for an app that acts for the account, or for the account itself.
    pub fn sign_for(
        &self,
        account: AccountId,
        session: SessionId,
        app: Option<&AppGrant>,
        now: Time,
    ) -> Result<String> {
        let key = self.0.first().ok_or_else(|| Error::internal("there is no signing key"))?;
        let iat = now.0.div_euclid(1000);
        let claims = WireClaims {
            iss: ISSUER.to_owned(),
            aud: ISSUER.to_owned(),
            sub: account.0,
            sid: session.0,
            iat,
            exp: iat + i64::from(ACCESS_TOKEN_S),
            client_id: app.map(|app| app.client_id.clone()),
            scope: app.map(|app| listed(&app.scopes)),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(key.public.kid.clone());
        jsonwebtoken::encode(&header, &claims, &key.signing).map_err(Error::internal)
    }

    /// The claims of an unexpired token signed by one of these keys.
    pub(super) fn verify(&self, token: &str, now: Time) -> Result<Claims, TokenError> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Malformed)?;
        let kid = header.kid.ok_or(TokenError::Invalid)?;
        let known = self.0.iter().find(|key| key.public.kid == kid);
        let key = known.ok_or(TokenError::UnknownKey)?;
        let claims = jsonwebtoken::decode::<WireClaims>(token, &key.verifying, &validation());
        let claims = claims.map_err(|_| TokenError::Invalid)?.claims;
        let expires_at = Time(claims.exp.saturating_mul(1000));
        if expires_at <= now {
            return Err(TokenError::Expired);
        }
        Ok(Claims { account: AccountId(claims.sub), session: SessionId(claims.sid), expires_at })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn public(&self) -> Vec<PublicKey> {
        self.0.iter().map(|key| key.public.clone()).collect()
    }
}

impl TokenKey {
    fn of(stored: &StoredKey) -> Result<Self> {
        let secret = stored.secret()?;
        let der = secret.to_pkcs8_der().map_err(|_| Error::internal("a signing key can't be encoded"))?;
        Ok(Self {
            public: stored.public()?,
            signing: EncodingKey::from_ed_der(der.as_bytes()),
            verifying: DecodingKey::from_ed_der(&secret.verifying_key().to_bytes()),
        })
    }
}

/// One algorithm, one issuer, one audience, all claims required. Expiry is checked by the caller: the library would use
/// the machine's clock instead of the service's.
fn validation() -> Validation {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[ISSUER]);
    validation.validate_exp = false;
    validation
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ed25519_dalek::SigningKey;
    use serde_json::{Value, json};

    const NOW: Time = Time(1_790_000_000_123);

    fn ids() -> (AccountId, SessionId) {
        (AccountId(Uuid::from_u128(1)), SessionId(Uuid::from_u128(2)))
    }

    fn ring(keys: &[&StoredKey]) -> KeyRing {
        KeyRing(keys.iter().map(|key| TokenKey::of(key).unwrap()).collect())
    }

    /// A token with any header and claims, signed with `key`'s secret.
    fn token(key: &StoredKey, header: &Value, claims: &Value) -> String {
        use ed25519_dalek::Signer;
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let seed = <[u8; 32]>::try_from(key.seed.as_slice()).unwrap();
        let signature = SigningKey::from_bytes(&seed).sign(message.as_bytes());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    fn claims() -> Value {
        let (account, session) = ids();
        json!({"iss": "broadside", "aud": "broadside", "sub": account, "sid": session,
               "iat": 1_790_000_000, "exp": 1_790_000_900})
    }

    #[test]
    fn a_token_is_good_for_fifteen_minutes_of_the_given_clock() {
        let key = StoredKey::of(crate::context::random());
        let ring = ring(&[&key]);
        let (account, session) = ids();
        let token = ring.sign(account, session, NOW).unwrap();
        let said = ring.verify(&token, NOW).unwrap();
        assert_eq!((said.account, said.session), (account, session));
        // Whole seconds, so never longer than 900 s, and at most 1 s less.
        assert_eq!(said.expires_at, Time(1_790_000_900_000));
        assert!(ring.verify(&token, Time(1_790_000_899_999)).is_ok());
        assert_eq!(ring.verify(&token, Time(1_790_000_900_000)), Err(TokenError::Expired));
        // The machine's clock is irrelevant: the same holds long ago and far ahead.
        let old = ring.sign(account, session, Time(1_000_000)).unwrap();
        assert!(ring.verify(&old, Time(1_000_000)).is_ok());
        assert_eq!(ring.verify(&old, NOW), Err(TokenError::Expired));
    }

    #[test]
    fn the_hand_made_token_of_these_tests_is_good() {
        let key = StoredKey::of(crate::context::random());
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": key.kid});
        assert!(ring(&[&key]).verify(&token(&key, &header, &claims()), NOW).is_ok());
    }

    #[test]
    fn every_claim_must_be_there_and_ours() {
        let key = StoredKey::of(crate::context::random());
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": key.kid});
        for missing in ["iss", "aud", "sub", "sid", "iat", "exp"] {
            let mut claims = claims();
            claims.as_object_mut().unwrap().remove(missing);
            let token = token(&key, &header, &claims);
            assert_eq!(ring(&[&key]).verify(&token, NOW), Err(TokenError::Invalid), "without {missing}");
        }
        for (name, value) in
            [("iss", json!("other")), ("aud", json!("other")), ("sub", json!("x")), ("exp", json!("9999999999"))]
        {
            let mut claims = claims();
            claims[name] = value;
            let token = token(&key, &header, &claims);
            assert_eq!(ring(&[&key]).verify(&token, NOW), Err(TokenError::Invalid), "wrong {name}");
        }
    }

    #[test]
    fn one_algorithm_is_accepted() {
        let key = StoredKey::of(crate::context::random());
        for alg in ["none", "HS256", "ES256", "RS256", "eddsa"] {
            let header = json!({"typ": "JWT", "alg": alg, "kid": key.kid});
            let token = token(&key, &header, &claims());
            let refused = ring(&[&key]).verify(&token, NOW);
            assert!(matches!(refused, Err(TokenError::Invalid | TokenError::Malformed)), "{alg}");
        }
        // The classic confusion: the public key taken for an HMAC secret.
        let x = TokenKey::of(&key).unwrap().public.x;
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(key.kid.clone());
        let secret = EncodingKey::from_secret(&URL_SAFE_NO_PAD.decode(x).unwrap());
        let forged = jsonwebtoken::encode(&header, &claims(), &secret).unwrap();
        assert_eq!(ring(&[&key]).verify(&forged, NOW), Err(TokenError::Invalid));
    }

    #[test]
    fn what_another_key_has_signed_is_refused() {
        let (ours, theirs) = (StoredKey::of(crate::context::random()), StoredKey::of(crate::context::random()));
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": ours.kid});
        assert_eq!(ring(&[&ours]).verify(&token(&theirs, &header, &claims()), NOW), Err(TokenError::Invalid));
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": theirs.kid});
        assert_eq!(ring(&[&ours]).verify(&token(&theirs, &header, &claims()), NOW), Err(TokenError::UnknownKey));
        let header = json!({"typ": "JWT", "alg": "EdDSA"});
        assert_eq!(ring(&[&ours]).verify(&token(&ours, &header, &claims()), NOW), Err(TokenError::Invalid));
    }

    #[test]
    fn the_newest_key_signs_and_the_older_ones_still_verify() {
        let (old, new) = (StoredKey::of(crate::context::random()), StoredKey::of(crate::context::random()));
        let (account, session) = ids();
        let signed_before = ring(&[&old]).sign(account, session, NOW).unwrap();
        let both = ring(&[&new, &old]);
        assert!(both.verify(&signed_before, NOW).is_ok());
        let signed_after = both.sign(account, session, NOW).unwrap();
        assert!(ring(&[&new]).verify(&signed_after, NOW).is_ok());
        assert_eq!(both.public().iter().map(|key| key.kid.as_str()).collect::<Vec<_>>(), [&new.kid, &old.kid]);
    }

    #[test]
    fn rubbish_is_refused() {
        let key = StoredKey::of(crate::context::random());
        let ring = ring(&[&key]);
        let (account, session) = ids();
        let good = ring.sign(account, session, NOW).unwrap();
        for bad in ["", ".", "..", "a.b.c", "….….…", &good[1..], &good[..good.len() - 2], &format!("{good}.x")] {
            assert!(ring.verify(bad, NOW).is_err(), "{bad}");
        }
    }
}

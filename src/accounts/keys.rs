//! The keys that sign access tokens, and the tokens themselves: JWTs (RFC 7519) signed with Ed25519 (EdDSA, RFC 8037) and nothing else.
//!
//! Every node signs with the newest key and accepts the others until an hour after they were superseded, so a key can be replaced while tokens
//! signed with the old one are about. Two nodes that start together on an empty database may make a key each: both are good, and the newest
//! signs. Whether a token's session still lives is not asked here but in [`super::identify`].

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside_rules::Time;
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::clock::Clock;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, SessionId};
use crate::store::{self, Conn, Db};

/// How long an access token is good, in seconds.
pub const ACCESS_S: u32 = 15 * 60;
/// How long a superseded key is still published and accepted, in seconds: longer than the tokens it signed last.
const OVERLAP_S: i64 = 60 * 60;
/// After how many seconds a node looks again which key is the newest. Shorter than the overlap by more than a token's life.
const REREAD_S: i64 = 5 * 60;
/// A key that nobody knows sends a node to the database at most this often, in milliseconds.
const MISS_EVERY_MS: i64 = 1000;

/// Who issues the tokens, and for whom.
const ISSUER: &str = "broadside";

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

/// What an access token says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claims {
    /// Whose it is.
    pub account: AccountId,
    /// The session it was made in.
    pub session: SessionId,
    /// When it stops being good.
    pub expires_at: Time,
}

/// The claims as they stand in the token; times in whole seconds since 1970.
#[derive(Serialize, Deserialize)]
struct Wire {
    iss: String,
    aud: String,
    sub: Uuid,
    sid: Uuid,
    iat: i64,
    exp: i64,
}

/// Why a token is refused; what is told to the caller is the same for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    /// Perhaps another node has made a key meanwhile.
    UnknownKey,
    /// Nothing can make it good.
    Bad,
}

struct Key {
    public: PublicKey,
    signing: EncodingKey,
    verifying: DecodingKey,
}

/// The keys that are good at one time, the newest first.
pub struct Ring(Vec<Key>);

impl Ring {
    /// The ring of `stored` keys, the newest first.
    fn of(stored: &[StoredKey]) -> Result<Self> {
        stored.iter().map(Key::of).collect::<Result<_>>().map(Ring)
    }

    /// An access token, signed with the newest key.
    pub fn sign(&self, account: AccountId, session: SessionId, now: Time) -> Result<String> {
        let key = self.0.first().ok_or_else(|| Error::internal("there is no signing key"))?;
        let iat = now.0.div_euclid(1000);
        let claims = Wire {
            iss: ISSUER.to_owned(),
            aud: ISSUER.to_owned(),
            sub: account.0,
            sid: session.0,
            iat,
            exp: iat + i64::from(ACCESS_S),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(key.public.kid.clone());
        jsonwebtoken::encode(&header, &claims, &key.signing).map_err(Error::internal)
    }

    fn verify(&self, token: &str, now: Time) -> Result<Claims, Refusal> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Refusal::Bad)?;
        let kid = header.kid.ok_or(Refusal::Bad)?;
        let known = self.0.iter().find(|key| key.public.kid == kid);
        let key = known.ok_or(Refusal::UnknownKey)?;
        let claims = jsonwebtoken::decode::<Wire>(token, &key.verifying, &validation());
        let claims = claims.map_err(|_| Refusal::Bad)?.claims;
        let expires_at = Time(claims.exp.saturating_mul(1000));
        if expires_at <= now {
            return Err(Refusal::Bad);
        }
        Ok(Claims { account: AccountId(claims.sub), session: SessionId(claims.sid), expires_at })
    }

    /// The public halves.
    pub fn public(&self) -> Vec<PublicKey> {
        self.0.iter().map(|key| key.public.clone()).collect()
    }
}

impl Key {
    fn of(stored: &StoredKey) -> Result<Self> {
        let seed = <[u8; 32]>::try_from(stored.seed.as_slice());
        let seed = seed.map_err(|_| Error::internal("a signing key has not 32 bytes"))?;
        let secret = SigningKey::from_bytes(&seed);
        let public = secret.verifying_key().to_bytes();
        let der = secret.to_pkcs8_der().map_err(|_| Error::internal("a signing key can't be encoded"))?;
        Ok(Self {
            public: PublicKey { kid: stored.kid.clone(), x: URL_SAFE_NO_PAD.encode(public) },
            signing: EncodingKey::from_ed_der(der.as_bytes()),
            verifying: DecodingKey::from_ed_der(&public),
        })
    }
}

/// One algorithm, one issuer, one audience, every claim there. The library would compare `exp` with the machine's clock; the service has one
/// clock of its own, so it compares by itself.
fn validation() -> Validation {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[ISSUER]);
    validation.validate_exp = false;
    validation
}

/// A new key from 32 random bytes; its name is the thumbprint of its public half (RFC 7638).
fn new_key() -> StoredKey {
    let seed: [u8; 32] = crate::app::random();
    let x = URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&seed).verifying_key().to_bytes());
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    StoredKey { kid: URL_SAFE_NO_PAD.encode(Sha256::digest(jwk)), seed: seed.to_vec() }
}

/// The keys of this node, read again from time to time.
pub struct Keys {
    state: RwLock<State>,
}

struct State {
    ring: Arc<Ring>,
    read_at: Time,
    missed_at: Option<Time>,
}

impl Keys {
    /// Reads the keys, and makes the first one if there is none.
    pub async fn open(db: &Db, clock: &Clock) -> Result<Self> {
        let now = clock.now();
        let mut conn = db.conn().await?;
        let mut ring = read(&mut conn, now).await?;
        drop(conn);
        if ring.0.is_empty() {
            let mut tx = db.begin().await?;
            store::signing_keys::insert(&mut tx, &new_key(), now).await?;
            tx.commit().await?;
            ring = read(&mut db.conn().await?, now).await?;
        }
        let state = State { ring: Arc::new(ring), read_at: now, missed_at: None };
        Ok(Self { state: RwLock::new(state) })
    }

    /// The keys, with the newest to sign with.
    pub async fn current(&self, conn: &mut Conn, now: Time) -> Result<Arc<Ring>> {
        let known = self.look(|state| (Arc::clone(&state.ring), state.read_at));
        let (ring, read_at) = known;
        if (0..REREAD_S * 1000).contains(&now.millis_since(read_at)) {
            return Ok(ring);
        }
        self.read_again(conn, now).await
    }

    /// The keys as the database has them at this moment.
    pub async fn read_again(&self, conn: &mut Conn, now: Time) -> Result<Arc<Ring>> {
        let ring = Arc::new(read(conn, now).await?);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.ring = Arc::clone(&ring);
        state.read_at = now;
        Ok(ring)
    }

    /// What a token says, if one of our keys has signed it and its time isn't over.
    pub async fn verify(&self, db: &Db, token: &str, now: Time) -> Result<Claims> {
        let refused = |_| Error::plain(&problem::TOKEN_REFUSED);
        let ring = self.look(|state| Arc::clone(&state.ring));
        match ring.verify(token, now) {
            Err(Refusal::UnknownKey) if self.may_ask_for_unknown(now) => {
                let ring = self.read_again(&mut db.conn().await?, now).await?;
                ring.verify(token, now).map_err(refused)
            }
            verified => verified.map_err(refused),
        }
    }

    /// Whether a key that nobody knows is worth a question: not again within a second, or anybody could keep the database busy.
    fn may_ask_for_unknown(&self, now: Time) -> bool {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let lately = |then: Time| (0..MISS_EVERY_MS).contains(&now.millis_since(then));
        let may = !state.missed_at.is_some_and(lately);
        if may {
            state.missed_at = Some(now);
        }
        may
    }

    fn look<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn read(conn: &mut Conn, now: Time) -> Result<Ring> {
    let superseded_after = now.plus_ms(-OVERLAP_S * 1000);
    Ring::of(&store::signing_keys::good(conn, superseded_after).await?)
}

/// Makes a new key, which signs from now on (on other nodes within five minutes). The keys before it stay good for tokens that they have signed,
/// for an hour; older ones are deleted. Returns the new key's name.
pub async fn rotate(db: &Db, clock: &Clock) -> Result<String> {
    let now = clock.now();
    let key = new_key();
    let mut tx = db.begin().await?;
    store::signing_keys::supersede_all(&mut tx, now).await?;
    store::signing_keys::insert(&mut tx, &key, now).await?;
    store::signing_keys::delete_superseded_before(&mut tx, now.plus_ms(-OVERLAP_S * 1000)).await?;
    tx.commit().await?;
    Ok(key.kid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const NOW: Time = Time(1_790_000_000_123);

    fn ids() -> (AccountId, SessionId) {
        (AccountId(Uuid::from_u128(1)), SessionId(Uuid::from_u128(2)))
    }

    fn ring(keys: &[&StoredKey]) -> Ring {
        Ring(keys.iter().map(|key| Key::of(key).unwrap()).collect())
    }

    /// A token of any header and claims, signed with `key`'s secret.
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
        let key = new_key();
        let ring = ring(&[&key]);
        let (account, session) = ids();
        let token = ring.sign(account, session, NOW).unwrap();
        let said = ring.verify(&token, NOW).unwrap();
        assert_eq!((said.account, said.session), (account, session));
        // Whole seconds, so never longer than 900 s, and at most 1 s less.
        assert_eq!(said.expires_at, Time(1_790_000_900_000));
        assert!(ring.verify(&token, Time(1_790_000_899_999)).is_ok());
        assert_eq!(ring.verify(&token, Time(1_790_000_900_000)), Err(Refusal::Bad));
        // The machine's clock plays no part: the same holds long ago and far ahead.
        let old = ring.sign(account, session, Time(1_000_000)).unwrap();
        assert!(ring.verify(&old, Time(1_000_000)).is_ok());
        assert_eq!(ring.verify(&old, NOW), Err(Refusal::Bad));
    }

    #[test]
    fn the_hand_made_token_of_these_tests_is_good() {
        let key = new_key();
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": key.kid});
        assert!(ring(&[&key]).verify(&token(&key, &header, &claims()), NOW).is_ok());
    }

    #[test]
    fn every_claim_must_be_there_and_ours() {
        let key = new_key();
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": key.kid});
        for missing in ["iss", "aud", "sub", "sid", "iat", "exp"] {
            let mut claims = claims();
            claims.as_object_mut().unwrap().remove(missing);
            let token = token(&key, &header, &claims);
            assert_eq!(ring(&[&key]).verify(&token, NOW), Err(Refusal::Bad), "without {missing}");
        }
        for (name, value) in
            [("iss", json!("other")), ("aud", json!("other")), ("sub", json!("x")), ("exp", json!("9999999999"))]
        {
            let mut claims = claims();
            claims[name] = value;
            let token = token(&key, &header, &claims);
            assert_eq!(ring(&[&key]).verify(&token, NOW), Err(Refusal::Bad), "wrong {name}");
        }
    }

    #[test]
    fn one_algorithm_is_accepted() {
        let key = new_key();
        for alg in ["none", "HS256", "ES256", "RS256", "eddsa"] {
            let header = json!({"typ": "JWT", "alg": alg, "kid": key.kid});
            let token = token(&key, &header, &claims());
            assert_eq!(ring(&[&key]).verify(&token, NOW), Err(Refusal::Bad), "{alg}");
        }
        // The classic confusion: the public key taken for an HMAC secret.
        let x = Key::of(&key).unwrap().public.x;
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(key.kid.clone());
        let secret = EncodingKey::from_secret(&URL_SAFE_NO_PAD.decode(x).unwrap());
        let forged = jsonwebtoken::encode(&header, &claims(), &secret).unwrap();
        assert_eq!(ring(&[&key]).verify(&forged, NOW), Err(Refusal::Bad));
    }

    #[test]
    fn what_another_key_has_signed_is_refused() {
        let (ours, theirs) = (new_key(), new_key());
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": ours.kid});
        assert_eq!(ring(&[&ours]).verify(&token(&theirs, &header, &claims()), NOW), Err(Refusal::Bad));
        let header = json!({"typ": "JWT", "alg": "EdDSA", "kid": theirs.kid});
        assert_eq!(ring(&[&ours]).verify(&token(&theirs, &header, &claims()), NOW), Err(Refusal::UnknownKey));
        let header = json!({"typ": "JWT", "alg": "EdDSA"});
        assert_eq!(ring(&[&ours]).verify(&token(&ours, &header, &claims()), NOW), Err(Refusal::Bad));
    }

    #[test]
    fn the_newest_key_signs_and_the_older_ones_still_verify() {
        let (old, new) = (new_key(), new_key());
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
        let key = new_key();
        let ring = ring(&[&key]);
        let (account, session) = ids();
        let good = ring.sign(account, session, NOW).unwrap();
        for bad in ["", ".", "..", "a.b.c", "….….…", &good[1..], &good[..good.len() - 2], &format!("{good}.x")] {
            assert!(ring.verify(bad, NOW).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_is_named_by_its_thumbprint() {
        // RFC 8037, appendix A.1 to A.3.
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let thumbprint = URL_SAFE_NO_PAD.encode(Sha256::digest(jwk));
        assert_eq!(thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        let key = new_key();
        assert_eq!(key.kid.len(), 43);
        assert_ne!(key.kid, new_key().kid);
    }
}

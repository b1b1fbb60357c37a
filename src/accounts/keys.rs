//! The keys that sign access tokens, shared by the nodes through the database.
//!
//! Every node signs with the newest key and accepts the others until an hour after they were superseded, so keys can be
//! replaced while old tokens are in use. Two nodes that start together on an empty database may each create a key: both
//! are valid, and the newest signs. [`super::jwt`] has the token format; [`crate::matches::keys`] has the separate keys
//! for match records.

use std::sync::{Arc, PoisonError, RwLock};

use broadside_rules::Time;

use super::jwt::{Claims, KeyRing, TokenError};
use crate::accounts::store;
use crate::clock::Clock;
use crate::db::{Conn, Db};
use crate::error::{Error, Result, problem};
use crate::keys::StoredKey;

/// The time for which a superseded key is still published and accepted, in seconds: longer than its last tokens live.
const OVERLAP_S: i64 = 60 * 60;
/// The interval at which a node checks for a newer key, in seconds. Shorter than the overlap by more than a token's
/// lifetime.
const REREAD_S: i64 = 5 * 60;
/// The minimum time between database look-ups of unknown keys, in milliseconds.
const MISS_EVERY_MS: i64 = 1000;

/// The keys of this node, refreshed periodically.
pub struct TokenKeys {
    state: RwLock<KnownKeys>,
}

struct KnownKeys {
    ring: Arc<KeyRing>,
    read_at: Time,
    missed_at: Option<Time>,
}

impl TokenKeys {
    /// Loads the keys, and creates the first one if there is none.
    pub async fn open(db: &Db, clock: &Clock) -> Result<Self> {
        let now = clock.now();
        let mut conn = db.conn().await?;
        let mut ring = read(&mut conn, now).await?;
        drop(conn);
        if ring.is_empty() {
            let mut tx = db.begin().await?;
            store::signing_keys::insert(&mut tx, &StoredKey::of(crate::context::random()), now).await?;
            tx.commit().await?;
            ring = read(&mut db.conn().await?, now).await?;
        }
        let state = KnownKeys { ring: Arc::new(ring), read_at: now, missed_at: None };
        Ok(Self { state: RwLock::new(state) })
    }

    /// The keys; the newest one signs.
    pub async fn current(&self, conn: &mut Conn, now: Time) -> Result<Arc<KeyRing>> {
        let known = self.look(|state| (Arc::clone(&state.ring), state.read_at));
        let (ring, read_at) = known;
        if (0..REREAD_S * 1000).contains(&now.millis_since(read_at)) {
            return Ok(ring);
        }
        self.read_again(conn, now).await
    }

    pub async fn read_again(&self, conn: &mut Conn, now: Time) -> Result<Arc<KeyRing>> {
        let ring = Arc::new(read(conn, now).await?);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.ring = Arc::clone(&ring);
        state.read_at = now;
        Ok(ring)
    }

    /// The claims of an unexpired token signed by one of our keys.
    pub async fn verify(&self, db: &Db, token: &str, now: Time) -> Result<Claims> {
        let refused = |error| {
            Error::plain(match error {
                TokenError::Malformed => &problem::TOKEN_MALFORMED,
                TokenError::Expired => &problem::TOKEN_EXPIRED,
                TokenError::UnknownKey | TokenError::Invalid => &problem::TOKEN_INVALID,
            })
        };
        let ring = self.look(|state| Arc::clone(&state.ring));
        match ring.verify(token, now) {
            Err(TokenError::UnknownKey) if self.may_ask_for_unknown(now) => {
                let ring = self.read_again(&mut db.conn().await?, now).await?;
                ring.verify(token, now).map_err(refused)
            }
            verified => verified.map_err(refused),
        }
    }

    /// Limits database look-ups of unknown keys to one a second, to prevent floods.
    fn may_ask_for_unknown(&self, now: Time) -> bool {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let lately = |then: Time| (0..MISS_EVERY_MS).contains(&now.millis_since(then));
        let may = !state.missed_at.is_some_and(lately);
        if may {
            state.missed_at = Some(now);
        }
        may
    }

    fn look<T>(&self, at: impl FnOnce(&KnownKeys) -> T) -> T {
        at(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn read(conn: &mut Conn, now: Time) -> Result<KeyRing> {
    let superseded_after = now.plus_ms(-OVERLAP_S * 1000);
    KeyRing::of(&store::signing_keys::good(conn, superseded_after).await?)
}

/// Creates a new key, which signs from now on (on other nodes within five minutes). Earlier keys stay valid for their
/// tokens for an hour; older ones are deleted. Returns the new key's name.
pub async fn rotate(db: &Db, clock: &Clock) -> Result<String> {
    let now = clock.now();
    let key = StoredKey::of(crate::context::random());
    let mut tx = db.begin().await?;
    store::signing_keys::supersede_all(&mut tx, now).await?;
    store::signing_keys::insert(&mut tx, &key, now).await?;
    store::signing_keys::delete_superseded_before(&mut tx, now.plus_ms(-OVERLAP_S * 1000)).await?;
    tx.commit().await?;
    Ok(key.kid)
}

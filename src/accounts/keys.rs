//! The keys that sign access tokens, as the nodes share them through the database.
//!
//! Every node signs with the newest key and accepts the others until an hour after they were superseded, so a key can
//! be replaced while tokens signed with the old one are about. Two nodes that start together on an empty database may
//! make a key each: both are good, and the newest signs. What a token looks like is in [`super::jwt`]; the keys that
//! sign records of matches are others, in [`crate::matches::keys`].

use std::sync::{Arc, PoisonError, RwLock};

use broadside_rules::Time;

use super::jwt::{Claims, KeyRing, TokenError};
use crate::accounts::store;
use crate::clock::Clock;
use crate::db::{Conn, Db};
use crate::error::{Error, Result, problem};
use crate::keys::StoredKey;

/// How long a superseded key is still published and accepted, in seconds: longer than the tokens it signed last.
const OVERLAP_S: i64 = 60 * 60;
/// After how many seconds a node looks again which key is the newest. Shorter than the overlap by more than a token's
/// life.
const REREAD_S: i64 = 5 * 60;
/// A key that nobody knows sends a node to the database at most this often, in milliseconds.
const MISS_EVERY_MS: i64 = 1000;

/// The keys of this node, read again from time to time.
pub struct TokenKeys {
    state: RwLock<KnownKeys>,
}

struct KnownKeys {
    ring: Arc<KeyRing>,
    read_at: Time,
    missed_at: Option<Time>,
}

impl TokenKeys {
    /// Reads the keys, and makes the first one if there is none.
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

    /// The keys, with the newest to sign with.
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

    /// What a token says, if one of our keys has signed it and its time isn't over.
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

    /// Whether to look up an unknown key in the database: not again within a second, or anybody could keep the
    /// database busy.
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

/// Makes a new key, which signs from now on (on other nodes within five minutes). The keys before it stay good for
/// tokens that they have signed, for an hour; older ones are deleted. Returns the new key's name.
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

//! The keys that sign match records, shared by the nodes through the database.
//!
//! All records of a match are signed with the newest key at its start, so a record kept by a player agrees with later
//! ones. So these keys are published forever and never deleted. Old keys are not technically limited to old matches: a
//! thief of one can sign a record with any date. They sign nothing else; tokens have their own keys
//! ([`crate::accounts::keys`]).

use std::sync::{Arc, PoisonError, RwLock};

use broadside_rules::Time;
use ed25519_dalek::{Signer, SigningKey};

use crate::clock::Clock;
use crate::context::Context;
use crate::db::{Conn, Db};
use crate::error::{Error, Result};
use crate::keys::{PublicKey, StoredKey};
use crate::matches::{Matches, store};

/// The interval at which a node checks for a newer key, in seconds.
const REREAD_S: i64 = 5 * 60;

pub struct RecordKey {
    public: PublicKey,
    secret: SigningKey,
}

impl RecordKey {
    /// The 32 bytes of its public half.
    pub fn public_bytes(&self) -> [u8; 32] {
        self.secret.verifying_key().to_bytes()
    }

    /// Signs with Ed25519 (RFC 8032).
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.secret.sign(message).to_bytes()
    }
}

/// All keys, newest first.
type Ring = Arc<Vec<Arc<RecordKey>>>;

/// The keys of this node, refreshed periodically.
pub struct RecordKeys(RwLock<(Ring, Time)>);

impl RecordKeys {
    /// Loads the keys, and creates the first one if there is none. Nodes that start together create only one, because
    /// matches without a key name are signed with the first.
    pub async fn open(ctx: &Context) -> Result<Self> {
        let (db, now) = (&ctx.db, ctx.clock.now());
        let mut ring = read(&mut db.conn().await?).await?;
        if ring.is_empty() {
            let mut tx = db.begin().await?;
            store::record_keys::lock(&mut tx).await?;
            if store::record_keys::all(&mut tx).await?.is_empty() {
                store::record_keys::insert(&mut tx, &StoredKey::of(ctx.random()), now).await?;
            }
            tx.commit().await?;
            ring = read(&mut db.conn().await?).await?;
        }
        Ok(Self(RwLock::new((ring, now))))
    }

    /// The name of the key for new matches.
    pub async fn newest(&self, conn: &mut Conn, now: Time) -> Result<String> {
        let (known, read_at) = self.known();
        let fresh = (0..REREAD_S * 1000).contains(&now.millis_since(read_at));
        let ring = if fresh { known } else { self.read_again(conn, now).await? };
        name(ring.first())
    }

    pub async fn named(&self, db: &Db, now: Time, kid: &str) -> Result<Arc<RecordKey>> {
        let find = |ring: &Ring| ring.iter().find(|key| key.public.kid == kid).cloned();
        if let Some(key) = find(&self.known().0) {
            return Ok(key);
        }
        let ring = self.read_again(&mut db.conn().await?, now).await?;
        find(&ring).ok_or_else(|| Error::internal(format!("the key {kid}, which signs records, is gone")))
    }

    async fn read_again(&self, conn: &mut Conn, now: Time) -> Result<Ring> {
        let ring = read(conn).await?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = (Arc::clone(&ring), now);
        Ok(ring)
    }

    fn known(&self) -> (Ring, Time) {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        (Arc::clone(&known.0), known.1)
    }
}

fn name(key: Option<&Arc<RecordKey>>) -> Result<String> {
    key.map(|key| key.public.kid.clone()).ok_or_else(|| Error::internal("there is no key to sign records with"))
}

async fn read(conn: &mut Conn) -> Result<Ring> {
    let stored = store::record_keys::all(conn).await?;
    let keys = stored.iter().map(|key| Ok(Arc::new(RecordKey { public: key.public()?, secret: key.secret()? })));
    Ok(Arc::new(keys.collect::<Result<_>>()?))
}

/// The public keys currently in the database, newest first.
pub async fn published(matches: &Matches) -> Result<Vec<PublicKey>> {
    let mut conn = matches.db.conn().await?;
    let ring = matches.keys.read_again(&mut conn, matches.clock.now()).await?;
    Ok(ring.iter().map(|key| key.public.clone()).collect())
}

/// Creates a new key for the records of new matches (on other nodes within five minutes). Returns its name.
pub async fn rotate(db: &Db, clock: &Clock) -> Result<String> {
    let key = StoredKey::of(crate::context::random());
    let mut tx = db.begin().await?;
    // Dated after the key that it replaces, regardless of this node's clock: the first key must stay the first.
    store::record_keys::lock(&mut tx).await?;
    let newest = store::record_keys::newest_at(&mut tx).await?;
    let at = newest.map_or(clock.now(), |newest| clock.now().max(newest.plus_ms(1)));
    store::record_keys::insert(&mut tx, &key, at).await?;
    tx.commit().await?;
    Ok(key.kid)
}

//! One request, one effect: the promise of the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header).
//!
//! The claim on a key, the effect, and the response are one transaction. Two requests with the same key meet at the
//! claim: the second waits there until the first has committed, and then reads its response. Failures are not kept:
//! nothing has happened, so the same key may be used again.

pub(crate) mod store;
use std::str::FromStr;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::context::Context;
pub use crate::db::Tx;
use crate::error::{Error, Result, problem};

/// Retention of keys and responses, in seconds: 24 hours.
pub const RETENTION_S: u32 = 24 * 60 * 60;
/// Most bytes of stored responses per owner: 4 MiB. The oldest are dropped first.
const MOST_BYTES: i64 = 4 * 1024 * 1024;

const GONE: &str = "The request was carried out, but its answer is no longer stored. Read what it has changed.";

/// A caller's `Idempotency-Key`: 1 to 255 printable ASCII characters, such as a UUID. Treated as a secret.
pub struct IdempotencyKey(String);

impl FromStr for IdempotencyKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = (1..=255).contains(&text.len());
        if fits && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            Ok(IdempotencyKey(text.to_owned()))
        } else {
            Err("must be 1 to 255 printable ASCII characters, such as a UUID".to_owned())
        }
    }
}

impl IdempotencyKey {
    /// The claim of `owner` on this key for `request` (its method, path and body).
    pub fn claim(&self, owner: &[u8], request: &[u8]) -> Claim {
        let of = |purpose: &str, parts: &[&[u8]]| -> [u8; 32] {
            let mut hash = Sha256::new();
            for part in [purpose.as_bytes(), self.0.as_bytes(), owner].iter().chain(parts) {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
            hash.finalize().into()
        };
        Claim { id: of("id", &[]), fingerprint: of("fingerprint", &[request]), seal: of("seal", &[]) }
    }
}

/// The claim on a key: an id that doesn't reveal the key, the hash of its request, and the secret that seals the
/// response.
pub struct Claim {
    /// The hash of key and owner.
    pub id: [u8; 32],
    /// The hash of request and key.
    pub fingerprint: [u8; 32],
    seal: [u8; 32],
}

/// A response as stored, sealed.
#[derive(Serialize, Deserialize)]
pub struct StoredAnswer {
    pub status: u16,
    /// The `Location` header.
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// A claim already in the database.
pub struct ExistingClaim {
    /// The hash of its request.
    pub fingerprint: Vec<u8>,
    pub answer: Option<Vec<u8>>,
    /// For an action in a match: the number of its log entry.
    pub seq: Option<u32>,
}

impl Claim {
    /// Refuses a key that was used for another request.
    pub fn check(&self, held: &ExistingClaim) -> Result<()> {
        if held.fingerprint == self.fingerprint { Ok(()) } else { Err(Error::plain(&problem::IDEMPOTENCY_KEY_REUSED)) }
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&self.seal.into())
    }

    fn sealed(&self, kept: &StoredAnswer) -> Result<Vec<u8>> {
        let plain = serde_json::to_vec(kept).map_err(Error::internal)?;
        // Each seal key seals only one response, so a fixed nonce is safe.
        let sealed = self.cipher().encrypt(&Nonce::default(), plain.as_slice());
        sealed.map_err(|_| Error::internal("an answer could not be sealed"))
    }

    fn opened(&self, sealed: &[u8]) -> Result<StoredAnswer> {
        let plain = self.cipher().decrypt(&Nonce::default(), sealed);
        let plain = plain.map_err(|_| Error::internal("a stored answer could not be unsealed"))?;
        serde_json::from_slice(&plain).map_err(Error::internal)
    }
}

/// Runs `work` in one transaction. With a claim it takes effect at most once in 24 hours: a repetition gets the first
/// response. A failure leaves no trace, except as [`Error::noted`] requires, and frees the key. `owner` is a keyed hash
/// of the caller's address; without it the storage of responses isn't limited.
pub async fn once(
    ctx: &Context,
    claim: Option<Claim>,
    owner: Option<Vec<u8>>,
    work: impl AsyncFnOnce(&mut Tx) -> Result<StoredAnswer>,
) -> Result<StoredAnswer> {
    let mut tx = ctx.db.begin().await?;
    if let Some(claim) = &claim
        && !store::claim(&mut tx, claim, ctx.clock.now()).await?
    {
        let held = store::find(&mut tx, claim).await?;
        let held = held.ok_or_else(|| Error::internal("a claimed key has no row"))?;
        claim.check(&held)?;
        confirm(tx, claim).await?;
        return match &held.answer {
            Some(sealed) => claim.opened(sealed),
            None => Err(Error::new(&problem::IDEMPOTENCY_KEY_REUSED, GONE)),
        };
    }
    let kept = match work(&mut tx).await {
        Ok(kept) => kept,
        Err(error) if error.is_noted() => {
            if let Some(claim) = &claim {
                store::release(&mut tx, claim).await?;
            }
            tx.commit().await?;
            return Err(error);
        }
        Err(error) => {
            // The failure is the response. If the rollback fails too, the connection is dropped and PostgreSQL rolls
            // back.
            let _ = tx.roll_back().await;
            return Err(error);
        }
    };
    if let Some(claim) = &claim {
        store::keep(&mut tx, claim, &claim.sealed(&kept)?, owner.as_deref()).await?;
        if let Some(owner) = &owner {
            store::drop_oldest(&mut tx, owner, MOST_BYTES).await?;
        }
    }
    tx.commit().await?;
    Ok(kept)
}

/// Returns once everything committed earlier with a claim is as durable as the database makes it. A visible commit
/// needn't be: if the wait for the synchronous standby was aborted, or the primary crashed during it, the standby may
/// lack it. So the row of the claim is written again: that commit waits for all earlier ones. With tables spread over
/// machines, each machine must take part.
pub(crate) async fn confirm(mut tx: Tx, claim: &Claim) -> Result<()> {
    tx.check_arrived().await?;
    store::write_again(&mut tx, claim).await?;
    tx.commit().await
}

/// Deletes keys older than a day.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::forget_before(&mut tx, then).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}

//! One request, one effect: what the `Idempotency-Key` header promises (draft-ietf-httpapi-idempotency-key-header).
//!
//! The claim on a key, the effect, and the answer are one transaction. Two requests with one key meet at the claim: the
//! second waits there until the first has committed, and then reads its answer. Failures are not kept: nothing has
//! happened, so the same key may try again.

pub(crate) mod store;
use std::str::FromStr;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::context::Context;
pub use crate::db::Tx;
use crate::error::{Error, Result, problem};

/// How long a key and its answer are stored, in seconds: 24 hours.
pub const RETENTION_S: u32 = 24 * 60 * 60;
/// The most bytes of answers that are stored for one owner: 4 MiB. Older answers go first.
const MOST_BYTES: i64 = 4 * 1024 * 1024;

const GONE: &str = "The request was carried out, but its answer is no longer stored. Read what it has changed.";

/// A caller's `Idempotency-Key`: 1 to 255 printable ASCII characters, such as a UUID. It is treated as a secret.
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

/// The claim of a key: an id that doesn't reveal the key, what it is used for, and the secret that seals its answer.
pub struct Claim {
    /// The key and its owner, hashed.
    pub id: [u8; 32],
    /// The request, hashed with the key.
    pub fingerprint: [u8; 32],
    seal: [u8; 32],
}

/// An answer as it is stored, sealed.
#[derive(Serialize, Deserialize)]
pub struct StoredAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The `Location` header.
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// A claim that the database holds already.
pub struct ExistingClaim {
    /// The hash of the request that it was used for.
    pub fingerprint: Vec<u8>,
    /// The sealed answer.
    pub answer: Option<Vec<u8>>,
    /// For an action in a match: the number of its entry in the log.
    pub seq: Option<u32>,
}

impl Claim {
    /// Refuses a key that was used for something else.
    pub fn check(&self, held: &ExistingClaim) -> Result<()> {
        if held.fingerprint == self.fingerprint { Ok(()) } else { Err(Error::plain(&problem::IDEMPOTENCY_KEY_REUSED)) }
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&self.seal.into())
    }

    fn sealed(&self, kept: &StoredAnswer) -> Result<Vec<u8>> {
        let plain = serde_json::to_vec(kept).map_err(Error::internal)?;
        // Each seal key seals one answer in its life, so the nonce needs no variety.
        let sealed = self.cipher().encrypt(&Nonce::default(), plain.as_slice());
        sealed.map_err(|_| Error::internal("an answer could not be sealed"))
    }

    fn opened(&self, sealed: &[u8]) -> Result<StoredAnswer> {
        let plain = self.cipher().decrypt(&Nonce::default(), sealed);
        let plain = plain.map_err(|_| Error::internal("a stored answer could not be unsealed"))?;
        serde_json::from_slice(&plain).map_err(Error::internal)
    }
}

/// Does `work` in one transaction. With a claim it is done at most once in 24 hours: a repetition gets the first
/// answer. A failure leaves nothing behind but what [`Error::noted`] asks for, and the key is free again. `owner` is a
/// keyed hash of the caller's address; none: the storage of answers isn't limited.
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
            // The failure is the answer; if the rollback fails too, the connection is dropped and PostgreSQL rolls
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

/// Returns when everything that was committed with a claim before is as safe as the database makes it. A commit that is
/// seen need not be: if the wait for the synchronous standby was given up, or the primary crashed in it, the standby
/// may lack it. So the row of the claim is written again: that commit waits for all that was committed before. Where
/// tables are spread over machines, each of these has to have heard of it.
pub(crate) async fn confirm(mut tx: Tx, claim: &Claim) -> Result<()> {
    tx.check_arrived().await?;
    store::write_again(&mut tx, claim).await?;
    tx.commit().await
}

/// Forgets the keys that are older than a day.
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

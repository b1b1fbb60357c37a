//! SQL of claims on idempotency keys, and of their responses.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::db::schema::idempotency_keys as keys;
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::Result;
use crate::idempotency::{Claim, ExistingClaim};

/// Claims a key. Returns false if it is claimed already. Waits for the end of another transaction that is claiming it.
pub async fn claim(tx: &mut Tx, claim: &Claim, now: Time) -> Result<bool> {
    let inserted = diesel::insert_into(keys::table)
        .values((
            keys::id.eq(claim.id.as_slice()),
            keys::fingerprint.eq(claim.fingerprint.as_slice()),
            keys::created_at.eq(At(now)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted == 1)
}

/// The existing claim on a key.
pub async fn find(conn: &mut Conn, claim: &Claim) -> Result<Option<ExistingClaim>> {
    type Row = (Vec<u8>, Option<Vec<u8>>, Option<i32>);
    let row: Option<Row> = keys::table
        .find(claim.id.as_slice())
        .select((keys::fingerprint, keys::response, keys::seq))
        .first(conn.sql())
        .await
        .optional()?;
    Ok(row.map(|(fingerprint, answer, seq)| ExistingClaim { fingerprint, answer, seq: seq.map(i32::unsigned_abs) }))
}

/// Rewrites the row of a claim unchanged.
pub async fn write_again(tx: &mut Tx, claim: &Claim) -> Result<()> {
    diesel::update(keys::table.find(claim.id.as_slice())).set(keys::fingerprint.eq(keys::fingerprint)).run(tx).await
}

/// Stores the sealed response under a key claimed in this transaction.
pub async fn keep(tx: &mut Tx, claim: &Claim, sealed: &[u8], owner: Option<&[u8]>) -> Result<()> {
    let answer = (keys::response.eq(sealed), keys::owner.eq(owner));
    diesel::update(keys::table.find(claim.id.as_slice())).set(answer).run(tx).await
}

/// Drops an owner's oldest responses while all of them exceed `most` bytes. Their keys stay claimed.
pub async fn drop_oldest(tx: &mut Tx, owner: &[u8], most: i64) -> Result<()> {
    let statement = "WITH kept AS (SELECT id, sum(octet_length(response)) OVER (ORDER BY created_at DESC, id) AS bytes \
           FROM idempotency_keys WHERE owner = $1), \
         oldest AS (SELECT k.id FROM idempotency_keys AS k JOIN kept USING (id) WHERE kept.bytes > $2 \
           FOR UPDATE OF k SKIP LOCKED) \
         UPDATE idempotency_keys AS k SET response = NULL, owner = NULL FROM oldest WHERE k.id = oldest.id";
    sql!(statement, owner.to_vec(), most).run(tx).await
}

/// Releases a key claimed in this transaction.
pub async fn release(tx: &mut Tx, claim: &Claim) -> Result<()> {
    diesel::delete(keys::table.find(claim.id.as_slice())).run(tx).await
}

/// Deletes a bounded number of keys claimed before `then`. Returns the number.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old = keys::table.filter(keys::created_at.lt(At(then))).select(keys::id).limit(5000);
    let old: Vec<Vec<u8>> = old.load(tx.sql()).await?;
    let forgotten = diesel::delete(keys::table.filter(keys::id.eq_any(old)));
    Ok(forgotten.execute(tx.sql()).await?)
}

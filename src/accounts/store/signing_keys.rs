//! The keys that sign access tokens, shared by all nodes. The seeds are secret: only `accounts::keys` reads them.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::db::schema::signing_keys;
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::keys::StoredKey;

/// The keys that are not superseded, or were superseded after `then`; the signing key first.
pub async fn good(conn: &mut Conn, then: Time) -> Result<Vec<StoredKey>> {
    let rows: Vec<(String, Vec<u8>)> = signing_keys::table
        .filter(signing_keys::retired_at.is_null().or(signing_keys::retired_at.assume_not_null().gt(At(then))))
        .order((signing_keys::retired_at.is_null().desc(), signing_keys::created_at.desc(), signing_keys::kid.desc()))
        .select((signing_keys::kid, signing_keys::seed))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(kid, seed)| StoredKey { kid, seed }).collect())
}

pub async fn insert(tx: &mut Tx, key: &StoredKey, now: Time) -> Result<()> {
    diesel::insert_into(signing_keys::table)
        .values((
            signing_keys::kid.eq(&key.kid),
            signing_keys::seed.eq(&key.seed),
            signing_keys::created_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

pub async fn supersede_all(tx: &mut Tx, now: Time) -> Result<()> {
    diesel::update(signing_keys::table.filter(signing_keys::retired_at.is_null()))
        .set(signing_keys::retired_at.eq(At(now)))
        .run(tx)
        .await
}

pub async fn delete_superseded_before(tx: &mut Tx, then: Time) -> Result<()> {
    diesel::delete(signing_keys::table.filter(signing_keys::retired_at.lt(At(then)))).run(tx).await
}

//! The keys that sign records of matches, shared by all nodes and kept for ever. The seeds are secret: nothing but
//! `matches::keys` asks for them.

use broadside_rules::Time;
use diesel::dsl::max;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::db::schema::record_keys;
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::keys::StoredKey;

/// Every key, the newest first.
pub async fn all(conn: &mut Conn) -> Result<Vec<StoredKey>> {
    let rows: Vec<(String, Vec<u8>)> = record_keys::table
        .order((record_keys::created_at.desc(), record_keys::kid.desc()))
        .select((record_keys::kid, record_keys::seed))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(kid, seed)| StoredKey { kid, seed }).collect())
}

/// Keeps others from adding a key until the transaction ends; reading goes on.
pub async fn lock(tx: &mut Tx) -> Result<()> {
    diesel::sql_query("LOCK TABLE record_keys IN SHARE ROW EXCLUSIVE MODE").run(tx).await
}

/// When the newest key was made, if there is one.
pub async fn newest_at(conn: &mut Conn) -> Result<Option<Time>> {
    let at: Option<At> = record_keys::table.select(max(record_keys::created_at)).first(conn.sql()).await?;
    Ok(at.map(Time::from))
}

/// Stores a new key.
pub async fn insert(tx: &mut Tx, key: &StoredKey, now: Time) -> Result<()> {
    diesel::insert_into(record_keys::table)
        .values((record_keys::kid.eq(&key.kid), record_keys::seed.eq(&key.seed), record_keys::created_at.eq(At(now))))
        .run(tx)
        .await
}

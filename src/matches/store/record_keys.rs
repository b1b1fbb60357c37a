//! The keys that sign match records, shared by all nodes and kept forever. The seeds are secret: only `matches::keys`
//! reads them.

use broadside_rules::Time;
use diesel::dsl::max;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::db::schema::record_keys;
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::keys::StoredKey;

/// Newest first.
pub async fn all(conn: &mut Conn) -> Result<Vec<StoredKey>> {
    let rows: Vec<(String, Vec<u8>)> = record_keys::table
        .order((record_keys::created_at.desc(), record_keys::kid.desc()))
        .select((record_keys::kid, record_keys::seed))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(kid, seed)| StoredKey { kid, seed }).collect())
}

/// Prevents other transactions from adding a key until this one ends; reads go on.
pub async fn lock(tx: &mut Tx) -> Result<()> {
    diesel::sql_query("LOCK TABLE record_keys IN SHARE ROW EXCLUSIVE MODE").run(tx).await
}

/// The creation time of the newest key, if any.
pub async fn newest_at(conn: &mut Conn) -> Result<Option<Time>> {
    let at: Option<At> = record_keys::table.select(max(record_keys::created_at)).first(conn.sql()).await?;
    Ok(at.map(Time::from))
}

pub async fn insert(tx: &mut Tx, key: &StoredKey, now: Time) -> Result<()> {
    diesel::insert_into(record_keys::table)
        .values((record_keys::kid.eq(&key.kid), record_keys::seed.eq(&key.seed), record_keys::created_at.eq(At(now))))
        .run(tx)
        .await
}

//! The key of the token checksums, shared by all nodes: created once, and never changed.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::db::schema::token_mac_key as stored;
use crate::db::{Run, Tx};
use crate::error::Result;

/// The stored key; `new`, if there was none.
pub async fn find_or_insert(tx: &mut Tx, new: [u8; 32]) -> Result<Vec<u8>> {
    // Two nodes that start together meet at the primary key, and both read the row written first.
    let row = (stored::only_row.eq(true), stored::key.eq(new.to_vec()));
    diesel::insert_into(stored::table).values(row).on_conflict_do_nothing().run(tx).await?;
    Ok(stored::table.select(stored::key).first(tx.sql()).await?)
}

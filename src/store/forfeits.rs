//! Suspended accounts whose running matches are still to be resigned.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::schema::forfeits;
use super::time::At;
use super::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;

/// Notes that the account resigns its matches.
pub async fn note(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(forfeits::table)
        .values((forfeits::account_id.eq(account.0), forfeits::since.eq(At(now))))
        .on_conflict_do_nothing()
        .execute(&mut *tx.conn.0)
        .await?;
    Ok(())
}

/// Some of those for whom there is something left to do, in the order of their ids, behind `last`.
pub async fn waiting(conn: &mut Conn, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = forfeits::table
        .filter(forfeits::account_id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .order(forfeits::account_id)
        .limit(limit)
        .select(forfeits::account_id)
        .load(&mut *conn.0)
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}

/// Nothing is left to do for the account.
pub async fn strike(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(forfeits::table.find(account.0)).execute(&mut *tx.conn.0).await?;
    Ok(())
}

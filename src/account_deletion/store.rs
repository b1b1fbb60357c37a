//! Whose deletion isn't complete: what these accounts have heard of and said to others is still to be forgotten.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::At;
use crate::db::schema::account_purges;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::AccountId;

/// Notes that the account has gone.
pub async fn note(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(account_purges::table)
        .values((account_purges::account_id.eq(account.0), account_purges::deleted_at.eq(At(now))))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(())
}

/// Some of those for whom there is something left to do, in the order of their ids, behind `last`.
pub async fn waiting(conn: &mut Conn, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = account_purges::table
        .filter(account_purges::account_id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .order(account_purges::account_id)
        .limit(limit)
        .select(account_purges::account_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}

/// Nothing is left to do for the account.
pub async fn strike(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(account_purges::table.find(account.0)).execute(tx.sql()).await?;
    Ok(())
}

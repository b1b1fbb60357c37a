//! SQL for account deletions: the columns of [`words`], and the pending purges of event logs.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::words::{COLUMNS, Columns, Fate};
use crate::db::schema::account_purges;
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::Result;
use crate::ids::AccountId;

/// Erases the texts of the account, column by column.
pub async fn erase_words(tx: &mut Tx, account: AccountId) -> Result<()> {
    for Columns { table, columns, fate } in COLUMNS {
        let statement = match fate {
            Fate::Erased { owner } => {
                let erased: Vec<String> = columns.iter().map(|column| format!("{column} = NULL")).collect();
                format!("UPDATE {table} SET {} WHERE {owner} = $1", erased.join(", "))
            }
            Fate::Deleted { owner } => {
                let written: Vec<String> = columns.iter().map(|column| format!("{column} IS NOT NULL")).collect();
                format!("DELETE FROM {table} WHERE {owner} = $1 AND {}", written.join(" AND "))
            }
            Fate::NoWords | Fate::Elsewhere(_) | Fate::Kept(_) => continue,
        };
        sql!(statement, account.0).run(tx).await?;
    }
    Ok(())
}

/// Records a pending purge for a deleted account.
pub async fn insert(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(account_purges::table)
        .values((account_purges::account_id.eq(account.0), account_purges::deleted_at.eq(At(now))))
        .on_conflict_do_nothing()
        .run(tx)
        .await
}

/// SQL condition at time `$1`: a deleted account has a pending purge, or its name is to be removed.
pub const TO_PURGE: &str = "EXISTS (SELECT FROM account_purges) OR EXISTS (SELECT FROM accounts \
     WHERE deleted_at IS NOT NULL AND suspended_at IS NOT NULL AND suspended_until <= $1)";

/// At most `limit` accounts with a pending purge, in order of id, after `last`.
pub async fn pending(conn: &mut Conn, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = account_purges::table
        .filter(account_purges::account_id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .order(account_purges::account_id)
        .limit(limit)
        .select(account_purges::account_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}

/// Removes the pending purge of an account.
pub async fn remove(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(account_purges::table.find(account.0)).run(tx).await
}

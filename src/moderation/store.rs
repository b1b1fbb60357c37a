//! SQL of forfeits: suspended accounts whose running matches are still to be resigned.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{match_seats, matches, pending_resignations};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::{AccountId, MatchId};

/// Records that the account's running matches are to be resigned.
pub async fn add_forfeits(tx: &mut Tx, account: AccountId, now: Time) -> Result<()> {
    diesel::insert_into(pending_resignations::table)
        .values((pending_resignations::account_id.eq(account.0), pending_resignations::created_at.eq(At(now))))
        .on_conflict_do_nothing()
        .run(tx)
        .await
}

/// SQL condition: an account has matches to resign. Must match [`pending`].
pub const PENDING: &str = "EXISTS (SELECT 1 FROM pending_resignations)";

/// At most `limit` accounts with matches to resign, in order of id, after `last`.
pub async fn pending(conn: &mut Conn, last: Option<AccountId>, limit: i64) -> Result<Vec<AccountId>> {
    let ids: Vec<Uuid> = pending_resignations::table
        .filter(pending_resignations::account_id.gt(last.map_or(Uuid::nil(), |last| last.0)))
        .order(pending_resignations::account_id)
        .limit(limit)
        .select(pending_resignations::account_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(AccountId).collect())
}

/// The start of the account's forfeit, if still pending.
pub async fn since(conn: &mut Conn, account: AccountId) -> Result<Option<Time>> {
    let since = pending_resignations::table.find(account.0).select(pending_resignations::created_at);
    let found: Option<At> = since.first(conn.sql()).await.optional()?;
    Ok(found.map(|at| at.0))
}

/// [`since`], with the row locked (`FOR UPDATE`) until the transaction ends.
pub async fn lock(tx: &mut Tx, account: AccountId) -> Result<Option<Time>> {
    let since = pending_resignations::table.find(account.0).select(pending_resignations::created_at).for_update();
    let found: Option<At> = since.first(tx.sql()).await.optional()?;
    Ok(found.map(|at| at.0))
}

pub async fn running(conn: &mut Conn, account: AccountId, before: Time) -> Result<Vec<MatchId>> {
    let ids: Vec<Uuid> = match_seats::table
        .inner_join(matches::table.on(matches::id.eq(match_seats::match_id)))
        .filter(match_seats::account_id.eq(account.0))
        .filter(match_seats::running)
        .filter(matches::created_at.lt(At(before)))
        .select(match_seats::match_id)
        .load(conn.sql())
        .await?;
    Ok(ids.into_iter().map(MatchId).collect())
}

rows! {
    struct Shared {
        shared: bool,
    }
}

/// True if `other` has or had a seat in any of the account's running matches.
pub async fn share_running_match(conn: &mut Conn, account: AccountId, other: AccountId) -> Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM match_seats AS own WHERE own.account_id = $1 AND own.running AND ( \
         EXISTS (SELECT 1 FROM match_seats AS s WHERE s.match_id = own.match_id AND s.account_id = $2) \
         OR EXISTS (SELECT 1 FROM former_players AS f WHERE f.match_id = own.match_id AND f.account_id = $2))) AS shared";
    let found: Shared = sql!(query, account.0, other.0).get_result(conn.sql()).await?;
    Ok(found.shared)
}

/// Removes the forfeit: no match is left to resign, or the suspension was lifted.
pub async fn remove_forfeits(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(pending_resignations::table.find(account.0)).run(tx).await
}

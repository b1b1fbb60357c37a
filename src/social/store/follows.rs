//! SQL for followed players.

use std::collections::HashSet;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{account_blocks, accounts, follows, sessions};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::BlockKind;

/// Follows an account. False: it is already followed.
pub async fn insert(tx: &mut Tx, account: AccountId, other: AccountId, now: Time) -> Result<bool> {
    let inserted = diesel::insert_into(follows::table)
        .values((follows::account_id.eq(account.0), follows::other_id.eq(other.0), follows::created_at.eq(At(now))))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted > 0)
}

pub async fn delete(tx: &mut Tx, account: AccountId, other: AccountId) -> Result<()> {
    diesel::delete(follows::table.find((account.0, other.0))).run(tx).await
}

/// A page of the players followed by an account, in the order of their ids, with the times.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<(Player, Time)>> {
    let rows: Vec<(Uuid, String, bool, At)> = follows::table
        .inner_join(accounts::table.on(accounts::id.eq(follows::other_id)))
        .filter(follows::account_id.eq(account.0))
        .filter(follows::other_id.gt(after.map_or(Uuid::nil(), |after| after.0)))
        .order(follows::other_id)
        .limit(limit)
        .select((accounts::id, accounts::username, accounts::bot, follows::created_at))
        .load(conn.sql())
        .await?;
    let followed =
        |(id, username, bot, at): (Uuid, String, bool, At)| (Player { id: AccountId(id), username, bot }, at.0);
    Ok(rows.into_iter().map(followed).collect())
}

/// The accounts among these that have used a session after `since` and don't block the account.
pub async fn active_among(
    conn: &mut Conn,
    account: AccountId,
    among: &[AccountId],
    since: Time,
) -> Result<HashSet<AccountId>> {
    let among: Vec<Uuid> = among.iter().map(|account| account.0).collect();
    let blocking = account_blocks::table
        .filter(account_blocks::other_id.eq(account.0))
        .filter(account_blocks::kind.eq(BlockKind::Block.into_str()))
        .select(account_blocks::account_id);
    let active: Vec<Uuid> = sessions::table
        .filter(sessions::account_id.eq_any(&among))
        .filter(sessions::account_id.ne_all(blocking))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::last_used_at.gt(At(since)))
        .select(sessions::account_id)
        .distinct()
        .load(conn.sql())
        .await?;
    Ok(active.into_iter().map(AccountId).collect())
}

/// Deletes the account's list, and its place on others' lists.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    let its = follows::table.filter(follows::account_id.eq(account.0).or(follows::other_id.eq(account.0)));
    diesel::delete(its).run(tx).await
}

//! SQL for mutes and blocks.

use std::collections::BTreeSet;

use broadside_rules::Time;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{account_blocks, accounts};
use crate::db::{At, Conn, Run, Tx};
use crate::error::Result;
use crate::ids::AccountId;
use crate::player::Player;
use crate::social::{BlockKind, ListedPlayer};

/// Stores a mute or a block. False: it already exists.
pub async fn insert(tx: &mut Tx, account: AccountId, kind: BlockKind, other: AccountId, now: Time) -> Result<bool> {
    let inserted = diesel::insert_into(account_blocks::table)
        .values((
            account_blocks::account_id.eq(account.0),
            account_blocks::kind.eq(kind.into_str()),
            account_blocks::other_id.eq(other.0),
            account_blocks::created_at.eq(At(now)),
        ))
        .on_conflict_do_nothing()
        .execute(tx.sql())
        .await?;
    Ok(inserted > 0)
}

pub async fn delete(tx: &mut Tx, account: AccountId, kind: BlockKind, other: AccountId) -> Result<()> {
    diesel::delete(account_blocks::table.find((account.0, kind.into_str(), other.0))).run(tx).await
}

/// The players muted or blocked by the account, in the order of their ids.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    kind: BlockKind,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<ListedPlayer>> {
    let rows: Vec<(Uuid, String, bool, At)> = account_blocks::table
        .inner_join(accounts::table.on(accounts::id.eq(account_blocks::other_id)))
        .filter(account_blocks::account_id.eq(account.0))
        .filter(account_blocks::kind.eq(kind.into_str()))
        .filter(account_blocks::other_id.gt(after.map_or(Uuid::nil(), |after| after.0)))
        .order(account_blocks::other_id)
        .limit(limit)
        .select((accounts::id, accounts::username, accounts::bot, account_blocks::created_at))
        .load(conn.sql())
        .await?;
    let blocked = |(id, username, bot, since): (Uuid, String, bool, At)| ListedPlayer {
        player: Player { id: AccountId(id), username, bot },
        created_at: since.0,
    };
    Ok(rows.into_iter().map(blocked).collect())
}

pub async fn blocks(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    let row = account_blocks::table.find((one.0, BlockKind::Block.into_str(), other.0));
    Ok(diesel::select(exists(row)).get_result(conn.sql()).await?)
}

pub async fn blocked_among(conn: &mut Conn, one: AccountId, among: &[AccountId]) -> Result<BTreeSet<AccountId>> {
    let among: Vec<Uuid> = among.iter().map(|account| account.0).collect();
    let blocked: Vec<Uuid> = account_blocks::table
        .filter(account_blocks::account_id.eq(one.0))
        .filter(account_blocks::kind.eq(BlockKind::Block.into_str()))
        .filter(account_blocks::other_id.eq_any(among))
        .select(account_blocks::other_id)
        .load(conn.sql())
        .await?;
    Ok(blocked.into_iter().map(AccountId).collect())
}

/// The pairs of these accounts of which the first blocks the second.
pub async fn blocks_among(conn: &mut Conn, accounts: &[AccountId]) -> Result<Vec<(AccountId, AccountId)>> {
    let ids: Vec<Uuid> = accounts.iter().map(|account| account.0).collect();
    let rows: Vec<(Uuid, Uuid)> = account_blocks::table
        .filter(account_blocks::account_id.eq_any(&ids))
        .filter(account_blocks::kind.eq(BlockKind::Block.into_str()))
        .filter(account_blocks::other_id.eq_any(&ids))
        .select((account_blocks::account_id, account_blocks::other_id))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(one, other)| (AccountId(one), AccountId(other))).collect())
}

/// The accounts among these that are notified of the author's message: not the author, deleted accounts, or those that
/// mute or block the author.
pub async fn recipients_of(conn: &mut Conn, author: AccountId, among: &[AccountId]) -> Result<Vec<AccountId>> {
    let among: Vec<Uuid> = among.iter().map(|account| account.0).collect();
    let not_reading =
        account_blocks::table.filter(account_blocks::other_id.eq(author.0)).select(account_blocks::account_id);
    let recipients: Vec<Uuid> = accounts::table
        .filter(accounts::id.eq_any(among))
        .filter(accounts::id.ne(author.0))
        .filter(accounts::id.ne_all(not_reading))
        .filter(accounts::deleted_at.is_null())
        .order(accounts::id)
        .select(accounts::id)
        .load(conn.sql())
        .await?;
    Ok(recipients.into_iter().map(AccountId).collect())
}

/// Deletes the mutes and blocks by and against the account.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    let its = account_blocks::table
        .filter(account_blocks::account_id.eq(account.0).or(account_blocks::other_id.eq(account.0)));
    diesel::delete(its).run(tx).await
}

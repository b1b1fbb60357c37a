//! Blocks and mutes.
//!
//! A *mute* hides a player's messages from the account. A *block* also prevents challenges between the two, which the
//! lobby enforces. Both are private. A muted or blocked player can read and write as before, with unchanged answers,
//! until they want to play with the account that blocks them.
use std::collections::BTreeSet;

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts;
use crate::accounts::{Identity, Username, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::AccountId;
use crate::player::Player;
use crate::quotas::{Quota, Room};
use crate::social::store;
use crate::string_enums::string_enums;

string_enums! {
    /// What an account does with another player.
    pub enum BlockKind {
        /// Hides the player's messages.
        Mute,
        /// Hides the player's messages, and neither can challenge the other.
        Block,
    }
}

impl BlockKind {
    pub const fn quota(self) -> Quota {
        match self {
            Self::Mute => Quota::Mutes,
            Self::Block => Quota::Blocks,
        }
    }
}

/// A player on a list of yours.
#[derive(Serialize, ToSchema)]
pub struct ListedPlayer {
    pub player: Player,
    /// The time since when.
    pub created_at: Time,
}

/// Mutes or blocks a player; does nothing if that is already done. Fails with `not-found` for an unknown name,
/// `own-account` for the caller's own name, and `quota-exceeded`. Both accounts are locked against deletion; for a
/// block the locks are exclusive, so that a request of either to the other is decided before it or after it.
pub async fn add(tx: &mut Tx, ctx: &Context, who: &Identity, kind: BlockKind, name: &Username) -> Result<Player> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    if other.id == who.account {
        return Err(Error::new(&problem::OWN_ACCOUNT, "An account can't mute or block itself."));
    }
    let is_there = match kind {
        BlockKind::Mute => account::lock_existing_with(tx, who.account, other.id).await?,
        BlockKind::Block => account::lock_both_exclusively(tx, who.account, other.id).await?,
    };
    if !is_there {
        return Err(Error::not_found());
    }
    let now = ctx.clock.now();
    let room = Room::of(tx, who.account, now, kind.quota()).await?;
    if store::blocks::insert(tx, who.account, kind, other.id, now).await? {
        room.check(tx).await?;
    }
    Ok(other)
}

/// Ends a mute or a block; does nothing if there is none. Fails with `not-found` for an unknown name.
pub async fn remove(tx: &mut Tx, who: &Identity, kind: BlockKind, name: &Username) -> Result<()> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    store::blocks::delete(tx, who.account, kind, other.id).await
}

/// A page of the players muted or blocked by the account, by the creation of their accounts.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    kind: BlockKind,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<ListedPlayer>> {
    store::blocks::page(conn, account, kind, after, limit).await
}

pub async fn blocks(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    store::blocks::blocks(conn, one, other).await
}

pub async fn blocked_among(conn: &mut Conn, one: AccountId, among: &[AccountId]) -> Result<BTreeSet<AccountId>> {
    store::blocks::blocked_among(conn, one, among).await
}

/// The pairs of these accounts of which the first blocks the second.
pub async fn blocks_among(conn: &mut Conn, accounts: &[AccountId]) -> Result<Vec<(AccountId, AccountId)>> {
    store::blocks::blocks_among(conn, accounts).await
}

pub async fn either_blocks(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    Ok(blocks(conn, one, other).await? || blocks(conn, other, one).await?)
}

/// Deletes the mutes and blocks by and against an account that is being deleted.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::blocks::forget_account(tx, account).await
}

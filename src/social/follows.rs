//! Followed players: a private list with the activity of each player. Followed players are not notified.

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
use crate::social::{ListedPlayer, store};

/// The time after the last use of a session for which a player counts as active. Pages renew their tokens every 15
/// minutes.
const ACTIVE_MS: i64 = 20 * 60 * 1000;

/// A followed player.
#[derive(Serialize, ToSchema)]
pub struct FollowedPlayer {
    pub player: Player,
    /// Whether the player was signed in within the last 20 minutes; false if the player blocks you.
    pub active: bool,
    /// The time since when you follow the player.
    pub created_at: Time,
}

impl From<FollowedPlayer> for ListedPlayer {
    fn from(followed: FollowedPlayer) -> Self {
        let FollowedPlayer { player, created_at, .. } = followed;
        Self { player, created_at }
    }
}

/// Follows a player; does nothing if that is already done. Fails with `not-found` for an unknown name, `own-account`
/// for the caller's own name, and `quota-exceeded`. Both accounts are locked against deletion.
pub async fn add(tx: &mut Tx, ctx: &Context, who: &Identity, name: &Username) -> Result<()> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    if other.id == who.account {
        return Err(Error::new(&problem::OWN_ACCOUNT, "An account can't follow itself."));
    }
    if !account::lock_existing_with(tx, who.account, other.id).await? {
        return Err(Error::not_found());
    }
    let now = ctx.clock.now();
    let room = Room::of(tx, who.account, now, Quota::Follows).await?;
    if store::follows::insert(tx, who.account, other.id, now).await? {
        room.check(tx).await?;
    }
    Ok(())
}

/// Stops following a player; does nothing if the account doesn't. Fails with `not-found` for an unknown name.
pub async fn remove(tx: &mut Tx, who: &Identity, name: &Username) -> Result<()> {
    let other = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    store::follows::delete(tx, who.account, other.id).await
}

/// A page of the account's followed players, ordered by the creation of their accounts.
pub async fn list(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<FollowedPlayer>> {
    let page = store::follows::page(conn, account, after, limit).await?;
    let ids: Vec<AccountId> = page.iter().map(|(player, _)| player.id).collect();
    let active = store::follows::active_among(conn, account, &ids, now.plus_ms(-ACTIVE_MS)).await?;
    let followed = |(player, created_at): (Player, Time)| FollowedPlayer {
        active: active.contains(&player.id),
        player,
        created_at,
    };
    Ok(page.into_iter().map(followed).collect())
}

/// Deletes the lists of a deleted account, and its place on others' lists.
pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::follows::forget_account(tx, account).await
}

//! The operator gives roles, and takes them. Nothing here is reached over HTTP.

use serde_json::json;

use crate::accounts;
use crate::accounts::roles::{Actor, Holder, Role};
use crate::accounts::{Username, account};
use crate::audit_log::{self, About, Deed, Kind, Reason};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::player::Player;

/// Gives an account a role. False: it has it already. `not-found` when nobody has the name.
pub async fn grant(tx: &mut Tx, ctx: &Context, name: &Username, role: Role, reason: Reason) -> Result<bool> {
    let player = named(tx, name).await?;
    account::keep(tx, player.id).await?;
    if !accounts::store::roles::insert(tx, player.id, role, ctx.clock.now()).await? {
        return Ok(false);
    }
    note(tx, ctx, Kind::RoleGranted, &player, role, reason).await.map(|()| true)
}

/// Takes a role from an account. False: it didn't have it. `not-found` when nobody has the name. What he is doing at this moment is done first.
pub async fn revoke(tx: &mut Tx, ctx: &Context, name: &Username, role: Role, reason: Reason) -> Result<bool> {
    let player = named(tx, name).await?;
    if !accounts::store::roles::delete(tx, player.id, role).await? {
        return Ok(false);
    }
    note(tx, ctx, Kind::RoleRevoked, &player, role, reason).await.map(|()| true)
}

/// Everybody with a role, by role and name.
pub async fn list(conn: &mut Conn) -> Result<Vec<Holder>> {
    accounts::store::roles::list(conn).await
}

async fn named(tx: &mut Tx, name: &Username) -> Result<Player> {
    let found = accounts::store::accounts::player_named(tx, name).await?;
    found.ok_or_else(|| Error::new(&problem::NOT_FOUND, format!("There is no player named {name}.")))
}

async fn note(tx: &mut Tx, ctx: &Context, kind: Kind, player: &Player, role: Role, reason: Reason) -> Result<()> {
    let deed = Deed { kind, about: About::account(player.id), reason, details: json!({ "role": role.into_str() }) };
    audit_log::note(tx, ctx, Actor::OPERATOR, deed).await.map(drop)
}

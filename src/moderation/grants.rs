//! Granting and revoking roles by the operator, on the command line. Nothing here can be reached over HTTP.

use serde_json::json;

use crate::accounts;
use crate::accounts::roles::{Actor, Role, RoleHolder};
use crate::accounts::{Username, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::player::Player;

/// Grants a role to an account. Returns false if it has the role already. Fails with `not-found` if there is no such
/// name.
pub async fn grant(tx: &mut Tx, ctx: &Context, name: &Username, role: Role, reason: AuditReason) -> Result<bool> {
    let player = named(tx, name).await?;
    account::lock_existing(tx, player.id).await?;
    if !accounts::store::roles::insert(tx, player.id, role, ctx.clock.now()).await? {
        return Ok(false);
    }
    note(tx, ctx, AuditKind::RoleGranted, &player, role, reason).await.map(|()| true)
}

/// Revokes a role of an account. Returns false if it doesn't have the role. Fails with `not-found` if there is no such
/// name. A running action that needs the role is completed first.
pub async fn revoke(tx: &mut Tx, ctx: &Context, name: &Username, role: Role, reason: AuditReason) -> Result<bool> {
    let player = named(tx, name).await?;
    if !accounts::store::roles::delete(tx, player.id, role).await? {
        return Ok(false);
    }
    note(tx, ctx, AuditKind::RoleRevoked, &player, role, reason).await.map(|()| true)
}

/// All accounts with a role, by role and name.
pub async fn list(conn: &mut Conn) -> Result<Vec<RoleHolder>> {
    accounts::store::roles::list(conn).await
}

/// The player of this name. Fails with `not-found`.
pub(super) async fn named(tx: &mut Tx, name: &Username) -> Result<Player> {
    let found = accounts::store::accounts::find_player(tx, name).await?;
    found.ok_or_else(|| Error::new(&problem::NOT_FOUND, format!("There is no player named {name}.")))
}

async fn note(
    tx: &mut Tx,
    ctx: &Context,
    kind: AuditKind,
    player: &Player,
    role: Role,
    reason: AuditReason,
) -> Result<()> {
    let entry = AuditEntry {
        kind,
        subject: AuditSubject::account(player.id),
        reason,
        details: json!({ "role": role.into_str() }),
    };
    audit_log::append(tx, ctx, Actor::OPERATOR, entry).await.map(drop)
}

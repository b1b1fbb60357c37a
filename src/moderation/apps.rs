//! Suspension and removal of registered apps by the operator, on the command line. Nothing here can be reached over
//! HTTP.

use serde_json::json;

use crate::accounts::oauth::registered::{self, RegisteredApp};
use crate::accounts::roles::Actor;
use crate::accounts::{self, Username};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::RegisteredAppId;

/// Suspends an app: every grant ends, and it gets no new ones. Returns the app as it was, and the number of ended
/// grants. Fails with `not-found`.
pub async fn suspend(
    tx: &mut Tx,
    ctx: &Context,
    id: RegisteredAppId,
    reason: AuditReason,
) -> Result<(RegisteredApp, usize)> {
    let (app, ended) = registered::suspend(tx, ctx, id).await?;
    if app.suspended_at.is_none() {
        note(tx, ctx, AuditKind::AppSuspended, &app, reason).await?;
    }
    Ok((app, ended))
}

/// Allows an app to get grants again. Returns the app as it was. Fails with `not-found`.
pub async fn resume(tx: &mut Tx, ctx: &Context, id: RegisteredAppId, reason: AuditReason) -> Result<RegisteredApp> {
    let app = registered::resume(tx, id).await?;
    if app.suspended_at.is_some() {
        note(tx, ctx, AuditKind::AppResumed, &app, reason).await?;
    }
    Ok(app)
}

/// Removes an app: every grant ends, and its name stays reserved for a year. Returns the app as it was, and the number
/// of ended grants. Fails with `not-found`.
pub async fn remove(
    tx: &mut Tx,
    ctx: &Context,
    id: RegisteredAppId,
    reason: AuditReason,
) -> Result<(RegisteredApp, usize)> {
    let (app, ended) = registered::remove_by_operator(tx, ctx, id).await?;
    note(tx, ctx, AuditKind::AppRemoved, &app, reason).await?;
    Ok((app, ended))
}

async fn note(tx: &mut Tx, ctx: &Context, kind: AuditKind, app: &RegisteredApp, reason: AuditReason) -> Result<()> {
    let details = json!({ "client_id": app.client_id(), "name": app.name });
    let subject = AuditSubject::account(app.account);
    audit_log::append(tx, ctx, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

/// The registered apps, or those of an account, each with the number of accounts that have granted it access, newest
/// first. Fails with `not-found` if there is no such name.
pub async fn list(
    conn: &mut Conn,
    ctx: &Context,
    owner: Option<&Username>,
    limit: i64,
) -> Result<Vec<(RegisteredApp, i64)>> {
    let owner = match owner {
        Some(name) => Some(accounts::find_player(ctx, name).await?.id),
        None => None,
    };
    registered::list_all(conn, ctx, owner, limit).await
}

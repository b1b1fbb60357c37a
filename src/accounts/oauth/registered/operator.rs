//! The operator's actions on registered apps. `crate::moderation::apps` records them in the audit log.

use super::{RegisteredApp, find, take_away};
use crate::accounts::store;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::Result;
use crate::ids::{AccountId, RegisteredAppId};

/// All apps, or those of an account, newest first, with the number of accounts that authorized each.
pub async fn list_all(
    conn: &mut Conn,
    ctx: &Context,
    owner: Option<AccountId>,
    limit: i64,
) -> Result<Vec<(RegisteredApp, i64)>> {
    let found = store::registered_apps::page(conn, owner, None, limit).await?;
    let ids: Vec<RegisteredAppId> = found.iter().map(|app| app.id).collect();
    let grants = store::registered_apps::grants(conn, &ids, ctx.clock.now()).await?;
    let with_grants = |app: RegisteredApp| {
        let count = grants.get(&app.id).copied().unwrap_or_default();
        (app, count)
    };
    Ok(found.into_iter().map(with_grants).collect())
}

/// Suspends an app: every grant ends, and it gets no other. Returns the app as it was, and the number of ended grants.
/// Fails with `not-found`.
pub async fn suspend(tx: &mut Tx, ctx: &Context, id: RegisteredAppId) -> Result<(RegisteredApp, usize)> {
    store::registered_apps::lock_exclusively(tx, id).await?;
    let app = find(tx, id).await?;
    let now = ctx.clock.now();
    if app.suspended_at.is_none() {
        store::registered_apps::suspend(tx, id, Some(now)).await?;
    }
    let ended = store::registered_apps::end_grants(tx, id, now).await?;
    Ok((app, ended.len()))
}

/// Allows grants to an app again. Returns the app as it was. Fails with `not-found`.
pub async fn resume(tx: &mut Tx, id: RegisteredAppId) -> Result<RegisteredApp> {
    store::registered_apps::lock_exclusively(tx, id).await?;
    let app = find(tx, id).await?;
    store::registered_apps::suspend(tx, id, None).await?;
    Ok(app)
}

/// Removes an app: every grant ends, and its name is reserved for a year, even from its owner. Returns the app as it
/// was, and the number of ended grants. Fails with `not-found`.
pub async fn remove_by_operator(tx: &mut Tx, ctx: &Context, id: RegisteredAppId) -> Result<(RegisteredApp, usize)> {
    store::registered_apps::lock_exclusively(tx, id).await?;
    let app = find(tx, id).await?;
    let ended = take_away(tx, ctx, &app, false).await?;
    Ok((app, ended.len()))
}

//! The operator's statements about the service as a whole, on the command line.

use broadside_rules::DownTime;
use serde_json::json;

use crate::accounts::roles::Actor;
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::epoch::{self, Epoch};
use crate::error::{Error, Result};
use crate::heartbeat;
use crate::ids::MatchId;
use crate::matches::Matches;
use crate::matches::repair::{self, Repaired};

/// Records an outage. Returns false, and records nothing, if the span isn't over.
pub async fn rest_clocks(ctx: &Context, down: DownTime, reason: AuditReason) -> Result<bool> {
    let mut tx = ctx.db.begin().await?;
    if !heartbeat::rest_clocks(&mut tx, &ctx.clock, down).await? {
        return tx.roll_back().await.map(|()| false);
    }
    let (kind, subject) = (AuditKind::ClocksRested, AuditSubject::default());
    let details = json!({ "from": down.from, "until": down.until });
    audit_log::append(&mut tx, ctx, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await?;
    tx.commit().await?;
    Ok(true)
}

/// Begins a new epoch of the logs: every earlier cursor is refused from now on. Running nodes learn of it with their
/// next heartbeat.
pub async fn begin_epoch(ctx: &Context, reason: AuditReason) -> Result<Epoch> {
    let place = epoch::place(&ctx.db).await?;
    let mut tx = ctx.db.begin().await?;
    let epoch = epoch::begin_new(&mut tx, place.as_ref(), ctx.clock.now()).await?;
    let (kind, subject) = (AuditKind::EpochBegan, AuditSubject::default());
    let details = json!({ "epoch": epoch.to_string() });
    audit_log::append(&mut tx, ctx, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await?;
    tx.commit().await?;
    ctx.epochs.learn(epoch);
    Ok(epoch)
}

/// Repairs a damaged match, or aborts it.
pub async fn repair_match(matches: &Matches, id: MatchId) -> Result<Repaired> {
    let noted = async |tx: &mut Tx, done: &'static str| {
        let (kind, subject) = (AuditKind::MatchRepaired, AuditSubject::match_id(id));
        let reason = "the match was damaged".parse().map_err(|why: String| Error::internal(why))?;
        let details = json!({ "done": done });
        audit_log::append(tx, matches, Actor::OPERATOR, AuditEntry { kind, subject, reason, details }).await.map(drop)
    };
    repair::repair(matches, id, noted).await
}

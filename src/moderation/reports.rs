//! Moderators read reported messages and resolve the reports.

use serde_json::json;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::ReportId;
use crate::social::reports::{self, ChatReportFilter, NamedChatReport, ReportResolution};

/// Some reports, the oldest first, for a moderator.
pub async fn list(ctx: &Context, who: &Identity, filter: ChatReportFilter, limit: i64) -> Result<Vec<NamedChatReport>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    reports::page(&mut conn, filter, limit).await
}

/// Resolves a report: says what was done about it. `not-found` when there is none, `already-done` when it is resolved
/// already, `not-for-you` when it is about the caller's own words.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ReportId,
    resolution: ReportResolution,
    reason: AuditReason,
) -> Result<()> {
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    let report = reports::resolve(tx, ctx, id, resolution).await?;
    if report.author == who.account {
        return Err(Error::new(
            &problem::NOT_FOR_YOU,
            "The report is about your own words: somebody else deals with it.",
        ));
    }
    let details = json!({
        "report_id": id, "resolution": resolution.into_str(), "room": report.room.into_str(), "number": report.number,
    });
    let subject =
        AuditSubject { account: Some(report.author), match_id: Some(report.match_id), ..AuditSubject::default() };
    let kind = AuditKind::ChatReportResolved;
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

//! Moderators read reported messages and rule sets, and resolve the reports.

use serde_json::json;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, ChatReportId};
use crate::rulesets;
use crate::rulesets::reports::NamedRuleSetReport;
use crate::social::reports::{self, ChatReportOutcome, NamedChatReport, ReportFilter};

/// Some reports, the oldest first, for a moderator.
pub async fn list(ctx: &Context, who: &Identity, filter: ReportFilter, limit: i64) -> Result<Vec<NamedChatReport>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    reports::page(&mut conn, filter, limit).await
}

/// Resolves a report: says what was done about it. `not-found` when there is none, `already-done` when it is resolved
/// already, `conflict-of-interest` when it is about the caller's own words.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ChatReportId,
    resolution: ChatReportOutcome,
    reason: AuditReason,
) -> Result<()> {
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    let report = reports::resolve(tx, ctx, id, resolution).await?;
    refuse_own(who, report.author)?;
    let details = json!({
        "report_id": id, "resolution": resolution.into_str(), "room": report.room.into_str(), "number": report.number,
    });
    let subject =
        AuditSubject { account: Some(report.author), match_id: Some(report.match_id), ..AuditSubject::default() };
    let kind = AuditKind::ChatReportResolved;
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

/// Some reports of rule sets, the oldest first, for a moderator.
pub async fn list_of_rule_sets(
    ctx: &Context,
    who: &Identity,
    filter: ReportFilter,
    limit: i64,
) -> Result<Vec<NamedRuleSetReport>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    rulesets::reports::page(&mut conn, filter, limit).await
}

/// Resolves a report of a rule set, as [`resolve`] does one of a message.
pub async fn resolve_of_rule_set(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ChatReportId,
    resolution: ChatReportOutcome,
    reason: AuditReason,
) -> Result<()> {
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    let report = rulesets::reports::resolve(tx, ctx, id, resolution).await?;
    refuse_own(who, report.author)?;
    let details = json!({ "report_id": id, "resolution": resolution.into_str() });
    let named_rule_set = Some(report.rule_set);
    let subject = AuditSubject { account: Some(report.author), named_rule_set, ..AuditSubject::default() };
    let kind = AuditKind::RulesetReportResolved;
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

fn refuse_own(who: &Identity, author: AccountId) -> Result<()> {
    if author == who.account {
        let detail = "The report is about your own words: somebody else deals with it.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    Ok(())
}

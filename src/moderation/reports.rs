//! Moderators read the messages that players have reported, and say what was done about them.

use serde_json::json;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::audit_log::{self, About, Deed, Kind, Reason};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::ReportId;
use crate::social::reports::{self, ChatReportFilter, NamedChatReport, ReportResolution};

/// Some reports, the oldest first, for a moderator.
pub async fn list(ctx: &Context, who: &Identity, filter: ChatReportFilter, limit: i64) -> Result<Vec<NamedChatReport>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, who, Role::Moderator).await?;
    reports::page(&mut conn, filter, limit).await
}

/// Says what was done about a report. `not-found` when there is none, `already-done` when somebody has said it before, `not-for-you` when it is about the caller's
/// own words.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: ReportId,
    resolution: ReportResolution,
    reason: Reason,
) -> Result<()> {
    let actor = roles::required(tx, ctx, who, Role::Moderator).await?;
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
    let about = About { account: Some(report.author), match_id: Some(report.match_id), ..About::default() };
    let kind = Kind::ChatReportResolved;
    audit_log::note(tx, ctx, actor, Deed { kind, about, reason, details }).await.map(drop)
}

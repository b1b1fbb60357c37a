//! Reported messages over HTTP, for moderators: read, and dealt with.

use actix_web::{HttpRequest, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::Moderator;
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::audit_log;
use crate::ids::{MatchId, ReportId};
use crate::moderation::reports;
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::social::reports::{Listed, Resolution, Which};
use crate::social::{Reason, Room};

text_fields!(ReportId, Resolution);

request! {
    /// Which reports to list.
    pub query WhichReports {
        /// Those that somebody has dealt with, instead of the others.
        pub resolved: Option<bool>,
        /// How many at most: 1 to 200, 50 unless given.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<ReportId>,
    }
}

request! {
    /// What was done about a report.
    pub struct ReportResolved {
        /// What was done.
        pub resolution: Resolution,
        /// Why: 1 to 500 characters, for moderators.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: audit_log::AuditReason,
    }
}

/// A message that was reported, as it was then.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatReport)]
pub struct ReportBody {
    id: ReportId,
    match_id: MatchId,
    #[schema(value_type = Room)]
    room: &'static str,
    /// The message's number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    /// Who wrote it, by his name of today.
    author: Player,
    /// Who reported it.
    reporter: Player,
    /// What it said.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    /// Why it was reported.
    #[schema(value_type = Reason)]
    reason: &'static str,
    /// What the reporter says of it.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    /// When it was reported.
    at: Time,
    /// When somebody has dealt with it; null: nobody has.
    resolved_at: Option<Time>,
    /// What was done; null: nobody has dealt with it.
    #[schema(value_type = Option<Resolution>)]
    resolution: Option<&'static str>,
}

impl From<Listed> for ReportBody {
    fn from(listed: Listed) -> Self {
        let Listed { filed, reporter, author, resolved } = listed;
        let (resolved_at, resolution) = resolved.unzip();
        Self {
            id: filed.id,
            match_id: filed.match_id,
            room: filed.room.word(),
            number: filed.number,
            author,
            reporter,
            text: filed.text,
            reason: filed.reason.word(),
            comment: filed.comment,
            at: filed.at,
            resolved_at,
            resolution: resolution.map(Resolution::word),
        }
    }
}

/// List reported messages
///
/// The oldest first, with the text as it was when it was reported; those with which nobody has dealt, or the others. They are kept for 180 days. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "list_chat_reports", security(("bearer" = [])), params(WhichReports),
    responses((status = 200, description = "A page of reports.", body = Page<ReportBody>)))]
#[get("/v1/moderation/chat-reports")]
pub async fn list_chat_reports(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<WhichReports>,
    request: HttpRequest,
) -> Answer {
    let WhichReports { resolved, limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 200)?;
    let which = Which { resolved: resolved.unwrap_or(false), after: cursor };
    let found = reports::list(&app, &moderator, which, limit + 1).await?;
    page(found, limit, |listed| listed.filed.id.to_string(), ReportBody::from).reply(&request)
}

/// Say what was done about a report
///
/// Nothing more happens by it: a suspension is a request of its own. `already-done` when somebody has said it before, `not-for-you` when it is about the caller's own words. Needs
/// the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "resolve_chat_report", security(("bearer" = [])),
    params(("id" = ReportId, Path, description = "The report.")),
    request_body(content = ReportResolved, example = json!({"resolution": "no-action", "reason": "Rude, but no more than that."})),
    responses((status = 204, description = "It is noted.")))]
#[post("/v1/moderation/chat-reports/{id}/resolve")]
pub async fn resolve_chat_report(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<ReportId>,
    change: Change<ReportResolved>,
) -> Answer {
    let ReportResolved { resolution, reason } = change.request;
    let work = async |tx: &mut _| {
        reports::resolve(tx, &app, &moderator, id.0, resolution, reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}

//! Reports of chat messages over HTTP, for moderators.

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
use crate::ids::{ChatReportId, MatchId};
use crate::moderation::reports;
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::social::reports::{ChatReportOutcome, NamedChatReport, ReportFilter};
use crate::social::{ChatReportReason, ChatRoom};

text_fields!(ChatReportId, ChatReportOutcome);

request! {
    /// Which reports to list.
    pub query ChatReportsQuery {
        /// Resolved reports instead of open ones.
        pub resolved: Option<bool>,
        /// The number of reports: 1 to 200, 50 by default.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<ChatReportId>,
    }
}

request! {
    /// What was done about a report.
    pub struct ResolveChatReportRequest {
        /// What was done.
        pub resolution: ChatReportOutcome,
        /// Why: 1 to 500 characters, for moderators.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: audit_log::AuditReason,
    }
}

/// A message that was reported, as it was then.
#[derive(Serialize, ToSchema)]
#[schema(as = ChatReport)]
pub struct ChatReportBody {
    id: ChatReportId,
    match_id: MatchId,
    room: ChatRoom,
    /// The message's number in the room.
    #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
    number: u32,
    /// The author, with the current name.
    author: Player,
    /// The player who reported it.
    reporter: Player,
    /// The text at the time of the report.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    /// Why it was reported.
    reason: ChatReportReason,
    /// The reporter's comment.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    /// When it was reported.
    at: Time,
    /// When it was resolved; null: it is open.
    resolved_at: Option<Time>,
    /// What was done; null: it is open.
    resolution: Option<ChatReportOutcome>,
}

impl From<NamedChatReport> for ChatReportBody {
    fn from(named: NamedChatReport) -> Self {
        let NamedChatReport { report, reporter, author, resolved } = named;
        let (resolved_at, resolution) = resolved.unzip();
        Self {
            id: report.id,
            match_id: report.match_id,
            room: report.room,
            number: report.number,
            author,
            reporter,
            text: report.text,
            reason: report.reason,
            comment: report.comment,
            at: report.at,
            resolved_at,
            resolution,
        }
    }
}

/// List reported chat messages
///
/// The oldest first, with the text as it was when it was reported: open reports, or resolved ones. They are kept for
/// 180 days. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "list_chat_reports", security(("bearer" = [])), params(ChatReportsQuery),
    responses((status = 200, description = "A page of reports.", body = Page<ChatReportBody>)))]
#[get("/v1/moderation/chat-reports")]
pub async fn list_chat_reports(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<ChatReportsQuery>,
    request: HttpRequest,
) -> Answer {
    let ChatReportsQuery { resolved, limit, cursor } = query.0;
    let limit = page_limit(limit, 50, 200)?;
    let filter = ReportFilter { resolved: resolved.unwrap_or(false), after: cursor };
    let found = reports::list(&app, &moderator, filter, limit + 1).await?;
    page(found, limit, |named| named.report.id.to_string(), ChatReportBody::from).reply(&request)
}

/// Resolve a chat report
///
/// It only records the decision; a suspension is a request of its own. Refused with `already-done` when the report is
/// resolved, and with `conflict-of-interest` when it is about the caller's own message. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "resolve_chat_report", security(("bearer" = [])),
    params(("id" = ChatReportId, Path, description = "The report.")),
    request_body(content = ResolveChatReportRequest, example = json!({"resolution": "no-action", "reason": "Rude, but no more than that."})),
    responses((status = 204, description = "The report is resolved.")))]
#[post("/v1/moderation/chat-reports/{id}/resolve")]
pub async fn resolve_chat_report(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<ChatReportId>,
    change: Change<ResolveChatReportRequest>,
) -> Answer {
    let ResolveChatReportRequest { resolution, reason } = change.request;
    let work = async |tx: &mut _| {
        reports::resolve(tx, &app, &moderator, id.0, resolution, reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}

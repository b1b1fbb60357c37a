//! Reports of named rule sets over HTTP: filed by players, read and resolved by moderators.

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::Time;
use broadside_rules::text::Digest;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyWrite, Moderator};
use crate::api::http::extract::{Change, Id, InnerId, Query};
use crate::api::http::fields::request;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::reports::ResolveChatReportRequest;
use crate::app::App;
use crate::ids::ChatReportId;
use crate::moderation::reports::{list_of_rule_sets, resolve_of_rule_set};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::rulesets::reports::{self, NamedRuleSetReport, RuleSetReport};
use crate::social::ChatReportReason;
use crate::social::reports::{ChatReportOutcome, ReportFilter};
use crate::social::text::ChatText;

request! {
    /// A report of a named rule set.
    pub struct ReportRuleSetRequest {
        /// Why it is reported.
        pub reason: ChatReportReason,
        /// What else moderators should know: 1 to 500 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        pub comment: Option<ChatText>,
    }
}

request! {
    /// Which reports to list.
    pub query RulesetReportsQuery {
        /// Resolved reports instead of open ones.
        pub resolved: Option<bool>,
        /// The number of reports: 1 to 50, 20 by default.
        #[param(minimum = 1, maximum = 50, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<ChatReportId>,
    }
}

/// A named rule set that was reported, with its words as they were then.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleSetReport)]
pub struct RulesetReportBody {
    id: ChatReportId,
    /// The rule set, by its hash; `GET /v1/moderation/rule-sets/{hash}` has the rest of it.
    named_rule_set: Digest,
    /// Who has published it, with the current name.
    author: Player,
    /// The player who reported it.
    reporter: Player,
    /// The title at the time of the report; null: its author had deleted the account.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: Option<String>,
    /// The text at the time of the report.
    #[schema(max_length = 20_000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    rules_markdown: Option<String>,
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

/// A report of a named rule set in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedRuleSetReport {
    /// The rule set, by its hash.
    named_rule_set: Digest,
    /// The title at the time of the report; null: its author had deleted the account.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: Option<String>,
    reason: ChatReportReason,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    at: Time,
}

impl From<RuleSetReport> for ExportedRuleSetReport {
    fn from(report: RuleSetReport) -> Self {
        let RuleSetReport { rule_set, title, reason, comment, at, .. } = report;
        Self { named_rule_set: rule_set.digest(), title: there(title), reason, comment, at }
    }
}

/// A title that hasn't been taken along.
fn there(title: String) -> Option<String> {
    Some(title).filter(|title| !title.is_empty())
}

impl From<NamedRuleSetReport> for RulesetReportBody {
    fn from(named: NamedRuleSetReport) -> Self {
        let NamedRuleSetReport { report, reporter, author, resolved } = named;
        let (resolved_at, resolution) = resolved.unzip();
        Self {
            id: report.id,
            named_rule_set: report.rule_set.digest(),
            author,
            reporter,
            title: there(report.title),
            rules_markdown: report.text,
            reason: report.reason,
            comment: report.comment,
            at: report.at,
            resolved_at,
            resolution,
        }
    }
}

/// Report a named rule set
///
/// Its title, its text, or the names in it. The moderators get it, with the words as they are now. A second report of
/// the same rule set changes nothing. Refused with `not-found` when there is none, and with `own-rule-set` for the
/// caller's own.
#[utoipa::path(tag = "variants", operation_id = "report_rule_set", security(("bearer" = [])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
    request_body(content = ReportRuleSetRequest, example = json!({"reason": "hate", "comment": "Look at the names of the ships."})),
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/rule-sets/{hash}/report")]
pub async fn report_rule_set(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    hash: InnerId<RuleSetHash>,
    change: Change<ReportRuleSetRequest>,
) -> Answer {
    let Change { request: ReportRuleSetRequest { reason, comment }, once } = change;
    let work = async |tx: &mut _| {
        reports::file(tx, &app, &caller, hash.0, reason, comment).await?;
        Ok(Reply::no_content())
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List reported rule sets
///
/// The oldest first, with title and text as they were when they were reported: open reports, or resolved ones. They are
/// kept for 180 days. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "list_rule_set_reports", security(("bearer" = [])), params(RulesetReportsQuery),
    responses((status = 200, description = "A page of reports.", body = Page<RulesetReportBody>)))]
#[get("/v1/moderation/rule-set-reports")]
pub async fn list_rule_set_reports(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<RulesetReportsQuery>,
    request: HttpRequest,
) -> Answer {
    let RulesetReportsQuery { resolved, limit, cursor } = query.0;
    let limit = page_limit(limit, 20, 50)?;
    let filter = ReportFilter { resolved: resolved.unwrap_or(false), after: cursor };
    let found = list_of_rule_sets(&app, &moderator, filter, limit + 1).await?;
    page(found, limit, |named| named.report.id.to_string(), RulesetReportBody::from).reply(&request)
}

/// Say what was done about a report of a rule set
///
/// It only records the decision: to hide the words is a request of its own. Refused with `already-done` when the report
/// is resolved, and with `conflict-of-interest` when it is about the caller's own rule set. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "resolve_rule_set_report", security(("bearer" = [])),
    params(("id" = ChatReportId, Path, description = "The report.")),
    request_body(content = ResolveChatReportRequest, example = json!({"resolution": "other", "reason": "The words are hidden."})),
    responses((status = 204, description = "The report is resolved.")))]
#[post("/v1/moderation/rule-set-reports/{id}/resolve")]
pub async fn resolve_rule_set_report(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<ChatReportId>,
    change: Change<ResolveChatReportRequest>,
) -> Answer {
    let ResolveChatReportRequest { resolution, reason } = change.request;
    let work = async |tx: &mut _| {
        resolve_of_rule_set(tx, &app, &moderator, id.0, resolution, reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}

//! Abuse reports over HTTP: players report a chat message, a named rule set, a profile or another text; moderators read
//! and resolve the reports.

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::RuleSetHash;
use broadside_rules::Time;
use broadside_rules::text::Digest;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;
use uuid::Uuid;

use crate::abuse_reports::texts::{self, TextKind};
use crate::abuse_reports::{
    self, AbuseReason, AbuseReport, AbuseReportFilter, AbuseReportResolution, AbuseSubject, Complaint, NamedAbuseReport,
};
use crate::api::http::auth::{Caller, LobbyWrite, MatchesPlay, Moderator};
use crate::api::http::extract::{Change, Id, InnerId, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::chat::room;
use crate::api::social::players::named;
use crate::api::substitutions;
use crate::app::App;
use crate::audit_log;
use crate::error::Error;
use crate::ids::{AbuseReportId, MatchId, SubstitutionId};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::social::ChatRoom;
use crate::social::chat::{self, Purpose};
use crate::social::text::ChatText;

text_fields!(AbuseReason, AbuseReportId, AbuseReportResolution);

pub fn routes(api: &mut ServiceConfig<'_>) {
    api.service(report_message)
        .service(report_rule_set)
        .service(report_player)
        .service(report_text)
        .service(list_abuse_reports)
        .service(resolve_abuse_report);
}

request! {
    /// A report to the moderators.
    pub struct ReportAbuseRequest {
        /// The reason.
        pub reason: AbuseReason,
        /// A comment for the moderators: 1 to 500 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f]+$")]
        pub comment: Option<ChatText>,
    }
}

request! {
    /// Which reports to list.
    pub query AbuseReportsQuery {
        /// Resolved reports instead of open ones.
        pub resolved: Option<bool>,
        /// The number of reports: 1 to 50, 20 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 50, format = Int32)]
        pub limit: Option<Ranged<1, 50>>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<AbuseReportId>,
    }
}

request! {
    /// What was done about a report.
    pub struct ResolveAbuseReportRequest {
        /// What was done.
        pub resolution: AbuseReportResolution,
        /// Why: 1 to 500 characters, for moderators.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: audit_log::AuditReason,
    }
}

/// What was reported, with its words at the time of the report.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[schema(as = AbuseSubject)]
pub enum AbuseSubjectBody {
    /// A chat message.
    #[schema(title = "AbuseSubjectMessage")]
    Message {
        match_id: MatchId,
        #[schema(inline)]
        room: ChatRoom,
        /// The message's number in the room.
        #[schema(minimum = 1, maximum = 2_147_483_647, format = Int32)]
        number: u32,
        #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        text: String,
    },
    /// The words of a named rule set.
    #[schema(title = "AbuseSubjectRuleSet")]
    RuleSet {
        /// The rule set, by its hash; `GET /v1/moderation/rule-sets/{hash}` has the rest of it.
        named_rule_set: Digest,
        /// The title; null: its author had deleted the account.
        #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        title: Option<String>,
        /// The text.
        #[schema(max_length = 20_000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        rules_markdown: Option<String>,
    },
    /// What a player said of themselves.
    #[schema(title = "AbuseSubjectProfile")]
    Profile {
        /// The name.
        #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        username: String,
        /// The line about themselves, and a bot's description of itself on a line of its own.
        #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        bio: Option<String>,
        /// The club.
        #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f]+$")]
        club: Option<String>,
    },
    /// Another text that others read.
    #[schema(title = "AbuseSubjectText")]
    Text {
        /// What it belongs to.
        kind: TextKind,
        /// The challenge, the request for a substitute, the ladder or the tournament, the announcement, the decision or
        /// the app.
        #[schema(value_type = String, format = Uuid)]
        id: Uuid,
        /// The title of a ladder or a tournament, or the name of an app.
        #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
        title: Option<String>,
        /// The text. Of a challenge: the message, and each name of a ship or a weapon on a line of its own. Of a ladder
        /// or a tournament: the description, and the reasons of its organizers for its end, its last pauses and its
        /// last rounds paired by hand.
        #[schema(max_length = 20_000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
        text: Option<String>,
    },
}

impl From<AbuseSubject> for AbuseSubjectBody {
    fn from(subject: AbuseSubject) -> Self {
        match subject {
            AbuseSubject::Message { match_id, room, number, text } => Self::Message { match_id, room, number, text },
            AbuseSubject::RuleSet { hash, title, text } => {
                Self::RuleSet { named_rule_set: hash.digest(), title, rules_markdown: text }
            }
            AbuseSubject::Profile { username, bio, club } => Self::Profile { username, bio, club },
            AbuseSubject::Text { kind, id, title, text } => Self::Text { kind, id, title, text },
        }
    }
}

/// A report of abuse, for moderators.
#[derive(Serialize, ToSchema)]
#[schema(as = AbuseReport)]
pub struct AbuseReportBody {
    id: AbuseReportId,
    /// What it is about.
    subject: AbuseSubjectBody,
    /// Who has written the words, with the current name.
    author: Player,
    /// The player who reported it.
    reporter: Player,
    reason: AbuseReason,
    /// The reporter's comment.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    /// When it was reported.
    at: Time,
    /// When it was resolved; null: it is open.
    resolved_at: Option<Time>,
    /// What was done; null: it is open.
    resolution: Option<AbuseReportResolution>,
}

impl From<NamedAbuseReport> for AbuseReportBody {
    fn from(named: NamedAbuseReport) -> Self {
        let NamedAbuseReport { report, reporter, author, resolved } = named;
        let AbuseReport { id, subject, reason, comment, at, .. } = report;
        let (resolved_at, resolution) = resolved.unzip();
        Self { id, subject: subject.into(), author, reporter, reason, comment, at, resolved_at, resolution }
    }
}

/// A report in its reporter's export.
#[derive(Serialize, ToSchema)]
pub struct ExportedAbuseReport {
    /// What it is about.
    subject: AbuseSubjectBody,
    reason: AbuseReason,
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    comment: Option<String>,
    at: Time,
}

impl From<AbuseReport> for ExportedAbuseReport {
    fn from(report: AbuseReport) -> Self {
        let AbuseReport { subject, reason, comment, at, .. } = report;
        Self { subject: subject.into(), reason, comment, at }
    }
}

/// Report a chat message
///
/// The moderators get it, with the text as it is now. For every account that may read the room. A second report of the
/// same message changes nothing. Refused with `not-found` when there is no such message or its author has deleted the
/// account, and with `own-message` for the caller's own message.
#[utoipa::path(tag = "chat", operation_id = "report_message", security(("bearer" = ["matches:play"])),
    params(("id" = MatchId, Path, description = "The match."), ("room" = inline(ChatRoom), Path, description = "The room."),
        ("number" = i32, Path, description = "The message's number.", minimum = 1, maximum = 2_147_483_647, format = Int32, example = 1)),
    request_body = ReportAbuseRequest,
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/matches/{id}/chat/{room}/{number}/report")]
pub async fn report_message(
    app: web::Data<App>,
    caller: Caller<MatchesPlay>,
    id: Id<MatchId>,
    change: Change<ReportAbuseRequest>,
    request: HttpRequest,
) -> Answer {
    let number = request.match_info().get("number").and_then(|number| number.parse().ok());
    let number = number.ok_or_else(Error::not_found)?;
    let access = chat::enter(&app.matches, caller.account, id.0, room(&request)?, Purpose::Read).await?;
    let ReportAbuseRequest { reason, comment } = change.request;
    let work = async |tx: &mut _| {
        abuse_reports::report_message(tx, &app, &caller, &access, number, Complaint { reason, comment }).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Report a named rule set
///
/// Its title, its text, or the names in it. The moderators get it, with the words as they are now. A second report of
/// the same rule set changes nothing. Refused with `not-found` when there is none, and with `own-rule-set` for the
/// caller's own.
#[utoipa::path(tag = "variants", operation_id = "report_rule_set", security(("bearer" = ["lobby:write"])),
    params(("hash" = String, Path, description = "Its hash.", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$", example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")),
    request_body = ReportAbuseRequest,
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/rule-sets/{hash}/report")]
pub async fn report_rule_set(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    hash: InnerId<RuleSetHash>,
    change: Change<ReportAbuseRequest>,
) -> Answer {
    let Change { request: ReportAbuseRequest { reason, comment }, once } = change;
    let work = async |tx: &mut _| {
        abuse_reports::report_rule_set(tx, &app, &caller, hash.0, Complaint { reason, comment }).await?;
        Ok(Reply::no_content())
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Report a player's profile
///
/// Their name, the line about themselves, their club, or what a bot says of itself. The moderators get it, with the
/// words as they are now. A second report of the same player changes nothing until the first is dealt with. Refused
/// with `not-found` when there is no such player, and with `own-account` for the caller's own profile.
#[utoipa::path(tag = "players", operation_id = "report_player", security(("bearer" = ["lobby:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = ReportAbuseRequest,
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/players/{username}/report")]
pub async fn report_player(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    change: Change<ReportAbuseRequest>,
    request: HttpRequest,
) -> Answer {
    let Change { request: ReportAbuseRequest { reason, comment }, once } = change;
    let name = named(&request)?;
    let work = async |tx: &mut _| {
        abuse_reports::report_profile(tx, &app, &caller, &name, Complaint { reason, comment }).await?;
        Ok(Reply::no_content())
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Report another text
///
/// What somebody has written and you can read: the message of a challenge or of a request for a substitute, the title
/// and the description of a ladder or a tournament, an announcement, a decision about you (`decision_id` of the event),
/// or the name and the description of a registered app. The moderators get it, with the words as they are now. A second
/// report of the same text changes nothing until the first is dealt with. Refused with `not-found` when there is no
/// such text or you can't read it, and with `own-message` for your own.
#[utoipa::path(tag = "players", operation_id = "report_text", security(("bearer" = ["lobby:write"])),
    params(("subject" = inline(TextKind), Path, description = "What the text belongs to.", example = "challenge"),
        ("id" = String, Path, description = "Its id. For `contest`, that of the ladder or the tournament; for `app`, what follows `registered-` in its `client_id`.",
        format = Uuid, example = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47")),
    request_body = ReportAbuseRequest,
    responses((status = 204, description = "The moderators will see it.")))]
#[post("/v1/abuse-reports/{subject}/{id}")]
pub async fn report_text(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<AbuseReportId>,
    change: Change<ReportAbuseRequest>,
    request: HttpRequest,
) -> Answer {
    let Change { request: ReportAbuseRequest { reason, comment }, once } = change;
    let kind = request.match_info().get("subject").and_then(|kind| kind.parse::<TextKind>().ok());
    let (kind, id) = (kind.ok_or_else(Error::not_found)?, id.0.0);
    if kind == TextKind::Substitution {
        substitutions::seen(&app, Some(&caller), SubstitutionId(id)).await?;
    }
    let work = async |tx: &mut _| {
        texts::report(tx, &app, &caller, (kind, id), Complaint { reason, comment }).await?;
        Ok(Reply::no_content())
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List reports of abuse
///
/// The oldest first, of chat messages, named rule sets, profiles and other texts, with the words as they were when they
/// were reported: open reports, or resolved ones. They are kept for 180 days. Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "list_abuse_reports", security(("role" = ["moderator"])),
    params(AbuseReportsQuery),
    responses((status = 200, description = "A page of reports.", body = Page<AbuseReportBody>)))]
#[get("/v1/moderation/abuse-reports")]
pub async fn list_abuse_reports(
    app: web::Data<App>,
    moderator: Moderator,
    query: Query<AbuseReportsQuery>,
    request: HttpRequest,
) -> Answer {
    let AbuseReportsQuery { resolved, limit, cursor } = query.0;
    let limit = page_limit(limit, 20);
    let filter = AbuseReportFilter { resolved: resolved.unwrap_or(false), after: cursor };
    let found = abuse_reports::page(&app, &moderator, filter, limit + 1).await?;
    page(found, limit, |named| named.report.id.to_string(), AbuseReportBody::from).reply(&request)
}

/// Resolve a report of abuse
///
/// It records the decision, and with the resolution `removed` it removes what was reported: a message or a reason is
/// erased, a rule set hidden, line and club of a profile erased, a challenge withdrawn, an announcement deleted, and a
/// ladder or a tournament gets a neutral title. To suspend an account is a request of its own. Refused with
/// `already-done` when the report is resolved, and with `conflict-of-interest` when it is about the caller's own words.
/// Needs the role `moderator`.
#[utoipa::path(tag = "moderation", operation_id = "resolve_abuse_report", security(("role" = ["moderator"])),
    params(("id" = AbuseReportId, Path, description = "The report.")),
    request_body = ResolveAbuseReportRequest,
    responses((status = 204, description = "The report is resolved.")))]
#[post("/v1/moderation/abuse-reports/{id}/resolve")]
pub async fn resolve_abuse_report(
    app: web::Data<App>,
    moderator: Moderator,
    id: Id<AbuseReportId>,
    change: Change<ResolveAbuseReportRequest>,
) -> Answer {
    let ResolveAbuseReportRequest { resolution, reason } = change.request;
    let work = async |tx: &mut _| {
        abuse_reports::resolve(tx, &app, &moderator, id.0, resolution, reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(moderator.account), work).await
}

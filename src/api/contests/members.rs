//! Members of a ladder or a tournament, over HTTP, for organizers: list, warn, remove, bar; and the log of these
//! actions.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::members::{self, ContestMember, ContestMemberStatus, Decision, LogAction, LoggedAction};
use crate::contests::organizers::{self, Needs};
use crate::contests::{Contest, either, head};
use crate::idempotency::Tx;
use crate::ids::{AccountId, ContestId, ContestLogEntryId, LadderId, TournamentId};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;
use crate::{events, ladders, tournaments};

text_fields!(ContestLogEntryId);

/// A member, or somebody who is barred, as those see them who run the contest.
#[derive(Serialize, ToSchema)]
#[schema(as = ContestMember)]
pub struct MemberBody {
    player: Player,
    status: ContestMemberStatus,
    /// When they joined last; null: they have left, and are barred.
    joined_at: Option<Time>,
    /// Whether they can't join again.
    barred: bool,
    /// How many warnings they got.
    #[schema(minimum = 0, maximum = 2147483647, format = Int32)]
    warnings: u32,
}

impl From<ContestMember> for MemberBody {
    fn from(member: ContestMember) -> Self {
        let ContestMember { player, joined_at, status, barred, warnings } = member;
        Self { player, status, joined_at, barred, warnings }
    }
}

/// Something that an organizer has done about a player.
#[derive(Serialize, ToSchema)]
#[schema(as = ContestLogEntry)]
pub struct LogEntryBody {
    id: ContestLogEntryId,
    action: LogAction,
    /// Who has done it.
    organizer: Player,
    /// About whom.
    player: Player,
    /// Why, or the text of a warning; null: none was asked for.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
    at: Time,
}

impl From<LoggedAction> for LogEntryBody {
    fn from(logged: LoggedAction) -> Self {
        let LoggedAction { id, action, actor, player, reason, at } = logged;
        Self { id, action, organizer: actor, player, reason, at }
    }
}

/// What an organizer has decided about the account, in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedDecision {
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    action: LogAction,
    /// Why, or the text of a warning.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
    at: Time,
}

impl From<Decision> for ExportedDecision {
    fn from(decision: Decision) -> Self {
        let (ladder_id, tournament_id) = either(decision.contest);
        let Decision { action, reason, at, .. } = decision;
        Self { ladder_id, tournament_id, action, reason, at }
    }
}

request! {
    /// Which members to list.
    pub query ContestMemberListQuery {
        ..page(AccountId)
    }
}

request! {
    /// Which entries of the log to list.
    pub query ContestLogQuery {
        ..page(ContestLogEntryId)
    }
}

request! {
    /// Why a member is removed.
    pub struct RemoveMemberRequest {
        /// Why: 1 to 500 characters. The member can read it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
        /// Whether they can't join again until that is lifted; false unless given.
        pub bar: Option<bool>,
    }
}

request! {
    /// What a member is warned of.
    pub struct WarnMemberRequest {
        /// The warning: 1 to 500 characters. The member can read it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub text: AuditReason,
    }
}

/// List members of a contest
///
/// For those who run the ladder or the tournament: everybody who takes part or has played, and those who are barred, in
/// the order in which their accounts were made, each with the number of their warnings. Refused with
/// `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "list_contest_members", security(("bearer" = ["lobby:read"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."), ContestMemberListQuery),
    responses((status = 200, description = "A page of them.", body = Page<MemberBody>)))]
#[get("/v1/contests/{id}/members")]
pub async fn list_contest_members(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    id: Id<ContestId>,
    query: Query<ContestMemberListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let contest = head::run_by(&mut conn, &app, id.0, &caller).await?.contest;
    let found = members::page(&mut conn, contest, query.0.cursor, limit + 1).await?;
    page(found, limit, |member| member.player.id.to_string(), MemberBody::from).reply(&request)
}

/// Remove a member
///
/// For those who run the ladder or the tournament. What is under way goes on as if the member had left by themselves:
/// matches that have begun are played on, boards that have not are won by the others. With `bar` they can't join again
/// until that is lifted. The member is told why. Refused with `not-an-organizer`, with `not-the-creator`
/// about somebody who runs the contest, with `conflict-of-interest` for an opponent with whom the caller has a game to
/// play, `not-found` for somebody who is no member, `own-account`, `ladder-closed` and `tournament-closed`.
#[utoipa::path(tag = "contests", operation_id = "remove_contest_member", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = RemoveMemberRequest,
    responses((status = 204, description = "The player is no member.")))]
#[post("/v1/contests/{id}/members/{username}/remove")]
pub async fn remove_contest_member(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
    change: Change<RemoveMemberRequest>,
) -> Answer {
    let name = named(&request)?;
    let RemoveMemberRequest { reason, bar } = change.request;
    let work = async |tx: &mut Tx| {
        head::seen(tx, &app, id.0, Some(&caller)).await?;
        let player = organizers::lock_named(tx, &app, &caller, &name).await?;
        let (head, right) = head::hold(tx, &app, &caller, id.0).await?;
        members::may_decide(&caller, (&head, right), &player)?;
        members::must_not_be_opponents(tx, &caller, head.contest, player.id).await?;
        let mut told = match head.contest {
            Contest::Ladder(id) => {
                let (ladder, _) = ladders::edit::hold(tx, &app, &caller, id, Needs::Organizer).await?;
                ladders::join::remove(tx, &app, &ladder, player.id).await?
            }
            Contest::Tournament(id) => {
                let (tournament, _) = tournaments::edit::hold(tx, &app, &caller, id, Needs::Organizer).await?;
                tournaments::entry::remove(tx, &app, tournament, player.id).await?
            }
        };
        let who = (head.contest, player.id);
        told.extend(members::removed(tx, &app, &caller, who, &reason, bar.unwrap_or(false)).await?);
        events::notify(tx, &app, told).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Warn a member
///
/// For those who run the ladder or the tournament: the member is told the text, and the warning is counted. Three a day
/// at most, then `quota-exceeded`. Refused with `not-an-organizer`, with `not-the-creator` about somebody who runs the
/// contest, with `not-found` for somebody who is no member, and `own-account`.
#[utoipa::path(tag = "contests", operation_id = "warn_contest_member", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = WarnMemberRequest,
    responses((status = 204, description = "The member is told.")))]
#[post("/v1/contests/{id}/members/{username}/warn")]
pub async fn warn_contest_member(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
    change: Change<WarnMemberRequest>,
) -> Answer {
    let name = named(&request)?;
    let text = change.request.text;
    let work = async |tx: &mut Tx| {
        head::seen(tx, &app, id.0, Some(&caller)).await?;
        let player = organizers::lock_named(tx, &app, &caller, &name).await?;
        let (head, right) = head::hold(tx, &app, &caller, id.0).await?;
        members::may_decide(&caller, (&head, right), &player)?;
        members::warn(tx, &app, &caller, (head.contest, &player), &text).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Lift a bar
///
/// For those who run the ladder or the tournament: the player can join again. Nothing happens if they aren't barred.
/// Refused with `not-an-organizer`, with `not-the-creator` about somebody who runs the contest, and `own-account`.
#[utoipa::path(tag = "contests", operation_id = "lift_contest_bar", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player isn't barred.")))]
#[delete("/v1/contests/{id}/bars/{username}")]
pub async fn lift_contest_bar(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    request: HttpRequest,
) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    head::seen(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    let (head, right) = head::hold(&mut tx, &app, &caller, id.0).await?;
    members::may_decide(&caller, (&head, right), &player)?;
    members::lift_bar(&mut tx, &app, &caller, head.contest, player.id).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// List what organizers have done about members
///
/// Who has removed, barred or warned whom, when and why, the newest first: for those who run the ladder or the
/// tournament, and for moderators. Refused with `not-an-organizer`.
#[utoipa::path(tag = "contests", operation_id = "list_contest_log", security(("bearer" = ["lobby:read"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament."), ContestLogQuery),
    responses((status = 200, description = "A page of it.", body = Page<LogEntryBody>)))]
#[get("/v1/contests/{id}/log")]
pub async fn list_contest_log(
    app: web::Data<App>,
    caller: Caller<LobbyRead>,
    id: Id<ContestId>,
    query: Query<ContestLogQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = members::log(&mut conn, &app, &caller, id.0, (query.0.cursor, limit + 1)).await?;
    page(found, limit, |logged| logged.id.to_string(), LogEntryBody::from).reply(&request)
}

//! Substitutes in running matches, over HTTP.

mod view;

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Seat;
use uuid::Uuid;

use crate::accounts::roles::{Actor, Role};
use crate::accounts::{Identity, Username, roles};
use crate::api::contests::umpire;
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, MatchesRead, Visitor};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{MatchId, SubstitutionId};
use crate::matches::Part;
use crate::matches::hand_over::{self, SeatFacts};
use crate::moderation::adjudicate::{Judge, moderator};
use crate::rate_limits::RateLimitKey;
use crate::substitutions::request::NewSubstitution;
use crate::substitutions::{
    self, Deciders, Substitution, SubstitutionMessage, candidate, decide, request as requests, settle,
};

pub use view::SubstitutionBody;

text_fields!(SubstitutionId, SubstitutionMessage);

request! {
    /// What is asked for.
    pub struct CreateSubstitutionRequest {
        /// The seat; the caller's own unless given.
        #[schema(value_type = Option<u32>, minimum = 0, maximum = 6, format = Int32)]
        pub seat: Option<Ranged<0, 6>>,
        /// Who is asked to take it over; whoever may unless given.
        #[schema(value_type = Option<String>, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", example = "ben")]
        pub player: Option<Username>,
        /// What is said with it: 1 to 200 characters. Whoever sees the match can read it.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub message: Option<SubstitutionMessage>,
        /// Of somebody else's seat: why, 1 to 500 characters, for those who read the audit log.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: Option<AuditReason>,
    }
}

request! {
    /// What is said to a candidate.
    pub struct AnswerSubstitutionRequest {
        /// Whether the caller agrees.
        pub agrees: bool,
        /// Of those who run the contest, and of moderators: why, 1 to 500 characters, for those who read the audit log.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: Option<AuditReason>,
    }
}

request! {
    /// Which requests of a match to list.
    pub query MatchSubstitutionsQuery {
        ..page(SubstitutionId)
    }
}

request! {
    /// Which requests to list.
    pub query SubstitutionsQuery {
        /// Only those that the caller has made, for which they are asked, or for which they are ready, whatever their
        /// status; needs a token.
        pub mine: Option<bool>,
        ..page(SubstitutionId)
    }
}

fn reason_required(reason: Option<AuditReason>) -> Result<AuditReason> {
    reason.ok_or_else(|| Error::invalid_at("/reason", "missing-field", "is required"))
}

/// Fails with `not-a-player` if the caller isn't a moderator.
async fn as_moderator<'a>(
    app: &'a App,
    caller: &'a Identity,
) -> Result<Judge<impl AsyncFn(&mut Tx) -> Result<Actor> + 'a>> {
    let mut conn = app.db.conn().await?;
    match roles::check(&mut conn, app, caller, Role::Moderator).await {
        Err(error) if error.problem().code == problem::ROLE_MISSING.code => {
            let detail = "Those decide who play on beside the seat; in a contest, those who run it.";
            Err(Error::new(&problem::NOT_A_PLAYER, detail))
        }
        checked => checked.map(|()| moderator(app, caller)),
    }
}

/// The facts of a match that the caller may see. Moderators see others' private matches as well.
async fn facts(app: &App, caller: &Identity, id: MatchId) -> Result<SeatFacts> {
    if let Err(unseen) = app.matches.access(id, Some(caller.account)).await {
        let mut conn = app.db.conn().await?;
        roles::check(&mut conn, app, caller, Role::Moderator).await.map_err(|_| unseen)?;
    }
    hand_over::facts(&app.matches, id).await
}

/// A request that the caller may see, through its match or because it concerns them.
pub(in crate::api) async fn seen(app: &App, viewer: Option<&Identity>, id: SubstitutionId) -> Result<Substitution> {
    let mut conn = app.db.conn().await?;
    let found = substitutions::look_for(&mut conn, id).await?;
    drop(conn);
    let account = viewer.map(|viewer| viewer.account);
    let match_id = match found {
        Some(found) if account.is_some_and(|account| found.concerns(account)) => return Ok(found),
        Some(ref found) => found.match_id,
        // An unknown request costs the same query as one in a hidden match, so that timing reveals nothing.
        None => MatchId(Uuid::nil()),
    };
    if let Err(unseen) = app.matches.access(match_id, account).await {
        let Some(viewer) = viewer else { return Err(unseen) };
        let mut conn = app.db.conn().await?;
        roles::check(&mut conn, app, viewer, Role::Moderator).await.map_err(|_| unseen)?;
    }
    found.ok_or_else(Error::not_found)
}

/// Ask for a substitute
///
/// Somebody else is to go on with a seat: with its fleet, its reports and its clock. The player of a seat offers their
/// own; then the others of the match have to agree, or in a ladder or a tournament those who run it. Those can also ask
/// for a substitute in place of any player of its matches, and moderators, in other matches, in place of somebody who
/// is suspended or has deleted their account (`player-is-active` otherwise); both say why. An offer shows nothing of
/// the seat that spectators don't see. A seat that has resigned or lost can't be handed over (`match-state-changed`).
/// `substitution-open` while there is a request for the seat, `quota-exceeded` after three within a day,
/// `substitute-not-allowed` for somebody who can't take it, `closed-to-spectators` when nobody is named in a match that
/// nobody may watch.
#[utoipa::path(tag = "substitutions", operation_id = "create_substitution", security(("bearer" = ["lobby:write"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = CreateSubstitutionRequest,
    responses((status = 201, description = "It is asked for.", body = SubstitutionBody)))]
#[post("/v1/matches/{id}/substitutions")]
pub async fn create_substitution(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<CreateSubstitutionRequest>,
) -> Answer {
    let key = RateLimitKey::Account(caller.account);
    let facts = facts(&app, &caller, id.0).await?;
    let CreateSubstitutionRequest { seat, player: named, message, reason } = change.request;
    let part = facts.part_of(caller.account);
    let own = match part {
        Part::Player(seat) if facts.plays(seat) => Some(seat),
        Part::Player(_) | Part::FormerPlayer | Part::Outsider => None,
    };
    let asked = seat.and_then(|seat| u8::try_from(seat.0).ok()).map(Seat).or(own);
    let new = |seat| NewSubstitution { match_id: id.0, seat, named: named.clone(), message: message.clone() };
    let created = |made: Substitution| {
        let location = format!("/v1/substitutions/{}", made.id);
        Reply::created(&location, &SubstitutionBody::from(made))
    };
    if part.has_played() && (asked == own || facts.contest.is_none()) {
        let seat = asked.unwrap_or(Seat(u8::MAX));
        let work = async |tx: &mut _| created(requests::offer(tx, &app, &caller, &facts, new(seat)).await?);
        return change.once.run(&app, &key, work).await;
    }
    let seat = asked.ok_or_else(|| Error::invalid_at("/seat", "missing-field", "is required"))?;
    let reason = reason_required(reason)?;
    if facts.contest.is_some() {
        let judge = umpire::judge(&app, &caller, id.0).await?;
        let work = async |tx: &mut _| {
            created(requests::seek(tx, &app, &caller, &facts, &judge, (new(seat), reason.clone())).await?)
        };
        return change.once.run(&app, &key, work).await;
    }
    let judge = as_moderator(&app, &caller).await?;
    let work = async |tx: &mut _| {
        created(requests::seek(tx, &app, &caller, &facts, &judge, (new(seat), reason.clone())).await?)
    };
    change.once.run(&app, &key, work).await
}

/// List the requests for substitutes in a match
///
/// For everybody who may see the match, the newest first.
#[utoipa::path(tag = "substitutions", operation_id = "list_match_substitutions",
    security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match."), MatchSubstitutionsQuery),
    responses((status = 200, description = "A page of them.", body = Page<SubstitutionBody>)))]
#[get("/v1/matches/{id}/substitutions")]
pub async fn list_match_substitutions(
    app: web::Data<App>,
    visitor: Visitor<MatchesRead>,
    id: Id<MatchId>,
    query: Query<MatchSubstitutionsQuery>,
    request: HttpRequest,
) -> Answer {
    let viewer = visitor.identity().map(|me| me.account);
    app.matches.access(id.0, viewer).await?;
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = substitutions::of_match(&mut conn, id.0, query.0.cursor, limit + 1).await?;
    page(found, limit, |found| found.id.to_string(), SubstitutionBody::from).reply(&request)
}

/// List free seats in running matches
///
/// Without `mine`: the seats that whoever may can take over, but for those of matches with somebody whom the caller
/// blocks or who blocks the caller. The newest first.
#[utoipa::path(tag = "substitutions", operation_id = "list_substitutions", security((), ("bearer" = ["lobby:read"])),
    params(SubstitutionsQuery),
    responses((status = 200, description = "A page of them.", body = Page<SubstitutionBody>)))]
#[get("/v1/substitutions")]
pub async fn list_substitutions(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    query: Query<SubstitutionsQuery>,
    request: HttpRequest,
) -> Answer {
    let mine = query.0.mine == Some(true);
    let viewer = if mine { Some(visitor.signed_in()?.account) } else { visitor.identity().map(|me| me.account) };
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = substitutions::list(&mut conn, viewer, mine, query.0.cursor, limit + 1).await?;
    page(found, limit, |found| found.id.to_string(), SubstitutionBody::from).reply(&request)
}

/// Get a request for a substitute
///
/// For everybody who may see the match, and whom it concerns.
#[utoipa::path(tag = "substitutions", operation_id = "get_substitution", security((), ("bearer" = ["lobby:read"])),
    params(("id" = SubstitutionId, Path, description = "The request.")),
    responses((status = 200, description = "The request.", body = SubstitutionBody)))]
#[get("/v1/substitutions/{id}")]
pub async fn get_substitution(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<SubstitutionId>) -> Answer {
    let found = seen(&app, visitor.identity(), id.0).await?;
    Ok(Reply::ok(&SubstitutionBody::from(found))?)
}

/// Be ready to take over a seat
///
/// For whoever is asked by name, or whoever may. Where it is decided already, the seat is the caller's at once (event
/// `seat-handed-over`); else the others are told, and have three days to answer. Nobody takes over a seat who has or
/// had one in the match, was in its spectators' room, or takes part in its ladder or tournament
/// (`substitute-not-allowed`), and of two who are ready
/// at the same moment the second gets `substitution-closed`. A program takes only a seat for which it is asked by name.
#[utoipa::path(tag = "substitutions", operation_id = "accept_substitution", security(("bearer" = ["lobby:write"])),
    params(("id" = SubstitutionId, Path, description = "The request.")),
    request_body = EmptyRequest,
    responses((status = 204, description = "The caller is ready, or has the seat.")))]
#[post("/v1/substitutions/{id}/accept")]
pub async fn accept_substitution(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<SubstitutionId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let found = seen(&app, Some(&caller), id.0).await?;
    let facts = hand_over::facts(&app.matches, found.match_id).await?;
    let work = async |tx: &mut _| {
        candidate::accept(tx, &app, &caller, &facts, id.0).await?;
        Ok(Reply::no_content())
    };
    let done = change.once.run(&app, &RateLimitKey::Account(caller.account), work).await?;
    settle::carry_on_or_log(&app.matches, id.0).await;
    Ok(done)
}

/// Decline to take over a seat
///
/// For whoever is asked by name: the request is over. Whoever was ready to take an offer to whoever may isn't any more,
/// and it is open again.
#[utoipa::path(tag = "substitutions", operation_id = "decline_substitution", security(("bearer" = ["lobby:write"])),
    params(("id" = SubstitutionId, Path, description = "The request.")),
    request_body = EmptyRequest,
    responses((status = 204, description = "The caller doesn't take it over.")))]
#[post("/v1/substitutions/{id}/decline")]
pub async fn decline_substitution(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<SubstitutionId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let found = seen(&app, Some(&caller), id.0).await?;
    let facts = hand_over::facts(&app.matches, found.match_id).await?;
    let work = async |tx: &mut _| {
        candidate::decline(tx, &app, &caller, &facts, id.0).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Agree to a substitute, or object
///
/// While somebody is ready. In a match that is played for itself the others answer who play on: more than half of them
/// hand the seat over, half of them keep it, and after three days silence counts as agreement; a single opponent has to
/// say so. In a ladder or a tournament those answer who run it and don't take part, with a reason. The last answer of
/// each counts.
#[utoipa::path(tag = "substitutions", operation_id = "answer_substitution", security(("bearer" = ["lobby:write"])),
    params(("id" = SubstitutionId, Path, description = "The request.")),
    request_body = AnswerSubstitutionRequest,
    responses((status = 204, description = "It is noted.")))]
#[post("/v1/substitutions/{id}/answer")]
pub async fn answer_substitution(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<SubstitutionId>,
    change: Change<AnswerSubstitutionRequest>,
) -> Answer {
    let key = RateLimitKey::Account(caller.account);
    let found = seen(&app, Some(&caller), id.0).await?;
    let facts = hand_over::facts(&app.matches, found.match_id).await?;
    let AnswerSubstitutionRequest { agrees, reason } = change.request;
    let done = match found.deciders(&facts) {
        Deciders::Players => {
            let work = async |tx: &mut _| {
                decide::answer(tx, &app, &caller, &facts, (id.0, agrees)).await?;
                Ok(Reply::no_content())
            };
            change.once.run(&app, &key, work).await?
        }
        Deciders::Organizers(_) => {
            let judge = umpire::judge(&app, &caller, found.match_id).await?;
            let reason = reason_required(reason)?;
            let work = async |tx: &mut _| {
                decide::judge(tx, &app, &caller, &facts, &judge, (id.0, agrees, reason.clone())).await?;
                Ok(Reply::no_content())
            };
            change.once.run(&app, &key, work).await?
        }
        Deciders::Moderators => {
            let judge = as_moderator(&app, &caller).await?;
            let reason = reason_required(reason)?;
            let work = async |tx: &mut _| {
                decide::judge(tx, &app, &caller, &facts, &judge, (id.0, agrees, reason.clone())).await?;
                Ok(Reply::no_content())
            };
            change.once.run(&app, &key, work).await?
        }
    };
    settle::carry_on_or_log(&app.matches, id.0).await;
    Ok(done)
}

/// Take a request for a substitute back
///
/// For whoever has made it, until the seat is handed over (`substitution-closed`).
#[utoipa::path(tag = "substitutions", operation_id = "withdraw_substitution", security(("bearer" = ["lobby:write"])),
    params(("id" = SubstitutionId, Path, description = "The request.")),
    responses((status = 204, description = "It is taken back.")))]
#[delete("/v1/substitutions/{id}")]
pub async fn withdraw_substitution(app: web::Data<App>, caller: Caller<LobbyWrite>, id: Id<SubstitutionId>) -> Answer {
    let found = seen(&app, Some(&caller), id.0).await?;
    let facts = hand_over::facts(&app.matches, found.match_id).await?;
    let mut tx = app.db.begin().await?;
    requests::withdraw(&mut tx, &app, &caller, &facts, id.0).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

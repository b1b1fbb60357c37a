//! Position ladders over HTTP: possible opponents, challenges for positions, and the log of every step.

use actix_web::{HttpRequest, get, post, web};
use broadside_contests::position_ladder::{Bar, Outcome, Reason};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::{Identity, Username, find_named};
use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id, InnerId, Once, Query};
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::error::Result;
use crate::idempotency::Tx;
use crate::ids::{LadderChallengeId, LadderId, PairingId};
use crate::ladders::position::challenges::{self, Candidate, LadderChallenge, LadderChallengeFilter};
use crate::ladders::position::{LadderChallengeStatus, LadderMove, members};
use crate::player::Player;
use crate::rate_limits::RateLimitKey;

text_fields!(LadderChallengeStatus, LadderChallengeId);

/// Somebody who stands above you.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderOpponent)]
pub struct CandidateBody {
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    position: u32,
    player: Player,
    /// Whether you may challenge this member now.
    allowed: bool,
    /// Until when the member is on vacation, while their time for an answer stands still; null: they are not on
    /// vacation.
    away_until: Option<Time>,
    /// When the place is open to everybody, whoever challenges the member or has done so, if it isn't earlier; null:
    /// nobody has challenged them.
    open_to_all_at: Option<Time>,
    /// What is against it; empty if you may.
    #[schema(max_items = 10, value_type = Vec<Bar>)]
    reasons: Vec<&'static str>,
}

impl From<Candidate> for CandidateBody {
    fn from(candidate: Candidate) -> Self {
        Self {
            position: candidate.listed.member.place,
            player: candidate.listed.player,
            allowed: candidate.bars.is_empty(),
            away_until: candidate.away_until,
            open_to_all_at: candidate.open_to_all_at,
            reasons: candidate.bars.into_iter().map(Bar::word).collect(),
        }
    }
}

/// Whom you may challenge, and whom not.
#[derive(Serialize, ToSchema)]
pub struct LadderOpponents {
    /// The place that you have.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    position: u32,
    /// Everybody above you within reach, the highest first.
    #[schema(max_items = 20)]
    items: Vec<CandidateBody>,
}

/// A challenge for a place on a ladder.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderChallenge)]
pub struct ChallengeBody {
    id: LadderChallengeId,
    ladder_id: LadderId,
    /// Who wants the place.
    challenger: Player,
    /// Who has it.
    defender: Player,
    /// Where the challenger stood when they made it.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    challenger_position: u32,
    /// Where the defender stood then.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    defender_position: u32,
    status: LadderChallengeStatus,
    /// How it has ended; null while it isn't over.
    result: Option<Outcome>,
    created_at: Time,
    /// By when it has to be answered; the vacations that the defender has begun since are counted in.
    answer_by: Time,
    answered_at: Option<Time>,
    /// In which it is played; null unless it was accepted.
    pairing_id: Option<PairingId>,
    ended_at: Option<Time>,
}

impl From<LadderChallenge> for ChallengeBody {
    fn from(challenge: LadderChallenge) -> Self {
        Self {
            id: challenge.id,
            ladder_id: challenge.ladder,
            challenger: challenge.challenger,
            defender: challenge.defender,
            challenger_position: challenge.challenger_place,
            defender_position: challenge.defender_place,
            status: challenge.status,
            result: challenge.outcome,
            created_at: challenge.made_at,
            answer_by: challenge.answer_by,
            answered_at: challenge.answered_at,
            pairing_id: challenge.pairing,
            ended_at: challenge.ended_at,
        }
    }
}

/// A step: somebody came from one place to another, and those between made room by one place each.
#[derive(Serialize, ToSchema)]
#[schema(as = LadderPositionChange)]
pub struct MoveBody {
    /// Counts the ladder's steps, from 1 without gaps.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    number: u32,
    at: Time,
    player: Player,
    /// The place before; null: the player has joined the ladder.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    from_position: Option<u32>,
    /// The place after; null: the player has left the ladder.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    to_position: Option<u32>,
    reason: Reason,
    /// Whose place was taken, or to whom the challenge was lost.
    opponent: Option<Player>,
    challenge_id: Option<LadderChallengeId>,
    /// In which it was played.
    pairing_id: Option<PairingId>,
}

impl From<LadderMove> for MoveBody {
    fn from(one: LadderMove) -> Self {
        Self {
            number: one.number,
            at: one.at,
            player: one.player,
            from_position: one.step.from,
            to_position: one.step.to,
            reason: one.cause.reason,
            opponent: one.over,
            challenge_id: one.cause.challenge,
            pairing_id: one.cause.pairing,
        }
    }
}

request! {
    /// The member to challenge.
    pub struct CreateLadderChallengeRequest {
        /// The member above you who has the place that you want.
        #[schema(value_type = String, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub opponent: Username,
    }
}

request! {
    /// Which challenges to list.
    pub query LadderChallengeListQuery {
        /// Only those that this player made or received.
        #[param(value_type = Option<String>, min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
        pub player: Option<Username>,
        /// Only with this status.
        #[param(value_type = Option<LadderChallengeStatus>, inline)]
        pub status: Option<LadderChallengeStatus>,
        ..page(LadderChallengeId)
    }
}

request! {
    /// Which steps to list.
    pub query LadderMoveListQuery {
        /// How many at most: 1 to 200, 100 unless given.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<u32>,
    }
}

/// List members you may challenge
///
/// On a position ladder: every member above the caller within reach, each with whether a challenge is allowed now, and
/// everything that is against it. A challenge is judged again by the same rules. `not-a-member` if the caller has no
/// place there, `not-a-position-ladder` on a ladder of another form.
#[utoipa::path(tag = "ladders", operation_id = "list_ladder_opponents", security(("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    responses((status = 200, description = "Those above.", body = LadderOpponents)))]
#[get("/v1/ladders/{id}/opponents")]
pub async fn list_ladder_opponents(app: web::Data<App>, caller: Caller<LobbyRead>, id: Id<LadderId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let found = challenges::challengeable(&mut conn, &app, &caller, id.0).await?;
    let items = found.candidates.into_iter().map(CandidateBody::from).collect();
    Ok(Reply::ok(&LadderOpponents { position: found.place, items })?)
}

/// Create a ladder challenge
///
/// The member above has the ladder's `answer_s` to accept; without an answer, the place is lost. Refused with
/// `opponent-not-challengeable` and in `errors` everything that is against it, as `GET …/opponents` lists it; with
/// `not-a-member`, `ladder-closed`, `not-a-position-ladder`.
#[utoipa::path(tag = "ladders", operation_id = "create_ladder_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder.")),
    request_body = CreateLadderChallengeRequest,
    responses((status = 201, description = "It waits for its answer.", body = ChallengeBody)))]
#[post("/v1/ladders/{id}/challenges")]
pub async fn create_ladder_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    change: Change<CreateLadderChallengeRequest>,
) -> Answer {
    let work = async |tx: &mut _| {
        let challenge = challenges::make(tx, &app, &caller, id.0, &change.request.opponent).await?;
        let location = format!("/v1/ladders/{}/challenges/{}", challenge.ladder, challenge.id);
        Reply::created(&location, &ChallengeBody::from(challenge))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List ladder challenges
///
/// Of a position ladder, the newest first. Whoever sees the ladder may read them.
#[utoipa::path(tag = "ladders", operation_id = "list_ladder_challenges", security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderChallengeListQuery),
    responses((status = 200, description = "A page of them.", body = Page<ChallengeBody>)))]
#[get("/v1/ladders/{id}/challenges")]
pub async fn list_ladder_challenges(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderChallengeListQuery>,
    request: HttpRequest,
) -> Answer {
    let LadderChallengeListQuery { player, status, limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let player = find_named(&app, player.as_ref()).await?;
    let filter = LadderChallengeFilter { player, status, before: cursor };
    let mut conn = app.db.conn().await?;
    let found = challenges::list(&mut conn, &app, (id.0, visitor.identity()), &filter, limit + 1).await?;
    page(found, limit, |challenge| challenge.id.to_string(), ChallengeBody::from).reply(&request)
}

/// Get a ladder challenge
#[utoipa::path(tag = "ladders", operation_id = "get_ladder_challenge", security((), ("bearer" = ["lobby:read"])),
    description = "Whoever sees the ladder may read it.",
    params(("id" = LadderId, Path, description = "The ladder."), ("challenge_id" = LadderChallengeId, Path, description = "The challenge.")),
    responses((status = 200, description = "The challenge.", body = ChallengeBody)))]
#[get("/v1/ladders/{id}/challenges/{challenge_id}")]
pub async fn get_ladder_challenge(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    inner: InnerId<LadderChallengeId>,
) -> Answer {
    let mut conn = app.db.conn().await?;
    let found = challenges::find(&mut conn, &app, (id.0, visitor.identity()), inner.0).await?;
    Ok(Reply::ok(&ChallengeBody::from(found))?)
}

/// Changes a challenge in one transaction, and answers with it.
async fn answer(
    app: &App,
    caller: &Identity,
    once: Once,
    change: impl AsyncFnOnce(&mut Tx) -> Result<LadderChallenge>,
) -> Answer {
    let work = async |tx: &mut _| Reply::ok(&ChallengeBody::from(change(tx).await?));
    once.run(app, &RateLimitKey::Account(caller.account), work).await
}

/// Accept a ladder challenge
///
/// For the member who is challenged: its match begins (of paired games both), and the challenger begins it. Else
/// `not-the-challenged-player`, or `challenge-closed` when it is over or was answered.
#[utoipa::path(tag = "ladders", operation_id = "accept_ladder_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder."), ("challenge_id" = LadderChallengeId, Path, description = "The challenge.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "It is accepted, and `pairing_id` names what has begun.", body = ChallengeBody)))]
#[post("/v1/ladders/{id}/challenges/{challenge_id}/accept")]
pub async fn accept_ladder_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    inner: InnerId<LadderChallengeId>,
    change: Change<EmptyRequest>,
) -> Answer {
    answer(&app, &caller, change.once, async |tx: &mut _| {
        challenges::accept(tx, &app.matches, &caller, id.0, inner.0).await
    })
    .await
}

/// Decline a ladder challenge
///
/// For the member who is challenged: free of charge as often in any 30 days as the ladder's `declines` says; beyond
/// that the place is lost, and `outcome` says `forfeited`. Else `not-the-challenged-player`, or `challenge-closed`.
#[utoipa::path(tag = "ladders", operation_id = "decline_ladder_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder."), ("challenge_id" = LadderChallengeId, Path, description = "The challenge.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "It is declined.", body = ChallengeBody)))]
#[post("/v1/ladders/{id}/challenges/{challenge_id}/decline")]
pub async fn decline_ladder_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    inner: InnerId<LadderChallengeId>,
    change: Change<EmptyRequest>,
) -> Answer {
    answer(&app, &caller, change.once, async |tx: &mut _| challenges::decline(tx, &app, &caller, id.0, inner.0).await)
        .await
}

/// Withdraw a ladder challenge
///
/// For the member who has made it, while nobody has answered: nothing else follows, but the two can't challenge each
/// other for as long as if they had met. Else `not-the-creator`, or `challenge-closed`.
#[utoipa::path(tag = "ladders", operation_id = "withdraw_ladder_challenge", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder."), ("challenge_id" = LadderChallengeId, Path, description = "The challenge.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "It is taken back.", body = ChallengeBody)))]
#[post("/v1/ladders/{id}/challenges/{challenge_id}/withdraw")]
pub async fn withdraw_ladder_challenge(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    inner: InnerId<LadderChallengeId>,
    change: Change<EmptyRequest>,
) -> Answer {
    answer(&app, &caller, change.once, async |tx: &mut _| challenges::withdraw(tx, &app, &caller, id.0, inner.0).await)
        .await
}

/// List position changes of a ladder
///
/// Of a position ladder, the oldest first: whoever folds them all has the standing. A step takes its player from one
/// place to another, and those between make room by one place each; who joins comes to the last place, and when
/// somebody leaves, those below move up.
#[utoipa::path(tag = "ladders", operation_id = "list_ladder_position_changes",
    security((), ("bearer" = ["lobby:read"])),
    params(("id" = LadderId, Path, description = "The ladder."), LadderMoveListQuery),
    responses((status = 200, description = "A page of them.", body = Page<MoveBody>)))]
#[get("/v1/ladders/{id}/position-changes")]
pub async fn list_ladder_position_changes(
    app: web::Data<App>,
    visitor: Visitor<LobbyRead>,
    id: Id<LadderId>,
    query: Query<LadderMoveListQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 100);
    let mut conn = app.db.conn().await?;
    let found =
        members::moves(&mut conn, &app, (id.0, visitor.identity()), query.0.cursor.unwrap_or(0), limit + 1).await?;
    page(found, limit, |one| one.number.to_string(), MoveBody::from).reply(&request)
}

//! Actions of an organizer as umpire, over HTTP: decide matches, add time for a seat, move deadlines.

use actix_web::{HttpRequest, post, web};
use broadside_rules::Seat;
use broadside_rules::record::TimeAdded;
use uuid::Uuid;

use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::bodies::ReasonRequest;
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::request;
use crate::api::http::reply::{Answer, Reply};
use crate::api::moderation::adjudication::{AdjudicateMatchRequest, a_seat};
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::Contest;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::{LadderId, MatchId, TournamentId};
use crate::matches;
use crate::moderation::adjudicate::{self, AdjudicationStatus, Judge};
use crate::rate_limits::RateLimitKey;
use crate::tournaments::umpire::{EXTENSION_S, Extension};
use crate::{ladders, texts, tournaments};

/// The least and the most time that can be added to a clock, in seconds: a minute, and 14 days.
const MORE_TIME_S: (u32, u32) = (60, 1_209_600);

request! {
    /// More time for the turn that is on.
    pub struct AddMatchTimeRequest {
        /// The seat that is waited for.
        #[schema(value_type = i32, minimum = 0, maximum = 6, format = Int32)]
        pub seat: Seat,
        /// How many seconds more: a minute to 14 days, and with what is left 14 days at most.
        #[schema(minimum = 60, maximum = 1_209_600, format = Int32)]
        pub seconds: u32,
        /// Why: 1 to 500 characters, for those who read the audit log.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

request! {
    /// A later deadline.
    pub struct ExtendTournamentRoundRequest {
        /// How many seconds later: a minute to 90 days.
        #[schema(minimum = 60, maximum = 7_776_000, format = Int32)]
        pub seconds: u32,
        /// Of which board; all of the round that aren't over unless given.
        #[schema(minimum = 1, maximum = 2816, format = Int32)]
        pub board: Option<u32>,
        /// Why: 1 to 500 characters, for those who read the audit log.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

fn in_range(seconds: u32, (min, max): (u32, u32)) -> Result<()> {
    if (min..=max).contains(&seconds) {
        return Ok(());
    }
    let detail = format!("must be {} seconds", texts::span(min, max));
    Err(Error::invalid_at("/seconds", "out-of-range", detail))
}

/// The caller as the umpire of a match in a contest that they organize. Fails with `not-found` for a match outside
/// contests. A missing right is refused at once, so that the answer reveals nothing about the state of the match.
pub(crate) async fn judge<'a>(
    app: &'a App,
    caller: &'a Identity,
    id: MatchId,
) -> Result<Judge<impl AsyncFn(&mut Tx) -> Result<Actor> + 'a>> {
    app.matches.access(id, Some(caller.account)).await?;
    let contest = matches::adjudicate::facts(&app.matches, id).await?.contest;
    // A match outside contests is treated like one of a contest that the caller can't see.
    let contest = contest.unwrap_or(Contest::Ladder(LadderId(Uuid::nil())));
    let right = async move |tx: &mut Tx| match contest {
        Contest::Ladder(id) => ladders::umpire::hold(tx, app, caller, id).await,
        Contest::Tournament(id) => tournaments::umpire::hold(tx, app, caller, id).await.map(|(_, actor)| actor),
    };
    let mut tx = app.db.begin().await?;
    right(&mut tx).await?;
    tx.roll_back().await?;
    Ok(Judge { account: caller.account, contest: Some(contest), right })
}

/// Annul a match of a contest
///
/// For those who run its ladder or tournament and don't play in it, as a moderator does: what the match has done to the
/// ratings of its players is taken back, with the reason in the public ledger; its record and the table stay.
/// `match-not-rated` when it has changed no rating, `already-done` when it was annulled before, `role-required` once a
/// moderator has decided about it, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "matches", operation_id = "annul_contest_match", security(("bearer" = ["lobby:write"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = ReasonRequest,
    responses((status = 204, description = "It is annulled.")))]
#[post("/v1/matches/{id}/annul")]
pub async fn annul_contest_match(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<ReasonRequest>,
) -> Answer {
    let judge = judge(&app, &caller, id.0).await?;
    adjudicate::may_judge(&app.matches, &judge, id.0).await?;
    let work = async |tx: &mut _| {
        adjudicate::annul(tx, &app, &judge, id.0, change.request.reason).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Adjudicate a match of a contest
///
/// For those who run its ladder or tournament and don't play in it, as a moderator does: one that is under way ends
/// with a winner, drawn, or without a result, and its players are told how. One that is over and was rated counts from
/// now on as if it had ended so; the table of a tournament stays. `match-state-changed` when it doesn't stand any more
/// as `expected_status` says, `not-found` for a match of no contest, `match-not-rated` when it is over and has
/// changed no rating, `already-done` when it counts like that, `role-required` once a moderator has decided about it,
/// `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "matches", operation_id = "adjudicate_contest_match", security(("bearer" = ["lobby:write"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = AdjudicateMatchRequest,
    responses((status = 204, description = "It is decided.")))]
#[post("/v1/matches/{id}/adjudicate")]
pub async fn adjudicate_contest_match(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<AdjudicateMatchRequest>,
) -> Answer {
    let key = RateLimitKey::Account(caller.account);
    let claim = change.once.claim(&key);
    let decision = change.request.decision()?;
    let judge = judge(&app, &caller, id.0).await?;
    if decision.was == AdjudicationStatus::Running {
        adjudicate::end(&app.matches, &judge, id.0, &decision, claim.as_ref()).await?;
        return Ok(Reply::no_content());
    }
    let facts = adjudicate::finished(&app.matches, &judge, id.0).await?;
    let work = async |tx: &mut _| {
        adjudicate::recount(tx, &app, &judge, id.0, &facts, decision).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &key, work).await
}

/// Give a seat more time
///
/// For those who run the ladder or the tournament of the match and don't play in it: the seat that is waited for gets
/// so many seconds more for this turn. Everybody is told (`time-added`). `match-state-changed` when the match is over,
/// `validation-failed` when the seat isn't waited for or would have more than 14 days, `not-found` for a match of no
/// contest, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "matches", operation_id = "add_match_time", security(("bearer" = ["lobby:write"])),
    params(("id" = MatchId, Path, description = "The match.")),
    request_body = AddMatchTimeRequest,
    responses((status = 204, description = "The seat has more time.")))]
#[post("/v1/matches/{id}/add-time")]
pub async fn add_match_time(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<AddMatchTimeRequest>,
) -> Answer {
    let AddMatchTimeRequest { seat, seconds, reason } = change.request;
    a_seat("/seat", "not-waited-for", seat)?;
    in_range(seconds, MORE_TIME_S)?;
    let claim = change.once.claim(&RateLimitKey::Account(caller.account));
    let judge = judge(&app, &caller, id.0).await?;
    adjudicate::add_time(&app.matches, &judge, id.0, TimeAdded { seat, seconds }, &reason, claim.as_ref()).await?;
    Ok(Reply::no_content())
}

/// Extend a tournament round
///
/// For those who run the tournament and don't play in it: the deadline of the boards of a round that aren't over, or of
/// one of them, comes so much later (`due_at`). `not-found` where no such board has a deadline, `tournament-closed`
/// when it isn't running, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "tournaments", operation_id = "extend_tournament_round", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 1)),
    request_body = ExtendTournamentRoundRequest,
    responses((status = 204, description = "The deadline is later.")))]
#[post("/v1/tournaments/{id}/rounds/{number}/extend")]
pub async fn extend_tournament_round(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
    change: Change<ExtendTournamentRoundRequest>,
) -> Answer {
    let ExtendTournamentRoundRequest { seconds, board, reason } = change.request;
    in_range(seconds, EXTENSION_S)?;
    let number = request.match_info().get("number").and_then(|number| number.parse::<u16>().ok());
    let round = number.filter(|round| (1..=1000).contains(round)).ok_or_else(Error::not_found)?;
    let board = board.map(|board| u16::try_from(board).unwrap_or(u16::MAX));
    let work = async |tx: &mut _| {
        let extension = Extension { round, board, seconds, reason };
        tournaments::umpire::extend(tx, &app, &caller, id.0, extension).await?;
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

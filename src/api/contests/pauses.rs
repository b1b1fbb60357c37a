//! Pausing and resuming a ladder or a tournament, over HTTP.

use actix_web::{post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::Identity;
use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::request;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::pauses::{ContestPause, PauseOrder};
use crate::contests::{Contest, either, head};
use crate::error::Result;
use crate::ids::{ContestId, LadderId, TournamentId};
use crate::rate_limits::RateLimitKey;
use crate::{ladders, tournaments};

/// A pause of a ladder or a tournament: nobody is paired or challenged, and no clock of its matches runs.
#[derive(Serialize, ToSchema)]
#[schema(as = ContestPause)]
pub struct ContestPauseBody {
    /// Since when.
    paused_at: Time,
    /// When it ends by itself, or has ended.
    until: Time,
    /// Why; null: who has said it has deleted their account.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
}

impl From<ContestPause> for ContestPauseBody {
    fn from(pause: ContestPause) -> Self {
        Self { paused_at: pause.from, until: pause.until, reason: pause.reason }
    }
}

/// A pause of a ladder or a tournament that the account has made.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportedContestPause)]
pub struct ExportedPause {
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    /// Since when.
    paused_at: Time,
    /// When it ends by itself, or has ended.
    until: Time,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
}

impl From<ContestPause> for ExportedPause {
    fn from(pause: ContestPause) -> Self {
        let (ladder_id, tournament_id) = either(pause.contest);
        let ContestPause { from: paused_at, until, reason, .. } = pause;
        Self { ladder_id, tournament_id, paused_at, until, reason }
    }
}

request! {
    /// Why a ladder or a tournament is paused, and until when.
    pub struct PauseContestRequest {
        /// Why: 1 to 500 characters. Every member reads it.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
        /// When it ends by itself, 30 days ahead at most; then unless given.
        pub until: Option<Time>,
    }
}

/// Pause a ladder or a tournament
///
/// For those who run it and don't take part. Until it ends no clock of its matches runs, no round, season, challenge or
/// other time limit of it, and nobody is paired or challenged; in matches that go on, whoever wants to may move. A
/// tournament that hasn't started takes players, and doesn't start. Every member is told (`contest-paused`), and every
/// match has it in its record. `already-paused` when it is paused, `ladder-closed` and `tournament-closed` when it is
/// over, `quota-exceeded` after five pauses within a day, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "contests", operation_id = "pause_contest", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    request_body = PauseContestRequest,
    responses((status = 200, description = "It is paused.", body = ContestPauseBody)))]
#[post("/v1/contests/{id}/pause")]
pub async fn pause_contest(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    change: Change<PauseContestRequest>,
) -> Answer {
    let PauseContestRequest { reason, until } = change.request;
    let contest = contest(&app, &caller, id.0).await?;
    let work = async |tx: &mut _| {
        let order = PauseOrder { reason, until };
        let pause = match contest {
            Contest::Ladder(id) => ladders::pause::pause(tx, &app, &caller, id, order).await?,
            Contest::Tournament(id) => tournaments::pause::pause(tx, &app, &caller, id, order).await?,
        };
        Reply::ok(&ContestPauseBody::from(pause))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// Let a ladder or a tournament go on
///
/// For those who run it and don't take part, before its pause ends by itself: every clock goes on with what it had, and
/// seasons, rounds and challenges have the time of the pause back. Every member is told (`contest-resumed`).
/// `not-paused`, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "contests", operation_id = "resume_contest", security(("bearer" = ["lobby:write"])),
    params(("id" = ContestId, Path, description = "The ladder or the tournament.")),
    request_body = EmptyRequest,
    responses((status = 204, description = "It goes on.")))]
#[post("/v1/contests/{id}/resume")]
pub async fn resume_contest(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<ContestId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let contest = contest(&app, &caller, id.0).await?;
    let work = async |tx: &mut _| {
        match contest {
            Contest::Ladder(id) => ladders::pause::resume(tx, &app, &caller, id).await?,
            Contest::Tournament(id) => tournaments::pause::resume(tx, &app, &caller, id).await?,
        }
        Ok(Reply::no_content())
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// The contest behind the id, if the caller may see it.
async fn contest(app: &App, caller: &Identity, id: ContestId) -> Result<Contest> {
    let mut conn = app.db.conn().await?;
    Ok(head::seen(&mut conn, app, id, Some(caller)).await?.contest)
}

//! Start and cancellation of tournaments over HTTP.

use actix_web::{post, web};

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::bodies::{EmptyRequest, ReasonRequest};
use crate::api::http::extract::{Change, Id};
use crate::api::http::reply::Answer;
use crate::api::tournaments::answer;
use crate::api::tournaments::view::TournamentBody;
use crate::app::App;
use crate::ids::TournamentId;
use crate::tournaments::entry;

/// Start a tournament
///
/// For its creator, or an organizer, before it starts by itself: starting numbers and the first round are drawn, and
/// the matches begin within some seconds. `not-an-organizer`, `too-early-to-start`, `tournament-closed`, or
/// `too-few-players`.
#[utoipa::path(tag = "tournaments", operation_id = "start_tournament", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "It has started.", body = TournamentBody)))]
#[post("/v1/tournaments/{id}/start")]
pub async fn start_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    change: Change<EmptyRequest>,
) -> Answer {
    answer(&app, &caller, change.once, async |tx: &mut _| entry::start(tx, &app, &caller, id.0).await).await
}

/// Cancel a tournament
///
/// For its creator, or an organizer, until it is over: no more rounds are paired, and there are no final standings.
/// Matches under way are played on, and rated ones are rated. `not-the-creator`, `conflict-of-interest` or
/// `tournament-closed`.
#[utoipa::path(tag = "tournaments", operation_id = "cancel_tournament", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    request_body = ReasonRequest,
    responses((status = 200, description = "It is cancelled.", body = TournamentBody)))]
#[post("/v1/tournaments/{id}/cancel")]
pub async fn cancel_tournament(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    change: Change<ReasonRequest>,
) -> Answer {
    let reason = change.request.reason;
    answer(&app, &caller, change.once, async |tx: &mut _| entry::cancel(tx, &app, &caller, id.0, reason).await).await
}

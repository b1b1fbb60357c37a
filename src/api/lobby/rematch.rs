//! Rematches over HTTP: challenges made from a finished match.

use actix_web::{post, web};

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::bodies::EmptyRequest;
use crate::api::http::extract::{Change, Id};
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::view::ChallengeBody;
use crate::app::App;
use crate::ids::MatchId;
use crate::lobby::rematch;
use crate::rate_limits::RateLimitKey;

/// Request a rematch
///
/// For a player of a finished match of two seats: a direct challenge to the other player on the same terms, with the
/// sides swapped. The player who did not begin last time begins; in a rated match that is drawn by lot, unless the last
/// one was called off. Nations are swapped. If the other player has asked before, this accepts, and `match_id` is
/// there; if the caller has, the answer is the same challenge again. A match has one rematch: once it exists, every
/// request gets the challenge from which it came. Refused with `not-a-player` for an account that did not play,
/// `match-not-finished`, `rematch-needs-two-seats`, `player-blocked`, and `opponent-unavailable` when the other player
/// has gone or does not want it.
#[utoipa::path(tag = "challenges", operation_id = "request_rematch", security(("bearer" = ["lobby:write"])),
    params(("id" = MatchId, Path, description = "The match that is over.")),
    request_body = EmptyRequest,
    responses((status = 200, description = "The challenge, open or accepted.", body = ChallengeBody)))]
#[post("/v1/matches/{id}/rematch")]
pub async fn request_rematch(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<EmptyRequest>,
) -> Answer {
    let terms = rematch::terms(&app.matches, &caller, id.0).await?;
    let work = async |tx: &mut _| {
        let challenge = rematch::request(tx, &app.matches, &caller, terms).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

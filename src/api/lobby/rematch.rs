//! A rematch over HTTP: a challenge that is made of a match.

use actix_web::{post, web};

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::extract::{Change, Id};
use crate::api::http::fields::request;
use crate::api::http::reply::{Answer, Reply};
use crate::api::lobby::view::ChallengeBody;
use crate::app::App;
use crate::ids::MatchId;
use crate::lobby::rematch;
use crate::rate_limits::RateLimitKey;

request! {
    /// Nothing has to be said.
    pub struct RematchRequest {}
}

/// Ask for a rematch
///
/// For one who played a match of two seats that is over: a direct challenge to the other on the same terms, with the colours changed. Who didn't begin begins; in a rated match
/// the lot says who does, as always, and nations are exchanged. If the other has asked before, this accepts, and `match_id` is there; if the caller has, it is the same challenge
/// again. `not-for-you` for one who didn't play, `match-not-finished`, `rematch-needs-two`, `player-blocked`, and `opponent-unavailable` when the other isn't to be had.
#[utoipa::path(tag = "challenges", operation_id = "ask_for_rematch", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match that is over.")),
    request_body(content = RematchRequest, example = json!({})),
    responses((status = 200, description = "The challenge, open or accepted.", body = ChallengeBody)))]
#[post("/v1/matches/{id}/rematch")]
pub async fn ask_for_rematch(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<MatchId>,
    change: Change<RematchRequest>,
) -> Answer {
    let plan = rematch::plan(&app.matches, &caller, id.0).await?;
    let work = async |tx: &mut _| {
        let challenge = rematch::ask(tx, &app.matches, &caller, plan).await?;
        Reply::ok(&ChallengeBody::of(challenge, &app))
    };
    change.once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

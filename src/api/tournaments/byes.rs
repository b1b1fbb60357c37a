//! Requested byes over HTTP: players request and withdraw them, and everybody can read them.

use actix_web::{HttpRequest, delete, get, put, web};
use broadside_contests::ByeWorth;
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyRead, LobbyWrite, Visitor};
use crate::api::http::extract::{Body, Id};
use crate::api::http::fields::request;
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::api::tournaments::rounds::round_number;
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::organizers;
use crate::ids::TournamentId;
use crate::player::Player;
use crate::tournaments::byes::{self, ByeRequest, Wanted};
use crate::tournaments::read;

request! {
    /// A bye that somebody asks for.
    pub struct RequestByeRequest {
        /// Of an organizer who does it for a player: why, for those who read the log. 1 to 500 characters.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: Option<AuditReason>,
    }
}

/// A bye of a round that isn't drawn.
#[derive(Serialize, ToSchema)]
#[schema(as = TournamentBye)]
pub struct ByeBody {
    player: Player,
    /// The round, from 1.
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    round: u16,
    worth: ByeWorth,
    /// Whether an organizer has asked for the player.
    by_organizer: bool,
    asked_at: Time,
}

impl ByeBody {
    fn of(bye: ByeRequest, player: Player) -> Self {
        let ByeRequest { round, worth, granted_by, at: asked_at, .. } = bye;
        Self { player, round, worth, by_organizer: granted_by.is_some(), asked_at }
    }
}

/// The byes of rounds that aren't drawn.
#[derive(Serialize, ToSchema)]
pub struct TournamentByes {
    /// By round, then in the order of asking.
    #[schema(max_items = 10_240)]
    items: Vec<ByeBody>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// List requested byes
///
/// Of rounds that aren't drawn: who sits them out. Of a round that is drawn, its boards say it.
#[utoipa::path(tag = "tournaments", operation_id = "list_tournament_byes", security((), ("bearer" = ["lobby:read"])),
    params(("id" = TournamentId, Path, description = "The tournament.")),
    responses((status = 200, description = "All of them.", body = TournamentByes)))]
#[get("/v1/tournaments/{id}/byes")]
pub async fn list_tournament_byes(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<TournamentId>) -> Answer {
    let mut conn = app.db.conn().await?;
    let tournament = read::find(&mut conn, &app, id.0, visitor.identity()).await?;
    let mut incomplete = false;
    let all = byes::pending(&mut conn, &tournament, &mut incomplete).await?;
    let items = all.into_iter().map(|(bye, player)| ByeBody::of(bye, player)).collect();
    Ok(Reply::ok(&TournamentByes { items, incomplete })?)
}

/// Request a bye
///
/// The player of the name sits out a round that isn't drawn yet, within `requested_byes` of the terms. For the player;
/// and, beyond these limits for nothing, for an organizer who doesn't play. The player is told then
/// (`tournament-bye-changed`). Nothing happens if they have it. `no-requested-byes` where the terms or the format give
/// none, `bye-refused` beyond the limits, `round-drawn`, `not-a-participant`, `tournament-closed`; `not-found` for a
/// round that there isn't, and for somebody who doesn't play; `not-an-organizer` and `conflict-of-interest` for the
/// name of somebody else.
#[utoipa::path(tag = "tournaments", operation_id = "request_tournament_bye", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 2),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = RequestByeRequest,
    responses((status = 200, description = "The player sits out the round.", body = ByeBody)))]
#[put("/v1/tournaments/{id}/rounds/{number}/byes/{username}")]
pub async fn request_tournament_bye(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
    body: Body<RequestByeRequest>,
) -> Answer {
    let (round, name) = (round_number(&request)?, named(&request)?);
    let mut tx = app.db.begin().await?;
    read::find(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    let wanted = Wanted { round, player: player.clone(), reason: body.0.reason };
    let bye = byes::ask(&mut tx, &app, &caller, id.0, wanted).await?;
    tx.commit().await?;
    Ok(Reply::ok(&ByeBody::of(bye, player))?)
}

/// Withdraw a requested bye
///
/// Until the round is drawn, by the player or an organizer who doesn't play; the player plays the round then, and is
/// told if they haven't done it themselves. `not-found` where there is no such bye, and otherwise as for asking.
#[utoipa::path(tag = "tournaments", operation_id = "withdraw_tournament_bye", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("number" = i32, Path, description = "The round.", minimum = 1, maximum = 126, format = Int32, example = 2),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player plays the round.")))]
#[delete("/v1/tournaments/{id}/rounds/{number}/byes/{username}")]
pub async fn withdraw_tournament_bye(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
) -> Answer {
    let (round, name) = (round_number(&request)?, named(&request)?);
    let mut tx = app.db.begin().await?;
    read::find(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    byes::take_back(&mut tx, &app, &caller, id.0, Wanted { round, player, reason: None }).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

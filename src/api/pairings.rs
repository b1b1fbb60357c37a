//! Pairings of ladders and tournaments over HTTP: who met whom, and the result. They are as public as their contest.

use actix_web::{get, web};
use broadside_rules::Time;
use broadside_rules::outcome::Reason;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{LobbyRead, Visitor};
use crate::api::http::extract::Id;
use crate::api::http::reply::{Answer, Reply};
use crate::api::matches::view::named;
use crate::app::App;
use crate::contests::access;
use crate::error::Error;
use crate::ids::{LadderId, MatchId, PairingId, TournamentId};
use crate::pairings::eligibility::{IneligibilityReason, Obstacle};
use crate::pairings::{self, Game, Pairing};
use crate::player::Player;
use crate::schemas;

/// What the caller may do in a ladder or a tournament.
#[derive(Serialize, ToSchema)]
pub struct ContestEligibility {
    /// To join; of a ladder also to join again, or to want more pairings at once.
    join: JoinEligibility,
}

/// Whether something is allowed, and if not, why: the same codes are in `errors` of the answer that refuses it.
#[derive(Serialize, ToSchema)]
pub struct JoinEligibility {
    allowed: bool,
    /// Every reason why not.
    #[schema(max_items = 20)]
    reasons: Vec<IneligibilityReason>,
}

impl ContestEligibility {
    pub fn of(obstacles: &[Obstacle]) -> Self {
        let reasons: Vec<_> = obstacles.iter().map(|obstacle| obstacle.reason).collect();
        Self { join: JoinEligibility { allowed: reasons.is_empty(), reasons } }
    }
}

/// Players whom a ladder or a tournament has brought together.
#[derive(Serialize, ToSchema)]
#[schema(as = Pairing)]
pub struct PairingBody {
    id: PairingId,
    /// The ladder; null: it is for a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is for a ladder.
    tournament_id: Option<TournamentId>,
    #[schema(max_items = 7)]
    players: Vec<PairedPlayer>,
    /// Their matches: one, or two of paired games.
    #[schema(max_items = 2)]
    games: Vec<PairingGame>,
    opened_at: Time,
    /// When the last of their matches was over.
    ended_at: Option<Time>,
    /// When the ladder or the tournament has taken the result in.
    settled_at: Option<Time>,
    /// The season of the ladder for which the result counts; null: it counts for none, isn't taken in, or is for a
    /// tournament.
    #[schema(minimum = 1, maximum = 2147483647, format = Int32)]
    season: Option<u32>,
}

/// A player of a pairing.
#[derive(Serialize, ToSchema)]
pub struct PairedPlayer {
    player: Player,
    /// The points for all games together: of two players 1 for a game won and 0.5 for a draw; of more, 1 for each other
    /// player placed behind, 0.5 for each with the same place. Null: not all are over, or all were called off.
    #[schema(minimum = 0, maximum = 12)]
    points: Option<f64>,
}

/// A match of a pairing.
#[derive(Serialize, ToSchema)]
pub struct PairingGame {
    match_id: MatchId,
    /// By seat: which of the players sits there, counted from 0.
    #[schema(schema_with = schemas::player_numbers)]
    seat_order: Vec<usize>,
    /// Whether it is over.
    finished: bool,
    /// Why it ended; null: it isn't over, or was called off.
    reason: Option<Reason>,
    /// The place of each player, from 1, in their order; empty: it isn't over, or was called off.
    #[schema(schema_with = schemas::places)]
    places: Vec<u8>,
}

impl From<Game> for PairingGame {
    fn from(game: Game) -> Self {
        let reason = game.result.as_ref().map(|result| result.reason);
        let places = game.result.map(|result| result.places).unwrap_or_default();
        Self { match_id: game.match_id, seat_order: game.order, finished: game.over, reason, places }
    }
}

impl From<Pairing> for PairingBody {
    fn from(pairing: Pairing) -> Self {
        let (ladder_id, tournament_id) = named(pairing.contest);
        let points = pairing.half_points();
        let points_of = |number: usize| Some(f64::from(*points.as_ref()?.get(number)?) / 2.0);
        let players = pairing.players.into_iter().enumerate();
        Self {
            id: pairing.id,
            ladder_id,
            tournament_id,
            players: players.map(|(number, player)| PairedPlayer { player, points: points_of(number) }).collect(),
            games: pairing.games.into_iter().map(PairingGame::from).collect(),
            opened_at: pairing.opened_at,
            ended_at: pairing.ended_at,
            settled_at: pairing.settled_at,
            season: pairing.season,
        }
    }
}

/// Get a pairing
///
/// Who meets whom for a ladder or a tournament, in which matches, and the points when these are over. `not-found`:
/// there is no such pairing, or its contest is private and the caller has no part in it.
#[utoipa::path(tag = "pairings", operation_id = "get_pairing", security((), ("bearer" = ["lobby:read"])),
    params(("id" = PairingId, Path, description = "The pairing.")),
    responses((status = 200, description = "The pairing.", body = PairingBody)))]
#[get("/v1/pairings/{id}")]
pub async fn get_pairing(app: web::Data<App>, visitor: Visitor<LobbyRead>, id: Id<PairingId>) -> Answer {
    let mut conn = app.db.conn().await?;
    access::must_see_pairing(&mut conn, &app, id.0, visitor.identity()).await?;
    let pairing = pairings::find(&mut conn, id.0).await?.ok_or_else(Error::not_found)?;
    Ok(Reply::ok(&PairingBody::from(pairing))?)
}

//! Organizers of a ladder or a tournament, besides its creator, over HTTP.

use actix_web::{HttpRequest, delete, put, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::extract::Id;
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::contests::organizers::{self, Needs};
use crate::contests::{Contest, either};
use crate::ids::{LadderId, TournamentId};
use crate::{ladders, tournaments};

/// A contest that an account runs beside its creator, in an export.
#[derive(Serialize, ToSchema)]
pub struct ExportedOrganizer {
    /// The ladder; null: it is a tournament.
    ladder_id: Option<LadderId>,
    /// The tournament; null: it is a ladder.
    tournament_id: Option<TournamentId>,
    /// Since when.
    since: Time,
}

impl From<(Contest, Time)> for ExportedOrganizer {
    fn from((contest, since): (Contest, Time)) -> Self {
        let (ladder_id, tournament_id) = either(contest);
        Self { ladder_id, tournament_id, since }
    }
}

async fn add(app: &App, caller: &Caller<LobbyWrite>, contest: Contest, request: &HttpRequest) -> Answer {
    let name = named(request)?;
    let mut tx = app.db.begin().await?;
    let player = organizers::lock_named(&mut tx, app, caller, &name).await?;
    match contest {
        Contest::Ladder(id) => {
            let (ladder, _) = ladders::edit::hold(&mut tx, app, caller, id, Needs::Creator).await?;
            organizers::add(&mut tx, app, caller, contest, ladder.runners(), &player).await?;
        }
        Contest::Tournament(id) => {
            let (tournament, _) = tournaments::edit::hold(&mut tx, app, caller, id, Needs::Creator).await?;
            organizers::add(&mut tx, app, caller, contest, tournament.runners(), &player).await?;
        }
    }
    tx.commit().await?;
    Ok(Reply::no_content())
}

async fn remove(app: &App, caller: &Caller<LobbyWrite>, contest: Contest, request: &HttpRequest) -> Answer {
    let name = named(request)?;
    let mut tx = app.db.begin().await?;
    let player = organizers::lock_named(&mut tx, app, caller, &name).await?;
    // Organizers may remove themselves.
    let needs = if player.id == caller.account { Needs::Organizer } else { Needs::Creator };
    match contest {
        Contest::Ladder(id) => drop(ladders::edit::hold(&mut tx, app, caller, id, needs).await?),
        Contest::Tournament(id) => drop(tournaments::edit::hold(&mut tx, app, caller, id, needs).await?),
    }
    organizers::remove(&mut tx, app, caller, contest, &player).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Add an organizer of a ladder
///
/// For its creator, who names another player: they run the ladder from now on, but for closing it and for naming
/// others, and are told. Refused with `not-the-creator`, `own-account`, `player-blocked`, and `quota-exceeded` beyond
/// ten.
#[utoipa::path(tag = "ladders", operation_id = "add_ladder_organizer", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player runs it too.")))]
#[put("/v1/ladders/{id}/organizers/{username}")]
pub async fn add_ladder_organizer(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    request: HttpRequest,
) -> Answer {
    add(&app, &caller, Contest::Ladder(id.0), &request).await
}

/// Remove an organizer of a ladder
///
/// For its creator, and for organizers who give it up themselves. Nothing happens if the player is none. Refused with
/// `not-the-creator`.
#[utoipa::path(tag = "ladders", operation_id = "remove_ladder_organizer", security(("bearer" = ["lobby:write"])),
    params(("id" = LadderId, Path, description = "The ladder."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player doesn't run it.")))]
#[delete("/v1/ladders/{id}/organizers/{username}")]
pub async fn remove_ladder_organizer(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<LadderId>,
    request: HttpRequest,
) -> Answer {
    remove(&app, &caller, Contest::Ladder(id.0), &request).await
}

/// Add an organizer of a tournament
///
/// For its creator, who names another player: they run the tournament from now on, but for cancelling it and for
/// naming others, and are told. Refused with `not-the-creator`, `own-account`, `player-blocked`, and `quota-exceeded`
/// beyond ten.
#[utoipa::path(tag = "tournaments", operation_id = "add_tournament_organizer", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player runs it too.")))]
#[put("/v1/tournaments/{id}/organizers/{username}")]
pub async fn add_tournament_organizer(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
) -> Answer {
    add(&app, &caller, Contest::Tournament(id.0), &request).await
}

/// Remove an organizer of a tournament
///
/// For its creator, and for organizers who give it up themselves. Nothing happens if the player is none. Refused with
/// `not-the-creator`.
#[utoipa::path(tag = "tournaments", operation_id = "remove_tournament_organizer",
    security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    responses((status = 204, description = "The player doesn't run it.")))]
#[delete("/v1/tournaments/{id}/organizers/{username}")]
pub async fn remove_tournament_organizer(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
) -> Answer {
    remove(&app, &caller, Contest::Tournament(id.0), &request).await
}

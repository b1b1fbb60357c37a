//! The points of a late entrant for missed rounds, over HTTP.

use actix_web::{HttpRequest, put, web};

use crate::api::http::auth::{Caller, LobbyWrite};
use crate::api::http::extract::{Body, Id};
use crate::api::http::fields::{Ranged, request};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::audit_log::AuditReason;
use crate::contests::organizers;
use crate::ids::TournamentId;
use crate::tournaments::{late, read};

request! {
    /// The score with which a late entrant begins.
    pub struct ScoreLateEntryRequest {
        /// How many of the rounds that they have missed are worth half a point, the first ones; the others are worth
        /// nothing. As many at most as the terms give.
        #[schema(value_type = u32, minimum = 0, maximum = 29, format = Int32)]
        pub half_point_byes: Ranged<0, 29>,
        /// Why: 1 to 500 characters, for those who read the log.
        #[schema(value_type = String, min_length = 1, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub reason: AuditReason,
    }
}

/// Score a late entrant
///
/// For an organizer who doesn't play: somebody who has come in late begins with fewer points than `late_entry` gives
/// for the rounds that they have missed. Until their first round is drawn, and not while a round waits for an organizer
/// (`round-drawn`). They are told (`tournament-entered-late`). `not-found` for somebody who hasn't come in late,
/// `tournament-closed`, `not-an-organizer` and `conflict-of-interest`.
#[utoipa::path(tag = "tournaments", operation_id = "score_late_entry", security(("bearer" = ["lobby:write"])),
    params(("id" = TournamentId, Path, description = "The tournament."),
        ("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "ben")),
    request_body = ScoreLateEntryRequest,
    responses((status = 204, description = "It is stated.")))]
#[put("/v1/tournaments/{id}/late-entries/{username}")]
pub async fn score_late_entry(
    app: web::Data<App>,
    caller: Caller<LobbyWrite>,
    id: Id<TournamentId>,
    request: HttpRequest,
    body: Body<ScoreLateEntryRequest>,
) -> Answer {
    let name = named(&request)?;
    let ScoreLateEntryRequest { half_point_byes, reason } = body.0;
    let half_point_byes = u16::try_from(half_point_byes.0).unwrap_or(u16::MAX);
    let mut tx = app.db.begin().await?;
    read::find(&mut tx, &app, id.0, Some(&caller)).await?;
    let player = organizers::lock_named(&mut tx, &app, &caller, &name).await?;
    late::score(&mut tx, &app, &caller, id.0, late::Score { player, half_point_byes, reason }).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

//! A match's effect on ratings over HTTP. A player's own ledger is in [`crate::api::ratings`]; this is the only way to
//! the part of a player whose account is deleted.

use actix_web::{get, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{MatchesRead, Visitor};
use crate::api::http::extract::Id;
use crate::api::http::paging::is_whole;
use crate::api::http::reply::{Answer, Reply};
use crate::api::ratings::ChangeBody;
use crate::app::App;
use crate::ids::MatchId;
use crate::player::Player;
use crate::ratings::{RatingChange, read};

/// A change of a rating, and whose it was.
#[derive(Serialize, ToSchema)]
pub struct MatchRatingChange {
    /// Whose rating has changed. A deleted account has kept its id alone.
    player: Player,
    change: ChangeBody,
}

impl From<(Player, RatingChange)> for MatchRatingChange {
    fn from((player, change): (Player, RatingChange)) -> Self {
        Self { player, change: change.into() }
    }
}

/// What a match has done to ratings.
#[derive(Serialize, ToSchema)]
pub struct MatchRatingChanges {
    /// In the order in which it was written: each time that the match was rated, by seat, and behind it that this was
    /// taken back.
    #[schema(max_items = 458_752)]
    items: Vec<MatchRatingChange>,
    /// True if something can't be read and is left out; not there otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    incomplete: bool,
}

/// List rating changes of a match
///
/// Every row of the ledger that this match has made, or the two paired games that it is one of: of all of its players,
/// those whose accounts are deleted among them. Rows are public, like the histories that they stand in; the list is
/// empty for a match that was not, or not yet, rated. `not-found`: there is no such match, or it has no rows and you
/// may not see it.
#[utoipa::path(tag = "ratings", operation_id = "list_match_rating_changes", security((), ("bearer" = ["matches:read"])),
    params(("id" = MatchId, Path, description = "The match.")),
    responses((status = 200, description = "The rows.", body = MatchRatingChanges)))]
#[get("/v1/matches/{id}/rating-changes")]
pub async fn list_match_rating_changes(app: web::Data<App>, visitor: Visitor<MatchesRead>, id: Id<MatchId>) -> Answer {
    let changes = read::of_match(&mut app.db.conn().await?, id.0).await?;
    let incomplete = changes.is_incomplete();
    if changes.items.is_empty() && !incomplete {
        // Fails for a viewer who may not see the match, without revealing that it exists.
        app.matches.read(id.0, visitor.identity().map(|me| me.account)).await?;
    }
    Ok(Reply::ok(&MatchRatingChanges { items: changes.map(MatchRatingChange::from).items, incomplete })?)
}

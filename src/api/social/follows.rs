//! Followed players over HTTP. Only the follower sees the list.

use std::convert::identity;

use actix_web::{HttpRequest, delete, get, put, web};

use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::extract::Query;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::blocks::BlocksQuery;
use crate::api::social::players::named;
use crate::app::App;
use crate::social::{FollowedPlayer, follows};

/// List followed players
///
/// Ordered by the creation of their accounts. Only you see the list.
#[utoipa::path(tag = "players", operation_id = "list_followed_players", security(("bearer" = ["account:read"])),
    params(BlocksQuery),
    responses((status = 200, description = "A page of players.", body = Page<FollowedPlayer>)))]
#[get("/v1/account/follows")]
pub async fn list_followed_players(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<BlocksQuery>,
    request: HttpRequest,
) -> Answer {
    let limit = page_limit(query.0.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = follows::list(&mut conn, caller.account, app.clock.now(), query.0.cursor, limit + 1).await?;
    page(found, limit, |followed| followed.player.id.to_string(), identity).reply(&request)
}

/// Follow a player
///
/// The player isn't told. Refused with `own-account` for the caller's own name, and with `quota-exceeded` beyond 500.
#[utoipa::path(tag = "players", operation_id = "follow_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "You follow the player.")))]
#[put("/v1/account/follows/{username}")]
pub async fn follow_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    follows::add(&mut tx, &app, &caller, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Unfollow a player
///
/// Nothing happens if you don't follow the player.
#[utoipa::path(tag = "players", operation_id = "unfollow_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "You don't follow the player.")))]
#[delete("/v1/account/follows/{username}")]
pub async fn unfollow_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    follows::remove(&mut tx, &caller, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

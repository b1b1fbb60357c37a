//! Mutes and blocks over HTTP. Only their owner sees them.

use std::convert::identity;

use actix_web::{HttpRequest, delete, get, put, web};

use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::extract::Query;
use crate::api::http::fields::{Ranged, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::ids::AccountId;
use crate::lobby::blocking;
use crate::social::{BlockKind, ListedPlayer, blocks};

text_fields!(AccountId);

request! {
    /// A page of players.
    pub query BlocksQuery {
        /// The number of players: 1 to 200, 50 by default.
        #[param(value_type = Option<u32>, minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<Ranged<1, 200>>,
        /// `next_cursor` of the previous page.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<AccountId>,
    }
}

async fn listed(app: &App, account: AccountId, kind: BlockKind, query: BlocksQuery, request: &HttpRequest) -> Answer {
    let limit = page_limit(query.limit, 50);
    let mut conn = app.db.conn().await?;
    let found = blocks::list(&mut conn, account, kind, query.cursor, limit + 1).await?;
    page(found, limit, |blocked| blocked.player.id.to_string(), identity).reply(request)
}

async fn remove(app: &App, caller: &Caller<AccountWrite>, kind: BlockKind, request: &HttpRequest) -> Answer {
    let name = named(request)?;
    let mut tx = app.db.begin().await?;
    blocks::remove(&mut tx, caller, kind, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// List muted players
///
/// In the order in which the players' accounts were created. Nobody else sees the list.
#[utoipa::path(tag = "players", operation_id = "list_muted_players", security(("bearer" = ["account:read"])),
    params(BlocksQuery),
    responses((status = 200, description = "A page of players.", body = Page<ListedPlayer>)))]
#[get("/v1/account/mutes")]
pub async fn list_muted_players(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<BlocksQuery>,
    request: HttpRequest,
) -> Answer {
    listed(&app, caller.account, BlockKind::Mute, query.0, &request).await
}

/// Mute a player
///
/// The caller no longer gets the player's messages, and is not notified of them. The player isn't told, and can't find
/// out. Refused with `own-account` for the caller's own name, and with `quota-exceeded` beyond 1000.
#[utoipa::path(tag = "players", operation_id = "mute_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "The player is muted.")))]
#[put("/v1/account/mutes/{username}")]
pub async fn mute_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    blocks::add(&mut tx, &app, &caller, BlockKind::Mute, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Unmute a player
///
/// The messages from the time of the mute can be read again. Nothing happens if there was no mute.
#[utoipa::path(tag = "players", operation_id = "unmute_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "The player isn't muted.")))]
#[delete("/v1/account/mutes/{username}")]
pub async fn unmute_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    remove(&app, &caller, BlockKind::Mute, &request).await
}

/// List blocked players
///
/// In the order in which the players' accounts were created. Nobody else sees the list.
#[utoipa::path(tag = "players", operation_id = "list_blocked_players", security(("bearer" = ["account:read"])),
    params(BlocksQuery),
    responses((status = 200, description = "A page of players.", body = Page<ListedPlayer>)))]
#[get("/v1/account/blocks")]
pub async fn list_blocked_players(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<BlocksQuery>,
    request: HttpRequest,
) -> Answer {
    listed(&app, caller.account, BlockKind::Block, query.0, &request).await
}

/// Block a player
///
/// As a mute; besides, neither can challenge the other, see the other's open challenges or accept them. Open direct
/// challenges between the two are withdrawn or declined; running matches go on. The player isn't told: to them the
/// caller's name is unknown when they challenge it. Refused with `own-account` for the caller's own name, and with
/// `quota-exceeded` beyond 1000.
#[utoipa::path(tag = "players", operation_id = "block_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "The player is blocked.")))]
#[put("/v1/account/blocks/{username}")]
pub async fn block_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    blocking::block(&mut tx, &app, &caller, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// Unblock a player
///
/// A mute of the same player stays. Nothing happens if there was no block.
#[utoipa::path(tag = "players", operation_id = "unblock_player", security(("bearer" = ["account:write"])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "The player isn't blocked.")))]
#[delete("/v1/account/blocks/{username}")]
pub async fn unblock_player(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    remove(&app, &caller, BlockKind::Block, &request).await
}

//! Mutes and blocks over HTTP: whom the caller doesn't read, and whom he keeps away. They are his alone.

use actix_web::{HttpRequest, delete, get, put, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::http::auth::{AccountRead, AccountWrite, Caller};
use crate::api::http::extract::Query;
use crate::api::http::fields::{request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::api::social::players::named;
use crate::app::App;
use crate::ids::AccountId;
use crate::lobby::blocking;
use crate::player::Player;
use crate::social::{Kind, Shunned, blocks};

text_fields!(AccountId);

request! {
    /// A page of players.
    pub query WhichPlayers {
        /// How many at most: 1 to 200, 50 unless given.
        #[param(minimum = 1, maximum = 200, format = Int32)]
        pub limit: Option<u32>,
        /// `next_cursor` of the page before.
        #[param(value_type = Option<String>, max_length = 200, pattern = "^[A-Za-z0-9_-]+$")]
        pub cursor: Option<AccountId>,
    }
}

/// A player who is muted or blocked.
#[derive(Serialize, ToSchema)]
#[schema(as = ShunnedPlayer)]
pub struct ShunnedBody {
    /// Who.
    player: Player,
    /// Since when.
    since: Time,
}

impl From<Shunned> for ShunnedBody {
    fn from(shunned: Shunned) -> Self {
        let Shunned { player, since } = shunned;
        Self { player, since }
    }
}

async fn listed(app: &App, account: AccountId, kind: Kind, which: WhichPlayers, request: &HttpRequest) -> Answer {
    let limit = page_limit(which.limit, 50, 200)?;
    let mut conn = app.db.conn().await?;
    let found = blocks::list(&mut conn, account, kind, which.cursor, limit + 1).await?;
    page(found, limit, |shunned| shunned.player.id.to_string(), ShunnedBody::from).reply(request)
}

async fn ended(app: &App, caller: &Caller<AccountWrite>, kind: Kind, request: &HttpRequest) -> Answer {
    let name = named(request)?;
    let mut tx = app.db.begin().await?;
    blocks::end(&mut tx, caller, kind, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// List whom I mute
///
/// In the order in which the players' accounts were made. Nobody else sees it.
#[utoipa::path(tag = "talk", operation_id = "list_mutes", security(("bearer" = [])), params(WhichPlayers),
    responses((status = 200, description = "A page of players.", body = Page<ShunnedBody>)))]
#[get("/v1/account/mutes")]
pub async fn list_mutes(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<WhichPlayers>,
    request: HttpRequest,
) -> Answer {
    listed(&app, caller.account, Kind::Mute, query.0, &request).await
}

/// Mute a player
///
/// The caller no longer reads what he says, and doesn't hear of it. The player isn't told, and can't find out. `not-for-you` for oneself, `too-many-open` beyond 1000.
#[utoipa::path(tag = "talk", operation_id = "mute", security(("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "He is muted.")))]
#[put("/v1/account/mutes/{username}")]
pub async fn mute(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    blocks::begin(&mut tx, &app, &caller, Kind::Mute, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// End a mute
///
/// What was said meanwhile can be read again. Nothing happens if there was no mute.
#[utoipa::path(tag = "talk", operation_id = "unmute", security(("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "He isn't muted.")))]
#[delete("/v1/account/mutes/{username}")]
pub async fn unmute(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    ended(&app, &caller, Kind::Mute, &request).await
}

/// List whom I block
///
/// In the order in which the players' accounts were made. Nobody else sees it.
#[utoipa::path(tag = "talk", operation_id = "list_blocks", security(("bearer" = [])), params(WhichPlayers),
    responses((status = 200, description = "A page of players.", body = Page<ShunnedBody>)))]
#[get("/v1/account/blocks")]
pub async fn list_blocks(
    app: web::Data<App>,
    caller: Caller<AccountRead>,
    query: Query<WhichPlayers>,
    request: HttpRequest,
) -> Answer {
    listed(&app, caller.account, Kind::Block, query.0, &request).await
}

/// Block a player
///
/// As a mute; and neither can challenge the other, sees the other's open challenges or accepts them. Direct challenges that stand open between the two are withdrawn or declined;
/// matches under way go on. The player isn't told: for him it is as if nobody had the name that he challenges. `not-for-you` for oneself, `too-many-open` beyond 1000.
#[utoipa::path(tag = "talk", operation_id = "block", security(("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "He is blocked.")))]
#[put("/v1/account/blocks/{username}")]
pub async fn block(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    let name = named(&request)?;
    let mut tx = app.db.begin().await?;
    blocking::block(&mut tx, &app, &caller, &name).await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

/// End a block
///
/// A mute of the same player stays. Nothing happens if there was no block.
#[utoipa::path(tag = "talk", operation_id = "unblock", security(("bearer" = [])),
    params(("username" = String, Path, description = "The name; case makes no difference.",
        min_length = 3, max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]{2,23}$", example = "anna")),
    responses((status = 204, description = "He isn't blocked.")))]
#[delete("/v1/account/blocks/{username}")]
pub async fn unblock(app: web::Data<App>, caller: Caller<AccountWrite>, request: HttpRequest) -> Answer {
    ended(&app, &caller, Kind::Block, &request).await
}

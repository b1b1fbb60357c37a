//! Apps authorized to act for the account, over HTTP: list and revoke.

use actix_web::{HttpRequest, delete, get, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::Scope;
use crate::accounts::oauth::apps::{self, App as GrantedApp};
use crate::api::accounts::registered_apps::PublicAppBody;
use crate::api::http::auth::{Caller, SessionOnly};
use crate::api::http::extract::{Id, Query};
use crate::api::http::fields::request;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ids::SessionId;

request! {
    /// Which apps to list.
    pub query WhichApps {
        ..page(SessionId)
    }
}

/// An app that may act for the account, by OAuth.
#[derive(Serialize, ToSchema)]
#[schema(as = App)]
pub struct AppBody {
    /// Names the grant: the `sid` of the app's access tokens.
    id: SessionId,
    /// What the app calls itself. Nothing proves it, unless it is registered.
    #[schema(max_length = 200, pattern = "^[\\x21-\\x7e]+$")]
    client_id: String,
    /// What is registered of it; null: nothing, it is whatever it says.
    registered: Option<PublicAppBody>,
    /// Where the app was told that it may; null: nowhere, it asked for a code to be typed in.
    #[schema(max_length = 500, pattern = "^[\\x21-\\x7e]+$")]
    redirect_uri: Option<String>,
    /// What it may do.
    #[schema(max_items = 20)]
    scopes: Vec<Scope>,
    created_at: Time,
    /// When it last got a token.
    last_used_at: Time,
    /// When the grant ends, unless the app gets a token before.
    expires_at: Time,
}

impl From<GrantedApp> for AppBody {
    fn from(app: GrantedApp) -> Self {
        let GrantedApp { id, client_id, registered, redirect_uri, scopes, created_at, last_used_at, expires_at } = app;
        let registered = registered.map(PublicAppBody::from);
        Self { id, client_id, registered, redirect_uri, scopes, created_at, last_used_at, expires_at }
    }
}

/// List apps that act for you
///
/// Those that you have let in by OAuth and that may still act, the newest first. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "list_apps", security(("session" = [])), params(WhichApps),
    responses((status = 200, description = "A page of them.", body = Page<AppBody>)))]
#[get("/v1/account/apps")]
pub async fn list_apps(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichApps>,
    request: HttpRequest,
) -> Answer {
    let WhichApps { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let now = app.clock.now();
    let mut conn = app.db.conn().await?;
    let found = apps::list(&mut conn, caller.account, now, cursor, limit + 1).await?;
    page(found, limit, |app| app.id.to_string(), AppBody::from).reply(&request)
}

/// Revoke what an app may do
///
/// Its refresh token is dead at once, its access token within 30 seconds. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "revoke_app", security(("session" = [])),
    params(("id" = SessionId, Path, description = "The grant.")),
    responses((status = 204, description = "It may do nothing any more.")))]
#[delete("/v1/account/apps/{id}")]
pub async fn revoke_app(app: web::Data<App>, caller: Caller<SessionOnly>, id: Id<SessionId>) -> Answer {
    apps::revoke(&app.accounts, caller.account, id.0).await?;
    Ok(Reply::no_content())
}

//! Registered apps over HTTP. Their owners register, list, change and delete them; everybody can read them.

use actix_web::{HttpRequest, delete, get, patch, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::Scope;
use crate::accounts::oauth::registered::terms::{AppDescription, AppName, Homepage, RegisteredUri};
use crate::accounts::oauth::registered::{self, RegisteredApp, Wanted};
use crate::api::http::auth::{Anyone, Caller, SessionOnly};
use crate::api::http::extract::{Body, Change, Id, Query};
use crate::api::http::fields::{AtMost, request, text_fields};
use crate::api::http::nullable::Nullable;
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::ids::RegisteredAppId;
use crate::rate_limits::RateLimitKey;

text_fields!(AppDescription, AppName, Homepage, RegisteredAppId, RegisteredUri);

request! {
    /// An app to register.
    pub struct RegisterAppRequest {
        /// What it is called: 3 to 40 ASCII letters, digits, `-`, `_`, `.`, `'` and single spaces, the first a letter
        /// and the last a letter or a digit. Some names are reserved, and two that look alike are one.
        #[schema(value_type = String, min_length = 3, max_length = 40, pattern = "^[A-Za-z][A-Za-z0-9 ._'-]{1,38}[A-Za-z0-9]$")]
        pub name: AppName,
        /// Where people read about it: `https`, in its normal form.
        #[schema(value_type = String, min_length = 9, max_length = 200, pattern = "^https://[\\x21-\\x7e]+$")]
        pub homepage: Homepage,
        /// What it does, in a few sentences.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
        pub description: Option<AppDescription>,
        /// Where its answers may go: these very addresses, but for the port of one on the loopback interface.
        #[schema(value_type = Vec<RedirectUri>, min_items = 1, max_items = 10)]
        pub redirect_uris: AtMost<RegisteredUri, { registered::MOST_URIS }>,
        /// What it may ask for; the less, the better.
        #[schema(value_type = Vec<Scope>, min_items = 1, max_items = 20)]
        pub scopes: AtMost<Scope, 20>,
    }
}

request! {
    /// Changes to an app: what you leave out stays, null clears what can be empty.
    pub struct UpdateRegisteredAppRequest {
        /// Another name, by the same rules. The one before is kept from others for a year.
        #[schema(value_type = Option<String>, nullable = false, min_length = 3, max_length = 40, pattern = "^[A-Za-z][A-Za-z0-9 ._'-]{1,38}[A-Za-z0-9]$")]
        pub name: Option<AppName>,
        /// Another homepage.
        #[schema(value_type = Option<String>, nullable = false, min_length = 9, max_length = 200, pattern = "^https://[\\x21-\\x7e]+$")]
        pub homepage: Option<Homepage>,
        /// Another description; null or empty: none.
        #[schema(value_type = Option<String>, max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
        pub description: Nullable<AppDescription>,
        /// All addresses to which its answers may go from now on.
        #[schema(value_type = Option<Vec<RedirectUri>>, nullable = false, min_items = 1, max_items = 10)]
        pub redirect_uris: Option<AtMost<RegisteredUri, { registered::MOST_URIS }>>,
        /// All that it may ask for from now on. What players have granted before stays granted.
        #[schema(value_type = Option<Vec<Scope>>, nullable = false, min_items = 1, max_items = 20)]
        pub scopes: Option<AtMost<Scope, 20>>,
    }
}

request! {
    /// Which apps to list.
    pub query WhichRegisteredApps {
        ..page(RegisteredAppId)
    }
}

/// An address to which answers of an app go: `https`; `http` on the loopback interface, by number; or a scheme with a
/// dot in it. In its normal form, without fragment, user and password.
#[derive(ToSchema)]
#[schema(min_length = 5, max_length = 500, pattern = "^[\\x21-\\x7e]+$")]
#[allow(dead_code, reason = "it only describes the contract")]
pub struct RedirectUri(String);

/// A registered app, as its owner sees it.
#[derive(Serialize, ToSchema)]
#[schema(as = RegisteredApp)]
pub struct RegisteredAppBody {
    id: RegisteredAppId,
    /// What the app sends as `client_id`.
    #[schema(max_length = 47, pattern = "^registered-[0-9a-f-]{36}$")]
    client_id: String,
    #[schema(max_length = 40, pattern = "^[A-Za-z][A-Za-z0-9 ._'-]*$")]
    name: String,
    #[schema(max_length = 200, pattern = "^https://[\\x21-\\x7e]+$")]
    homepage: String,
    /// What it does; empty: nothing is said.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
    description: String,
    /// Where its answers may go.
    #[schema(value_type = Vec<RedirectUri>, max_items = 10)]
    redirect_uris: Vec<String>,
    /// What it may ask for.
    #[schema(max_items = 20)]
    scopes: Vec<Scope>,
    created_at: Time,
    /// Since when the operator lets it get no grants; null: it gets them.
    suspended_at: Option<Time>,
}

impl From<RegisteredApp> for RegisteredAppBody {
    fn from(app: RegisteredApp) -> Self {
        Self {
            client_id: app.client_id(),
            id: app.id,
            name: app.name,
            homepage: app.homepage,
            description: app.description,
            redirect_uris: app.redirect_uris,
            scopes: app.scopes,
            created_at: app.created_at,
            suspended_at: app.suspended_at,
        }
    }
}

/// A registered app, as everybody sees it.
#[derive(Serialize, ToSchema)]
#[schema(as = PublicApp)]
pub struct PublicAppBody {
    id: RegisteredAppId,
    /// What the app sends as `client_id`.
    #[schema(max_length = 47, pattern = "^registered-[0-9a-f-]{36}$")]
    client_id: String,
    #[schema(max_length = 40, pattern = "^[A-Za-z][A-Za-z0-9 ._'-]*$")]
    name: String,
    /// Who has registered it.
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    owner: String,
    /// Where people read about it. Nobody has checked that it is the owner's.
    #[schema(max_length = 200, pattern = "^https://[\\x21-\\x7e]+$")]
    homepage: String,
    /// What it does, in its owner's words; empty: nothing is said.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]*$")]
    description: String,
    /// What it may ask for.
    #[schema(max_items = 20)]
    scopes: Vec<Scope>,
    created_at: Time,
    /// Whether the operator lets it get no grants.
    suspended: bool,
}

impl From<RegisteredApp> for PublicAppBody {
    fn from(app: RegisteredApp) -> Self {
        Self {
            client_id: app.client_id(),
            id: app.id,
            name: app.name,
            owner: app.owner.to_string(),
            homepage: app.homepage,
            description: app.description,
            scopes: app.scopes,
            created_at: app.created_at,
            suspended: app.suspended_at.is_some(),
        }
    }
}

/// Register an app
///
/// Players to whom the app sends its `client_id` are shown its name, its owner and the mark of registered apps. With 10
/// apps it is `quota-exceeded`; a name that looks like another app's is `app-name-taken`. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "register_app", security(("session" = [])),
    request_body = RegisterAppRequest,
    responses((status = 201, description = "The app, with its `client_id`.", body = RegisteredAppBody)))]
#[post("/v1/account/registered-apps")]
pub async fn register_app(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<RegisterAppRequest>,
) -> Answer {
    let Change { request: RegisterAppRequest { name, homepage, description, redirect_uris, scopes }, once } = change;
    let description = description.unwrap_or_else(AppDescription::none);
    let wanted = Wanted { name, homepage, description, redirect_uris: redirect_uris.0, scopes: scopes.0 };
    let work = async |tx: &mut _| {
        let made = registered::register(tx, &app.accounts, &caller, wanted, &app.public_url).await?;
        Reply::created(&format!("/v1/account/registered-apps/{}", made.id), &RegisteredAppBody::from(made))
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

/// List your registered apps
///
/// The newest first. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "list_registered_apps", security(("session" = [])),
    params(WhichRegisteredApps),
    responses((status = 200, description = "A page of them.", body = Page<RegisteredAppBody>)))]
#[get("/v1/account/registered-apps")]
pub async fn list_registered_apps(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichRegisteredApps>,
    request: HttpRequest,
) -> Answer {
    let WhichRegisteredApps { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = registered::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |app| app.id.to_string(), RegisteredAppBody::from).reply(&request)
}

/// Get one of your registered apps
///
/// Another account's is `not-found`. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "get_registered_app", security(("session" = [])),
    params(("id" = RegisteredAppId, Path, description = "The app.")),
    responses((status = 200, description = "The app.", body = RegisteredAppBody)))]
#[get("/v1/account/registered-apps/{id}")]
pub async fn get_registered_app(app: web::Data<App>, caller: Caller<SessionOnly>, id: Id<RegisteredAppId>) -> Answer {
    let found = registered::find_own(&mut app.db.conn().await?, caller.account, id.0).await?;
    Ok(Reply::ok(&RegisteredAppBody::from(found))?)
}

/// Update a registered app
///
/// Grants that players have given stay. Other `redirect_uris` are told to the owner by mail. A name that looks like
/// another app's is `app-name-taken`. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "update_registered_app", security(("session" = [])),
    params(("id" = RegisteredAppId, Path, description = "The app.")),
    request_body = UpdateRegisteredAppRequest,
    responses((status = 200, description = "The app as it is now.", body = RegisteredAppBody)))]
#[patch("/v1/account/registered-apps/{id}")]
pub async fn update_registered_app(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    id: Id<RegisteredAppId>,
    body: Body<UpdateRegisteredAppRequest>,
) -> Answer {
    let UpdateRegisteredAppRequest { name, homepage, description, redirect_uris, scopes } = body.0;
    let (redirect_uris, scopes) = (redirect_uris.map(|uris| uris.0), scopes.map(|scopes| scopes.0));
    let description = description.change_of_text();
    let change = registered::Change { name, homepage, description, redirect_uris, scopes };
    let changed = registered::change(&app.accounts, &caller, id.0, change, &app.public_url).await?;
    Ok(Reply::ok(&RegisteredAppBody::from(changed))?)
}

/// Delete a registered app
///
/// All that players have granted it ends: its refresh tokens are dead at once, its access tokens within 30 seconds. Its
/// name is kept from others for a year. Needs a session.
#[utoipa::path(tag = "accounts", operation_id = "delete_registered_app", security(("session" = [])),
    params(("id" = RegisteredAppId, Path, description = "The app.")),
    responses((status = 204, description = "It is deleted.")))]
#[delete("/v1/account/registered-apps/{id}")]
pub async fn delete_registered_app(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    id: Id<RegisteredAppId>,
) -> Answer {
    registered::remove(&app.accounts, &caller, id.0).await?;
    Ok(Reply::no_content())
}

/// Get a registered app
///
/// What everybody may know of it: name, owner, homepage, description, and what it may ask for.
/// `/oauth/apps/{client_id}` shows the same to people.
#[utoipa::path(tag = "accounts", operation_id = "get_app", security((), ("bearer" = [])),
    params(("id" = RegisteredAppId, Path, description = "The app: what follows `registered-` in its `client_id`.")),
    responses((status = 200, description = "The app.", body = PublicAppBody)))]
#[get("/v1/apps/{id}")]
pub async fn get_app(app: web::Data<App>, _: Anyone, id: Id<RegisteredAppId>) -> Answer {
    let found = registered::find(&mut app.db.conn().await?, id.0).await?;
    Ok(Reply::ok(&PublicAppBody::from(found))?)
}

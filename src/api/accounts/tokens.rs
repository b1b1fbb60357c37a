//! Personal access tokens over HTTP: create, list, revoke.

use actix_web::{HttpRequest, delete, get, post, web};
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::tokens::{self, PersonalToken, Scope, TokenName, TokenRequest};
use crate::api::http::auth::{Caller, SessionOnly};
use crate::api::http::extract::{Change, Id, Query};
use crate::api::http::fields::{AtMost, request, text_fields};
use crate::api::http::paging::{Page, page, page_limit};
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::TokenId;
use crate::rate_limits::RateLimitKey;

text_fields!(Scope, TokenId, TokenName);

/// The minimum lifetime of a token, in seconds.
const LIVES_AT_LEAST_S: u32 = 60;
/// The maximum lifetime of a token that expires, in seconds: 366 days.
const LIVES_AT_MOST_S: u32 = 31_622_400;

request! {
    /// A personal access token to make.
    pub struct CreateTokenRequest {
        /// What to call it: 1 to 60 characters.
        #[schema(value_type = String, min_length = 1, max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
        pub name: TokenName,
        /// What it may do; the less, the better.
        #[schema(value_type = Vec<Scope>, min_items = 1, max_items = 20)]
        pub scopes: AtMost<Scope, 20>,
        /// In how many seconds it stops being good: 60 to 31622400 (366 days); never unless given.
        #[schema(minimum = 60, maximum = 31_622_400, format = Int32)]
        pub expires_in_s: Option<u32>,
    }
}

request! {
    /// Which tokens to list.
    pub query WhichTokens {
        ..page(TokenId)
    }
}

/// A personal access token, without the token itself.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalToken)]
pub struct TokenBody {
    id: TokenId,
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    name: String,
    #[schema(max_items = 20)]
    scopes: Vec<Scope>,
    created_at: Time,
    /// When it was last used, to the minute; null: never.
    last_used_at: Option<Time>,
    /// When it stops being good; null: never.
    expires_at: Option<Time>,
}

impl From<PersonalToken> for TokenBody {
    fn from(token: PersonalToken) -> Self {
        Self {
            id: token.id,
            name: token.name,
            scopes: token.scopes,
            created_at: token.created_at,
            last_used_at: token.last_used_at,
            expires_at: token.expires_at,
        }
    }
}

/// A personal access token that was just made.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalTokenWithSecret)]
pub struct MadeBody {
    /// Send it as `Authorization: Bearer …`. It is shown this once.
    #[schema(max_length = 47, pattern = "^bst_[A-Za-z0-9_-]{43}$")]
    token: String,
    id: TokenId,
    #[schema(max_length = 60, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    name: String,
    #[schema(max_items = 20)]
    scopes: Vec<Scope>,
    created_at: Time,
    /// When it stops being good; null: never.
    expires_at: Option<Time>,
}

/// Create a personal access token
///
/// For a program that acts for the account: it gets the scopes it needs, not the password. Refused with
/// `quota-exceeded` when the account has 50. If it turns out that this session was stolen (`refresh-token-reused`), the
/// token is revoked with it.
#[utoipa::path(tag = "accounts", operation_id = "create_token", security(("session" = [])),
    request_body = CreateTokenRequest,
    responses((status = 201, description = "The token; it is shown this once.", body = MadeBody)))]
#[post("/v1/account/tokens")]
pub async fn create_token(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    change: Change<CreateTokenRequest>,
) -> Answer {
    let Change { request: CreateTokenRequest { name, scopes, expires_in_s }, once } = change;
    check_life(expires_in_s)?;
    let wanted = TokenRequest { name, scopes: scopes.0, expires_in_s };
    let work = async |tx: &mut _| {
        let made = tokens::make(tx, &app.accounts, &caller, wanted).await?;
        let TokenBody { id, name, scopes, created_at, expires_at, .. } = made.stored.into();
        let body = MadeBody { token: made.token, id, name, scopes, created_at, expires_at };
        Reply::created(&format!("/v1/account/tokens/{id}"), &body)
    };
    once.run(&app, &RateLimitKey::Account(caller.account), work).await
}

fn check_life(expires_in_s: Option<u32>) -> Result<()> {
    if expires_in_s.is_none_or(|life| (LIVES_AT_LEAST_S..=LIVES_AT_MOST_S).contains(&life)) {
        return Ok(());
    }
    let detail = format!("must be {LIVES_AT_LEAST_S} to {LIVES_AT_MOST_S} seconds");
    Err(Error::invalid_at("/expires_in_s", "out-of-range", detail))
}

/// List personal access tokens
///
/// The newest first, without the tokens themselves.
#[utoipa::path(tag = "accounts", operation_id = "list_tokens", security(("session" = [])), params(WhichTokens),
    responses((status = 200, description = "A page of them.", body = Page<TokenBody>)))]
#[get("/v1/account/tokens")]
pub async fn list_tokens(
    app: web::Data<App>,
    caller: Caller<SessionOnly>,
    query: Query<WhichTokens>,
    request: HttpRequest,
) -> Answer {
    let WhichTokens { limit, cursor } = query.0;
    let limit = page_limit(limit, 50);
    let mut conn = app.db.conn().await?;
    let found = tokens::list(&mut conn, caller.account, cursor, limit + 1).await?;
    page(found, limit, |token| token.id.to_string(), TokenBody::from).reply(&request)
}

/// Revoke a personal access token
///
/// It is dead within 30 seconds, and on the node that answers at once.
#[utoipa::path(tag = "accounts", operation_id = "revoke_token", security(("session" = [])),
    params(("id" = TokenId, Path, description = "The personal access token.")),
    responses((status = 204, description = "It is revoked.")))]
#[delete("/v1/account/tokens/{id}")]
pub async fn revoke_token(app: web::Data<App>, caller: Caller<SessionOnly>, id: Id<TokenId>) -> Answer {
    tokens::revoke(&app.accounts, &caller, id.0).await?;
    Ok(Reply::no_content())
}

//! The token endpoint (RFC 6749, 3.2) and the revocation endpoint (RFC 7009).
//!
//! Apps are public clients: they name themselves, and have no secret. So an app's credentials are refused rather than
//! ignored.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, web};
use serde::Serialize;

use super::form::{Fields, Form};
use super::{cookie, own_page};
use crate::accounts::RefreshToken;
use crate::accounts::oauth::codes::{self, Exchange};
use crate::accounts::oauth::request::{self, ClientId};
use crate::accounts::oauth::{OAuthError, Refusal, apps, devices};
use crate::accounts::sessions::{self, OpenedSession, Refreshed};
use crate::api::accounts::device;
use crate::api::http::auth::Unidentified;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::Error;

/// The `grant_type` of devices (RFC 8628).
pub(super) const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

#[derive(Serialize)]
struct Tokens {
    access_token: String,
    token_type: &'static str,
    expires_in: u32,
    refresh_token: String,
    /// Absent for the service's own page, which has a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

impl From<OpenedSession> for Tokens {
    fn from(opened: OpenedSession) -> Self {
        Self {
            access_token: opened.access_token,
            token_type: "Bearer",
            expires_in: opened.access_token_s,
            refresh_token: opened.refresh_token,
            scope: opened.app.map(|app| request::listed(&app.scopes)),
        }
    }
}

#[derive(Serialize)]
struct ErrorBody {
    error: &'static str,
    error_description: String,
}

/// The error response to an app (RFC 6749, 5.2).
pub(super) fn refused(refusal: Refusal) -> Answer {
    let OAuthError { code, description } = match refusal {
        Refusal::OfTheService(error) => return Err(Failure(error)),
        Refusal::OfTheApp(error) => error,
    };
    let status = if code == "invalid_client" { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
    let reply = Reply::ok(&ErrorBody { error: code, error_description: description })?.with_code(status);
    Ok(if code == "invalid_client" { reply.header(header::WWW_AUTHENTICATE, "Basic") } else { reply })
}

/// The form, and the app that sent it.
pub(super) fn read(request: &HttpRequest, form: Result<Form, Failure>) -> Result<(Fields, ClientId), Refusal> {
    let form = form.map_err(|_| OAuthError::invalid_request("the body must be a form (x-www-form-urlencoded)"))?.0;
    form.check()?;
    if request.headers().contains_key(header::AUTHORIZATION) || form.get("client_secret").is_some() {
        return Err(OAuthError::new("invalid_client", "apps have no secret here: send client_id alone").into());
    }
    let client_id = form.require("client_id")?.parse().map_err(OAuthError::invalid_request)?;
    Ok((form, client_id))
}

/// Issues tokens for an authorization code, a device code, or a refresh token.
pub async fn token(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    match granted(&app, &caller, &request, form).await {
        Ok(opened) => Ok(Reply::ok(&Tokens::from(opened))?.header(header::PRAGMA, "no-cache")),
        Err(refusal) => refused(refusal),
    }
}

async fn granted(
    app: &App,
    caller: &Unidentified,
    request: &HttpRequest,
    form: Result<Form, Failure>,
) -> Result<OpenedSession, Refusal> {
    let read = read(request, form).and_then(|(form, client_id)| {
        own_page::require_own(app, request, &client_id)?;
        Ok((Grant::read(&form)?, form, client_id))
    });
    if read.is_err() {
        caller.charge_page(app)?;
    }
    let (grant, form, client_id) = read?;
    match grant {
        Grant::Code { code, code_verifier } => {
            let redirect_uri = form.get("redirect_uri");
            let exchange = Exchange { code: &code, client_id, redirect_uri, code_verifier: &code_verifier };
            by_code(app, caller, request, exchange).await
        }
        Grant::Refresh(token) => by_refresh_token(app, caller, &form, &client_id, token).await,
        Grant::Device(code) => by_device_code(app, caller, request, &client_id, &code).await,
    }
}

/// The credential to be exchanged for tokens. Reading it costs nothing yet.
enum Grant {
    Code { code: String, code_verifier: String },
    Refresh(RefreshToken),
    Device(String),
}

impl Grant {
    fn read(form: &Fields) -> Result<Self, OAuthError> {
        let text = |name| form.require(name).map(str::to_owned);
        match form.require("grant_type")? {
            "authorization_code" => Ok(Self::Code { code: text("code")?, code_verifier: text("code_verifier")? }),
            "refresh_token" => {
                form.require("refresh_token")?.parse().map(Self::Refresh).map_err(|_: String| unknown_token())
            }
            DEVICE_GRANT => text("device_code").map(Self::Device),
            _ => Err(OAuthError::new("unsupported_grant_type", "grant_type must be one of those in the metadata")),
        }
    }
}

fn unknown_token() -> OAuthError {
    OAuthError::invalid_grant("the refresh token is not good, not any more, or not for this app")
}

async fn by_code(
    app: &App,
    caller: &Unidentified,
    request: &HttpRequest,
    asked: Exchange<'_>,
) -> Result<OpenedSession, Refusal> {
    // An invented code is charged like an invented token.
    if codes::is_made(&app.accounts, asked.code) {
        caller.charge_page(app)?
    } else {
        caller.charge_refresh(app, None)?
    }
    codes::exchange(&app.accounts, asked, &device(request)).await
}

async fn by_device_code(
    app: &App,
    caller: &Unidentified,
    request: &HttpRequest,
    client_id: &ClientId,
    code: &str,
) -> Result<OpenedSession, Refusal> {
    if devices::is_made(&app.accounts, code) {
        caller.charge_page(app)?
    } else {
        caller.charge_refresh(app, None)?
    }
    devices::ask(&app.accounts, client_id, code, &device(request)).await
}

async fn by_refresh_token(
    app: &App,
    caller: &Unidentified,
    form: &Fields,
    client_id: &ClientId,
    token: RefreshToken,
) -> Result<OpenedSession, Refusal> {
    let is_made = sessions::is_made(&app.accounts, &token);
    if !is_made {
        caller.charge_refresh(app, None)?;
        return Err(unknown_token().into());
    }
    let session = sessions::session_of(&mut app.db.conn().await?, &token).await?;
    caller.charge_refresh(app, session)?;
    let mut tx = app.db.begin().await?;
    match sessions::refresh(&mut tx, &app.accounts, &token, app_of(client_id)).await? {
        Refreshed::Opened(opened) => {
            let has = opened.app.as_ref().map(|app| app.scopes.clone()).unwrap_or_default();
            let asked = form.get("scope").map(request::scopes).transpose();
            if asked.is_err() || asked.is_ok_and(|asked| asked.is_some_and(|asked| asked != has)) {
                tx.roll_back().await?;
                let what = "what an app may do doesn't change at a refresh: leave scope out, or ask for consent again";
                return Err(OAuthError::new("invalid_scope", what).into());
            }
            tx.commit().await?;
            Ok(*opened)
        }
        Refreshed::Reused(stolen) => {
            tx.roll_back().await?;
            sessions::end_stolen(&app.accounts, stolen).await?;
            Err(OAuthError::invalid_grant("the refresh token was used before, so what was granted has ended").into())
        }
    }
}

/// The app whose session may be refreshed; `None` for a session of the account itself, used by the service's own page.
fn app_of(client_id: &ClientId) -> Option<&ClientId> {
    (!client_id.is_own_page()).then_some(client_id)
}

/// Revokes a token. An invalid token gets the same answer.
pub async fn revoke(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    caller.charge_page(&app)?;
    match given_back(&app, &request, form).await {
        Ok(()) => Ok(Reply::no_content().with_code(StatusCode::OK)),
        Err(refusal) => refused(refusal),
    }
}

async fn given_back(app: &App, request: &HttpRequest, form: Result<Form, Failure>) -> Result<(), Refusal> {
    let (form, client_id) = read(request, form)?;
    let given: Result<(), Error> = apps::give_back(&app.accounts, &client_id, form.require("token")?).await;
    given.map_err(Refusal::OfTheService)
}

//! Devices without a browser (RFC 8628): the endpoint for devices, and the page on which a user types a device's code
//! and consents.

use actix_web::{HttpRequest, web};
use serde::Serialize;

use super::form::{Fields, Form, require_own_page};
use super::pages::{self, Consent};
use super::passkeys::Door;
use super::registered::Shown;
use super::token::{read, refused};
use super::words::Text;
use super::{cookie, explained, language, visitor};
use crate::accounts::oauth::devices::{self, Begun, DEVICE_CODE_S, INTERVAL_S, UserCode};
use crate::accounts::oauth::page_sessions::PageSession;
use crate::accounts::oauth::{self, OAuthError, Refusal, request};
use crate::api::http::auth::Unidentified;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::rate_limits::BudgetKind;

pub const PATH: &str = "/oauth/device";

#[derive(Serialize)]
struct DeviceAuthorization {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: String,
    expires_in: u32,
    interval: u32,
}

/// Issues a code to a device.
pub async fn begin(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    caller.charge(&app, BudgetKind::SignIn)?;
    match begun(&app, &request, form).await {
        Ok(Begun { device_code, user_code }) => {
            let (page, user_code) = (format!("{}{PATH}", app.public_url), user_code.shown());
            Ok(Reply::ok(&DeviceAuthorization {
                device_code,
                verification_uri_complete: format!("{page}?user_code={user_code}"),
                user_code,
                verification_uri: page,
                expires_in: DEVICE_CODE_S,
                interval: INTERVAL_S,
            })?)
        }
        Err(refusal) => refused(refusal),
    }
}

async fn begun(app: &App, request: &HttpRequest, form: Result<Form, Failure>) -> Result<Begun, Refusal> {
    let (form, client_id) = read(request, form)?;
    if client_id.is_own_page() {
        return Err(OAuthError::new("unauthorized_client", "the service's own page is no device").into());
    }
    client_id.check_against(&app.public_url)?;
    let scopes = request::scopes(form.get("scope").unwrap_or_default());
    let scopes = scopes.map_err(|why| OAuthError::new("invalid_scope", why))?;
    let mut tx = app.db.begin().await?;
    let begun = devices::begin(&mut tx, &app.accounts, &client_id, &scopes).await?;
    tx.commit().await?;
    Ok(begun)
}

/// The page for typing a code and for consent. A visitor has to sign in first. Tried codes cost the budget of sign-ins.
pub async fn ask(app: web::Data<App>, caller: Unidentified, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    caller.charge_page(&app)?;
    let language = language(&request);
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    let Some(session) = visitor(&app, &request).await? else {
        return Ok(pages::sign_in(language, &request.uri().to_string(), None, None, Door::of(&app).as_ref()));
    };
    let Some(typed) = fields.get("user_code") else { return Ok(pages::device(language, None)) };
    if let Err(error) = caller.charge(&app, BudgetKind::SignIn) {
        return explained(language, error);
    }
    let Ok(code) = typed.parse::<UserCode>() else { return Ok(pages::device(language, Some(Text::WrongCode))) };
    let found = devices::find(&mut app.db.conn().await?, &app.accounts, &code).await?;
    let Some(device) = found else { return Ok(pages::device(language, Some(Text::WrongCode))) };
    let client_id = device.client_id.parse().map_err(|_| Error::not_found())?;
    let known = oauth::registered::known(&mut app.db.conn().await?, &app, &client_id).await?;
    let Ok(registered) = known else { return Ok(pages::device(language, Some(Text::WrongCode))) };
    let asking = Shown::find(&app, &client_id, registered.as_ref(), None).await?;
    let (shown, form_token, then) = (code.shown(), session.form_token()?, request.uri().to_string());
    let hidden = [("user_code", shown.as_str()), ("form_token", form_token.as_str())];
    Ok(pages::consent(
        language,
        &Consent {
            username: session.username.as_str(),
            app: &asking,
            to: None,
            origin: None,
            scopes: &device.scopes,
            device: Some(&shown),
            action: PATH,
            hidden: &hidden,
            then: &then,
        },
    ))
}

/// Handles the decision. It costs the budget of sign-ins as well, because codes can be tried here, too.
pub async fn decide(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    caller.charge_page(&app)?;
    let (language, fields) = (language(&request), form?.0);
    if let Err(error) = caller.charge(&app, BudgetKind::SignIn) {
        return explained(language, error);
    }
    match decided(&app, &request, &fields).await {
        Ok(None) => Ok(pages::done(language)),
        Ok(Some(wrong)) => Ok(pages::device(language, Some(wrong))),
        Err(error) => explained(language, error),
    }
}

/// Stores the decision, or returns the fault of the form.
async fn decided(app: &App, request: &HttpRequest, fields: &Fields) -> Result<Option<Text>> {
    require_own_page(app, request)?;
    let session: PageSession = visitor(app, request).await?.ok_or_else(|| Error::plain(&problem::NOT_SIGNED_IN))?;
    let allowed = match fields.get("decision") {
        Some("allow") => true,
        Some("refuse") => false,
        _ => return Err(Error::plain(&problem::FOREIGN_FORM)),
    };
    if !session.has_made(fields.get("form_token").unwrap_or_default()) {
        return Err(Error::plain(&problem::FOREIGN_FORM));
    }
    if allowed && fields.get("compared") != Some("yes") {
        return Ok(Some(Text::NotCompared));
    }
    let code = fields.get("user_code").unwrap_or_default().parse::<UserCode>();
    let Ok(code) = code else { return Ok(Some(Text::WrongCode)) };
    let mut tx = app.db.begin().await?;
    let decided = devices::decide(&mut tx, &app.accounts, &session, &code, allowed).await?;
    tx.commit().await?;
    Ok((!decided).then_some(Text::WrongCode))
}

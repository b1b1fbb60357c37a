//! The authorization endpoint (RFC 6749, 3.1), to which an app sends a user for consent.
//!
//! The browser goes to an address of an app only after the user has pressed a button that says so: apps need no
//! registration, and everything else would make the service an open redirector (RFC 9700, 4.11). A registered app's
//! answer goes nowhere but to its own addresses.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use reqwest::Url;

use super::form::{Fields, Form, require_own_page};
use super::pages::{self, Consent};
use super::passkeys::Door;
use super::registered::{self, Shown};
use super::{cookie, explained, language, own_page, register, visitor};
use crate::accounts::oauth::OAuthError;
use crate::accounts::oauth::page_sessions::PageSession;
use crate::accounts::oauth::registered::RegisteredApp;
use crate::accounts::oauth::request::{AuthorizationRequest, ClientId, RedirectUri, State, listed, scopes};
use crate::accounts::oauth::{codes, own_page as own_client};
use crate::api::http::auth::Passer;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, problem};

/// The reason for the refusal of an app's request, and the way back to the app, if it is known.
pub(super) struct Refused {
    error: OAuthError,
    back: Option<Back>,
}

struct Back {
    redirect_uri: RedirectUri,
    state: Option<State>,
}

impl Back {
    /// The app's address with these parameters and the server's identity (RFC 9207).
    fn with(&self, app: &App, told: &[(&str, &str)]) -> String {
        let state = self.state.as_ref().map(|state| ("state", state.as_str()));
        let parameters: Vec<_> = told.iter().copied().chain(state).chain([("iss", app.public_url.as_str())]).collect();
        self.redirect_uri.with(&parameters)
    }
}

pub(super) fn read(app: &App, request: &HttpRequest, fields: &Fields) -> Result<AuthorizationRequest, Refused> {
    let lost = |error| Refused { error, back: None };
    fields.check().map_err(lost)?;
    let text = |name| fields.require(name).map_err(lost);
    let unreadable = |why: String| lost(OAuthError::invalid_request(why));
    let client_id: ClientId = text("client_id")?.parse().map_err(unreadable)?;
    client_id.check_against(&app.public_url).map_err(lost)?;
    let is_own_page = client_id.is_own_page();
    let redirect_uri = text("redirect_uri")?;
    let redirect_uri: RedirectUri = match is_own_page {
        true => own_page::redirect_uri(app, request, redirect_uri).map_err(unreadable)?,
        false => redirect_uri.parse().map_err(unreadable)?,
    };
    let state: Option<State> = fields.get("state").map(str::parse).transpose().map_err(unreadable)?;
    let known = |error| {
        let (redirect_uri, state) = (redirect_uri.clone(), state.clone());
        Refused { error, back: Some(Back { redirect_uri, state }) }
    };
    if fields.require("response_type").map_err(known)? != "code" {
        return Err(known(OAuthError::new("unsupported_response_type", "response_type must be code")));
    }
    if fields.get("request").is_some() || fields.get("request_uri").is_some() {
        return Err(known(OAuthError::new("request_not_supported", "request objects are not supported")));
    }
    if fields.get("response_mode").is_some_and(|mode| mode != "query") {
        return Err(known(OAuthError::invalid_request("response_mode must be query")));
    }
    if fields.get("code_challenge_method") != Some("S256") {
        return Err(known(OAuthError::invalid_request("code_challenge_method must be S256")));
    }
    let challenge = fields.require("code_challenge").map_err(known)?.parse();
    let code_challenge = challenge.map_err(|why: String| known(OAuthError::invalid_request(why)))?;
    let invalid_scope = |why: String| known(OAuthError::new("invalid_scope", why));
    let scopes = match (is_own_page, fields.get("scope")) {
        (true, None) => Vec::new(),
        (true, Some(_)) => return Err(invalid_scope("a session has no scopes: leave scope out".to_owned())),
        (false, asked) => scopes(asked.unwrap_or_default()).map_err(invalid_scope)?,
    };
    Ok(AuthorizationRequest { client_id, redirect_uri, scopes, code_challenge, state })
}

/// The app's request, with the app's registration.
async fn read_known(
    app: &App,
    request: &HttpRequest,
    fields: &Fields,
) -> Result<Result<(AuthorizationRequest, Option<RegisteredApp>), Refused>, Error> {
    let registered = match registered::of_request(app, fields).await? {
        Ok(registered) => registered,
        Err(error) => return Ok(Err(Refused { error, back: None })),
    };
    Ok(read(app, request, fields).and_then(|asked| match registered::beyond(registered.as_ref(), &asked.scopes) {
        Some(error) => {
            let AuthorizationRequest { redirect_uri, state, .. } = asked;
            Err(Refused { error, back: Some(Back { redirect_uri, state }) })
        }
        None => Ok((asked, registered)),
    }))
}

/// The page that explains the fault in an app's request, with a link back to the app.
fn refusal(app: &App, language: Language, refused: &Refused) -> Reply {
    let OAuthError { code, description } = &refused.error;
    let told = [("error", *code), ("error_description", description.as_str())];
    let back = refused.back.as_ref().map(|back| back.with(app, &told));
    pages::refusal(language, &format!("{code}: {description}"), back.as_deref()).with_code(StatusCode::BAD_REQUEST)
}

/// The page of consent. A visitor has to sign in first.
pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    let (asked, registered) = match read_known(&app, &request, &fields).await? {
        Ok(known) => known,
        Err(refused) => return Ok(refusal(&app, language, &refused)),
    };
    if fields.get("prompt") == Some("create") {
        return Ok(register::page(language, &without_prompt(&request)));
    }
    let here = request.uri().to_string();
    match visitor(&app, &request).await? {
        Some(session) => {
            let shown = Shown::find(&app, &asked.client_id, registered.as_ref(), Some(&asked.redirect_uri)).await?;
            consent(language, &session, &asked, &shown, &here)
        }
        None => {
            let label =
                (!asked.client_id.is_own_page()).then(|| registered::label(&asked.client_id, registered.as_ref()));
            Ok(pages::sign_in(language, &here, label, None, Door::of(&app).as_ref()))
        }
    }
}

/// This address without `prompt`, so that a user who has just registered isn't asked to register again.
fn without_prompt(request: &HttpRequest) -> String {
    let query = Url::parse(&format!("x:/?{}", request.query_string())).ok();
    let pairs = query.iter().flat_map(Url::query_pairs).filter(|(name, _)| name != "prompt");
    let kept = Url::parse_with_params("x:/", pairs).ok();
    format!("{}?{}", request.path(), kept.as_ref().and_then(Url::query).unwrap_or_default())
}

fn consent(
    language: Language,
    session: &PageSession,
    asked: &AuthorizationRequest,
    app: &Shown<'_>,
    here: &str,
) -> Answer {
    let form_token = session.form_token()?;
    let challenge = asked.code_challenge.encoded();
    let scope = listed(&asked.scopes);
    let hidden = [
        ("response_type", "code"),
        ("client_id", asked.client_id.as_str()),
        ("redirect_uri", asked.redirect_uri.as_str()),
        ("scope", scope.as_str()),
        ("state", asked.state.as_ref().map(State::as_str).unwrap_or_default()),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("form_token", form_token.as_str()),
    ];
    if asked.client_id.is_own_page() {
        return Ok(own_page::page(language, session.username.as_str(), &hidden, here));
    }
    let consent = Consent {
        username: session.username.as_str(),
        app,
        to: Some(asked.redirect_uri.as_str()),
        origin: Some(asked.redirect_uri.origin()),
        scopes: &asked.scopes,
        device: None,
        action: "/oauth/authorize",
        hidden: &hidden,
        then: here,
    };
    Ok(pages::consent(language, &consent))
}

/// Handles the decision: the browser goes back to the app, with a code or without.
pub async fn decide(app: web::Data<App>, _: Passer, request: HttpRequest, form: Result<Form, Failure>) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = form?.0;
    let (asked, _) = match read_known(&app, &request, &fields).await? {
        Ok(known) => known,
        Err(refused) => return Ok(refusal(&app, language, &refused)),
    };
    match answer(&app, &request, &fields, &asked).await {
        Ok(to) => Ok(Reply::no_content().with_code(StatusCode::SEE_OTHER).header(header::LOCATION, to)),
        Err(error) => explained(language, error),
    }
}

async fn answer(
    app: &App,
    request: &HttpRequest,
    fields: &Fields,
    asked: &AuthorizationRequest,
) -> Result<String, Error> {
    require_own_page(app, request)?;
    let foreign = || Error::plain(&problem::FOREIGN_FORM);
    let session = visitor(app, request).await?.ok_or_else(|| Error::plain(&problem::NOT_SIGNED_IN))?;
    if !session.has_made(fields.get("form_token").unwrap_or_default()) {
        return Err(foreign());
    }
    match fields.get("decision") {
        Some("allow") => code_for(app, &session, asked).await,
        Some("refuse") => {
            let back = Back { redirect_uri: asked.redirect_uri.clone(), state: asked.state.clone() };
            Ok(back.with(app, &[("error", "access_denied"), ("error_description", "the account's owner has refused")]))
        }
        _ => Err(foreign()),
    }
}

/// Makes a code. Returns the address that takes it to the app, or to the service's own page.
pub(super) async fn code_for(app: &App, session: &PageSession, asked: &AuthorizationRequest) -> Result<String, Error> {
    let back = Back { redirect_uri: asked.redirect_uri.clone(), state: asked.state.clone() };
    let mut tx = app.db.begin().await?;
    let code = match asked.client_id.is_own_page() {
        true => own_client::issue(&mut tx, &app.accounts, session, asked).await?,
        false => codes::issue(&mut tx, &app.accounts, session, asked).await?,
    };
    tx.commit().await?;
    Ok(back.with(app, &[("code", &code)]))
}

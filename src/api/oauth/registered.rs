//! Registered apps on the pages: the facts about an app that asks, and the page about an app.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use maud::{Markup, html};

use super::app_words::{Text, text};
use super::form::Fields;
use super::{cookie, language, pages, words};
use crate::accounts::oauth::OAuthError;
use crate::accounts::oauth::registered::{self, Known, RegisteredApp};
use crate::accounts::oauth::request::{ClientId, RedirectUri};
use crate::api::http::auth::Passer;
use crate::api::http::reply::Answer;
use crate::app::App;
use crate::error::{Error, Result, problem};

pub const PATH: &str = "/oauth/apps/{client_id}";

/// The facts about an app that asks, for the pages.
pub struct Shown<'a> {
    client_id: &'a str,
    registered: Option<&'a RegisteredApp>,
    to: Option<&'a RedirectUri>,
    is_called_alike: bool,
}

impl<'a> Shown<'a> {
    /// Finds the app that asks, and the target of its answer.
    pub async fn find(
        app: &App,
        client_id: &'a ClientId,
        registered: Option<&'a RegisteredApp>,
        to: Option<&'a RedirectUri>,
    ) -> Result<Self> {
        let mut conn = app.db.conn().await?;
        let is_called_alike = registered.is_none() && registered::is_called_alike(&mut conn, client_id).await?;
        Ok(Self { client_id: client_id.as_str(), registered, to, is_called_alike })
    }

    /// The app in the text of the page of consent.
    pub fn markup(&self, language: Language) -> Markup {
        let says = |what| text(language, what);
        let Some(app) = self.registered else {
            return html! {
                p { code { (self.client_id) } }
                p { b { (says(Text::NotRegistered)) } " " (words::text(language, words::Text::Unknown)) }
                @if self.is_called_alike { p.wrong { (says(Text::CalledAlike)) } }
            };
        };
        html! {
            p { b { (app.name) } }
            (mark(language, app))
            p { (says(Text::Homepage)) " " code { (app.homepage) } }
            @if let Some(to) = self.to.filter(|to| to.web_host().is_some()) {
                p { (says(if app.has_at_home(to) { Text::AtHome } else { Text::NotAtHome })) }
            }
            p { (says(Text::Meaning)) " " a href=(page_of(app)) { (says(Text::About)) } }
        }
    }
}

/// The app's name on the sign-in page.
pub fn label<'a>(client_id: &'a ClientId, registered: Option<&'a RegisteredApp>) -> &'a str {
    registered.map_or(client_id.as_str(), |app| app.name.as_str())
}

/// The mark of a registered app, with its owner.
pub fn mark(language: Language, app: &RegisteredApp) -> Markup {
    html! { p { (text(language, Text::RegisteredBy)) " " b { (app.owner) } "." } }
}

fn page_of(app: &RegisteredApp) -> String {
    PATH.replace("{client_id}", &app.client_id())
}

/// The registration of the app behind the request. A registered app that names a foreign address gets no answer, and no
/// link leads there. Unreadable fields are left to the code that reads the rest.
pub async fn of_request(app: &App, fields: &Fields) -> Result<Known> {
    let Some(client_id) = fields.get("client_id").and_then(|text| text.parse::<ClientId>().ok()) else {
        return Ok(Ok(None));
    };
    let known = registered::known(&mut app.db.conn().await?, app, &client_id).await?;
    let to: Option<RedirectUri> = fields.get("redirect_uri").and_then(|text| text.parse().ok());
    Ok(known.and_then(|found| match (found, to) {
        (Some(found), Some(to)) if !found.answers_to(&to) => {
            Err(OAuthError::invalid_request("redirect_uri is none of those that the app has registered"))
        }
        (found, _) => Ok(found),
    }))
}

/// The error if an app asks for more than it has registered.
pub fn beyond(registered: Option<&RegisteredApp>, wanted: &[crate::accounts::Scope]) -> Option<OAuthError> {
    let is_beyond = registered.is_some_and(|app| !app.may_ask_for(wanted));
    is_beyond.then(|| OAuthError::new("invalid_scope", registered::BEYOND_SCOPES))
}

pub async fn about(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let id = registered::id_of(request.match_info().get("client_id").unwrap_or_default());
    let found = match id {
        Some(id) => registered::find(&mut app.db.conn().await?, id).await,
        None => Err(Error::not_found()),
    };
    match found {
        Ok(found) => {
            let title = found.name.clone();
            Ok(pages::page(language, &title, None, body(language, &found)))
        }
        Err(error) if error.problem().code == problem::NOT_FOUND.code => {
            let page = pages::refusal(language, text(language, Text::NoSuchApp), None);
            Ok(page.with_code(StatusCode::NOT_FOUND))
        }
        Err(error) => Err(error.into()),
    }
}

fn body(language: Language, app: &RegisteredApp) -> Markup {
    let says = |what| text(language, what);
    html! {
        @if app.suspended_at.is_some() { p.wrong { (says(Text::Suspended)) } }
        (mark(language, app))
        p { (says(Text::Homepage)) " " a href=(app.homepage) rel="noopener noreferrer nofollow" { (app.homepage) } }
        @if !app.description.is_empty() { p { (says(Text::InTheirWords)) } blockquote { (app.description) } }
        p { (says(Text::MayAskFor)) }
        ul { @for scope in &app.scopes { li { (words::scope(language, *scope)) } } }
        p { (says(Text::Meaning)) }
        p { code { (app.client_id()) } }
    }
}

//! Sign-in of the service's own page, which uses OAuth, too. It is recognized by the redirect address: that is an
//! address of this service, so no consent is needed.
//!
//! Opening a page never issues a code: that takes a sign-in, a registration, or the press of a button. So no other site
//! can sign a user in unnoticed, and the next visitor of a browser sees the name of the signed-in user.

use actix_web::HttpRequest;
use actix_web::http::{StatusCode, header};
use broadside_rules::card::Language;
use maud::html;
use reqwest::Url;

use super::authorize::{code_for, read};
use super::form::{Fields, is_from_elsewhere};
use super::words::{Text, text};
use super::{cookie, pages};
use crate::accounts::oauth::OAuthError;
use crate::accounts::oauth::own_page::{CALLBACK_PATH, CLIENT_ID};
use crate::accounts::oauth::page_sessions;
use crate::accounts::oauth::request::{ClientId, RedirectUri};
use crate::api::http::reply::Reply;
use crate::app::App;
use crate::error::Result;
use crate::front_end::FrontEnd;

/// Names of this machine. A cookie that is set under one of them is not sent to another.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// The redirect address, if it is that of the own page. It is below the public address, or, if that is on this machine,
/// below the one that the browser used.
pub fn redirect_uri(app: &App, request: &HttpRequest, text: &str) -> Result<RedirectUri, String> {
    if !matches!(app.front_end, FrontEnd::BuiltIn | FrontEnd::Folder(_)) {
        return Err(format!("client_id: this service has no page of its own, so nobody is {CLIENT_ID}"));
    }
    let host = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    let own = origins(&app.public_url, host);
    let found = own.iter().find(|origin| text.strip_prefix(origin.as_str()) == Some(CALLBACK_PATH));
    found.map(|origin| RedirectUri::of_own_page(origin)).ok_or_else(|| {
        let own = own.first().map_or("the public address", String::as_str);
        format!("redirect_uri must be {own}{CALLBACK_PATH} for {CLIENT_ID}: open {own}")
    })
}

fn origins(public_url: &str, host: Option<&str>) -> Vec<String> {
    let Ok(public) = Url::parse(public_url) else { return Vec::new() };
    let is_loopback = |url: &Url| url.scheme() == "http" && url.host_str().is_some_and(|host| LOOPBACK.contains(&host));
    let asked = host.filter(|_| is_loopback(&public)).and_then(|host| Url::parse(&format!("http://{host}")).ok());
    let asked = asked.filter(is_loopback);
    [Some(public), asked].into_iter().flatten().map(|url| url.origin().ascii_serialization()).collect()
}

/// Refuses a request with the own page's client id if the browser shows that it comes from elsewhere.
pub fn require_own(app: &App, request: &HttpRequest, client_id: &ClientId) -> Result<(), OAuthError> {
    if client_id.is_own_page() && is_from_elsewhere(app, request) {
        return Err(OAuthError::new("unauthorized_client", format!("only the service's own page is {CLIENT_ID}")));
    }
    Ok(())
}

/// The app named on the pages for signing in before they go on to `then`; `None` if it is the service itself.
pub fn app_name_in(then: &str) -> Option<ClientId> {
    let fields = Fields::of(then.strip_prefix("/oauth/authorize?")?)?;
    fields.get("client_id")?.parse().ok().filter(|client: &ClientId| !client.is_own_page())
}

/// Continues after a sign-in, with the cookie's new value: to the own page with a code, if that has asked, or else to
/// `to`, one of these pages.
pub async fn go_on(app: &App, request: &HttpRequest, to: &str, value: &str) -> Result<Reply> {
    let asked = to.strip_prefix("/oauth/authorize?").and_then(Fields::of);
    let asked = asked.and_then(|fields| read(app, request, &fields).ok()).filter(|asked| asked.client_id.is_own_page());
    let session = match &asked {
        Some(_) => page_sessions::find(&mut app.db.conn().await?, &app.accounts, value).await?,
        None => None,
    };
    let to = match (asked, session) {
        (Some(asked), Some(session)) => code_for(app, &session, &asked).await?,
        _ => to.to_owned(),
    };
    let reply = Reply::no_content().with_code(StatusCode::SEE_OTHER).header(header::LOCATION, to);
    Ok(reply.header(header::SET_COOKIE, cookie::set(app, value)?))
}

/// The page on which a signed-in user goes on to the own page, or signs in under another name.
pub fn page(language: Language, username: &str, hidden: &[(&str, &str)], here: &str) -> Reply {
    let body = html! {
        p { (text(language, Text::As)) " " b { (username) } "." }
        form method="post" action="/oauth/authorize" {
            @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
            button name="decision" value="allow" { (text(language, Text::Continue)) }
        }
        form method="post" action="/oauth/sign-out" {
            input type="hidden" name="then" value=(here);
            button { (text(language, Text::SomebodyElse)) }
        }
    };
    pages::page(language, text(language, Text::SignIn), None, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_page_is_at_an_own_address() {
        assert_eq!(origins("https://club.example", Some("evil.example")), ["https://club.example"]);
        assert_eq!(origins("https://club.example", Some("localhost")), ["https://club.example"]);
        let here = origins("http://127.0.0.1:8080", Some("localhost:9000"));
        assert_eq!(here, ["http://127.0.0.1:8080", "http://localhost:9000"]);
        for other in ["evil.example:8080", "localhost.evil.example", "localhost@evil.example", "192.168.1.5", ""] {
            assert_eq!(origins("http://127.0.0.1:8080", Some(other)), ["http://127.0.0.1:8080"], "{other}");
        }
    }
}

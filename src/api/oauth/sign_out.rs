//! Sign-out from the service's own pages. After a sign-out, an app sends the browser here (as in OpenID's RP-Initiated
//! Logout), where a button ends the session of the pages as well. A link alone signs nobody out.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use maud::html;

use super::form::{Fields, Form, require_own_page};
use super::sign_in::next;
use super::{cookie, door_words, explained, language, pages, visitor, words};
use crate::accounts::oauth::page_sessions;
use crate::accounts::oauth::request::RedirectUri;
use crate::api::http::auth::Passer;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;

pub const PATH: &str = "/oauth/sign-out";
/// The field with an app's address for the way back.
const BACK: &str = "post_logout_redirect_uri";

/// The way back to an app, if its address is one that apps can have.
fn back(fields: &Fields) -> Option<RedirectUri> {
    fields.get(BACK).and_then(|text| text.parse().ok())
}

fn signed_out(language: Language, back: Option<&RedirectUri>) -> Reply {
    let link = back.map(|uri| (uri.as_str(), words::text(language, words::Text::Back)));
    let title = words::text(language, words::Text::SignOut);
    pages::notice(language, title, door_words::text(language, door_words::Text::SignedOut), link)
}

pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    let back = back(&fields);
    let Some(session) = visitor(&app, &request).await? else { return Ok(signed_out(language, back.as_ref())) };
    let title = words::text(language, words::Text::SignOut);
    let body = html! {
        p { (words::text(language, words::Text::As)) " " b { (session.username.as_str()) } "." }
        form method="post" action=(PATH) {
            input type="hidden" name=(BACK) value=(back.as_ref().map(RedirectUri::as_str).unwrap_or_default());
            input type="hidden" name="then" value=(PATH);
            button { (title) }
        }
    };
    Ok(pages::page(language, title, None, body))
}

pub async fn sign_out(app: web::Data<App>, _: Passer, request: HttpRequest, form: Result<Form, Failure>) -> Answer {
    cookie::require_safe(&app)?;
    let (language, fields) = (language(&request), form?.0);
    if let Err(error) = require_own_page(&app, &request) {
        return explained(language, error);
    }
    if let Some(session) = visitor(&app, &request).await? {
        page_sessions::sign_out(&app.accounts, &session).await?;
    }
    let reply = match back(&fields) {
        Some(back) => signed_out(language, Some(&back)),
        None => Reply::no_content().with_code(StatusCode::SEE_OTHER).header(header::LOCATION, next(&fields)),
    };
    Ok(reply.header(header::SET_COOKIE, cookie::set(&app, "")?))
}

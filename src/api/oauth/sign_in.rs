//! Signing in and out on the service's own pages, by cookie.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, web};

use super::form::{Fields, Form, require_own_page};
use super::passkeys::Door;
use super::{cookie, explained, factor_words, language, pages, visitor, words};
use crate::accounts::oauth::page_sessions;
use crate::accounts::second_factor::challenges::{self, ChallengeToken, Opens};
use crate::accounts::second_factor::codes::Code;
use crate::accounts::{Password, Username, credentials};
use crate::api::accounts::device;
use crate::api::http::auth::{Passer, Unidentified};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::rate_limits::BudgetKind;

/// Where the code of a second factor goes.
pub const CODE_PATH: &str = "/oauth/sign-in/second-factor";

/// Where somebody goes after signing in: one of these pages, and nowhere else.
pub(super) fn next(fields: &Fields) -> &str {
    let is_page = |to: &&str| to.starts_with("/oauth/") && to.bytes().all(|byte| byte.is_ascii_graphic());
    fields.get("then").filter(is_page).unwrap_or("/oauth/apps")
}

/// Sends the browser there, with this cookie.
pub(super) fn see(to: &str, cookie: String) -> Reply {
    let reply = Reply::no_content().with_code(StatusCode::SEE_OTHER).header(header::LOCATION, to);
    reply.header(header::SET_COOKIE, cookie)
}

/// The page on which somebody signs in.
pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    Ok(pages::sign_in(language(&request), next(&fields), None, None, Door::of(&app).as_ref()))
}

/// Signs in with a name and a password. The cookie is a new one, and the session before ends.
pub async fn sign_in(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let signed_in = match caller.charge(&app, BudgetKind::SignIn).and_then(|()| require_own_page(&app, &request)) {
        Ok(()) => open(&app, &caller, &request, &fields).await,
        Err(error) => Err(error),
    };
    match signed_in {
        Ok(Opened::Cookie(cookie)) => Ok(see(next(&fields), cookie)),
        Ok(Opened::Challenge(challenge)) => {
            let door = Door::after(&app, &challenge).await?;
            let (then, client_id) = (next(&fields), fields.get("client"));
            Ok(pages::code(language, then, client_id, challenge.as_str(), None, door.as_ref()))
        }
        Err(error) if error.problem().code == problem::WRONG_CREDENTIALS.code => {
            let wrong = words::text(language, words::Text::WrongPassword);
            let page =
                pages::sign_in(language, next(&fields), fields.get("client"), Some(wrong), Door::of(&app).as_ref());
            Ok(page.with_code(StatusCode::FORBIDDEN))
        }
        Err(error) => explained(language, error),
    }
}

/// What a right password has opened.
enum Opened {
    /// A session: the cookie.
    Cookie(String),
    /// A challenge, since the account has a second factor: its secret.
    Challenge(ChallengeToken),
}

async fn open(app: &App, caller: &Unidentified, request: &HttpRequest, fields: &Fields) -> Result<Opened> {
    let wrong = || Error::plain(&problem::WRONG_CREDENTIALS);
    let name: Username = fields.get("username").unwrap_or_default().parse().map_err(|_| wrong())?;
    let password: Password = fields.get("password").unwrap_or_default().parse().map_err(|_| wrong())?;
    let verified = credentials::verify_credentials(&app.accounts, caller.key, &name, password).await?;
    let verified = match challenges::open(&app.accounts, verified).await? {
        Opens::Session(verified) => verified,
        Opens::Challenge(secret) => return Ok(Opened::Challenge(secret.parse().map_err(Error::internal)?)),
    };
    let before = visitor(app, request).await?;
    let mut tx = app.db.begin().await?;
    let opened = page_sessions::sign_in(&mut tx, &app.accounts, verified, before.as_ref(), &device(request)).await?;
    tx.commit().await?;
    Ok(Opened::Cookie(cookie::set(app, &opened)?))
}

/// Signs in with a code of the second factor, for the challenge that the right password has opened. Such a form is on
/// an own page, and holds what only that page has.
pub async fn answer(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let Ok(challenge) = fields.get("challenge").unwrap_or_default().parse::<ChallengeToken>() else {
        caller.charge_page(&app)?;
        return explained(language, Error::plain(&problem::FOREIGN_FORM));
    };
    let answered = match caller.charge(&app, BudgetKind::SignIn).and_then(|()| require_own_page(&app, &request)) {
        Ok(()) => answered(&app, &request, &fields, &challenge).await,
        Err(error) => Err(error),
    };
    match answered {
        Ok(cookie) => Ok(see(next(&fields), cookie)),
        Err(error) if error.problem().code == problem::WRONG_CODE.code => {
            let wrong = factor_words::text(language, factor_words::Text::WrongCode);
            let (then, client_id) = (next(&fields), fields.get("client"));
            let door = Door::after(&app, &challenge).await?;
            let page = pages::code(language, then, client_id, challenge.as_str(), Some(wrong), door.as_ref());
            Ok(page.with_code(StatusCode::FORBIDDEN))
        }
        Err(error) => explained(language, error),
    }
}

async fn answered(app: &App, request: &HttpRequest, fields: &Fields, challenge: &ChallengeToken) -> Result<String> {
    let code: Code = fields.get("code").unwrap_or_default().parse().map_err(|_| Error::plain(&problem::WRONG_CODE))?;
    let before = visitor(app, request).await?;
    let accounts = &app.accounts;
    let opened = challenges::sign_in_on_pages(accounts, challenge, &code, before.as_ref(), &device(request)).await?;
    cookie::set(app, &opened)
}

/// Signs out.
pub async fn sign_out(app: web::Data<App>, _: Passer, request: HttpRequest, form: Result<Form, Failure>) -> Answer {
    cookie::require_safe(&app)?;
    let fields = form?.0;
    if let Err(error) = require_own_page(&app, &request) {
        return explained(language(&request), error);
    }
    if let Some(session) = visitor(&app, &request).await? {
        page_sessions::sign_out(&app.accounts, &session).await?;
    }
    Ok(see(next(&fields), cookie::set(&app, "")?))
}

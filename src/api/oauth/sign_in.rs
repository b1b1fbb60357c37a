//! Sign-in on the service's own pages, by cookie.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use super::form::{Fields, Form, require_own_page};
use super::passkeys::Door;
use super::{cookie, explained, factor_words, language, own_page, pages, visitor, words};
use crate::accounts::oauth::page_sessions;
use crate::accounts::oauth::request::ClientId;
use crate::accounts::second_factor::challenges::{self, ChallengeToken, Opens};
use crate::accounts::second_factor::codes::Code;
use crate::accounts::{Password, Username, credentials};
use crate::api::accounts::device;
use crate::api::http::auth::{Passer, Unidentified};
use crate::api::http::reply::{Answer, Failure};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::rate_limits::BudgetKind;

/// The target of the second factor's form.
pub const CODE_PATH: &str = "/oauth/sign-in/second-factor";

/// The address after signing in: one of these pages, never another address.
pub(super) fn next(fields: &Fields) -> &str {
    let is_page = |to: &&str| to.starts_with("/oauth/") && to.bytes().all(|byte| byte.is_ascii_graphic());
    fields.get("then").filter(is_page).unwrap_or("/oauth/apps")
}

pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    let app_name = own_page::app_name_in(next(&fields));
    Ok(pages::sign_in(
        language(&request),
        next(&fields),
        app_name.as_ref().map(ClientId::as_str),
        None,
        Door::of(&app).as_ref(),
    ))
}

/// Signs in with a name and a password. The cookie gets a new value, and the previous session ends.
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
        Ok(Opened::Cookie(value)) => Ok(own_page::go_on(&app, &request, next(&fields), &value).await?),
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

/// The result of a right password.
enum Opened {
    /// The cookie's value for a new session.
    Cookie(String),
    /// The secret of a challenge, since the account has a second factor.
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
    Ok(Opened::Cookie(opened))
}

/// Signs in with a code of the second factor, for the challenge opened by the right password. The form is on a page of
/// the service, and contains the challenge, which only that page has.
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
        Ok(value) => Ok(own_page::go_on(&app, &request, next(&fields), &value).await?),
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
    challenges::sign_in_on_pages(accounts, challenge, &code, before.as_ref(), &device(request)).await
}

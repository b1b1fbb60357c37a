//! The pages for a lost password: the request for a link, and the target of the link.
//!
//! The link's address contains a secret, so its page sends no referrer at all, loads nothing, and is kept by no cache;
//! the log names routes by pattern. Opening it uses nothing up. Its form needs no token against forms of other sites:
//! it holds the secret, which nobody else has. Neither page has a cookie.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use maud::html;

use super::form::{Form, require_own_page};
use super::recovery_words::{Text, text};
use super::{explained, language, pages};
use crate::accounts::NewPassword;
use crate::accounts::recovery::{self, Login, ResetToken};
use crate::api::accounts::password_resets;
use crate::api::http::auth::{Passer, Unidentified};
use crate::api::http::extract::Once;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Error, Result, problem};
use crate::notifications::mail::security::FORGOT_PATH;
use crate::rate_limits::BudgetKind;

/// The page for requesting a link.
pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let language = language(&request);
    if app.mail.is_none() {
        return Ok(pages::notice(language, text(language, Text::Forgot), text(language, Text::NoMail), None));
    }
    Ok(asking(language, None))
}

fn asking(language: Language, wrong: Option<Text>) -> Reply {
    let body = html! {
        p { (text(language, Text::ForgotWhat)) }
        @if let Some(wrong) = wrong { p.wrong role="alert" { (text(language, wrong)) } }
        form method="post" action=(FORGOT_PATH) {
            label {
                (text(language, Text::Login))
                input name="login" required maxlength="254" autocomplete="username" autocapitalize="off"
                    spellcheck="false";
            }
            button { (text(language, Text::SendLink)) }
        }
    };
    pages::page(language, text(language, Text::Forgot), None, body)
}

/// Queues the request, with the same answer whether the account exists or not.
pub async fn send_link(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let Ok(login) = fields.get("login").unwrap_or_default().trim().parse::<Login>() else {
        caller.charge_page(&app)?;
        return Ok(asking(language, Some(Text::NoLogin)).with_code(StatusCode::UNPROCESSABLE_ENTITY));
    };
    let asked = match require_own_page(&app, &request) {
        Ok(()) => password_resets::ask(&app, &caller, Once::default(), &login).await,
        Err(error) => caller.charge_page(&app).and(Err(error)),
    };
    match asked {
        Ok(_) => Ok(pages::notice(language, text(language, Text::Sent), text(language, Text::SentWhat), None)),
        Err(error) => explained(language, error),
    }
}

fn token(request: &HttpRequest) -> Result<ResetToken> {
    let secret = request.match_info().get("secret").unwrap_or_default();
    secret.parse().map_err(|_| Error::plain(&problem::RESET_LINK_INVALID))
}

/// The page for choosing another password.
pub async fn choose(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    let language = language(&request);
    match looked(&app, &request).await {
        Ok(name) => Ok(choosing(language, &name, None)),
        Err(error) => refused(language, error),
    }
}

async fn looked(app: &App, request: &HttpRequest) -> Result<String> {
    let token = token(request)?;
    let account = recovery::look(&mut app.db.conn().await?, &app.accounts, &token).await?;
    Ok(account.username.to_string())
}

fn choosing(language: Language, name: &str, wrong: Option<&str>) -> Reply {
    let body = html! {
        p { (text(language, Text::ChooseFor)) " " b { (name) } ". " (text(language, Text::ChooseWhat)) }
        @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } }
        form method="post" {
            input type="hidden" name="username" value=(name) autocomplete="username";
            label {
                (text(language, Text::NewPassword))
                input name="new_password" type="password" required minlength="8" maxlength="128"
                    autocomplete="new-password";
            }
            button { (text(language, Text::Choose)) }
        }
    };
    let title = text(language, Text::NewPassword);
    pages::sheet(language, title, None, "no-referrer", body)
}

/// The page that explains the fault of a link.
fn refused(language: Language, error: Error) -> Answer {
    if error.problem().code != problem::RESET_LINK_INVALID.code {
        return explained(language, error);
    }
    let again = (FORGOT_PATH, text(language, Text::AskAgain));
    let page = pages::notice(language, text(language, Text::BadLink), text(language, Text::BadLinkWhy), Some(again));
    Ok(page.with_code(StatusCode::NOT_FOUND))
}

pub async fn set(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let chosen = fields.get("new_password").unwrap_or_default();
    let done = match caller.charge(&app, BudgetKind::SignIn) {
        Ok(()) => completed(&app, &caller, &request, chosen).await,
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => {
            let sign_in = ("/oauth/sign-in", text(language, Text::SignIn));
            Ok(pages::notice(language, text(language, Text::Chosen), text(language, Text::ChosenWhat), Some(sign_in)))
        }
        Err(error) if error.problem().code == problem::INVALID_REQUEST.code => {
            let name = match looked(&app, &request).await {
                Ok(name) => name,
                Err(error) => return refused(language, error),
            };
            let page = choosing(language, &name, Some(text(language, Text::WeakPassword)));
            Ok(page.with_code(StatusCode::UNPROCESSABLE_ENTITY))
        }
        Err(error) => refused(language, error),
    }
}

async fn completed(app: &App, caller: &Unidentified, request: &HttpRequest, chosen: &str) -> Result<()> {
    let token = token(request)?;
    let chosen: NewPassword =
        chosen.parse().map_err(|why: String| Error::invalid_at("/new_password", "invalid-value", why))?;
    recovery::complete(&app.accounts, caller.key, &token, chosen).await
}

//! The page for creating an account, on the way to an app, to the service's own page, or to the service alone. Every
//! fault is shown beside its field.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use maud::{Markup, html};
use reqwest::Url;

use super::door_words::{Text, text};
use super::form::{Fields, Form, require_own_page};
use super::sign_in::next;
use super::{cookie, explained, language, own_page, pages, visitor, words};
use crate::accounts::account::{self, Registration};
use crate::accounts::oauth::page_sessions;
use crate::accounts::{Email, NewPassword, NewUsername, Username};
use crate::api::accounts::device;
use crate::api::http::auth::{Passer, Unidentified};
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::error::{Result, problem};
use crate::rate_limits::BudgetKind;

pub const PATH: &str = "/oauth/register";

/// The faults of the fields.
#[derive(Default)]
struct Faults {
    username: Option<Text>,
    password: Option<Text>,
    email: Option<Text>,
}

/// The link to this page, for the sign-in page.
pub fn link(language: Language, then: &str) -> Markup {
    html! { p { a href=(leading(PATH, then)) { (text(language, Text::Create)) } } }
}

/// The address of a page that leads on to `then`.
fn leading(path: &str, then: &str) -> String {
    let url = Url::parse_with_params("x:/", [("then", then)]).ok();
    format!("{path}?{}", url.as_ref().and_then(Url::query).unwrap_or_default())
}

pub async fn ask(app: web::Data<App>, _: Passer, request: HttpRequest) -> Answer {
    cookie::require_safe(&app)?;
    let fields = Fields::of(request.query_string()).unwrap_or_default();
    Ok(page(language(&request), next(&fields)))
}

/// The page with empty fields; `then` is the next address.
pub fn page(language: Language, then: &str) -> Reply {
    typed(language, then, ("", ""), &Faults::default())
}

fn typed(language: Language, then: &str, (username, email): (&str, &str), faults: &Faults) -> Reply {
    let title = text(language, Text::Create);
    let wrong = |fault: Option<Text>| fault.map(|_| "true");
    let fault = |fault: Option<Text>, id: &str| {
        html! { @if let Some(fault) = fault { p.wrong id=(id) role="alert" { (text(language, fault)) } } }
    };
    let app = own_page::app_name_in(then);
    let body = html! {
        @if let Some(app) = app { p { (text(language, Text::CreateFor)) " " code { (app.as_str()) } } }
        form method="post" action=(PATH) {
            input type="hidden" name="then" value=(then);
            label {
                (words::text(language, words::Text::Name))
                input name="username" value=(username) required minlength="3" maxlength="24"
                    pattern="[A-Za-z][A-Za-z0-9_\\-]*" autocomplete="username" autocapitalize="off" spellcheck="false"
                    aria-invalid=[wrong(faults.username)] aria-describedby="username-help username-fault";
            }
            p.help #username-help { (text(language, Text::NameHelp)) }
            (fault(faults.username, "username-fault"))
            label {
                (words::text(language, words::Text::Password))
                input name="password" type="password" required minlength="8" maxlength="128"
                    autocomplete="new-password" aria-invalid=[wrong(faults.password)]
                    aria-describedby="password-help password-fault";
            }
            p.help #password-help { (text(language, Text::PasswordHelp)) }
            (fault(faults.password, "password-fault"))
            label {
                (text(language, Text::Email))
                input name="email" type="email" value=(email) maxlength="254" autocomplete="email"
                    aria-invalid=[wrong(faults.email)] aria-describedby="email-help email-fault";
            }
            p.help #email-help { (text(language, Text::EmailHelp)) }
            (fault(faults.email, "email-fault"))
            button { (title) }
        }
        p { a href=(leading("/oauth/sign-in", then)) { (text(language, Text::HaveOne)) } }
    };
    pages::page(language, title, None, body)
}

/// Creates the account, and signs its owner in.
pub async fn register(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let registered = match require_own_page(&app, &request) {
        Ok(()) => registered(&app, &caller, &request, &fields).await,
        Err(error) => caller.charge_page(&app).and(Err(error)),
    };
    match registered {
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(faults)) => {
            let was = (fields.get("username").unwrap_or_default(), fields.get("email").unwrap_or_default());
            let page = typed(language, next(&fields), was, &faults);
            Ok(page.with_code(StatusCode::UNPROCESSABLE_ENTITY))
        }
        Err(error) => explained(language, error),
    }
}

/// The registration, or the faults of the form.
fn read(fields: &Fields) -> Result<Registration, Faults> {
    let given = |name| fields.get(name).unwrap_or_default();
    let username = match given("username").trim().parse::<Username>() {
        Ok(name) => name.as_str().parse::<NewUsername>().map_err(|_| Text::NameReserved),
        Err(_) => Err(Text::NameForm),
    };
    let password = given("password").parse::<NewPassword>().map_err(|_| Text::PasswordLength);
    let email = fields.get("email").map(str::trim).filter(|email| !email.is_empty());
    let email = email.map(str::parse::<Email>).transpose().map_err(|_| Text::EmailForm);
    match (username, password, email) {
        (Ok(username), Ok(password), Ok(email)) => Ok(Registration { username, password, email, bot: false }),
        (username, password, email) => {
            Err(Faults { username: username.err(), password: password.err(), email: email.err() })
        }
    }
}

async fn registered(
    app: &App,
    caller: &Unidentified,
    request: &HttpRequest,
    fields: &Fields,
) -> Result<Result<Reply, Faults>> {
    let registration = match read(fields) {
        Ok(registration) => registration,
        Err(faults) => return caller.charge_page(app).map(|()| Err(faults)),
    };
    caller.charge(app, BudgetKind::Registration)?;
    let new = match account::prepare_registration(&app.accounts, registration).await {
        Ok(new) => new,
        Err(error) if error.problem().code == problem::INVALID_REQUEST.code => {
            return Ok(Err(Faults { password: Some(Text::PasswordWeak), ..Faults::default() }));
        }
        Err(error) => return Err(error),
    };
    let before = visitor(app, request).await?;
    let mut tx = app.db.begin().await?;
    let opened = page_sessions::register(&mut tx, &app.accounts, &new, before.as_ref(), &device(request)).await;
    let value = match opened {
        Ok(value) => value,
        Err(error) if error.problem().code == problem::USERNAME_TAKEN.code => {
            tx.roll_back().await?;
            return Ok(Err(Faults { username: Some(Text::NameTaken), ..Faults::default() }));
        }
        Err(error) => return Err(error),
    };
    tx.commit().await?;
    own_page::go_on(app, request, next(fields), &value).await.map(Ok)
}

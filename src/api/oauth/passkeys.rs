//! Sign-in by passkey on the service's own pages: a button, the only script of these pages, and the form with the
//! result.
//!
//! The script asks the API for a challenge, as any client does, and sends nothing else but the form. The policy of a
//! page allows this file by its whole address, and that one request. Without the script the button isn't there.

use std::sync::LazyLock;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;
use maud::{Markup, html};
use reqwest::Url;
use serde_json::{Map, Value};

use super::form::{Fields, Form, require_own_page};
use super::passkey_words::{Text, text};
use super::sign_in::next;
use super::{cookie, explained, language, own_page, pages, visitor};
use crate::accounts::passkeys::challenges::PasskeyChallenge;
use crate::accounts::passkeys::sign_in::{self, Assertion};
use crate::accounts::second_factor::challenges::ChallengeToken;
use crate::api::accounts::device;
use crate::api::http::auth::{Passer, Unidentified};
use crate::api::http::caching::Caching;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::document::Document;
use crate::error::{Error, Result, problem};
use crate::rate_limits::BudgetKind;

pub const SIGN_IN_PATH: &str = "/oauth/sign-in/passkey";
pub const SCRIPT_PATH: &str = "/oauth/passkey.js";
/// The script's only request.
const CHALLENGES_PATH: &str = "/v1/sessions/passkey/challenges";

static SCRIPT: LazyLock<Document> =
    LazyLock::new(|| Document::new("text/javascript; charset=utf-8", include_bytes!("passkey.js").to_vec()));

/// The sign-in by passkey, where it is possible.
pub struct Door {
    origin: String,
}

impl Door {
    /// For the sign-in page; `None` if browsers have no passkeys for this server's address.
    pub fn of(app: &App) -> Option<Self> {
        let url = Url::parse(&app.public_url).ok().filter(|_| app.accounts.relying_party().is_available())?;
        Some(Self { origin: url.origin().ascii_serialization() })
    }

    /// For the page of the second factor; `None` if the account has no passkey.
    pub async fn after(app: &App, challenge: &ChallengeToken) -> Result<Option<Self>> {
        let may = sign_in::may_answer(&app.accounts, challenge).await?;
        Ok(Self::of(app).filter(|_| may))
    }

    /// Additions to the page's Content Security Policy.
    pub fn policy(&self) -> String {
        let Self { origin } = self;
        format!("; script-src {origin}{SCRIPT_PATH}; connect-src {origin}{CHALLENGES_PATH}")
    }

    /// The form with the button. The script reveals it.
    pub fn markup(&self, language: Language, then: &str, client_id: Option<&str>, challenge: Option<&str>) -> Markup {
        html! {
            form.passkey method="post" action=(SIGN_IN_PATH) hidden {
                input type="hidden" name="then" value=(then);
                @if let Some(client_id) = client_id { input type="hidden" name="client" value=(client_id); }
                @if let Some(challenge) = challenge { input type="hidden" name="challenge" value=(challenge); }
                input type="hidden" name="passkey_challenge";
                input type="hidden" name="credential";
                p.wrong role="alert" hidden { (text(language, Text::NoneGiven)) }
                button { (text(language, Text::Use)) }
            }
            script src=(SCRIPT_PATH) {}
        }
    }
}

pub async fn script(_: Passer, request: HttpRequest) -> Answer {
    Ok(Reply::document(&SCRIPT, Caching::Checked, &request))
}

/// Signs in with the result of the script. The cookie gets a new value, and the previous session ends.
pub async fn answer(
    app: web::Data<App>,
    caller: Unidentified,
    request: HttpRequest,
    form: Result<Form, Failure>,
) -> Answer {
    cookie::require_safe(&app)?;
    let language = language(&request);
    let fields = caller.read(&app, form)?.0;
    let answered = match caller.charge(&app, BudgetKind::SignIn).and_then(|()| require_own_page(&app, &request)) {
        Ok(()) => answered(&app, &request, &fields).await,
        Err(error) => Err(error),
    };
    let error = match answered {
        Ok(value) => return Ok(own_page::go_on(&app, &request, next(&fields), &value).await?),
        Err(error) => error,
    };
    if ![problem::PASSKEY_REFUSED.code, problem::CHALLENGE_INVALID.code].contains(&error.problem().code) {
        return explained(language, error);
    }
    let (then, client_id, wrong) = (next(&fields), fields.get("client"), text(language, Text::Refused));
    // Continues the sign-in that a password has begun, if it is still possible.
    let begun = fields.get("challenge").and_then(|challenge| challenge.parse::<ChallengeToken>().ok());
    let second = match &begun {
        Some(challenge) => Door::after(&app, challenge).await?,
        None => None,
    };
    let page = match (begun, second) {
        (Some(challenge), Some(door)) => {
            pages::code(language, then, client_id, challenge.as_str(), Some(wrong), Some(&door))
        }
        _ => pages::sign_in(language, then, client_id, Some(wrong), Door::of(&app).as_ref()),
    };
    Ok(page.with_code(StatusCode::FORBIDDEN))
}

async fn answered(app: &App, request: &HttpRequest, fields: &Fields) -> Result<String> {
    let refused = || Error::plain(&problem::PASSKEY_REFUSED);
    let challenge = fields.get("passkey_challenge").unwrap_or_default();
    let challenge: PasskeyChallenge = challenge.parse().map_err(|_| refused())?;
    let credential: Map<String, Value> =
        serde_json::from_str(fields.get("credential").unwrap_or_default()).map_err(|_| refused())?;
    let assertion = Assertion::try_from(credential).map_err(|_| refused())?;
    let before = visitor(app, request).await?;
    let device = device(request);
    sign_in::sign_in_on_pages(&app.accounts, &challenge, &assertion, before.as_ref(), &device).await
}

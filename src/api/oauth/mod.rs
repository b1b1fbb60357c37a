//! OAuth 2.1 over HTTP: the endpoints of the protocol, and the pages for signing in, consent and recovery.
//!
//! The endpoints are defined by RFCs and found by the metadata (RFC 8414), so they are not in the contract. The pages
//! need no script (one asks for a passkey, [`passkeys`]); they are the only part of the service with a cookie.

mod app_words;
mod apps;
mod authorize;
mod cookie;
mod device;
mod door_words;
mod factor_words;
mod form;
mod metadata;
mod own_page;
mod pages;
mod passkey_words;
mod passkeys;
mod recovery;
mod recovery_words;
mod register;
mod registered;
mod sign_in;
mod sign_out;
mod token;
mod words;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use broadside_rules::card::Language;

use self::words::Text;
use crate::accounts::oauth::page_sessions::{self, PageSession};
use crate::api::http::languages::preferred as language;
use crate::api::http::reply::{Failure, Reply};
use crate::app::App;
use crate::error::{Error, ProblemKind, Result, problem};
use crate::notifications::mail::security::FORGOT_PATH;

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/.well-known/oauth-authorization-server", web::get().to(metadata::metadata))
        .route("/oauth/token", web::post().to(token::token))
        .route("/oauth/revoke", web::post().to(token::revoke))
        .route("/oauth/authorize", web::get().to(authorize::ask))
        .route("/oauth/authorize", web::post().to(authorize::decide))
        .route(apps::PATH, web::get().to(apps::list))
        .route(apps::PATH, web::post().to(apps::revoke))
        .route(registered::PATH, web::get().to(registered::about))
        .route("/oauth/device_authorization", web::post().to(device::begin))
        .route(device::PATH, web::get().to(device::ask))
        .route(device::PATH, web::post().to(device::decide))
        .route("/oauth/sign-in", web::get().to(sign_in::ask))
        .route("/oauth/sign-in", web::post().to(sign_in::sign_in))
        .route(passkeys::SCRIPT_PATH, web::get().to(passkeys::script))
        .route(passkeys::SIGN_IN_PATH, web::post().to(passkeys::answer))
        .route(sign_in::CODE_PATH, web::post().to(sign_in::answer))
        .route(FORGOT_PATH, web::get().to(recovery::ask))
        .route(FORGOT_PATH, web::post().to(recovery::send_link))
        .route("/oauth/reset-password/{secret}", web::get().to(recovery::choose))
        .route("/oauth/reset-password/{secret}", web::post().to(recovery::set))
        .route(register::PATH, web::get().to(register::ask))
        .route(register::PATH, web::post().to(register::register))
        .route(sign_out::PATH, web::get().to(sign_out::ask))
        .route(sign_out::PATH, web::post().to(sign_out::sign_out));
}

/// The session of the pages' visitor.
async fn visitor(app: &App, request: &HttpRequest) -> Result<Option<PageSession>> {
    let Some(cookie) = cookie::read(app, request)? else { return Ok(None) };
    page_sessions::find(&mut app.db.conn().await?, &app.accounts, &cookie).await
}

/// The page that explains an error which the user can act on. A fault of the service stays a problem document.
fn explained(language: Language, error: Error) -> std::result::Result<Reply, Failure> {
    let status = match error.problem().kind {
        ProblemKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        ProblemKind::Unauthenticated | ProblemKind::Forbidden => StatusCode::FORBIDDEN,
        ProblemKind::Conflict => StatusCode::CONFLICT,
        ProblemKind::Malformed | ProblemKind::Unacceptable => StatusCode::BAD_REQUEST,
        _ => return Err(Failure(error)),
    };
    let why = match error.problem().kind {
        ProblemKind::TooMany => words::text(language, Text::TooMany).into(),
        _ if error.problem().code == problem::FOREIGN_FORM.code => words::text(language, Text::ForeignForm).into(),
        _ if error.problem().code == problem::NOT_SIGNED_IN.code => words::text(language, Text::ForeignForm).into(),
        _ if error.problem().code == problem::TOO_MANY_OPEN.code => words::text(language, Text::TooManyApps).into(),
        _ => error.detail(language),
    };
    Ok(pages::refusal(language, &why, None).with_code(status))
}

//! Metadata for the discovery of the OAuth server by apps (RFC 8414).

use actix_web::http::header;
use actix_web::web;
use serde::Serialize;
use strum::VariantArray;

use super::token::DEVICE_GRANT;
use super::{apps, cookie, sign_out};
use crate::accounts::Scope;
use crate::api::http::auth::Passer;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::front_end::FrontEnd;

#[derive(Serialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: String,
    device_authorization_endpoint: String,
    jwks_uri: String,
    end_session_endpoint: String,
    account_management_uri: String,
    service_documentation: String,
    scopes_supported: &'static [Scope],
    response_types_supported: [&'static str; 1],
    response_modes_supported: [&'static str; 1],
    grant_types_supported: &'static [&'static str],
    token_endpoint_auth_methods_supported: [&'static str; 1],
    revocation_endpoint_auth_methods_supported: [&'static str; 1],
    code_challenge_methods_supported: [&'static str; 1],
    prompt_values_supported: [&'static str; 1],
    ui_locales_supported: [&'static str; 2],
    authorization_response_iss_parameter_supported: bool,
}

pub async fn metadata(app: web::Data<App>, _: Passer) -> Answer {
    cookie::require_safe(&app)?;
    let at = |path: &str| format!("{}{path}", app.public_url);
    let metadata = Metadata {
        issuer: app.public_url.clone(),
        authorization_endpoint: at("/oauth/authorize"),
        token_endpoint: at("/oauth/token"),
        revocation_endpoint: at("/oauth/revoke"),
        device_authorization_endpoint: at("/oauth/device_authorization"),
        jwks_uri: at("/.well-known/jwks.json"),
        end_session_endpoint: at(sign_out::PATH),
        // Without web pages, account management is the page of the apps.
        account_management_uri: match app.front_end {
            FrontEnd::BuiltIn | FrontEnd::Folder(_) => at("/account"),
            FrontEnd::Off | FrontEnd::Elsewhere(_) => at(apps::PATH),
        },
        service_documentation: at("/docs/"),
        scopes_supported: Scope::VARIANTS,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: &["authorization_code", "refresh_token", DEVICE_GRANT],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: ["S256"],
        prompt_values_supported: ["create"],
        ui_locales_supported: ["en", "fr"],
        authorization_response_iss_parameter_supported: true,
    };
    Ok(Reply::ok(&metadata)?.header(header::CACHE_CONTROL, "public, max-age=300"))
}

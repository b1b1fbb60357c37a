//! Well-known addresses: change of passwords, security contact, rules for crawlers.

use actix_web::{HttpResponse, web};

use crate::api::http::auth::Passer;
use crate::api::http::front_end::redirect;
use crate::api::http::reply::{Answer, Failure, Reply};
use crate::app::App;
use crate::contact::Contact;
use crate::error::Error;
use crate::front_end::FrontEnd;
use crate::notifications::mail::security::FORGOT_PATH;

/// Crawlers may index the pages for people, but not the API, whose clients know what they want.
const ROBOTS: &str = "User-agent: *\nDisallow: /v1/\nDisallow: /oauth/\n";

/// The validity of `security.txt`, in milliseconds: half a year. It must be less than a year (RFC 9116, 2.5.5).
const BELIEVED_MS: i64 = 183 * 24 * 60 * 60 * 1000;

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/robots.txt", web::get().to(robots))
        .route("/.well-known/change-password", web::get().to(change_password))
        .route("/.well-known/security.txt", web::get().to(security));
}

async fn robots(_: Passer) -> Answer {
    Ok(Reply::text(ROBOTS.to_owned()))
}

/// The page for changing a password (W3C, A Well-Known URL for Changing Passwords). Without pages it is the form for a
/// lost password.
async fn change_password(app: web::Data<App>, _: Passer) -> HttpResponse {
    match &app.front_end {
        FrontEnd::BuiltIn | FrontEnd::Folder(_) => redirect("/account"),
        FrontEnd::Elsewhere(url) => redirect(&format!("{url}/account")),
        FrontEnd::Off => redirect(FORGOT_PATH),
    }
}

/// The security contact (RFC 9116), if the operator has configured one and the public address isn't plain http.
async fn security(app: web::Data<App>, _: Passer) -> Answer {
    let contact = match &app.contact {
        Some(Contact::Mail(address)) => format!("mailto:{address}"),
        Some(Contact::Page(url)) if url.starts_with("https://") => url.clone(),
        Some(Contact::Page(_)) | None => return Err(Failure(Error::not_found())),
    };
    let expires = app.clock.now().plus_ms(BELIEVED_MS);
    let mut text = format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, fr\n");
    if app.public_url.starts_with("https://") {
        text += &format!("Canonical: {}/.well-known/security.txt\n", app.public_url);
    }
    Ok(Reply::text(text))
}

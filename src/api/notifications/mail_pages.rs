//! The target pages of links in mails. Opening one changes nothing, since security scanners open every link; its button
//! does. They are for people and mail programs (RFC 8058), so they are not in the contract. Their URLs contain secrets:
//! they aren't cached, and send no referrer.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};

use crate::api::http::auth::Anyone;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::notifications::mail::{self, confirm};
use broadside_rules::card::Language;

/// Content Security Policy of the pages: they may send a form to this server.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub fn routes(config: &mut web::ServiceConfig) {
    config
        .route("/v1/mail/confirm/{secret}", web::get().to(ask_to_confirm))
        .route("/v1/mail/confirm/{secret}", web::post().to(confirm_address))
        .route("/v1/mail/unsubscribe/{secret}", web::get().to(ask_to_stop))
        .route("/v1/mail/unsubscribe/{secret}", web::post().to(stop_mail));
}

/// The content of a page: title, text, and the label of its button, if it has one.
type Words = (&'static str, &'static str, Option<&'static str>);

async fn ask_to_confirm(app: web::Data<App>, _: Anyone, request: HttpRequest) -> Answer {
    Ok(page(confirm::preview_confirmation(&app, secret(&request)).await?, |language| match language {
        Language::English => (
            "Your address",
            "Shall mail about your games come to the address at which you got this link?",
            Some("Yes, confirm it"),
        ),
        Language::French => (
            "Votre adresse",
            "Faut-il envoyer du courrier sur vos parties à l'adresse où vous avez reçu ce lien ?",
            Some("Oui, je confirme"),
        ),
    }))
}

async fn confirm_address(app: web::Data<App>, _: Anyone, request: HttpRequest) -> Answer {
    Ok(page(mail::confirm(&app, secret(&request)).await?, |language| match language {
        Language::English => (
            "Confirmed",
            "Your address is confirmed. What you are written about, and when, is in your account's mail settings.",
            None,
        ),
        Language::French => (
            "Confirmée",
            "Votre adresse est confirmée. Les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.",
            None,
        ),
    }))
}

async fn ask_to_stop(app: web::Data<App>, _: Anyone, request: HttpRequest) -> Answer {
    Ok(page(confirm::preview_unsubscribe(&app, secret(&request)).await?, |language| match language {
        Language::English => ("No more mail", "Shall no more mail about your games come to you?", Some("No more mail")),
        Language::French => (
            "Plus de courrier",
            "Ne souhaitez-vous plus recevoir de courrier sur vos parties ?",
            Some("Plus de courrier"),
        ),
    }))
}

async fn stop_mail(app: web::Data<App>, _: Anyone, request: HttpRequest) -> Answer {
    Ok(page(mail::unsubscribe(&app, secret(&request)).await?, |language| match language {
        Language::English => (
            "No more mail",
            "No more mail about your games will come. Your account's mail settings can ask for it again.",
            None,
        ),
        Language::French => (
            "Plus de courrier",
            "Vous ne recevrez plus de courrier sur vos parties. Les réglages du courrier de votre compte permettent d'en redemander.",
            None,
        ),
    }))
}

fn secret(request: &HttpRequest) -> &str {
    request.match_info().get("secret").unwrap_or_default()
}

/// The page in the language of the link's account, or in both languages if the link is not valid.
fn page(found: Option<Language>, texts: impl FnOnce(Language) -> Words) -> Reply {
    let Some(language) = found else {
        let text = "This link is not good, or no longer. Ce lien n'est pas valable, ou ne l'est plus.";
        return Reply::page(html("en", "No such link", text, None), POLICY).with_code(StatusCode::NOT_FOUND);
    };
    let (title, text, button) = texts(language);
    Reply::page(html(language.tag(), title, text, button), POLICY)
}

/// The HTML of a page. Its texts come from this file and contain no markup. The form posts to the page's own URL.
fn html(language: &str, title: &str, text: &str, button: Option<&str>) -> String {
    let form = button.map(|button| format!("<form method=post><button>{button}</button></form>")).unwrap_or_default();
    format!(
        "<!doctype html><html lang={language}><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><meta name=robots content=noindex>\
         <title>{title}</title><style>body{{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}}button{{font:inherit;padding:.4em 1em}}</style>\
         <h1>{title}</h1><p>{text}</p>{form}"
    )
}

//! The pages that links in mails lead to. Opening one changes nothing, since programs that look for harm open every link: its button does. They belong to people and mail programs (RFC 8058), so
//! they are not in the contract. Their addresses hold secrets: they aren't cached, and tell no other page where somebody came from.

use actix_web::{HttpRequest, web};

use crate::api::http::auth::Visitor;
use crate::api::http::reply::{Answer, Reply};
use crate::app::App;
use crate::notifications::mail::settings::Tongue;
use crate::notifications::mail::{self, confirm};

/// Routes of the pages.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource("/v1/mail/confirm/{secret}")
                .route(web::get().to(ask_to_confirm))
                .route(web::post().to(confirm_address)),
        )
        .service(
            web::resource("/v1/mail/unsubscribe/{secret}")
                .route(web::get().to(ask_to_stop))
                .route(web::post().to(stop_mail)),
        );
}

/// What a page says: title, text, and the button, if there is one.
type Words = (&'static str, &'static str, Option<&'static str>);

async fn ask_to_confirm(app: web::Data<App>, _: Visitor, request: HttpRequest) -> Answer {
    Ok(page(confirm::look_at_confirmation(&app, secret(&request)).await?, |tongue| match tongue {
        Tongue::En => (
            "Your address",
            "Shall mail about your games come to the address at which you got this link?",
            Some("Yes, confirm it"),
        ),
        Tongue::Fr => (
            "Votre adresse",
            "Faut-il envoyer du courrier sur vos parties à l'adresse où vous avez reçu ce lien ?",
            Some("Oui, je confirme"),
        ),
    }))
}

async fn confirm_address(app: web::Data<App>, _: Visitor, request: HttpRequest) -> Answer {
    Ok(page(mail::confirm(&app, secret(&request)).await?, |tongue| match tongue {
        Tongue::En => (
            "Confirmed",
            "Your address is confirmed. What you are written about, and when, is in your account's mail settings.",
            None,
        ),
        Tongue::Fr => (
            "Confirmée",
            "Votre adresse est confirmée. Les réglages du courrier de votre compte disent de quoi, et quand, on vous écrit.",
            None,
        ),
    }))
}

async fn ask_to_stop(app: web::Data<App>, _: Visitor, request: HttpRequest) -> Answer {
    Ok(page(confirm::look_at_ending(&app, secret(&request)).await?, |tongue| match tongue {
        Tongue::En => ("No more mail", "Shall no more mail about your games come to you?", Some("No more mail")),
        Tongue::Fr => (
            "Plus de courrier",
            "Ne souhaitez-vous plus recevoir de courrier sur vos parties ?",
            Some("Plus de courrier"),
        ),
    }))
}

async fn stop_mail(app: web::Data<App>, _: Visitor, request: HttpRequest) -> Answer {
    Ok(page(mail::stop(&app, secret(&request)).await?, |tongue| match tongue {
        Tongue::En => (
            "No more mail",
            "No more mail about your games will come. Your account's mail settings can ask for it again.",
            None,
        ),
        Tongue::Fr => (
            "Plus de courrier",
            "Vous ne recevrez plus de courrier sur vos parties. Les réglages du courrier de votre compte permettent d'en redemander.",
            None,
        ),
    }))
}

fn secret(request: &HttpRequest) -> &str {
    request.match_info().get("secret").unwrap_or_default()
}

/// The page in the language of whoever the link belongs to; one that says so, in both, when the link is not good.
fn page(found: Option<Tongue>, words: impl FnOnce(Tongue) -> Words) -> Reply {
    let Some(tongue) = found else {
        let text = "This link is not good, or no longer. Ce lien n'est pas valable, ou ne l'est plus.";
        return Reply::page(html("en", "No such link", text, None)).missing();
    };
    let (title, text, button) = words(tongue);
    Reply::page(html(tongue.word(), title, text, button))
}

/// The page itself. All of it comes from above, which holds no markup; the form goes where the page came from.
fn html(language: &str, title: &str, text: &str, button: Option<&str>) -> String {
    let form = button.map(|button| format!("<form method=post><button>{button}</button></form>")).unwrap_or_default();
    format!(
        "<!doctype html><html lang={language}><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><meta name=robots content=noindex>\
         <title>{title}</title><style>body{{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}}button{{font:inherit;padding:.4em 1em}}</style>\
         <h1>{title}</h1><p>{text}</p>{form}"
    )
}

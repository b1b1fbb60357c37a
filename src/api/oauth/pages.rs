//! The HTML of the pages. `maud` escapes every text from elsewhere.

use std::sync::LazyLock;

use actix_web::http::header;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use broadside_rules::card::Language;
use maud::{DOCTYPE, Markup, html};
use sha2::{Digest, Sha256};

use super::passkeys::Door;
use super::registered::{Shown, mark};
use super::words::{Text, scope, text};
use super::{app_words, factor_words, recovery_words, register};
use crate::accounts::Scope;
use crate::accounts::oauth::apps::App;
use crate::api::http::reply::Reply;
use crate::notifications::mail::security::FORGOT_PATH;

/// The style of all pages.
///
/// A button of the class `late` appears after a second. Another site may ask for a double click and slip this page
/// under the second one, which then hits nothing.
const STYLE: &str = include_str!("page.css");

/// The icon of the pages, inlined, because these pages load no picture.
const ICON: &str = include_str!("../../../web/app/icon.svg");

/// Content Security Policy of a page: the style, and forms to this server, which redirects to `origin`. (Browsers check
/// the policy again at a redirection after a form.)
fn policy(origin: Option<&str>) -> String {
    static HASH: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE)));
    let style = HASH.as_str();
    let origin = origin.map(|origin| format!(" {origin}")).unwrap_or_default();
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; font-src 'self'; form-action 'self'{origin}; base-uri 'none'; \
         frame-ancestors 'none'"
    )
}

/// A page that can't be framed (also in browsers without `frame-ancestors`), and whose forms send their origin. It
/// isn't compressed, because it contains a secret beside texts chosen by the app (BREACH).
pub fn page(language: Language, title: &str, origin: Option<&str>, body: Markup) -> Reply {
    sheet(language, title, origin, "same-origin", body)
}

/// A page with its own `Referrer-Policy`.
pub fn sheet(language: Language, title: &str, origin: Option<&str>, referrer: &str, body: Markup) -> Reply {
    laid_out(language, title, &policy(origin), referrer, body)
}

/// A page with the sign-in by passkey, where there is one.
fn page_with(language: Language, title: &str, door: Option<&Door>, body: Markup) -> Reply {
    let more = door.map(Door::policy).unwrap_or_default();
    laid_out(language, title, &format!("{}{more}", policy(None)), "same-origin", body)
}

fn laid_out(language: Language, title: &str, policy: &str, referrer: &str, body: Markup) -> Reply {
    let markup = html! {
        (DOCTYPE)
        html lang=(language.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                meta name="robots" content="noindex";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
            }
            body {
                header { (maud::PreEscaped(ICON)) "Broadside" }
                main { h1 { (title) } (body) }
            }
        }
    };
    let reply = Reply::page(markup.into_string(), policy);
    let reply = reply.header(header::X_FRAME_OPTIONS, "DENY").header(header::CONTENT_ENCODING, "identity");
    reply.header(header::REFERRER_POLICY, referrer)
}

/// The sign-in page, for an app or for the service; `then` is the next address.
pub fn sign_in(
    language: Language,
    then: &str,
    client_id: Option<&str>,
    wrong: Option<&str>,
    door: Option<&Door>,
) -> Reply {
    let title = text(language, Text::SignIn);
    let body = html! {
        @if let Some(client_id) = client_id {
            p { (title) " " (text(language, Text::SignInFor)) " " code { (client_id) } }
        }
        @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } }
        form method="post" action="/oauth/sign-in" {
            input type="hidden" name="then" value=(then);
            @if let Some(client_id) = client_id { input type="hidden" name="client" value=(client_id); }
            label {
                (text(language, Text::Name))
                input name="username" required autocomplete="username" autocapitalize="off" spellcheck="false";
            }
            label {
                (text(language, Text::Password))
                input name="password" type="password" required autocomplete="current-password";
            }
            button { (title) }
        }
        @if let Some(door) = door { (door.markup(language, then, client_id, None)) }
        (register::link(language, then))
        p { a href=(FORGOT_PATH) { (recovery_words::text(language, recovery_words::Text::Forgot)) } }
    };
    page_with(language, title, door, body)
}

/// The page for the second factor's code, after the right password.
pub fn code(
    language: Language,
    then: &str,
    client_id: Option<&str>,
    challenge: &str,
    wrong: Option<&str>,
    door: Option<&Door>,
) -> Reply {
    use factor_words::Text as Factor;
    let title = factor_words::text(language, Factor::SecondFactor);
    let body = html! {
        @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } }
        form method="post" action="/oauth/sign-in/second-factor" {
            input type="hidden" name="then" value=(then);
            @if let Some(client_id) = client_id { input type="hidden" name="client" value=(client_id); }
            input type="hidden" name="challenge" value=(challenge);
            label {
                (factor_words::text(language, Factor::Code))
                input name="code" required maxlength="40" autocomplete="one-time-code" autocapitalize="off"
                    spellcheck="false";
            }
            button { (text(language, Text::Continue)) }
        }
        @if let Some(door) = door { (door.markup(language, then, client_id, Some(challenge))) }
    };
    page_with(language, title, door, body)
}

/// The contents of the page of consent.
pub struct Consent<'a> {
    pub username: &'a str,
    pub app: &'a Shown<'a>,
    /// The browser's next address; `None` for a device.
    pub to: Option<&'a str>,
    /// The origin of the app's addresses to which the browser is sent.
    pub origin: Option<&'a str>,
    pub scopes: &'a [Scope],
    /// The code that the app shows on a device; `None` if the app sent the browser here.
    pub device: Option<&'a str>,
    /// The target of the form.
    pub action: &'a str,
    /// The form's fields besides the decision.
    pub hidden: &'a [(&'a str, &'a str)],
    /// This page's address, to return to after signing in under another name.
    pub then: &'a str,
}

/// The page of consent.
pub fn consent(language: Language, asked: &Consent<'_>) -> Reply {
    let title = text(language, if asked.device.is_some() { Text::MayDevice } else { Text::MayIt });
    let body = html! {
        @if let Some(code) = asked.device {
            p { (text(language, Text::CompareCode)) " " b { code { (code) } } }
            p.wrong { (text(language, Text::DeviceWarning)) }
        }
        (asked.app.markup(language))
        p { (text(language, Text::It)) }
        ul { @for wanted in asked.scopes { li { (scope(language, *wanted)) } } }
        @if let Some(origin) = asked.origin { p { (text(language, Text::GoesTo)) " " b { (origin) } } }
        @if let Some(to) = asked.to { p { code { (to) } } }
        p { (text(language, Text::As)) " " b { (asked.username) } "." }
        form method="post" action=(asked.action) {
            @for (name, value) in asked.hidden { input type="hidden" name=(name) value=(value); }
            @if asked.device.is_some() {
                label { input type="checkbox" name="compared" value="yes" required; (text(language, Text::Compared)) }
            }
            button name="decision" value="refuse" formnovalidate { (text(language, Text::Refuse)) }
            button.late name="decision" value="allow" { (text(language, Text::Allow)) }
        }
        p { (text(language, Text::Revoke)) }
        form method="post" action="/oauth/sign-out" {
            input type="hidden" name="then" value=(asked.then);
            button { (text(language, Text::SomebodyElse)) }
        }
    };
    page(language, title, asked.origin, body)
}

/// The page with the authorized apps.
pub fn apps(language: Language, username: &str, apps: &[App], form_token: &str) -> Reply {
    let title = text(language, Text::Apps);
    let body = html! {
        p { (text(language, Text::As)) " " b { (username) } "." }
        @if apps.is_empty() { p { (text(language, Text::NoApps)) } }
        @for app in apps {
            @if let Some(registered) = &app.registered {
                h2 { (registered.name) }
                (mark(language, registered))
            } @else {
                h2 { code { (app.client_id) } }
                p { (app_words::text(language, app_words::Text::NotRegistered)) }
            }
            @if let Some(uri) = &app.redirect_uri { p { code { (uri) } } }
            ul { @for wanted in &app.scopes { li { (scope(language, *wanted)) } } }
            p { (text(language, Text::Since)) " " (app.created_at.to_string().split('T').next().unwrap_or_default()) }
            form method="post" action="/oauth/apps" {
                input type="hidden" name="id" value=(app.id.to_string());
                input type="hidden" name="form_token" value=(form_token);
                button.plain { (text(language, Text::TakeBack)) }
            }
        }
        form method="post" action="/oauth/sign-out" { button.plain { (text(language, Text::SignOut)) } }
    };
    page(language, title, None, body)
}

/// The page for typing a device's code.
pub fn device(language: Language, wrong: Option<Text>) -> Reply {
    let title = text(language, Text::DeviceTitle);
    let body = html! {
        @if let Some(wrong) = wrong { p.wrong role="alert" { (text(language, wrong)) } }
        form method="get" action="/oauth/device" {
            label {
                (text(language, Text::DeviceCode))
                input name="user_code" required autocomplete="off" autocapitalize="characters" spellcheck="false";
            }
            button { (text(language, Text::Continue)) }
        }
    };
    page(language, title, None, body)
}

/// The page after a decision about a device.
pub fn done(language: Language) -> Reply {
    page(language, text(language, Text::Done), None, html! { p { (text(language, Text::BackToDevice)) } })
}

/// A message, with an optional link to another page.
pub fn notice(language: Language, title: &str, what: &str, next: Option<(&str, &str)>) -> Reply {
    let body = html! {
        p { (what) }
        @if let Some((to, words)) = next {
            p { a href=(to) rel="noreferrer" { (words) } @if !to.starts_with('/') { " (" code { (to) } ")" } }
        }
    };
    page(language, title, None, body)
}

/// A page that explains a refusal, with a link back to the app, if there is a way.
pub fn refusal(language: Language, why: &str, back: Option<&str>) -> Reply {
    let body = html! {
        p { code { (why) } }
        @if let Some(back) = back { p { a href=(back) rel="noreferrer" { (text(language, Text::Back)) } } }
    };
    page(language, text(language, Text::NotSo), None, body)
}

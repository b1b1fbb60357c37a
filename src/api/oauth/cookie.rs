//! The cookie of the pages.
//!
//! Over HTTPS it is `__Host-broadside`: no other host can set or read it, it is never sent in the clear, and no script
//! sees it. Over `http` on the loopback interface, used for trying the service out, it has a plain name, because curl
//! and Safari store no `Secure` cookie that came without TLS. Over `http` elsewhere there are no pages and no OAuth:
//! passwords and codes would travel in the clear.

use actix_web::HttpRequest;
use actix_web::http::header;
use reqwest::Url;

use crate::accounts::oauth::page_sessions::PAGE_SESSION_S;
use crate::app::App;
use crate::error::{Error, Result, problem};

/// The cookie's name and attributes. `None` if OAuth is not offered at such an address.
fn kind(public_url: &str) -> Option<(&'static str, &'static str)> {
    let url = Url::parse(public_url).ok()?;
    match (url.scheme(), url.host_str()?) {
        ("https", _) => Some(("__Host-broadside", "; Secure")),
        ("http", "127.0.0.1" | "[::1]" | "localhost") => Some(("broadside", "")),
        _ => None,
    }
}

/// Fails with `https-required` where OAuth is not offered.
pub fn require_safe(app: &App) -> Result<()> {
    kind(&app.public_url).map(|_| ()).ok_or_else(|| Error::plain(&problem::HTTPS_REQUIRED))
}

pub fn read(app: &App, request: &HttpRequest) -> Result<Option<String>> {
    let (name, _) = kind(&app.public_url).ok_or_else(|| Error::plain(&problem::HTTPS_REQUIRED))?;
    let lines = request.headers().get_all(header::COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    Ok(pairs.filter(|(own, _)| *own == name).map(|(_, value)| value.to_owned()).next())
}

/// The header that sets the cookie. An empty value removes it.
pub fn set(app: &App, value: &str) -> Result<String> {
    let (name, secure) = kind(&app.public_url).ok_or_else(|| Error::plain(&problem::HTTPS_REQUIRED))?;
    let lives_s = if value.is_empty() { 0 } else { PAGE_SESSION_S };
    Ok(format!("{name}={value}; Path=/; Max-Age={lives_s}; HttpOnly; SameSite=Lax{secure}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_private_way_has_a_cookie() {
        assert_eq!(kind("https://club.example"), Some(("__Host-broadside", "; Secure")));
        for here in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"] {
            assert_eq!(kind(here), Some(("broadside", "")), "{here}");
        }
        for open in ["http://club.example", "http://192.168.1.5:8080", "http://localhost.example", "x"] {
            assert_eq!(kind(open), None, "{open}");
        }
    }
}

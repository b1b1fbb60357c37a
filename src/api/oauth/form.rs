//! Forms of pages and apps: `application/x-www-form-urlencoded`, every name at most once (RFC 6749, 3.1 and 3.2).

use std::collections::HashMap;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest, web};

use reqwest::Url;

use crate::accounts::oauth::OAuthError;
use crate::api::http::extract::{MAX_BODY, read_body};
use crate::api::http::reply::Failure;
use crate::app::App;
use crate::error::{Error, Result, problem};

/// The fields of a form or of a query. An empty value counts as absent.
#[derive(Default)]
pub struct Fields {
    fields: HashMap<String, String>,
    repeated: Option<String>,
}

impl Fields {
    /// Parses an encoded text; `None` if it is malformed.
    pub fn of(text: &str) -> Option<Self> {
        let pairs = web::Query::<Vec<(String, String)>>::from_query(text).ok()?.into_inner();
        let mut read = Self::default();
        for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
            if read.fields.insert(name.clone(), value).is_some() {
                read.repeated = Some(name);
            }
        }
        Some(read)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// The value of a required field.
    pub fn require(&self, name: &str) -> Result<&str, OAuthError> {
        self.get(name).ok_or_else(|| OAuthError::invalid_request(format!("{name} is missing")))
    }

    /// Refuses repeated fields, whose meaning is ambiguous. The message contains the name only if it looks like those
    /// of OAuth, since a page of the service must not display texts of strangers.
    pub fn check(&self) -> Result<(), OAuthError> {
        let Some(name) = &self.repeated else { return Ok(()) };
        let is_plain = name.len() <= 30 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let what = if is_plain { name } else { "a parameter" };
        Err(OAuthError::invalid_request(format!("{what} was sent more than once")))
    }
}

pub struct Form(pub Fields);

impl FromRequest for Form {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = read_body(request, payload, "application/x-www-form-urlencoded", MAX_BODY);
        Box::pin(async move {
            let malformed = || Error::invalid_at("", "malformed-form", "the form can't be read");
            let text = String::from_utf8(bytes.await?).map_err(|_| malformed())?;
            Ok(Self(Fields::of(&text).ok_or_else(malformed)?))
        })
    }
}

/// Refuses a form that comes from another site, according to `Sec-Fetch-Site`, or else to `Origin`, which must be the
/// public address or `Host` (a proxy may have changed `Host`). One of the two headers is required.
pub fn require_own_page(app: &App, request: &HttpRequest) -> Result<()> {
    if is_from_own_page(&app.public_url, request) { Ok(()) } else { Err(Error::plain(&problem::FOREIGN_FORM)) }
}

/// True if the browser states that the request was made on another site. Other clients state nothing.
pub fn is_from_elsewhere(app: &App, request: &HttpRequest) -> bool {
    let says = request.headers().contains_key("sec-fetch-site") || request.headers().contains_key(header::ORIGIN);
    says && !is_from_own_page(&app.public_url, request)
}

fn is_from_own_page(public_url: &str, request: &HttpRequest) -> bool {
    let text = |name: header::HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let site = request.headers().get("sec-fetch-site").and_then(|value| value.to_str().ok());
    match (site, text(header::ORIGIN)) {
        (Some(site), _) => site == "same-origin",
        (None, Some(origin)) => {
            let from = origin.split_once("://").map(|(_, from)| from);
            let is_public = Url::parse(public_url).is_ok_and(|url| url.origin().ascii_serialization() == origin);
            is_public || from.is_some() && from == text(header::HOST)
        }
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn a_name_is_there_once() {
        let fields = Fields::of("a=1&b=&c=x+y%26").unwrap();
        assert_eq!((fields.get("a"), fields.get("b"), fields.get("c")), (Some("1"), None, Some("x y&")));
        assert!(fields.check().is_ok() && fields.require("b").is_err());
        assert!(Fields::of("a=1&a=1").unwrap().check().is_err());
    }

    #[test]
    fn a_form_comes_from_an_own_page() {
        let from = |headers: &[(&'static str, &'static str)]| {
            let request = headers.iter().fold(TestRequest::post(), |request, header| request.insert_header(*header));
            is_from_own_page("https://public.example", &request.to_http_request())
        };
        let host = ("host", "club.example");
        assert!(from(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(from(&[host, ("origin", "https://club.example")]));
        assert!(from(&[host, ("origin", "https://public.example")]));
        for other in ["cross-site", "same-site", "none"] {
            assert!(!from(&[host, ("sec-fetch-site", other), ("origin", "https://club.example")]), "{other}");
        }
        let alike = ["https://club.example.evil.example", "http://public.example", "https://public.example:8443"];
        for other in ["null", "https://evil.example", "club.example"].into_iter().chain(alike) {
            assert!(!from(&[host, ("origin", other)]), "{other}");
        }
        assert!(!from(&[host]));
    }
}

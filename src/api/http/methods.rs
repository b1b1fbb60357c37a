//! `HEAD` for every `GET`, and the answers to `OPTIONS` and to wrong methods (RFC 9110, sections 9.3.2, 9.3.7 and
//! 15.5.6).

use std::convert::Infallible;

use actix_web::body::{self, BodySize, BoxBody, MessageBody, SizedStream};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpRequest};
use futures_util::stream;

use crate::api::openapi;

/// Paths outside the API that take forms: targets of links in mails, and the endpoints and pages of OAuth.
const FORMS: [(&str, &[&str]); 15] = [
    ("/v1/mail/confirm/{secret}", &["GET", "POST"]),
    ("/v1/mail/unsubscribe/{secret}", &["GET", "POST"]),
    ("/oauth/apps", &["GET", "POST"]),
    ("/oauth/authorize", &["GET", "POST"]),
    ("/oauth/device", &["GET", "POST"]),
    ("/oauth/device_authorization", &["POST"]),
    ("/oauth/forgot-password", &["GET", "POST"]),
    ("/oauth/register", &["GET", "POST"]),
    ("/oauth/reset-password/{secret}", &["GET", "POST"]),
    ("/oauth/revoke", &["POST"]),
    ("/oauth/sign-in", &["GET", "POST"]),
    ("/oauth/sign-in/passkey", &["POST"]),
    ("/oauth/sign-in/second-factor", &["POST"]),
    ("/oauth/sign-out", &["GET", "POST"]),
    ("/oauth/token", &["POST"]),
];

/// The methods of the request's path; empty if nothing is there.
pub fn allowed(request: &HttpRequest) -> Vec<String> {
    let mut methods = openapi::methods_of(request.path());
    if methods.is_empty()
        && let Some(pattern) = request.match_pattern()
    {
        // Paths outside the contract are pages, most of them read-only.
        let form = FORMS.iter().find(|(path, _)| *path == pattern);
        let known = form.map_or(&["GET"][..], |(_, methods)| methods);
        methods.extend(known.iter().map(|&method| method.to_owned()));
    }
    if let Some(get) = methods.iter().position(|method| method == "GET") {
        methods.insert(get + 1, "HEAD".to_owned());
    }
    if !methods.is_empty() {
        methods.push("OPTIONS".to_owned());
    }
    methods
}

/// Middleware that answers a `HEAD` as a `GET` without its body, and adds the path's methods to the answer of a
/// preflight (WHATWG Fetch).
pub async fn around(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_head = request.method() == Method::HEAD;
    if is_head {
        request.head_mut().method = Method::GET;
    }
    let mut response = next.call(request).await?.map_into_boxed_body();
    if is_head {
        return Ok(response.map_body(|_, body| without_bytes(&body)));
    }
    let is_preflight = response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_METHODS);
    if is_preflight && response.request().method() == Method::OPTIONS {
        let named = allowed(response.request()).join(", ");
        // An unknown path is left to the request itself: a refused preflight would hide the 404 from a page.
        if let (false, Ok(value)) = (named.is_empty(), HeaderValue::from_str(&named)) {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_METHODS, value.clone());
            response.headers_mut().insert(header::ALLOW, value);
        }
    }
    Ok(response)
}

/// An empty body of the same stated length. A stream has no length, and ends here.
fn without_bytes(whole: &BoxBody) -> BoxBody {
    match whole.size() {
        BodySize::Sized(length) => BoxBody::new(SizedStream::new(length, stream::empty::<Result<Bytes, Infallible>>())),
        BodySize::None | BodySize::Stream => BoxBody::new(body::None::new()),
    }
}

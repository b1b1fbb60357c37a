//! The envelope of every answer: request id, rate-limit headers, security headers, and a line in the log.

use std::cell::Cell;
use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{ConnectionType, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use broadside_rules::card::Language;
use tracing::Instrument;

use crate::api::http::{languages, prices};
use crate::app::App;
use crate::budget_owner;
use crate::rate_limits::{Budget, Unit};
use crate::request_origin;

/// The header with the request's id, in requests and answers.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT_REQUEST: CurrentRequest;
}

/// State that the layers of one request share.
struct CurrentRequest {
    id: String,
    language: Language,
    long_poll: Cell<bool>,
}

/// The id of the current request; a dash outside of one.
pub fn request_id() -> String {
    CURRENT_REQUEST.try_with(|current| current.id.clone()).unwrap_or_else(|_| "-".to_owned())
}

/// The preferred language of the current request; English outside of one.
pub fn language() -> Language {
    CURRENT_REQUEST.try_with(|current| current.language).unwrap_or(Language::English)
}

/// Marks the current request as waiting on purpose, so that it isn't logged as slow.
pub fn mark_long_poll() {
    let _ = CURRENT_REQUEST.try_with(|current| current.long_poll.set(true));
}

#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
pub async fn around(
    app: web::Data<App>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let id = given_id(request.headers()).unwrap_or_else(|| app.new_request_id());
    let begun = Instant::now();
    let method = request.method().clone();
    let current = CurrentRequest { id, language: languages::preferred(request.request()), long_poll: Cell::new(false) };
    let node = app.clone();
    let work = async move {
        let mut response = match next.call(request).await {
            Ok(response) => response,
            Err(error) => return Err(error),
        };
        if response.status().is_client_error() && response.status() != StatusCode::TOO_MANY_REQUESTS {
            budget_owner::charge_refusal(node.rate_limits.as_ref(), prices::FRUITLESS_ACTION.price);
        }
        CURRENT_REQUEST.with(|current| finish(current, &mut response, method.as_str(), begun));
        if node.is_draining() {
            // The client's next request needs a new connection, which reaches a node that isn't stopping.
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
        Ok(response)
    };
    let span = tracing::info_span!("request", id = current.id);
    let work = request_origin::of_request(budget_owner::of_caller(work.instrument(span)));
    CURRENT_REQUEST.scope(current, work).await
}

/// The id that the client gave the request, if it is safe to print.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(REQUEST_ID)?.to_str().ok()?;
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (!given.is_empty() && given.len() <= 64 && given.chars().all(safe)).then(|| given.to_owned())
}

fn finish<B>(current: &CurrentRequest, response: &mut ServiceResponse<B>, method: &str, begun: Instant) {
    let status = response.status().as_u16();
    let route = response.request().match_pattern().unwrap_or_else(|| "unknown".to_owned());
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&current.id) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(budget) = budget_owner::budget() {
        write_budget(&budget, headers);
    }
    for (name, value) in DEFAULT_HEADERS {
        if !headers.contains_key(name) {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
    }
    log(&route, method, status, begun, current.long_poll.get());
}

/// The headers of the IETF's RateLimit draft (draft-ietf-httpapi-ratelimit-headers).
fn write_budget(budget: &Budget, headers: &mut HeaderMap) {
    let unit = match budget.unit {
        Unit::Requests => "",
        Unit::ProcessorMs => ";qu=\"processor-ms\"",
    };
    let policy = format!("\"{}\";q={}{unit};w={}", budget.name, budget.burst, budget.window_s);
    let state = format!("\"{}\";r={};t={}", budget.name, budget.remaining, budget.full_in_s());
    for (header, text) in [("ratelimit-policy", policy), ("ratelimit", state)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(HeaderName::from_static(header), value);
        }
    }
}

/// Headers of every answer that doesn't set its own.
const DEFAULT_HEADERS: [(&str, &str); 5] = [
    (
        "access-control-expose-headers",
        "content-disposition, etag, link, location, preference-applied, ratelimit, ratelimit-policy, retry-after, \
         www-authenticate, x-request-id",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cache-control", "no-store"),
];

/// Logs one line per request, at a low level for successes, so that the log of a busy node shows the failures. The
/// route is the pattern, not the path: ids of matches have no place in a log.
fn log(route: &str, method: &str, status: u16, begun: Instant, long_poll: bool) {
    let took = begun.elapsed();
    let took_ms = took.as_secs_f64() * 1e3;
    metrics::histogram!("http_request_seconds", "route" => route.to_owned(), "status" => status.to_string())
        .record(took.as_secs_f64());
    match status {
        500.. => tracing::warn!(route, method, status, took_ms, "a request failed"),
        _ if took_ms > 1000.0 && !long_poll => {
            tracing::warn!(route, method, status, took_ms, "a request took long");
        }
        _ => tracing::debug!(route, method, status, took_ms, "a request was answered"),
    }
}

//! Content negotiation (RFC 9110, section 12.5.1): selects the media type of an answer, and refuses a request that
//! accepts none on offer. It is refused before anything is done, because a caller that can't read the answer to a
//! change would not know whether the change happened.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{Accept, Header, Quality};
use actix_web::middleware::Next;
use actix_web::mime::{self, Mime};
use actix_web::{HttpMessage, HttpRequest, ResponseError};

use crate::api::http::problem::Failure;
use crate::api::openapi;
use crate::error::{Error, problem};

/// The index of the offered media type that the `Accept` header prefers: the first among equals, and 0 if the header
/// names none of them.
pub fn preferred(request: &HttpRequest, offered: &[&str]) -> usize {
    let accept = accepted(request);
    // `max_by_key` takes the last of equal ones.
    (0..offered.len()).rev().max_by_key(|index| weight(&accept, offered[*index])).unwrap_or(0)
}

pub async fn around(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    if let Err(refused) = check(&request) {
        return Ok(request.into_response(Failure(refused).error_response()));
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

/// Refuses a request that accepts none of the media types of its operation. Exempt are operations without a response
/// body, paths outside the contract, and requests that name their `format` in the query.
fn check(request: &ServiceRequest) -> Result<(), Error> {
    let accept = accepted(request);
    let refuses_something = accept.iter().any(|range| range.quality == Quality::ZERO);
    if accept.is_empty() || !refuses_something && accept.iter().any(|range| range.item.type_() == mime::STAR) {
        return Ok(());
    }
    let offered = openapi::offered(request.method().as_str(), request.path());
    let fits = |offer: &String| weight(&accept, offer) > Quality::ZERO;
    let names_format = || request.query_string().split('&').any(|pair| pair.starts_with("format="));
    if offered.is_empty() || offered.iter().any(fits) || names_format() {
        return Ok(());
    }
    Err(Error::new(&problem::NOT_ACCEPTABLE, format!("The answer can be {}.", offered.join(", "))))
}

/// The parsed `Accept` header; empty if it is absent or unreadable.
fn accepted(request: &impl HttpMessage) -> Accept {
    Accept::parse(request).unwrap_or_else(|_| Accept(Vec::new()))
}

/// The weight of a media type. The most specific matching range decides.
fn weight(accept: &Accept, offer: &str) -> Quality {
    let specificity = |range: &Mime| match (range.type_(), range.subtype()) {
        (mime::STAR, mime::STAR) => Some(1),
        (main, mime::STAR) => offer.split('/').next().filter(|own| main == *own).map(|_| 2),
        _ => (range.essence_str() == offer).then_some(3),
    };
    let fitting = accept.iter().filter_map(|range| Some((specificity(&range.item)?, range.quality)));
    fitting.max_by_key(|(specificity, _)| *specificity).map_or(Quality::ZERO, |(_, quality)| quality)
}

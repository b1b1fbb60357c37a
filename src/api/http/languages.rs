//! The languages that answers come in: English, and French where a request prefers it.

use std::cmp::Reverse;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptLanguage, Header, Quality};
use broadside_rules::card::Language;

/// The language that the caller prefers: of the `Accept-Language` header (RFC 9110, section 12.5.4) the one with the
/// greatest weight that the service has; English if there is none.
pub fn preferred(request: &HttpRequest) -> Language {
    let Ok(mut accept) = AcceptLanguage::parse(request) else { return Language::English };
    accept.sort_by_key(|range| Reverse(range.quality));
    let known = accept.iter().filter(|range| range.quality > Quality::ZERO).find_map(|range| {
        match range.item.item()?.primary_language().to_ascii_lowercase().as_str() {
            "en" => Some(Language::English),
            "fr" => Some(Language::French),
            _ => None,
        }
    });
    known.unwrap_or(Language::English)
}

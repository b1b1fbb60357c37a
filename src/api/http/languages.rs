//! The languages of answers: English, and French where a request prefers it.

use std::cmp::Reverse;

use actix_web::HttpRequest;
use actix_web::http::header::{AcceptLanguage, Header, Quality};
use broadside_rules::card::Language;

/// The supported language with the greatest weight in `Accept-Language` (RFC 9110, section 12.5.4); English if it names
/// none.
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

//! HTTP caching: how long clients may keep an answer, and validation of their copies (RFC 9110, section 13; RFC 9111).

use actix_web::HttpRequest;
use actix_web::http::header;

use crate::api::http::compress::{self, accepts_gzip};

/// The permission to keep an answer, for the client that got it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caching {
    /// Never changes, for this caller.
    Immutable,
    /// Changes only with a new version of the service, and is the same for everybody.
    Public,
    /// Never changes, for anybody: its address changes with its content.
    Versioned,
    /// May be kept, but must be revalidated before each use.
    Checked,
    /// Like `Checked`, but for this caller only.
    CheckedOwn,
}

impl Caching {
    pub fn header(self) -> &'static str {
        match self {
            // Not for shared caches: a match may be closed to spectators.
            Self::Immutable => "private, max-age=31536000, immutable",
            Self::Public => "public, max-age=300",
            Self::Versioned => "public, max-age=31536000, immutable",
            Self::Checked => "no-cache",
            Self::CheckedOwn => "private, no-cache",
        }
    }
}

/// True if the client's copy has this `etag` (RFC 9110, section 13.1.2).
pub fn knows(request: &HttpRequest, etag: &str) -> bool {
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    known.is_some_and(|known| matches_etag(known, etag))
}

/// Weak comparison with a list of tags or a star (RFC 9110, section 13.1.2). The tag of the compressed bytes matches
/// the plain ones, too.
pub fn matches_etag(known: &str, etag: &str) -> bool {
    let is_named = |tag: &str| match tag.strip_suffix("-gzip\"") {
        Some(plain) => etag.strip_suffix('"') == Some(plain),
        None => tag == etag,
    };
    known.split(',').map(str::trim).any(|tag| tag == "*" || is_named(tag.trim_start_matches("W/")))
}

/// True if a 304 to this request names the compressed bytes: the client has these, or has both and would get these.
pub fn has_compressed(request: &HttpRequest, etag: &str) -> bool {
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let named = |name: &str| known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == name);
    compress::named_as_gzip(etag).is_some_and(|gzip| named(&gzip)) && (!named(etag) || accepts_gzip(request))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn a_304_names_what_its_reader_has() {
        let has = |known: &str, accepts: &str| {
            let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, known));
            has_compressed(&request.insert_header((header::ACCEPT_ENCODING, accepts)).to_http_request(), "\"7\"")
        };
        for known in ["\"7-gzip\"", "\"6\", W/\"7-gzip\""] {
            assert!(has(known, "gzip") && has(known, "identity"), "{known}");
        }
        for known in ["\"7\"", "*", "\"7-br\"", "\"6-gzip\", \"7\""] {
            assert!(!has(known, "gzip"), "{known}");
        }
        let both = "\"7\", \"7-gzip\"";
        assert!(has(both, "gzip") && !has(both, "identity"));
    }

    #[test]
    fn a_tag_is_known_in_each_of_its_forms() {
        for known in ["\"7.1\"", "W/\"7.1\"", "*", "\"a\", \"7.1\"", "\"7.1-gzip\"", "W/\"7.1-gzip\""] {
            assert!(matches_etag(known, "\"7.1\""), "{known}");
        }
        for unknown in ["", "7.1", "\"7\"", "\"7.1-br\"", "\"-gzip\"", "\"7.10\""] {
            assert!(!matches_etag(unknown, "\"7.1\""), "{unknown}");
        }
    }
}

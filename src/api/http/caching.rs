//! What clients may keep, and whether what they have is still good (RFC 9110, section 13; RFC 9111).

use actix_web::HttpRequest;
use actix_web::http::header;

/// How long an answer may be kept by the client that got it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caching {
    /// It never changes, for this caller.
    Immutable,
    /// It changes with a new version of the service only, and is the same for everybody.
    Public,
}

impl Caching {
    /// The value of `Cache-Control`.
    pub fn header(self) -> &'static str {
        match self {
            // Not for shared caches: a match may be closed to spectators.
            Self::Immutable => "private, max-age=31536000, immutable",
            Self::Public => "public, max-age=300",
        }
    }
}

/// Whether the request says that its sender has what `etag` names (RFC 9110, section 13.1.2).
pub fn knows(request: &HttpRequest, etag: &str) -> bool {
    let known = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    known.is_some_and(|known| matches_etag(known, etag))
}

/// RFC 9110, section 13.1.2: a list of tags or a star, compared weakly. The name of the compressed bytes stands for the
/// plain ones, too.
pub fn matches_etag(known: &str, etag: &str) -> bool {
    let is_named = |tag: &str| match tag.strip_suffix("-gzip\"") {
        Some(plain) => etag.strip_suffix('"') == Some(plain),
        None => tag == etag,
    };
    known.split(',').map(str::trim).any(|tag| tag == "*" || is_named(tag.trim_start_matches("W/")))
}

#[cfg(test)]
mod tests {
    use super::*;

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

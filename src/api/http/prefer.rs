//! The `Prefer` header (RFC 7240): callers may ask for a minimal answer.

use actix_web::http::header::{HeaderMap, HeaderName};

/// The header that names the preference that was followed.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The preference for an answer without optional parts.
pub const MINIMAL: &str = "return=minimal";

/// True if the caller prefers a minimal answer. Of several values of `return` the first counts; an unreadable one
/// counts as none.
pub fn prefers_minimal(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").filter_map(|line| line.to_str().ok());
    let preferences = lines.flat_map(|line| line.split(',')).filter_map(|preference| {
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        Some((name.trim(), value.trim().trim_matches('"')))
    });
    let mut wanted = preferences.filter(|(name, _)| name.eq_ignore_ascii_case("return"));
    wanted.next().is_some_and(|(_, value)| value.eq_ignore_ascii_case("minimal"))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    use super::prefers_minimal;

    fn asked(lines: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(HeaderName::from_static("prefer"), HeaderValue::from_static(line));
        }
        prefers_minimal(&headers)
    }

    #[test]
    fn a_preference_is_read_as_the_rfc_writes_it() {
        for lines in [
            &["return=minimal"][..],
            &["Return = \"minimal\"; foo=bar"],
            &["respond-async, wait=100", "return=minimal"],
            &["return=minimal, return=representation"],
        ] {
            assert!(asked(lines), "{lines:?}");
        }
        for lines in
            [&[][..], &["return=representation"], &["return=representation, return=minimal"], &["minimal"], &["return"]]
        {
            assert!(!asked(lines), "{lines:?}");
        }
    }
}

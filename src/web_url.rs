//! URLs given by operators and clients: one parser, so that none accepts an unreachable address.

// The parser of the HTTP client, which re-exports it.
use reqwest::Url;

/// The URL in a text, if it is `http` or `https` with a host, and with a usable port.
pub fn web_url(text: &str) -> Option<Url> {
    // The parser tolerates other slashes (WHATWG URL, 4.4); a URL stored as written must not need that.
    let rest = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme))?;
    let url = Url::parse(text).ok().filter(|url| !rest.starts_with(['/', '\\']) && can_connect(url))?;
    url.host_str().is_some_and(|host| !host.is_empty()).then_some(url)
}

/// True if the URL's port is usable: 0 is no port (RFC 6335, section 6).
pub fn can_connect(url: &Url) -> bool {
    url.port() != Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_url_has_a_host_and_a_port() {
        for good in ["http://127.0.0.1:8080", "https://club.example", "https://[::1]:1/x?y#z", "https://x/{id}"] {
            assert!(web_url(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "club.example",
            "ftp://club.example",
            "https://",
            "https:///x",
            "https:/club.example",
            "https://club.example:0",
            "http://club.example:00/x",
            "https://club.example:65536",
            "https://club.example:x",
            "https://a b/",
        ] {
            assert!(web_url(bad).is_none(), "{bad}");
        }
    }
}

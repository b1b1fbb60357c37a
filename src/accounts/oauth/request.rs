//! Types for the parameters that apps send, validated on construction.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use broadside_rules::illegal::UnknownWord;
use reqwest::Url;
use sha2::{Digest, Sha256};

use super::{OAuthError, registered};
use crate::accounts::oauth::own_page;
use crate::accounts::{Scope, lookalikes};
use crate::texts::texts;
use crate::web_url::can_connect;

/// In bytes.
const LONGEST_URI: usize = 500;
/// The answer's own query parameters (RFC 6749, 4.1.2; RFC 9207).
const ANSWER: [&str; 6] = ["code", "state", "iss", "error", "error_description", "error_uri"];

texts! {
    /// What an app calls itself: 1 to 200 visible ASCII characters. Nothing proves it, unless it is the id of a
    /// registered app: nothing else may look like one. It may not pass for the service, its own page or its staff.
    pub struct ClientId: |text| {
        let fits = (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !fits {
            return Err("client_id must have 1 to 200 visible ASCII characters".to_owned());
        }
        if text == own_page::CLIENT_ID || registered::id_of(text).is_some() {
            return Ok(text.to_owned());
        }
        if registered::looks_registered(text) {
            let prefix = registered::CLIENT_PREFIX;
            return Err(format!("client_id looks like {prefix}…, and is not the id of a registered app"));
        }
        if lookalikes::is_reserved_for_apps(text) {
            return Err("client_id looks like a name of the service or its staff: choose another".to_owned());
        }
        Ok(text.to_owned())
    };

    /// What an app sends to recognise the answer: up to 500 visible ASCII characters.
    pub struct State: |text| {
        let fits = text.len() <= 500 && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if fits { Ok(text.to_owned()) } else { Err("state must have 500 visible ASCII characters at most".to_owned()) }
    };
}

impl ClientId {
    pub fn is_own_page(&self) -> bool {
        self.as_str() == own_page::CLIENT_ID
    }

    /// Fails when it contains the service's own address, which could mislead users.
    pub fn check_against(&self, public_url: &str) -> Result<(), OAuthError> {
        match lookalikes::names_host_of(self.as_str(), public_url) {
            true => Err(OAuthError::invalid_request("client_id has the service's own address in it: choose another")),
            false => Ok(()),
        }
    }
}

/// The destination of the answer (RFC 8252, section 7; RFC 9700, section 2.1): an `https` address; `http` on the
/// loopback interface by IP address, at any port; or the app's own scheme in reverse domain form (with a dot). It has
/// no fragment, user or password, and is in normal form (WHATWG URL), so that the service, the browser and the user see
/// the same host. Its query has none of the answer's parameters.
#[derive(Clone, PartialEq, Eq)]
pub struct RedirectUri {
    text: String,
    shown: String,
}

impl RedirectUri {
    /// The service's own page at `origin`, which the caller has verified.
    pub fn of_own_page(origin: &str) -> Self {
        Self { text: format!("{origin}{}", own_page::CALLBACK_PATH), shown: origin.to_owned() }
    }

    /// The address exactly as sent.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The browser's destination: scheme, host and port, or an app's scheme. Only letters, digits and `-.:/[]`, so that
    /// it fits into a Content-Security-Policy.
    pub fn origin(&self) -> &str {
        &self.shown
    }

    pub fn web_host(&self) -> Option<&str> {
        let host = self.shown.strip_prefix("https://")?;
        // The last colon may be part of a bracketed IPv6 address.
        let with_port = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
        Some(with_port.map_or(host, |(host, _)| host))
    }

    /// True if the address matches the `registered` one: by equal text, except for the port on the loopback interface,
    /// which a program can't choose in advance (RFC 8252, 7.3).
    pub fn is_as_registered(&self, registered: &Self) -> bool {
        self.text == registered.text || self.without_port().is_some_and(|own| Some(own) == registered.without_port())
    }

    /// A loopback address without its port.
    fn without_port(&self) -> Option<Url> {
        let mut url = Url::parse(&self.text).ok().filter(|url| url.scheme() == "http")?;
        url.set_port(None).ok()?;
        Some(url)
    }

    /// The address with more query parameters.
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let query = Url::parse_with_params("x:/", parameters).map(|url| url.query().unwrap_or_default().to_owned());
        let joint = if self.text.contains('?') { '&' } else { '?' };
        format!("{}{joint}{}", self.text, query.unwrap_or_default())
    }
}

impl FromStr for RedirectUri {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = |why: &str| Err(format!("redirect_uri {why}"));
        if text.len() > LONGEST_URI || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refused("must have 500 visible ASCII characters at most");
        }
        let Ok(url) = Url::parse(text) else { return refused("must be an absolute address") };
        if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return refused("must have no fragment, user or password");
        }
        if !can_connect(&url) {
            return refused("must not have port 0: nobody can listen there");
        }
        // An empty path may be omitted.
        if url.as_str() != text && url.as_str().strip_suffix('/') != Some(text) {
            return Err(format!("redirect_uri must be in its normal form: {url}"));
        }
        if let Some((name, _)) = url.query_pairs().find(|(name, _)| ANSWER.contains(&name.as_ref())) {
            return Err(format!("redirect_uri must not have {name} in its query: the answer has"));
        }
        let scheme = url.scheme();
        if !matches!(scheme, "http" | "https") {
            let is_own = scheme.contains('.') && !scheme.contains('+');
            return match is_own {
                true => Ok(Self { text: text.to_owned(), shown: format!("{scheme}:") }),
                false => refused("must be https, http://127.0.0.1 or http://[::1], or a scheme with a dot in it"),
            };
        }
        let host = url.host_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        if host.is_empty() || !host.chars().all(plain) {
            return refused("must have a host of letters, digits, - and .");
        }
        if scheme == "http" && !matches!(host, "127.0.0.1" | "[::1]") {
            return refused("may be http on the loopback interface only, as 127.0.0.1 or [::1]: elsewhere use https");
        }
        Ok(Self { text: text.to_owned(), shown: url.origin().ascii_serialization() })
    }
}

/// An S256 code challenge: the SHA-256 of the verifier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeChallenge(pub [u8; 32]);

impl CodeChallenge {
    /// The challenge as sent.
    pub fn encoded(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

impl FromStr for CodeChallenge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| "code_challenge must be a SHA-256 in base64url: 43 characters".to_owned())
    }
}

/// The challenge of a code verifier (RFC 7636, 4.1): 43 to 128 letters, digits and `-._~`.
pub fn challenge_of(verifier: &str) -> Result<CodeChallenge, String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if (43..=128).contains(&verifier.len()) && verifier.bytes().all(allowed) {
        Ok(CodeChallenge(Sha256::digest(verifier).into()))
    } else {
        Err("code_verifier must have 43 to 128 letters, digits, -, ., _ and ~".to_owned())
    }
}

/// Parses a space-separated list of scopes; at least one.
pub fn scopes(text: &str) -> Result<Vec<Scope>, String> {
    let named = text.split(' ').filter(|name| !name.is_empty());
    let mut scopes: Vec<Scope> =
        named.map(str::parse).collect::<Result<_, _>>().map_err(|why: UnknownWord| format!("a scope {why}"))?;
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() { Err("scope must name at least one scope".to_owned()) } else { Ok(scopes) }
}

/// The space-separated list of these scopes.
pub fn listed(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.into_str()).collect::<Vec<_>>().join(" ")
}

/// An app's request for access to an account.
#[derive(Clone)]
pub struct AuthorizationRequest {
    pub client_id: ClientId,
    /// The destination of the answer.
    pub redirect_uri: RedirectUri,
    /// The requested scopes; none for the service's own page, which gets a session.
    pub scopes: Vec<Scope>,
    /// The challenge for the exchange of the code.
    pub code_challenge: CodeChallenge,
    /// Returned with the answer.
    pub state: Option<State>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_the_app_or_to_this_machine() {
        for (good, origin) in [
            ("https://app.example/cb", "https://app.example"),
            ("https://app.example", "https://app.example"),
            ("https://app.example:8443/cb?x=1", "https://app.example:8443"),
            ("http://127.0.0.1:51234/", "http://127.0.0.1:51234"),
            ("http://[::1]:51234/cb", "http://[::1]:51234"),
            ("com.example.app:/cb", "com.example.app:"),
        ] {
            let read = good.parse::<RedirectUri>();
            assert_eq!(read.map(|uri| uri.origin().to_owned()), Ok(origin.to_owned()), "{good}");
        }
        for bad in [
            "",
            "/cb",
            "app.example/cb",
            "http://app.example/cb",
            "http://localhost:8080/cb",
            "http://127.0.0.1.example/cb",
            "http://127.0.0.1@evil.example/cb",
            "https://anna:secret@app.example/",
            "https://app.example/#x",
            "https://app.example/\r\nx: y",
            "https://a;script-src.example/",
            "https:///",
            "javascript:alert(1)",
            "data:text/html,x",
            "myapp:/cb",
            "file:///etc/passwd",
            "//app.example/cb",
            // Browsers, libraries and people would read different hosts in these.
            "https:evil.example/cb",
            "https:/app.example/cb",
            "https:\\\\evil.example/cb",
            "https://app.example\\@evil.example/cb",
            "https://@app.example/cb",
            "https://APP.example/cb",
            "https://app%2eexample/cb",
            "https://app.example:443/cb",
            "https://app.example:0/cb",
            "http://127.0.0.1:0/cb",
            "https://app.example/a/../cb",
            "https://app.example/\"x",
            "https://app.example/cb#",
            "http://127.1:8080/cb",
            "http://2130706433/cb",
            "http://0x7f.0.0.1/cb",
            // The answer's parameter would be there twice.
            "https://app.example/cb?code=x",
            "https://app.example/cb?x=1&st%61te=x",
            "https://app.example/cb?iss=https://evil.example",
            "com.example.app:/cb?error=x",
            &format!("https://app.example/{}", "x".repeat(500)),
        ] {
            assert!(bad.parse::<RedirectUri>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_registered_address_is_the_same_text_but_for_the_port_on_this_machine() {
        let uri = |text: &str| text.parse::<RedirectUri>().unwrap();
        for (asked, registered) in [
            ("https://app.example/cb?x=1", "https://app.example/cb?x=1"),
            ("http://127.0.0.1:51234/cb", "http://127.0.0.1/cb"),
            ("http://127.0.0.1/cb", "http://127.0.0.1:4000/cb"),
            ("http://[::1]:51234/", "http://[::1]:4000"),
            ("com.example.app:/cb", "com.example.app:/cb"),
        ] {
            assert!(uri(asked).is_as_registered(&uri(registered)), "{asked}");
        }
        for (asked, registered) in [
            ("https://app.example/", "https://app.example"),
            ("https://app.example/cb/x", "https://app.example/cb"),
            ("https://app.example/c", "https://app.example/cb"),
            ("https://app.example/cb?x=1", "https://app.example/cb"),
            ("https://app.example:8443/cb", "https://app.example/cb"),
            ("https://app.example.evil.example/cb", "https://app.example/cb"),
            ("https://www.app.example/cb", "https://app.example/cb"),
            ("http://127.0.0.1/cb", "https://127.0.0.1/cb"),
            ("http://127.0.0.1:51234/other", "http://127.0.0.1/cb"),
            ("http://127.0.0.1:51234/cb?x=1", "http://127.0.0.1/cb"),
            ("http://[::1]:51234/cb", "http://127.0.0.1/cb"),
            ("com.example.app:/cb/x", "com.example.app:/cb"),
        ] {
            assert!(!uri(asked).is_as_registered(&uri(registered)), "{asked}");
        }
        for (address, host) in [
            ("https://app.example:8443/cb", Some("app.example")),
            ("https://[2001:db8::1]/cb", Some("[2001:db8::1]")),
            ("https://[2001:db8::2]:8443/cb", Some("[2001:db8::2]")),
            ("http://127.0.0.1:1/", None),
            ("com.example.app:/cb", None),
        ] {
            assert_eq!(uri(address).web_host(), host, "{address}");
        }
        assert_eq!(RedirectUri::of_own_page("https://[2001:db8::1]").web_host(), Some("[2001:db8::1]"));
    }

    #[test]
    fn nothing_looks_like_a_registered_app_and_is_none() {
        let id = "registered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
        assert!(id.parse::<ClientId>().is_ok());
        for good in ["app.example", "my-app", "https://app.example/", "regis"] {
            assert!(good.parse::<ClientId>().is_ok(), "{good}");
        }
        for bad in [
            "registered-",
            "registered-x",
            "Registered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47",
            "registered-0199C2A8-7d4e-7c3a-9f10-5b1e6a2d8c47",
            "registered-0199c2a87d4e7c3a9f105b1e6a2d8c47",
            "registered-{0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47}",
            "reg1stered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47",
            "registered_0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47",
            ".registered-0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47",
            "registered:app.example",
            "re-gistered",
            "my-registered-app",
        ] {
            assert!(bad.parse::<ClientId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_answer_is_added_to_the_query() {
        let with = |uri: &str| uri.parse::<RedirectUri>().unwrap().with(&[("code", "a&b"), ("state", "x y")]);
        assert_eq!(with("https://app.example/cb"), "https://app.example/cb?code=a%26b&state=x+y");
        assert_eq!(with("com.example.app:/cb?x=1"), "com.example.app:/cb?x=1&code=a%26b&state=x+y");
    }

    #[test]
    fn the_challenge_is_that_of_the_specification() {
        // RFC 7636, appendix B.
        let challenge = challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert_eq!(challenge.encoded(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".parse::<CodeChallenge>().is_ok_and(|c| c == challenge));
        assert!(challenge_of("short").is_err() && challenge_of(&"x".repeat(129)).is_err());
        assert!("short".parse::<CodeChallenge>().is_err());
    }

    #[test]
    fn nobody_passes_for_the_own_page() {
        assert!("broadside-web".parse::<ClientId>().is_ok_and(|id| id.is_own_page()));
        for bad in ["", "Broadside-Web", "broadside-web-2", "Broadside-Support", "broadside.example", "admin", "bot"] {
            assert!(bad.parse::<ClientId>().is_err(), "{bad}");
        }
        let (like, other) = ("club-example-app".parse::<ClientId>(), "app.example".parse::<ClientId>());
        assert!(like.is_ok_and(|id| id.check_against("https://club.example").is_err()));
        assert!(other.is_ok_and(|id| id.check_against("https://club.example").is_ok()));
    }

    #[test]
    fn scopes_are_those_of_tokens() {
        assert_eq!(listed(&scopes("matches:play matches:read matches:play").unwrap()), "matches:read matches:play");
        assert!(scopes("").is_err() && scopes("openid").is_err() && scopes("matches:read,matches:play").is_err());
    }
}

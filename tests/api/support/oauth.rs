//! An app that asks an account for consent, and the browser of the account's owner.

use actix_web::test::TestRequest;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Answer, Player, TestApp};

/// A PKCE verifier of an app.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// The challenge of a verifier (S256).
pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Fields as a form or a query.
pub fn encoded(fields: &[(&str, &str)]) -> String {
    let url = reqwest::Url::parse_with_params("x:/", fields).unwrap();
    url.query().unwrap_or_default().to_owned()
}

/// A request with a form.
pub fn form(path: &str, fields: &[(&str, &str)]) -> TestRequest {
    let request = TestRequest::post().uri(path).insert_header(("content-type", "application/x-www-form-urlencoded"));
    request.set_payload(encoded(fields))
}

/// An app's authorization request.
pub fn asked(challenge: &str) -> Vec<(&str, &str)> {
    vec![
        ("response_type", "code"),
        ("client_id", "app.example"),
        ("redirect_uri", "https://app.example/cb"),
        ("scope", "matches:read lobby:read"),
        ("state", "xyz"),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
    ]
}

/// The same with another value for `name`; `None` removes the field.
pub fn with<'a>(mut fields: Vec<(&'a str, &'a str)>, name: &'a str, value: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    fields.retain(|(own, _)| *own != name);
    fields.extend(value.map(|value| (name, value)));
    fields
}

/// An app's request to exchange a code.
pub fn exchange(code: &str) -> Vec<(&str, &str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", "app.example"),
        ("redirect_uri", "https://app.example/cb"),
        ("code", code),
        ("code_verifier", VERIFIER),
    ]
}

/// An app's request to refresh its tokens.
pub fn refresh(token: &str) -> Vec<(&str, &str)> {
    vec![("grant_type", "refresh_token"), ("client_id", "app.example"), ("refresh_token", token)]
}

/// The authorization request of the service's own page.
pub fn asked_by_own_page(challenge: &str) -> Vec<(&str, &str)> {
    let asked = with(asked(challenge), "client_id", Some("broadside-web"));
    with(with(asked, "redirect_uri", Some("https://broadside.test/sign-in/back")), "scope", None)
}

/// The service's own page's request to exchange a code.
pub fn exchange_of_own_page(code: &str) -> Vec<(&str, &str)> {
    let sent = with(exchange(code), "client_id", Some("broadside-web"));
    with(sent, "redirect_uri", Some("https://broadside.test/sign-in/back"))
}

/// The value of a hidden field of a page.
pub fn hidden(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let rest = page.split_once(&start).unwrap_or_else(|| panic!("no {name} in {page}")).1;
    rest.split('"').next().unwrap().to_owned()
}

/// A parameter of an address.
pub fn parameter(address: &str, name: &str) -> Option<String> {
    let url = reqwest::Url::parse(address).unwrap();
    url.query_pairs().find(|(own, _)| own == name).map(|(_, value)| value.into_owned())
}

/// A browser on the service's pages.
#[derive(Clone)]
pub struct Browser {
    pub app: TestApp,
    pub cookie: String,
}

impl Browser {
    pub fn new(app: &TestApp) -> Self {
        Self { app: app.clone(), cookie: String::new() }
    }

    /// A browser after the player's sign-in.
    pub async fn of(player: &Player) -> Self {
        let mut browser = Self::new(&player.app);
        let answer = browser.signs_in(&player.name, &player.password).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        browser
    }

    pub async fn open(&self, path: &str) -> Answer {
        self.app.send(TestRequest::get().uri(path).insert_header(("cookie", self.cookie.clone()))).await
    }

    /// Sends a form from one of the service's pages.
    pub async fn submits(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.sends(form(path, fields).insert_header(("sec-fetch-site", "same-origin"))).await
    }

    pub async fn sends(&self, request: TestRequest) -> Answer {
        self.app.send(request.insert_header(("cookie", self.cookie.clone()))).await
    }

    /// Signs in, and keeps the cookie.
    pub async fn signs_in(&mut self, name: &str, password: &str) -> Answer {
        self.comes_in("/oauth/sign-in", "/oauth/apps", &[("username", name), ("password", password)]).await
    }

    /// Fills in a form that continues to `then`, and keeps the cookie.
    pub async fn comes_in(&mut self, path: &str, then: &str, fields: &[(&str, &str)]) -> Answer {
        let fields: Vec<_> = fields.iter().copied().chain([("then", then)]).collect();
        let answer = self.submits(path, &fields).await;
        if let Some(set) = answer.header("set-cookie") {
            self.cookie = set.split(';').next().unwrap().to_owned();
        }
        answer
    }

    /// Presses a button of the consent page; returns the redirect.
    pub async fn decides(&self, asked: &[(&str, &str)], decision: &str) -> String {
        let page = self.open(&format!("/oauth/authorize?{}", encoded(asked))).await;
        assert_eq!(page.status, 200, "{}", page.text());
        let token = hidden(&page.text(), "form_token");
        let mut fields = asked.to_vec();
        fields.extend([("form_token", token.as_str()), ("decision", decision)]);
        let answer = self.submits("/oauth/authorize", &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("location").unwrap().to_owned()
    }

    /// Gives consent to an app; returns the code.
    pub async fn allows(&self, asked: &[(&str, &str)]) -> String {
        parameter(&self.decides(asked, "allow").await, "code").unwrap()
    }
}

impl TestApp {
    /// An app's token request.
    pub async fn token(&self, fields: &[(&str, &str)]) -> Answer {
        self.send(form("/oauth/token", fields)).await
    }
}

/// The tokens of an app with the player's consent.
pub async fn let_in(player: &Player) -> Value {
    let code = Browser::of(player).await.allows(&asked(&challenge(VERIFIER))).await;
    player.app.token(&exchange(&code)).await.expect(200)
}

/// Asserts this OAuth error.
#[track_caller]
pub fn refused(answer: &Answer, error: &str) {
    let body = answer.expect(if error == "invalid_client" { 401 } else { 400 });
    assert_eq!(body["error"], error, "{}", answer.text());
    assert!(body["error_description"].as_str().is_some_and(|text| text.len() > 10));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

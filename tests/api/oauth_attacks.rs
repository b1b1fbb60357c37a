//! The attacks of RFC 9700 (Best Current Practice for OAuth 2.0 Security): each is refused.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::support::oauth::{
    Browser, VERIFIER, asked, challenge, encoded, exchange, form, hidden, let_in, parameter, refresh, refused, with,
};
use crate::support::{Answer, Player, TestApp};

fn acting(player: &Player, tokens: &Value) -> Player {
    player.with_token(tokens["access_token"].as_str().unwrap())
}

async fn code(app: &TestApp, name: &str) -> (Player, String) {
    let player = app.player(name).await;
    let code = Browser::of(&player).await.allows(&asked(&challenge(VERIFIER))).await;
    (player, code)
}

/// Asserts that these parameters show an error page instead of a redirect.
async fn shown(browser: &Browser, asked: &[(&str, &str)]) -> Answer {
    let answer = browser.open(&format!("/oauth/authorize?{}", encoded(asked))).await;
    assert_eq!((answer.status, answer.header("location")), (400, None), "{}", answer.text());
    answer
}

// 4.5, authorization code injection; 2.1.1, PKCE.

#[actix_web::test]
async fn a_code_is_used_once_and_its_second_use_ends_the_first() {
    let app = TestApp::start().await;
    let (anna, code) = code(&app, "anna").await;
    let tokens = app.token(&exchange(&code)).await.expect(200);
    acting(&anna, &tokens).get("/v1/turns").await.expect(200);
    refused(&app.token(&exchange(&code)).await, "invalid_grant");
    acting(&anna, &tokens).get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    // Its owner is notified.
    assert!(anna.hears(0).await.iter().any(|event| event["type"] == "session-revoked"));
}

#[actix_web::test]
async fn two_exchanges_at_once_leave_nothing() {
    let app = TestApp::start().await;
    let (anna, code) = code(&app, "anna").await;
    let asked = exchange(&code);
    let both = futures_util::future::join(app.token(&asked), app.token(&asked)).await;
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    assert_eq!(anna.get("/v1/account/apps").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn a_stolen_code_is_of_no_use() {
    let app = TestApp::start().await;
    let other = "x".repeat(43);
    for (name, what, value, error) in [
        ("ann", "client_id", Some("other.example"), "invalid_grant"),
        ("bob", "redirect_uri", Some("https://app.example/other"), "invalid_grant"),
        ("cat", "code_verifier", Some(other.as_str()), "invalid_grant"),
    ] {
        let (player, code) = code(&app, name).await;
        refused(&app.token(&with(exchange(&code), what, value)).await, error);
        // The attempt came from a caller without a right to it, so the code is void.
        refused(&app.token(&exchange(&code)).await, "invalid_grant");
        assert_eq!(player.get("/v1/account/apps").await.expect(200)["items"], json!([]), "{what}");
    }
    let (_, code) = code(&app, "dan").await;
    for verifier in [None, Some(""), Some("short"), Some("plain")] {
        refused(&app.token(&with(exchange(&code), "code_verifier", verifier)).await, "invalid_request");
    }
    refused(&app.token(&with(exchange(&code), "code", Some("boc_invented"))).await, "invalid_grant");
    // A missing field is no sign of theft: the app may repeat the request.
    app.token(&with(exchange(&code), "redirect_uri", None)).await.expect(200);
}

#[actix_web::test]
async fn a_code_is_good_for_a_minute() {
    let app = TestApp::start().await;
    let (_, late) = code(&app, "anna").await;
    app.passes_s(61).await;
    refused(&app.token(&exchange(&late)).await, "invalid_grant");
}

#[actix_web::test]
async fn nobody_does_without_pkce_or_with_less() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    for (name, value) in [
        ("code_challenge", None),
        ("code_challenge", Some("short")),
        ("code_challenge_method", None),
        ("code_challenge_method", Some("plain")),
        ("code_challenge_method", Some("s256")),
        ("response_type", Some("token")),
        ("response_type", Some("code token")),
        ("response_type", None),
        ("response_mode", Some("fragment")),
        ("request_uri", Some("https://evil.example/x")),
        ("scope", None),
        ("scope", Some("openid")),
        ("scope", Some("matches:*")),
    ] {
        let asked = with(asked(&good), name, value);
        let page = shown(&browser, &asked).await.text();
        assert!(page.contains("https://app.example/cb?error="), "the way back is a link: {page}");
        // The form gets the same checks as the page.
        let mut form = asked.clone();
        form.push(("decision", "allow"));
        assert_eq!(browser.submits("/oauth/authorize", &form).await.status, 400, "{name}");
    }
}

// 4.1, insufficient redirection URI validation; 4.11, open redirection.

#[actix_web::test]
async fn nobody_is_sent_where_no_app_can_be() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    for bad in [
        "http://evil.example/cb",
        "http://localhost:1/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "/oauth/apps",
        "https://app.example@evil.example/",
        "https://app.example/#x",
        "https://app.example/cb\r\nset-cookie: x=y",
        "app:/cb",
        "https:evil.example/cb",
        "https://app.example\\@evil.example/",
        "https://app.example/cb?state=x&iss=y",
    ] {
        let page = shown(&browser, &with(asked(&good), "redirect_uri", Some(bad))).await.text();
        assert!(!page.contains("<a href"), "{bad}: {page}");
    }
    shown(&browser, &with(asked(&good), "client_id", None)).await;
    shown(&browser, &with(asked(&good), "redirect_uri", None)).await;
    let mut twice = asked(&good);
    twice.push(("redirect_uri", "https://evil.example/"));
    shown(&browser, &twice).await;
    // After signing in, only pages of the service are possible targets.
    for then in ["https://evil.example/", "//evil.example/", "/\\evil.example", "/oauth", "javascript:1"] {
        let fields = [("username", "anna"), ("password", &anna.password), ("then", then)];
        let answer = browser.submits("/oauth/sign-in", &fields).await;
        assert_eq!(answer.header("location"), Some("/oauth/apps"), "{then}");
    }
}

#[actix_web::test]
async fn an_app_on_this_machine_may_have_any_port() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    for uri in ["http://127.0.0.1:51234/cb", "http://[::1]:51235/cb", "com.example.app:/cb"] {
        let asked = with(asked(&good), "redirect_uri", Some(uri));
        let page = browser.open(&format!("/oauth/authorize?{}", encoded(&asked))).await;
        let origin = uri.rsplit_once("/cb").unwrap().0;
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains(&format!("form-action 'self' {origin};")), "{policy}");
        let code = browser.allows(&asked).await;
        app.token(&with(exchange(&code), "redirect_uri", Some(uri))).await.expect(200);
    }
}

// 4.4, mix-up; 4.7, CSRF; 4.16, clickjacking.

#[actix_web::test]
async fn every_answer_names_the_issuer_and_carries_the_state() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    for decision in ["allow", "refuse"] {
        let back = browser.decides(&with(asked(&good), "state", Some("a&b=c d%")), decision).await;
        assert_eq!(parameter(&back, "iss").as_deref(), Some("https://broadside.test"));
        assert_eq!(parameter(&back, "state").as_deref(), Some("a&b=c d%"));
    }
    let page = shown(&browser, &with(asked(&good), "scope", None)).await.text();
    assert!(page.contains("iss=https%3A%2F%2Fbroadside.test") && page.contains("state=xyz"), "{page}");
}

#[actix_web::test]
async fn another_site_can_not_consent_for_somebody() {
    let app = TestApp::start().await;
    let (anna, eve) = (app.player("anna").await, app.player("eve").await);
    let (browser, evil) = (Browser::of(&anna).await, Browser::of(&eve).await);
    let good = challenge(VERIFIER);
    let asked = asked(&good);
    let address = format!("/oauth/authorize?{}", encoded(&asked));
    let own = hidden(&browser.open(&address).await.text(), "form_token");
    let hers = hidden(&evil.open(&address).await.text(), "form_token");
    let fields = |token: &'_ str| {
        let mut fields: Vec<(String, String)> =
            asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        fields.extend([("decision".to_owned(), "allow".to_owned()), ("form_token".to_owned(), token.to_owned())]);
        fields
    };
    let sent = |token: &str, headers: &[(&'static str, &'static str)]| {
        let fields = fields(token);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        let request =
            headers.iter().fold(form("/oauth/authorize", &fields), |form, header| form.insert_header(*header));
        browser.sends(request)
    };
    for token in ["", "x", &hers, &own[1..]] {
        assert_eq!(sent(token, &[("sec-fetch-site", "same-origin")]).await.status, 403, "{token}");
    }
    for from in [
        &[][..],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("host", "broadside.test"), ("origin", "https://evil.example")],
        &[("host", "broadside.test"), ("origin", "null")],
    ] {
        assert_eq!(sent(&own, from).await.status, 403, "{from:?}");
    }
    assert_eq!(anna.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    assert_eq!(sent(&own, &[("host", "broadside.test"), ("origin", "https://broadside.test")]).await.status, 303);
    // It can't sign a user in to another account either, or out.
    let credentials = [("username", "eve"), ("password", eve.password.as_str())];
    for path in ["/oauth/sign-in", "/oauth/sign-out", "/oauth/apps"] {
        let request = form(path, &credentials).insert_header(("sec-fetch-site", "cross-site"));
        let answer = browser.sends(request).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (403, None), "{path}");
    }
}

#[actix_web::test]
async fn the_pages_stand_in_no_frame_and_run_no_script() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let address = format!("/oauth/authorize?{}", encoded(&asked(&challenge(VERIFIER))));
    // The sign-in page has one script, for passkeys.
    let script = "<script src=\"/oauth/passkey.js\"></script>";
    for (who, path, scripts) in [
        (&browser, address.as_str(), vec![]),
        (&Browser::new(&app), &address, vec!["script-src https://broadside.test/oauth/passkey.js"]),
        (&browser, "/oauth/apps", vec![]),
        (&browser, "/oauth/authorize", vec![]),
    ] {
        let page = who.open(path).await;
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.contains("base-uri 'none'") && !policy.contains("unsafe"), "{policy}");
        let allowed: Vec<&str> = policy.split("; ").filter(|directive| directive.contains("script")).collect();
        assert_eq!(allowed, scripts);
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.text().contains(script), !scripts.is_empty());
        assert!(!page.text().replace(script, "").contains("<script"));
    }
    // The length of a compressed page would reveal how much of its form token the app has guessed in its `state`.
    let request = TestRequest::get().uri(&address).insert_header(("accept-encoding", "gzip, br, zstd"));
    assert_eq!(browser.sends(request).await.header("content-encoding"), Some("identity"));
    // A user tricked into a double click on another site's page, with this one slipped under it, doesn't hit "allow".
    let page = browser.open(&address).await.text();
    assert!(page.contains("<button class=\"late\" name=\"decision\" value=\"allow\">"), "{page}");
    assert!(page.contains(".late{animation:late 1s}@keyframes late{from,99%{visibility:hidden}}"), "{page}");
}

#[actix_web::test]
async fn what_an_app_says_is_text() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    let name = "\"><script>alert(1)</script><b\u{20}x=\"".replace(' ', "");
    let asked = with(with(asked(&good), "client_id", Some(&name)), "state", Some("'\"><img src=x>"));
    for who in [&browser, &Browser::new(&app)] {
        let page = who.open(&format!("/oauth/authorize?{}", encoded(&asked))).await.text();
        let page = page.replace("<script src=\"/oauth/passkey.js\"></script>", "");
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    }
    // A page doesn't display text injected by a link.
    let written = ("Your account is locked: call 555-0100", "1");
    let page = shown(&browser, &[written, written]).await.text();
    assert!(page.contains("was sent more than once") && !page.contains("locked"), "{page}");
}

// 4.14, refresh token protection; 2.3, privileges.

#[actix_web::test]
async fn a_refresh_token_that_is_used_twice_ends_the_family() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let first = let_in(&anna).await;
    let first = first["refresh_token"].as_str().unwrap();
    let second = app.token(&refresh(first)).await.expect(200);
    let third = app.token(&refresh(second["refresh_token"].as_str().unwrap())).await.expect(200);
    refused(&app.token(&refresh(first)).await, "invalid_grant");
    acting(&anna, &third).get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(third["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    assert_eq!(anna.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    assert!(anna.hears(0).await.iter().any(|event| event["type"] == "session-revoked"));
}

#[actix_web::test]
async fn a_refresh_token_is_good_for_its_app_alone() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = let_in(&anna).await;
    let token = tokens["refresh_token"].as_str().unwrap();
    refused(&app.token(&with(refresh(token), "client_id", Some("other.example"))).await, "invalid_grant");
    refused(&app.token(&with(refresh(token), "client_id", None)).await, "invalid_request");
    // It opens no owner's session, and an owner's token opens no app session.
    app.post("/v1/sessions/refresh", json!({ "refresh_token": token })).await.problem(401, "token-unknown");
    refused(&app.token(&refresh(&anna.refresh_token)).await, "invalid_grant");
    app.token(&refresh(token)).await.expect(200);
}

#[actix_web::test]
async fn a_token_in_the_query_is_none() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = let_in(&anna).await;
    let token = tokens["access_token"].as_str().unwrap();
    app.get(&format!("/v1/account?access_token={token}")).await.problem(401, "token-missing");
    let answer = app.get(&format!("/v1/turns?access_token={token}")).await;
    assert!(matches!(answer.status, 401 | 422), "{}", answer.text());
    // The token endpoint ignores its query, and refuses other methods.
    let (_, code) = code(&app, "ben").await;
    let in_query = format!("/oauth/token?{}", encoded(&exchange(&code)));
    refused(&app.send(form(&in_query, &[])).await, "invalid_request");
    app.get(&in_query).await.problem(405, "method-not-allowed");
}

#[actix_web::test]
async fn a_cookie_opens_no_api_and_a_token_no_page() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    browser.open("/v1/account").await.problem(401, "token-missing");
    let value = browser.cookie.split_once('=').unwrap().1.to_owned();
    anna.with_token(&value).get("/v1/account").await.problem(401, "token-malformed");
    let page = app.send(anna.signed(TestRequest::get().uri("/oauth/apps"))).await;
    assert!(page.text().contains("type=\"password\""));
}

#[actix_web::test]
async fn the_cookie_is_bound_to_the_host_and_renewed() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut browser = Browser::new(&app);
    let set = browser.signs_in("anna", &anna.password).await;
    let set = set.header("set-cookie").unwrap().to_owned();
    assert!(set.starts_with("__Host-broadside=bpc_"), "{set}");
    for part in ["Path=/", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age="] {
        assert!(set.split("; ").any(|own| own.starts_with(part)), "{part}: {set}");
    }
    assert!(!set.contains("Domain"));
    let before = browser.clone();
    browser.signs_in("anna", &anna.password).await;
    assert_ne!(before.cookie, browser.cookie);
    assert!(before.open("/oauth/apps").await.text().contains("type=\"password\""), "the one before has ended");
    assert!(!browser.open("/oauth/apps").await.text().contains("type=\"password\""));
    // It is listed, and ends by its id, by signing out, and after half a day.
    let again = browser.clone();
    let out = browser.submits("/oauth/sign-out", &[]).await;
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(again.open("/oauth/apps").await.text().contains("type=\"password\""));
    browser.signs_in("anna", &anna.password).await;
    app.passes_s(12 * 60 * 60).await;
    assert!(browser.open("/oauth/apps").await.text().contains("type=\"password\""));
}

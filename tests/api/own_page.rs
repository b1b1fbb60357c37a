//! The service's own page signs in by OAuth and gets a session without consent; nobody else can get one in its name.

use serde_json::{Value, json};

use crate::support::oauth::{
    Browser, VERIFIER, asked, asked_by_own_page, challenge, encoded, exchange, exchange_of_own_page, form, hidden,
    let_in, parameter, refresh, refused, with,
};
use crate::support::{Answer, Player, Setup, TestApp};

fn acting(player: &Player, tokens: &Value) -> Player {
    player.with_token(tokens["access_token"].as_str().unwrap())
}

fn address(asked: &[(&str, &str)]) -> String {
    format!("/oauth/authorize?{}", encoded(asked))
}

/// Signs in for the page; returns the browser and the redirect.
async fn sent_back(player: &Player) -> (Browser, String) {
    let good = challenge(VERIFIER);
    let mut browser = Browser::new(&player.app);
    let credentials = [("username", player.name.as_str()), ("password", player.password.as_str())];
    let answer = browser.comes_in("/oauth/sign-in", &address(&asked_by_own_page(&good)), &credentials).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    let to = answer.header("location").unwrap().to_owned();
    (browser, to)
}

/// The same, with the page's tokens.
async fn signs_in(player: &Player) -> (Browser, Value) {
    let (browser, to) = sent_back(player).await;
    let code = parameter(&to, "code").unwrap();
    (browser, player.app.token(&exchange_of_own_page(&code)).await.expect(200))
}

fn is_signed_out(page: &Answer) -> bool {
    page.text().contains("autocomplete=\"current-password\"")
}

#[actix_web::test]
async fn who_signs_in_for_the_own_page_gets_a_session_and_is_asked_nothing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let good = challenge(VERIFIER);
    let door = Browser::new(&app).open(&address(&asked_by_own_page(&good))).await.text();
    assert!(door.contains("type=\"password\"") && !door.contains("<code>broadside-web"), "no app asks: {door}");
    let (browser, to) = sent_back(&anna).await;
    assert!(to.starts_with("https://broadside.test/sign-in/back?code=boc_"), "{to}");
    assert_eq!(parameter(&to, "state").as_deref(), Some("xyz"));
    assert_eq!(parameter(&to, "iss").as_deref(), Some("https://broadside.test"));
    let tokens = app.token(&exchange_of_own_page(&parameter(&to, "code").unwrap())).await.expect(200);
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(900)));
    assert_eq!(tokens.get("scope"), None);
    // It has an owner's rights, is no app, and is listed as one session beside the registration.
    let page = acting(&anna, &tokens);
    assert_eq!(page.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    let sessions = page.get("/v1/sessions").await.expect(200);
    let sessions = sessions["items"].as_array().unwrap();
    assert_eq!((sessions.len(), sessions.iter().filter(|one| one["current"] == true).count()), (2, 1));
    // The cookie is valid for half a day, and not longer with the session.
    assert!(!is_signed_out(&browser.open("/oauth/apps").await));
    app.passes_s(12 * 60 * 60).await;
    assert!(is_signed_out(&browser.open("/oauth/apps").await));
    let token = tokens["refresh_token"].as_str().unwrap();
    let next = app.post("/v1/sessions/refresh", json!({ "refresh_token": token })).await.expect(200);
    // The token endpoint refreshes it as well.
    let token = next["refresh_token"].as_str().unwrap();
    let next = app.token(&with(refresh(token), "client_id", Some("broadside-web"))).await.expect(200);
    acting(&anna, &next).get("/v1/sessions").await.expect(200);
}

#[actix_web::test]
async fn opening_a_page_signs_nobody_in() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let good = challenge(VERIFIER);
    let asked = asked_by_own_page(&good);
    // A user with a page session sees its name, and confirms it or signs in to another account.
    let page = browser.open(&address(&asked)).await;
    assert_eq!((page.status, page.header("location")), (200, None));
    assert!(page.text().contains("<b>anna</b>"), "{}", page.text());
    assert_eq!(hidden(&page.text(), "then").replace("&amp;", "&"), address(&asked));
    // Another site can't confirm it.
    let token = hidden(&page.text(), "form_token");
    let mut fields = asked.clone();
    fields.extend([("decision", "allow"), ("form_token", token.as_str())]);
    let foreign = form("/oauth/authorize", &fields).insert_header(("sec-fetch-site", "cross-site"));
    assert_eq!(browser.sends(foreign).await.status, 403);
    let blind = with(fields.clone(), "form_token", None);
    assert_eq!(browser.submits("/oauth/authorize", &blind).await.status, 403);
    let code = browser.allows(&asked).await;
    let tokens = app.token(&exchange_of_own_page(&code)).await.expect(200);
    acting(&anna, &tokens).get("/v1/sessions").await.expect(200);
    // Another site can't sign a user in to another account either.
    let eve = [("username", "eve"), ("password", "x"), ("then", "/oauth/apps")];
    let foreign = form("/oauth/sign-in", &eve).insert_header(("sec-fetch-site", "cross-site"));
    assert_eq!(browser.sends(foreign).await.header("set-cookie"), None);
}

#[actix_web::test]
async fn the_answer_goes_to_the_service_alone() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (mut browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
    for other in [
        "https://evil.example/sign-in/back",
        "https://broadside.test.evil.example/sign-in/back",
        "https://broadside.test@evil.example/sign-in/back",
        "https://broadside.test:8443/sign-in/back",
        "http://broadside.test/sign-in/back",
        "http://127.0.0.1:8080/sign-in/back",
        "https://broadside.test/sign-in/back/",
        "https://broadside.test/sign-in/back?x=1",
        "https://broadside.test/sign-in/../sign-in/back",
        "https://broadside.test/",
        "com.example.app:/sign-in/back",
    ] {
        let asked = with(asked_by_own_page(&good), "redirect_uri", Some(other));
        let page = browser.open(&address(&asked)).await;
        assert_eq!((page.status, page.header("location")), (400, None), "{other}");
        assert!(!page.text().contains("<a href"), "{other}: {}", page.text());
        assert!(page.text().contains("https://broadside.test/sign-in/back"), "{}", page.text());
        let credentials = [("username", "anna"), ("password", anna.password.as_str())];
        let answer = browser.comes_in("/oauth/sign-in", &address(&asked), &credentials).await;
        assert_eq!(answer.header("location"), Some(address(&asked).as_str()), "a refusal, and no code");
    }
    // If the service has a public address, the request's own host is not trusted.
    let spoofed = with(asked_by_own_page(&good), "redirect_uri", Some("http://localhost/sign-in/back"));
    let request = actix_web::test::TestRequest::get().uri(&address(&spoofed)).insert_header(("host", "localhost"));
    assert_eq!(browser.sends(request).await.status, 400);
    // A session has no scopes, PKCE is required, and the client id belongs to the page alone.
    for (name, value, error) in [
        ("scope", Some("matches:read"), "invalid_scope"),
        ("code_challenge", None, "invalid_request"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
        ("client_id", Some("Broadside-Web"), "invalid_request"),
    ] {
        let page = browser.open(&address(&with(asked_by_own_page(&good), name, value))).await;
        assert_eq!(page.status, 400, "{name}");
        assert!(page.text().contains(error), "{name}: {}", page.text());
    }
    let begun =
        app.send(form("/oauth/device_authorization", &[("client_id", "broadside-web"), ("scope", "matches:read")]));
    refused(&begun.await, "unauthorized_client");
}

#[actix_web::test]
async fn a_service_without_pages_has_no_own_page() {
    for front_end in ["off", "https://club.example"] {
        let app = TestApp::with(Setup { front_end: front_end.parse().unwrap(), ..Setup::default() }).await;
        let anna = app.player("anna").await;
        let (browser, good) = (Browser::of(&anna).await, challenge(VERIFIER));
        for at in ["https://broadside.test/sign-in/back", "https://club.example/sign-in/back"] {
            let asked = with(asked_by_own_page(&good), "redirect_uri", Some(at));
            assert_eq!(browser.open(&address(&asked)).await.status, 400, "{at}");
        }
        // Pages elsewhere are an app, and need consent.
        let app_there = with(asked(&good), "redirect_uri", Some("https://club.example/sign-in/back"));
        assert!(browser.open(&address(&app_there)).await.text().contains("https://club.example"));
        let found = app.get("/.well-known/oauth-authorization-server").await.expect(200);
        assert_eq!(found["account_management_uri"], "https://broadside.test/oauth/apps");
    }
}

#[actix_web::test]
async fn a_code_of_the_own_page_is_of_no_use_to_others() {
    let app = TestApp::start().await;
    let other = "x".repeat(43);
    for (name, what, value) in [
        ("ann", "code_verifier", Some(other.as_str())),
        ("bob", "client_id", Some("app.example")),
        ("cat", "redirect_uri", Some("https://evil.example/sign-in/back")),
    ] {
        let player = app.player(name).await;
        let (_, to) = sent_back(&player).await;
        let code = parameter(&to, "code").unwrap();
        refused(&app.token(&with(exchange_of_own_page(&code), what, value)).await, "invalid_grant");
        refused(&app.token(&exchange_of_own_page(&code)).await, "invalid_grant");
    }
    // An app's code doesn't open a session either.
    let dan = app.player("dan").await;
    let code = Browser::of(&dan).await.allows(&asked(&challenge(VERIFIER))).await;
    refused(&app.token(&with(exchange(&code), "client_id", Some("broadside-web"))).await, "invalid_grant");
    // Not from another site's page, even with code and verifier.
    let (_, to) = sent_back(&dan).await;
    let code = parameter(&to, "code").unwrap();
    for from in [
        &[("origin", "https://evil.example")][..],
        &[("origin", "null")],
        &[("sec-fetch-site", "same-site"), ("origin", "https://x.broadside.test")],
    ] {
        let sent = form("/oauth/token", &exchange_of_own_page(&code));
        let sent = from.iter().fold(sent, |sent, header| sent.insert_header(*header));
        refused(&app.send(sent).await, "unauthorized_client");
    }
    let own = form("/oauth/token", &exchange_of_own_page(&code)).insert_header(("origin", "https://broadside.test"));
    app.send(own).await.expect(200);
    // An app can't refresh the session, nor the page an app's tokens.
    let (_, tokens) = signs_in(&dan).await;
    refused(&app.token(&refresh(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    let app_tokens = let_in(&dan).await;
    let stolen = with(refresh(app_tokens["refresh_token"].as_str().unwrap()), "client_id", Some("broadside-web"));
    refused(&app.token(&stolen).await, "invalid_grant");
}

#[actix_web::test]
async fn a_code_that_is_used_twice_ends_the_session() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, to) = sent_back(&anna).await;
    let code = parameter(&to, "code").unwrap();
    let tokens = app.token(&exchange_of_own_page(&code)).await.expect(200);
    let made = json!({ "name": "left behind", "scopes": ["matches:play"] });
    acting(&anna, &tokens).post("/v1/account/tokens", made).await.expect(201);
    refused(&app.token(&exchange_of_own_page(&code)).await, "invalid_grant");
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
    assert!(is_signed_out(&browser.open("/oauth/apps").await));
    // Everything made in it ends with it, and the owner is notified.
    assert_eq!(anna.get("/v1/account/tokens").await.expect(200)["items"], json!([]));
    assert!(anna.hears(0).await.iter().any(|event| event["type"] == "session-revoked"));
}

#[actix_web::test]
async fn signing_out_ends_the_session_and_the_cookie_together() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let session_of = async |page: &Player| {
        let listed = page.get("/v1/sessions").await.expect(200);
        let items = listed["items"].as_array().unwrap().clone();
        items.iter().find(|one| one["current"] == true).unwrap()["id"].as_str().unwrap().to_owned()
    };
    // Ended by revoking the token, as the page does.
    let (browser, tokens) = signs_in(&anna).await;
    let give = [("client_id", "broadside-web"), ("token", tokens["refresh_token"].as_str().unwrap())];
    assert_eq!(app.send(form("/oauth/revoke", &give)).await.status, 200);
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
    assert!(is_signed_out(&browser.open("/oauth/apps").await));
    // From another device, by the list of sessions.
    let (browser, tokens) = signs_in(&anna).await;
    let id = session_of(&acting(&anna, &tokens)).await;
    assert_eq!(anna.request("DELETE", &format!("/v1/sessions/{id}"), None).await.status, 204);
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
    assert!(is_signed_out(&browser.open("/oauth/apps").await));
    // On the pages.
    let (browser, tokens) = signs_in(&anna).await;
    assert_eq!(browser.submits("/oauth/sign-out", &[]).await.status, 303);
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
    let good = challenge(VERIFIER);
    assert!(is_signed_out(&browser.open(&address(&asked_by_own_page(&good))).await), "nobody goes on as anna");
    // By signing in again in the same browser.
    let (mut browser, tokens) = signs_in(&anna).await;
    browser.signs_in("anna", &anna.password).await;
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn a_code_ends_with_the_session_of_the_pages() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (browser, to) = sent_back(&anna).await;
    assert_eq!(browser.submits("/oauth/sign-out", &[]).await.status, 303);
    refused(&app.token(&exchange_of_own_page(&parameter(&to, "code").unwrap())).await, "invalid_grant");
    // With two codes of one browser, the second exchange replaces the session of the first.
    let good = challenge(VERIFIER);
    let browser = Browser::of(&anna).await;
    let tokens = app.token(&exchange_of_own_page(&browser.allows(&asked_by_own_page(&good)).await)).await.expect(200);
    let again = app.token(&exchange_of_own_page(&browser.allows(&asked_by_own_page(&good)).await)).await.expect(200);
    acting(&anna, &tokens).get("/v1/account").await.problem(401, "token-unknown");
    acting(&anna, &again).get("/v1/account").await.expect(200);
}

#[actix_web::test]
async fn an_app_leads_to_the_page_on_which_one_signs_out() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let found = app.get("/.well-known/oauth-authorization-server").await.expect(200);
    assert_eq!(found["end_session_endpoint"], "https://broadside.test/oauth/sign-out");
    assert_eq!(found["account_management_uri"], "https://broadside.test/account");
    let browser = Browser::of(&anna).await;
    let back = "https://app.example/";
    let path = format!("/oauth/sign-out?{}", encoded(&[("post_logout_redirect_uri", back)]));
    // A link alone ends nothing.
    let page = browser.open(&path).await.text();
    assert!(page.contains("<b>anna</b>") && !page.contains("<a href"), "{page}");
    assert!(!is_signed_out(&browser.open("/oauth/apps").await));
    assert_eq!(hidden(&page, "post_logout_redirect_uri"), back);
    let out = browser.submits("/oauth/sign-out", &[("post_logout_redirect_uri", back)]).await;
    assert!(out.text().contains("href=\"https://app.example/\""), "{}", out.text());
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(is_signed_out(&browser.open("/oauth/apps").await));
    for bad in ["javascript:alert(1)", "http://evil.example/", "//evil.example"] {
        let path = format!("/oauth/sign-out?{}", encoded(&[("post_logout_redirect_uri", bad)]));
        assert!(!browser.open(&path).await.text().contains("<a href"), "{bad}");
    }
}

#[actix_web::test]
async fn a_suspended_player_signs_in_to_finish_what_they_play() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let anna = app.player("anna").await;
    mia.post("/v1/moderation/players/anna/suspend", json!({ "reason": "rude" })).await;
    let (_, tokens) = signs_in(&anna).await;
    let account = acting(&anna, &tokens).get("/v1/account").await.expect(200);
    assert_eq!(account["suspension"]["reason"], "rude");
}

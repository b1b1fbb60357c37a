//! OAuth: consent, use, renewal and revocation of an app.

use serde_json::json;

use crate::support::oauth::{
    Browser, VERIFIER, asked, challenge, encoded, exchange, form, hidden, let_in, parameter, refresh, refused, with,
};
use crate::support::{Player, TestApp};

fn acting(player: &Player, tokens: &serde_json::Value) -> Player {
    player.with_token(tokens["access_token"].as_str().unwrap())
}

#[actix_web::test]
async fn an_app_finds_its_way_by_the_metadata() {
    let app = TestApp::start().await;
    let found = app.get("/.well-known/oauth-authorization-server").await.expect(200);
    assert_eq!(found["issuer"], "https://broadside.test");
    assert_eq!(found["authorization_endpoint"], "https://broadside.test/oauth/authorize");
    assert_eq!(found["token_endpoint"], "https://broadside.test/oauth/token");
    assert_eq!(found["revocation_endpoint"], "https://broadside.test/oauth/revoke");
    assert_eq!(found["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(found["authorization_response_iss_parameter_supported"], true);
    assert!(found["scopes_supported"].as_array().unwrap().contains(&json!("matches:play")));
}

#[actix_web::test]
async fn somebody_signs_in_and_lets_an_app_act() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let challenge = challenge(VERIFIER);
    let asked = asked(&challenge);
    let mut browser = Browser::new(&app);
    let address = format!("/oauth/authorize?{}", encoded(&asked));
    let door = browser.open(&address).await;
    assert!(door.text().contains("type=\"password\"") && door.text().contains("app.example"), "{}", door.text());
    assert_eq!(browser.signs_in("anna", "not the one").await.status, 403);
    assert_eq!(browser.signs_in("anna", &anna.password).await.status, 303);
    let page = browser.open(&address).await.text();
    for shown in ["app.example", "https://app.example/cb", "where your hidden fleet is", "anna"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let french = TestApp::send(
        &app,
        actix_web::test::TestRequest::get()
            .uri(&address)
            .insert_header(("cookie", browser.cookie.clone()))
            .insert_header(("accept-language", "fr-CH, en;q=0.5")),
    )
    .await;
    assert!(french.text().contains("lang=\"fr\"") && french.text().contains("Autoriser"), "{}", french.text());
    let back = browser.decides(&asked, "allow").await;
    assert!(back.starts_with("https://app.example/cb?code=boc_"), "{back}");
    assert_eq!(parameter(&back, "state").as_deref(), Some("xyz"));
    assert_eq!(parameter(&back, "iss").as_deref(), Some("https://broadside.test"));
    let tokens = app.token(&exchange(&parameter(&back, "code").unwrap())).await.expect(200);
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(900)));
    assert_eq!(tokens["scope"], "lobby:read matches:read");
    // It has the granted rights only, and never those of a session.
    let acting = acting(&anna, &tokens);
    acting.get("/v1/turns").await.expect(200);
    acting.get("/v1/account").await.problem(403, "insufficient-scope");
    acting.get("/v1/sessions").await.problem(403, "session-required");
    acting
        .post("/v1/account/tokens", json!({ "name": "x", "scopes": ["matches:play"] }))
        .await
        .problem(403, "session-required");
}

#[actix_web::test]
async fn a_token_says_which_app_it_is_for() {
    use base64::Engine;
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = let_in(&anna).await;
    let payload = tokens["access_token"].as_str().unwrap().split('.').nth(1).unwrap();
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    let claims: serde_json::Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!((&claims["client_id"], &claims["scope"]), (&json!("app.example"), &json!("lobby:read matches:read")));
    let listed = anna.get("/v1/account/apps").await.expect(200)["items"][0].clone();
    assert_eq!((&listed["id"], &listed["client_id"]), (&claims["sid"], &json!("app.example")));
    assert_eq!(listed["redirect_uri"], "https://app.example/cb");
    assert_eq!(listed["scopes"], json!(["lobby:read", "matches:read"]));
    let exported = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(exported["apps"][0], listed);
}

#[actix_web::test]
async fn somebody_may_refuse() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let back = Browser::of(&anna).await.decides(&asked(&challenge(VERIFIER)), "refuse").await;
    assert_eq!(parameter(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&back, "state").as_deref(), Some("xyz"));
    assert_eq!(parameter(&back, "iss").as_deref(), Some("https://broadside.test"));
    assert_eq!(parameter(&back, "code"), None);
}

#[actix_web::test]
async fn an_app_stays_with_its_refresh_token() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let first = let_in(&anna).await;
    app.passes_s(901).await;
    acting(&anna, &first).get("/v1/turns").await.problem(401, "token-expired");
    let second = app.token(&refresh(first["refresh_token"].as_str().unwrap())).await.expect(200);
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    assert_eq!(first["scope"], second["scope"]);
    acting(&anna, &second).get("/v1/turns").await.expect(200);
    // The scopes may be repeated, but not changed.
    let token = second["refresh_token"].as_str().unwrap();
    for wider in ["lobby:read matches:read matches:play", "matches:read", "openid"] {
        refused(&app.token(&with(refresh(token), "scope", Some(wider))).await, "invalid_scope");
    }
    app.token(&with(refresh(token), "scope", Some("matches:read lobby:read"))).await.expect(200);
}

#[actix_web::test]
async fn an_app_is_sent_away_by_one_operation() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = let_in(&anna).await;
    // The newest is listed first; ids of one moment have no order.
    app.passes_s(1).await;
    let other = let_in(&anna).await;
    let ben = app.player("ben").await;
    let apps = anna.get("/v1/account/apps").await.expect(200);
    assert_eq!(apps["items"].as_array().unwrap().len(), 2);
    let path = format!("/v1/account/apps/{}", apps["items"][1]["id"].as_str().unwrap());
    ben.request("DELETE", &path, None).await.problem(404, "not-found");
    assert_eq!(anna.request("DELETE", &path, None).await.status, 204);
    anna.request("DELETE", &path, None).await.problem(404, "not-found");
    acting(&anna, &tokens).get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    acting(&anna, &other).get("/v1/turns").await.expect(200);
    // An owner's session is no app.
    let own = anna.get("/v1/sessions").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    anna.request("DELETE", &format!("/v1/account/apps/{own}"), None).await.problem(404, "not-found");
    // A new password ends the others.
    let body = json!({ "current_password": anna.password, "new_password": "ropes, tar and a parrot" });
    assert_eq!(anna.request("PUT", "/v1/account/password", Some(body)).await.status, 204);
    assert_eq!(anna.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    refused(&app.token(&refresh(other["refresh_token"].as_str().unwrap())).await, "invalid_grant");
}

#[actix_web::test]
async fn an_app_is_sent_away_on_the_page() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let tokens = let_in(&anna).await;
    let browser = Browser::of(&anna).await;
    let page = browser.open("/oauth/apps").await.text();
    for shown in ["app.example", "where your hidden fleet is", "<p>Since 2026-11-21</p>"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let token = hidden(&page, "form_token");
    let id = hidden(&page, "id");
    assert_eq!(browser.submits("/oauth/apps", &[("id", &id)]).await.status, 403);
    let pressed = browser.submits("/oauth/apps", &[("id", &id), ("form_token", &token)]).await;
    assert_eq!((pressed.status, pressed.header("location")), (303, Some("/oauth/apps")));
    acting(&anna, &tokens).get("/v1/turns").await.problem(401, "token-unknown");
    assert!(!browser.open("/oauth/apps").await.text().contains("app.example"));
    assert!(Browser::new(&app).open("/oauth/apps").await.text().contains("type=\"password\""));
}

#[actix_web::test]
async fn an_app_gives_its_tokens_back() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for kind in ["refresh_token", "access_token"] {
        let tokens = let_in(&anna).await;
        let give = |client: &'static str, token: String| {
            let app = app.clone();
            async move { app.send(form("/oauth/revoke", &[("client_id", client), ("token", &token)])).await.status }
        };
        let token = tokens[kind].as_str().unwrap().to_owned();
        assert_eq!(give("other.example", token.clone()).await, 200);
        acting(&anna, &tokens).get("/v1/turns").await.expect(200);
        assert_eq!(give("app.example", token.clone()).await, 200);
        acting(&anna, &tokens).get("/v1/turns").await.problem(401, "token-unknown");
        refused(&app.token(&refresh(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
        assert_eq!(give("app.example", token).await, 200);
        assert_eq!(give("app.example", "rubbish".to_owned()).await, 200);
        // An app can't revoke its owner's tokens.
        assert_eq!(give("app.example", anna.token.clone()).await, 200);
        assert_eq!(give("app.example", anna.refresh_token.clone()).await, 200);
        anna.get("/v1/account").await.expect(200);
    }
    refused(&app.send(form("/oauth/revoke", &[("client_id", "app.example")])).await, "invalid_request");
}

#[actix_web::test]
async fn a_guest_has_no_password_to_let_apps_in_with() {
    let app = TestApp::start().await;
    app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    assert_eq!(Browser::new(&app).signs_in("gus", "gus").await.status, 403);
}

#[actix_web::test]
async fn somebody_else_signs_in_and_is_asked_the_same() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let challenge = challenge(VERIFIER);
    let address = format!("/oauth/authorize?{}", encoded(&asked(&challenge)));
    let mut browser = Browser::of(&anna).await;
    let then = hidden(&browser.open(&address).await.text(), "then").replace("&amp;", "&");
    assert_eq!(then, address);
    let out = browser.submits("/oauth/sign-out", &[("then", &then)]).await;
    assert_eq!((out.status, out.header("location")), (303, Some(address.as_str())));
    assert_eq!(browser.signs_in("ben", &ben.password).await.status, 303);
    assert!(browser.open(&address).await.text().contains("<b>ben</b>"));
}

//! OAuth: accounts that may authorize nobody, impostor apps, unreadable requests.

use actix_web::test::TestRequest;
use serde_json::json;

use crate::support::oauth::{
    Browser, VERIFIER, asked, challenge, encoded, exchange, form, hidden, let_in, refresh, refused, with,
};
use crate::support::{Player, TestApp};

async fn code(app: &TestApp, name: &str) -> (Player, String) {
    let player = app.player(name).await;
    let code = Browser::of(&player).await.allows(&asked(&challenge(VERIFIER))).await;
    (player, code)
}

#[actix_web::test]
async fn a_suspended_account_lets_nobody_in() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let (anna, before) = code(&app, "anna").await;
    let browser = Browser::of(&anna).await;
    let suspend = json!({ "reason": "rude" });
    let suspended = mia.post("/v1/moderation/players/anna/suspend", suspend).await;
    assert!(matches!(suspended.status, 200 | 201 | 204), "{}", suspended.text());
    refused(&app.token(&exchange(&before)).await, "invalid_grant");
    let good = challenge(VERIFIER);
    let mut fields = asked(&good);
    let page = browser.open(&format!("/oauth/authorize?{}", encoded(&fields))).await.text();
    let token = hidden(&page, "form_token");
    fields.extend([("form_token", token.as_str()), ("decision", "allow")]);
    let answer = browser.submits("/oauth/authorize", &fields).await;
    assert_eq!((answer.status, answer.header("location")), (403, None), "{}", answer.text());
    assert!(answer.text().contains("suspended"), "{}", answer.text());
}

#[actix_web::test]
async fn a_deleted_account_is_nobodys() {
    let app = TestApp::start().await;
    let (anna, code) = code(&app, "anna").await;
    let tokens = let_in(&anna).await;
    let body = json!({ "password": anna.password });
    assert_eq!(anna.request("DELETE", "/v1/account", Some(body)).await.status, 204);
    refused(&app.token(&exchange(&code)).await, "invalid_grant");
    refused(&app.token(&refresh(tokens["refresh_token"].as_str().unwrap())).await, "invalid_grant");
}

#[actix_web::test]
async fn a_new_password_ends_codes_and_the_pages() {
    let app = TestApp::start().await;
    let (anna, code) = code(&app, "anna").await;
    let browser = Browser::of(&anna).await;
    let body = json!({ "current_password": anna.password, "new_password": "ropes, tar and a parrot" });
    assert_eq!(anna.request("PUT", "/v1/account/password", Some(body)).await.status, 204);
    refused(&app.token(&exchange(&code)).await, "invalid_grant");
    assert!(browser.open("/oauth/apps").await.text().contains("type=\"password\""));
}

#[actix_web::test]
async fn apps_have_no_secrets_here() {
    let app = TestApp::start().await;
    let (_, code) = code(&app, "anna").await;
    let with_basic = form("/oauth/token", &exchange(&code)).insert_header(("authorization", "Basic YTpi"));
    refused(&app.send(with_basic).await, "invalid_client");
    refused(&app.token(&with(exchange(&code), "client_secret", Some("x"))).await, "invalid_client");
    let mut twice = exchange(&code);
    twice.push(("code", "other"));
    refused(&app.token(&twice).await, "invalid_request");
    refused(&app.token(&with(exchange(&code), "grant_type", Some("password"))).await, "unsupported_grant_type");
    refused(&app.token(&with(exchange(&code), "grant_type", None)).await, "invalid_request");
    let as_json = TestRequest::post().uri("/oauth/token").set_json(json!({ "grant_type": "authorization_code" }));
    refused(&app.send(as_json).await, "invalid_request");
    app.token(&exchange(&code)).await.expect(200);
}

/// The limit also holds for codes collected in advance.
#[actix_web::test]
async fn fifty_apps_act_for_an_account_at_most() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let good = challenge(VERIFIER);
    let asked = asked(&good);
    let gathered = browser.allows(&asked).await;
    for _ in 0..50 {
        let code = browser.allows(&asked).await;
        app.token(&exchange(&code)).await.expect(200);
    }
    refused(&app.token(&exchange(&gathered)).await, "invalid_grant");
    let page = browser.open(&format!("/oauth/authorize?{}", encoded(&asked))).await.text();
    let token = hidden(&page, "form_token");
    let mut fields = asked.clone();
    fields.extend([("form_token", token.as_str()), ("decision", "allow")]);
    let answer = browser.submits("/oauth/authorize", &fields).await;
    assert_eq!((answer.status, answer.header("location")), (409, None), "{}", answer.text());
    assert!(answer.text().contains("revoke one first"), "{}", answer.text());
    // After one is revoked, the next may come.
    let id = anna.get("/v1/account/apps").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(anna.request("DELETE", &format!("/v1/account/apps/{id}"), None).await.status, 204);
    app.token(&exchange(&gathered)).await.expect(200);
}

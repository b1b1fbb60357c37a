//! Attacks across several parts of the sign-in: two address changes, consent after the end of a session, leftovers of a
//! found device, unfinished second factors, and nonsense in forms.

use std::net::SocketAddr;

use broadside::accounts::oauth::page_sessions;
use broadside::moderation::recovery;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::account_activity::admin;
use crate::mail::{confirms, with_mail};
use crate::passkeys::{adds, comes, door, removes, with_passkey};
use crate::recovery::{NEXT, completes, gets_link, reachable, signs_in};
use crate::registered_apps::{PATH, registers};
use crate::second_factor::{digits, sets_up};
use crate::support::authenticator::Authenticator;
use crate::support::oauth::{
    Browser, VERIFIER, asked, asked_by_own_page, challenge, encoded, exchange, exchange_of_own_page, form, let_in,
    parameter, refresh, refused,
};
use crate::support::smtp::Postbox;
use crate::support::{Answer, Player, Setup, TestApp, plain};

const PAGE: &str = "/oauth/reset-password/";
const LOG: &str = "/v1/account/security-events";
const DAY_S: i64 = 86_400;

/// Changes the account's address and confirms it later; returns the link mailed to the old address.
async fn moves_to(app: &TestApp, player: &Player, postbox: &Postbox, address: &str) -> Option<String> {
    app.passes_unseen_s(600);
    postbox.empty();
    confirms(&player.signed_in().await, postbox, address).await;
    app.tells_owners().await;
    let told = postbox.empty();
    told.iter().find(|mail| mail.text.contains(PAGE)).map(|mail| mail.path_to(PAGE))
}

#[actix_web::test]
async fn whoever_moves_the_address_twice_gets_no_way_back() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    // A thief has the password and a session.
    let owners = moves_to(&app, &anna, &postbox, "eve@evil.example").await.unwrap();
    assert_eq!(moves_to(&app, &anna, &postbox, "mallory@evil.example").await, None, "eve gets no link");
    // The owner's link works, and ends the thief's access.
    completes(&app, &owners, NEXT).await.expect_status(204);
    let anna = Player { password: NEXT.to_owned(), ..anna }.signed_in().await;
    assert_eq!(anna.get("/v1/account/mail").await.expect(200)["email"], "anna@example.org");
    // After three days the old address has no special rights.
    app.passes_unseen_s(3 * DAY_S);
    assert!(moves_to(&app, &anna, &postbox, "anna@navy.example").await.is_some());
}

#[actix_web::test]
async fn the_operator_ends_the_ways_back() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    // The thief's address was confirmed for longer than the owner's link is valid, and then changed again.
    moves_to(&app, &anna, &postbox, "eve@evil.example").await.unwrap();
    app.passes_unseen_s(4 * DAY_S);
    let thiefs = moves_to(&app, &anna, &postbox, "mallory@evil.example").await.unwrap();
    let (mut tx, accounts) = (app.app.db.begin().await.unwrap(), &app.app.accounts);
    let (name, why) = ("anna".parse().unwrap(), "her address was taken".parse().unwrap());
    let secret = recovery::make_reset_link(&mut tx, accounts, &name, true, why).await.unwrap();
    tx.commit().await.unwrap();
    let link = format!("{PAGE}{secret}");
    completes(&app, &thiefs, "the thief was here").await.problem(401, "reset-link-invalid");
    completes(&app, &link, NEXT).await.expect_status(204);
    let anna = Player { password: NEXT.to_owned(), ..anna }.signed_in().await;
    assert_eq!(anna.get("/v1/account").await.expect(200)["email"], Value::Null);
    // No earlier address is told of the owner's next one.
    assert_eq!(moves_to(&app, &anna, &postbox, "anna@example.org").await, None);
}

#[actix_web::test]
async fn nobody_consents_when_the_session_is_over() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let cookie = browser.cookie.split_once('=').unwrap().1.to_owned();
    let accounts = &app.app.accounts;
    let mut conn = app.app.db.conn().await.unwrap();
    let session = page_sessions::find(&mut conn, accounts, &cookie).await.unwrap().unwrap();
    // The password changes after the request's cookie was verified.
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    let mut tx = app.app.db.begin().await.unwrap();
    let late = page_sessions::require_living(&mut tx, accounts, &session).await;
    assert_eq!(late.unwrap_err().problem().code, "token-missing");
    tx.roll_back().await.unwrap();
}

#[actix_web::test]
async fn whatever_a_passkey_has_opened_ends_with_it() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let id = anna.get("/v1/account/passkeys").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    // The finder of the phone makes a token, and authorizes an app.
    let session = comes(&app, &mut phone).await.expect(201);
    let finder = anna.with_token(session["access_token"].as_str().unwrap());
    let made = finder.post("/v1/account/tokens", json!({ "name": "x", "scopes": ["matches:read"] })).await.expect(201);
    let token = anna.with_token(made["token"].as_str().unwrap());
    let mut browser = Browser::new(&app);
    let question = door(&app).await;
    let credential = phone.answers(&question["options"]).to_string();
    let fields = [("passkey_challenge", question["challenge"].as_str().unwrap()), ("credential", credential.as_str())];
    let answer = browser.submits("/oauth/sign-in/passkey", &fields).await;
    browser.cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let code = browser.allows(&asked(&challenge(VERIFIER))).await;
    let grant = app.token(&exchange(&code)).await.expect(200);
    // Anything the owner made elsewhere stays.
    let own = anna.post("/v1/account/tokens", json!({ "name": "y", "scopes": ["matches:read"] })).await.expect(201);
    let own = anna.with_token(own["token"].as_str().unwrap());
    let kept = let_in(&anna).await;
    for good in [&token, &own] {
        good.get("/v1/turns").await.expect(200);
    }
    removes(&anna, &id, &anna.password).await.expect_status(204);
    token.get("/v1/turns").await.problem(401, "token-unknown");
    refused(&app.token(&refresh(grant["refresh_token"].as_str().unwrap())).await, "invalid_grant");
    own.get("/v1/turns").await.expect(200);
    app.token(&refresh(kept["refresh_token"].as_str().unwrap())).await.expect(200);
    // The export includes apps' sessions, even ended ones.
    let exported = anna.get("/v1/account/export").await.expect(200);
    let apps = exported["sessions"].as_array().unwrap().iter().filter(|one| one["app"] == "app.example");
    assert_eq!(apps.count(), 2);
}

#[actix_web::test]
async fn a_second_factor_that_was_begun_is_forgotten() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let confirm = async |player: &Player, secret: &str| {
        let body = json!({ "code": digits(&app, secret, 0) });
        player.post("/v1/account/second-factor/confirm", body).await
    };
    let secret = sets_up(&anna).await;
    app.passes_unseen_s(15 * 60);
    let anna = anna.signed_in().await;
    confirm(&anna, &secret).await.problem(404, "not-found");
    // An attacker with the password had begun one.
    let secret = sets_up(&anna).await;
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    confirm(&anna, &secret).await.problem(404, "not-found");
    let secret = sets_up(&Player { password: NEXT.to_owned(), ..anna.clone() }).await;
    confirm(&anna, &secret).await.expect(200);
}

#[actix_web::test]
async fn a_session_that_goes_on_elsewhere_stands_in_the_log() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(1);
    let good = challenge(VERIFIER);
    let sent_back = async |browser: &mut Browser| {
        let then = format!("/oauth/authorize?{}", encoded(&asked_by_own_page(&good)));
        let credentials = [("username", anna.name.as_str()), ("password", anna.password.as_str())];
        let answer = browser.comes_in("/oauth/sign-in", &then, &credentials).await;
        parameter(answer.header("location").unwrap(), "code").unwrap()
    };
    let log = async || anna.get(LOG).await.expect(200)["items"].as_array().unwrap().clone();
    // In one browser it is one sign-in, that of the listed session.
    let code = sent_back(&mut Browser::new(&app)).await;
    let tokens = app.token(&exchange_of_own_page(&code)).await.expect(200);
    let page = anna.with_token(tokens["access_token"].as_str().unwrap());
    let events = log().await;
    assert_eq!((events[0]["kind"].as_str(), events.len()), (Some("signed-in"), 2));
    let current = page.get("/v1/sessions").await.expect(200)["items"].clone();
    let current = current.as_array().unwrap().iter().find(|one| one["current"] == true).unwrap().clone();
    assert_eq!(events[0]["session_id"], current["id"]);
    // With a cookie from another browser it is a different one.
    app.passes_unseen_s(1);
    let code = sent_back(&mut Browser::new(&app)).await;
    app.passes_unseen_s(1);
    let elsewhere = SocketAddr::from(([203, 0, 113, 9], 4711));
    app.send_from(elsewhere, form("/oauth/token", &exchange_of_own_page(&code))).await.expect(200);
    let events = log().await;
    assert_eq!(events[0]["kind"], "continued-elsewhere");
    assert_eq!(events[0]["network"], "203.0.113.0/24");
}

#[actix_web::test]
async fn a_device_that_signs_in_with_a_passkey_is_known_then() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let mut phone = Authenticator::new(1);
    adds(&anna, &mut phone).await;
    app.tells_owners().await;
    app.passes_unseen_s(60 * DAY_S);
    postbox.empty();
    comes(&app, &mut phone).await.expect(201);
    assert_eq!(app.tells_owners().await, 1, "nobody has signed in for eight weeks");
    comes(&app, &mut phone).await.expect(201);
    assert_eq!(app.tells_owners().await, 0);
}

#[actix_web::test]
async fn a_suspended_app_keeps_its_name() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let own = registers(&anna, "Harbour Chart").await;
    admin(&app, &["suspend-app", &own.client_id]);
    let path = format!("{PATH}/{}", own.id);
    let renamed = anna.request("PATCH", &path, Some(json!({ "name": "Something Else" }))).await;
    assert_eq!(renamed.pointers(), ["/name"]);
    anna.request("PATCH", &path, Some(json!({ "description": "It draws." }))).await.expect(200);
}

#[actix_web::test]
async fn nonsense_at_the_token_endpoint_costs_its_address() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let nonsense: [&[(&str, &str)]; 4] = [
        &[("client_id", "app.example")],
        &[("client_id", "app.example"), ("grant_type", "authorization_code")],
        &[("client_id", "app.example"), ("grant_type", "refresh_token"), ("refresh_token", "x")],
        &[("client_id", "broadside-web"), ("grant_type", "refresh_token")],
    ];
    for (number, fields) in (1_u8..).zip(nonsense) {
        let from = SocketAddr::from(([198, 51, 100, number], 4711));
        let mut answers = 0;
        while app.send_from(from, form("/oauth/token", fields)).await.status != 429 {
            answers += 1;
            assert!(answers < 10_000, "{fields:?} costs nothing");
        }
    }
}

#[actix_web::test]
async fn the_way_back_from_signing_out_shows_where_it_leads() {
    let app = TestApp::start().await;
    let page =
        Browser::new(&app).open("/oauth/sign-out?post_logout_redirect_uri=https%3A%2F%2Fevil.example%2Flogin").await;
    assert!(page.text().contains("<code>https://evil.example/login</code>"), "{}", page.text());
}

/// After a password reset, only the person who did it has access.
#[actix_web::test]
async fn a_passkey_that_is_gone_sets_no_password() {
    let (app, postbox) = with_mail().await;
    let anna = reachable(&app, &postbox, "anna").await;
    let mut thiefs = Authenticator::new(1);
    adds(&anna, &mut thiefs).await;
    let question = door(&app).await;
    let passkey = json!({ "challenge": question["challenge"], "credential": thiefs.answers(&question["options"]) });
    app.tells_owners().await;
    postbox.empty();
    let link = gets_link(&app, &postbox, "anna").await;
    completes(&app, &link, NEXT).await.expect_status(204);
    let session = signs_in(&app, "anna", NEXT).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    let body = json!({ "passkey": passkey, "new_password": "the thief was here" });
    let refused = anna.request("PUT", "/v1/account/password", Some(body)).await;
    assert_eq!(refused.pointers(), ["/passkey/credential"]);
}

/// A form field with a known or unknown name.
fn any_field() -> impl Strategy<Value = (String, String)> {
    let known = prop::sample::select(vec![
        "grant_type",
        "code",
        "client_id",
        "redirect_uri",
        "code_verifier",
        "code_challenge",
        "code_challenge_method",
        "scope",
        "state",
        "response_type",
        "prompt",
        "username",
        "password",
        "then",
        "form_token",
        "decision",
        "user_code",
        "device_code",
        "refresh_token",
        "token",
        "challenge",
        "passkey_challenge",
        "credential",
        "session",
        "new_password",
        "login",
        "post_logout_redirect_uri",
        "email",
    ]);
    let name = prop_oneof![4 => known.prop_map(str::to_owned), 1 => "[\\PC]{0,12}"];
    let value = prop_oneof![
        "[\\PC\u{0}-\u{1f}]{0,40}",
        prop::sample::select(vec![
            "authorization_code",
            "refresh_token",
            "broadside-web",
            "app.example",
            "https://app.example/cb",
            "allow",
            "S256",
            "code",
            "{}",
            "[]",
            "null",
            "/oauth/apps",
            "//evil.example",
            "anna",
            "create",
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec!["boc_", "bod_", "brt_", "bpr_", "bwc_", "bsc_", "bpc_"])
            .prop_map(|prefix| format!("{prefix}{}", "A".repeat(43))),
    ];
    (name, value)
}

#[actix_web::test]
async fn no_form_breaks_a_page() {
    const PATHS: [&str; 15] = [
        "/oauth/token",
        "/oauth/revoke",
        "/oauth/authorize",
        "/oauth/apps",
        "/oauth/device",
        "/oauth/device_authorization",
        "/oauth/sign-in",
        "/oauth/sign-in/passkey",
        "/oauth/sign-in/second-factor",
        "/oauth/register",
        "/oauth/sign-out",
        "/oauth/reset-password",
        "/oauth/reset-password/bpr_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "/oauth/apps/broadside-web",
        "/oauth/passkey.js",
    ];
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let browser = Browser::of(&anna).await;
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let forms = prop::collection::vec(any_field(), 0..8);
    for round in 0..450 {
        let fields = forms.new_tree(&mut runner).unwrap().current();
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let path = PATHS[round % PATHS.len()];
        // With and without a session, as a form and as a query.
        let browser = if round % 2 == 0 { &browser } else { &Browser::new(&app) };
        let answer: Answer = match round / PATHS.len() % 2 {
            0 => browser.submits(path, &fields).await,
            _ => browser.open(&format!("{path}?{}", encoded(&fields))).await,
        };
        assert!(answer.status < 500, "{path} answers {} to {fields:?}", answer.status);
    }
    // Nor do bytes that are no form.
    for path in PATHS {
        for body in [&b"\xff\xfe\x00"[..], b"%zz=%", b"{\"a\": 1}", b"&&&==&"] {
            let kind = ("content-type", "application/x-www-form-urlencoded");
            let sent = browser.sends(plain("POST", path, None).insert_header(kind).set_payload(body.to_vec())).await;
            assert!(sent.status < 500, "{path} answers {}", sent.status);
        }
    }
    anna.get("/v1/account").await.expect(200);
}

//! Attacks on passkeys: without one, or with another account's.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::mail::{confirms, with_mail};
use crate::oauth_devices;
use crate::passkeys::{adds, answers, comes, door, is_asked, removes, sends, with_passkey};
use crate::recovery::{NEXT, signs_in};
use crate::second_factor::guards;
use crate::support::authenticator::Authenticator;
use crate::support::oauth::{Browser, VERIFIER, asked, challenge, exchange, refused};
use crate::support::{Setup, TestApp, plain};

/// One deviation from a correct authenticator.
type Lie = (&'static str, fn(&mut Authenticator));

const LIES: [Lie; 8] = [
    ("another site", |lying| lying.origin = "https://evil.example".to_owned()),
    ("a site beneath", |lying| lying.origin = "https://evil.broadside.test".to_owned()),
    ("another port", |lying| lying.origin = "https://broadside.test:8443".to_owned()),
    ("no TLS", |lying| lying.origin = "http://broadside.test".to_owned()),
    ("a name that begins alike", |lying| lying.origin = "https://broadside.test.evil.example".to_owned()),
    ("a key of another site", |lying| lying.rp_id = "evil.example".to_owned()),
    ("no user verification", |lying| lying.verifies = false),
    ("something else", |lying| lying.kind = Some("payment.get")),
];

#[actix_web::test]
async fn what_is_not_for_this_site_adds_nothing() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for (lie, tell) in LIES {
        let asked = is_asked(&anna, None).await;
        let mut phone = Authenticator::new(1);
        tell(&mut phone);
        let made = phone.makes(&asked["options"]);
        assert_eq!(sends(&anna, &asked, &made).await.pointers(), ["/credential"], "{lie}");
        // The challenge is used up.
        let made = Authenticator::new(1).makes(&asked["options"]);
        assert_eq!(sends(&anna, &asked, &made).await.pointers(), ["/challenge"]);
    }
    // Nor does an answer to another challenge.
    let (first, second) = (is_asked(&anna, None).await, is_asked(&anna, None).await);
    let made = Authenticator::new(1).makes(&first["options"]);
    assert_eq!(sends(&anna, &first, &made).await.pointers(), ["/challenge"]);
    assert_eq!(sends(&anna, &second, &made).await.pointers(), ["/credential"]);
    assert_eq!(anna.get("/v1/account/passkeys").await.expect(200)["items"], json!([]));
}

#[actix_web::test]
async fn what_is_not_for_this_site_signs_nobody_in() {
    let app = TestApp::start().await;
    let (_, phone) = with_passkey(&app, "anna", 1).await;
    for (lie, tell) in LIES {
        let mut lying = phone.clone();
        tell(&mut lying);
        let refused = comes(&app, &mut lying).await;
        assert_eq!(refused.status, 401, "{lie}");
        refused.problem(401, "invalid-passkey");
    }
    // Not with another key, for another account, or without a user handle.
    let (_, eves) = with_passkey(&app, "eve", 2).await;
    let asked = door(&app).await;
    let mut stolen = eves.clone().answers(&asked["options"]);
    stolen["id"] = json!(phone.id());
    stolen["rawId"] = json!(phone.id());
    stolen["response"]["userHandle"] = json!(phone.user);
    answers(&app, &asked, &stolen).await.problem(401, "invalid-passkey");
    for user in [json!(eves.user), Value::Null, json!("AAAA")] {
        let asked = door(&app).await;
        let mut answer = phone.clone().answers(&asked["options"]);
        answer["response"]["userHandle"] = user;
        answers(&app, &asked, &answer).await.problem(401, "invalid-passkey");
    }
    // An unknown passkey is refused like a wrong one.
    let asked = door(&app).await;
    let mut unknown = Authenticator::new(3);
    unknown.user = phone.user.clone();
    let unknown = answers(&app, &asked, &unknown.answers(&asked["options"])).await.problem(401, "invalid-passkey");
    let asked = door(&app).await;
    let mut answer = phone.clone().answers(&asked["options"]);
    answer["response"]["signature"] = json!("AAAA");
    let wrong = answers(&app, &asked, &answer).await.problem(401, "invalid-passkey");
    assert_eq!(unknown["detail"], wrong["detail"]);
    comes(&app, &mut phone.clone()).await.expect(201);
}

#[actix_web::test]
async fn a_challenge_is_good_once_and_for_five_minutes() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let asked = door(&app).await;
    let answer = phone.answers(&asked["options"]);
    answers(&app, &asked, &answer).await.expect(201);
    answers(&app, &asked, &answer).await.problem(401, "sign-in-challenge-invalid");
    // The old answer to a new challenge.
    answers(&app, &door(&app).await, &answer).await.problem(401, "invalid-passkey");
    let late = door(&app).await;
    app.passes_unseen_s(299);
    let in_time = door(&app).await;
    app.passes_unseen_s(1);
    answers(&app, &late, &phone.answers(&late["options"])).await.problem(401, "sign-in-challenge-invalid");
    answers(&app, &in_time, &phone.answers(&in_time["options"])).await.expect(201);
    // Challenges for signing in and for adding are not interchangeable, nor are those of different accounts.
    let asked = door(&app).await;
    let made = Authenticator::new(3).makes(&is_asked(&anna, None).await["options"]);
    assert_eq!(sends(&anna, &asked, &made).await.pointers(), ["/challenge"]);
    let asked = is_asked(&anna, None).await;
    let as_sign_in = json!({ "challenge": asked["options"]["challenge"], "userVerification": "required" });
    answers(&app, &asked, &phone.answers(&as_sign_in)).await.problem(401, "sign-in-challenge-invalid");
    let eve = app.player("eve").await;
    let made = Authenticator::new(3).makes(&asked["options"]);
    assert_eq!(sends(&eve, &asked, &made).await.pointers(), ["/challenge"]);
    // Made-up challenges, and other secrets.
    let invented = json!({ "challenge": format!("bwc_{}", "A".repeat(43)) });
    assert_eq!(sends(&eve, &invented, &made).await.pointers(), ["/challenge"]);
    answers(&app, &invented, &answer).await.problem(401, "sign-in-challenge-invalid");
    answers(&app, &json!({ "challenge": anna.refresh_token }), &answer).await.problem(422, "validation-failed");
    // A job deletes them.
    app.passes_unseen_s(301);
    assert!(broadside::accounts::forget_old(&app.app).await.unwrap() > 0);
    crate::support::database::execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM passkey_challenges").await;
}

#[actix_web::test]
async fn a_copied_passkey_is_dead() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let mut phone = Authenticator::new(1);
    adds(&anna, &mut phone).await;
    let mut copy = phone.clone();
    app.tells_owners().await;
    postbox.empty();
    let session = comes(&app, &mut phone).await.expect(201);
    let by_phone = anna.with_token(session["access_token"].as_str().unwrap());
    // The thief's copy continues the counter from the time of the copy.
    comes(&app, &mut copy).await.problem(401, "invalid-passkey");
    assert_eq!(app.tells_owners().await, 1);
    assert_eq!(postbox.next().await.header("subject"), "A passkey was copied");
    by_phone.get("/v1/account").await.problem(401, "token-unknown");
    for device in [&mut phone, &mut copy] {
        device.counter += 10;
        comes(&app, device).await.problem(401, "invalid-passkey");
    }
    let listed = anna.get("/v1/account/passkeys").await.expect(200);
    assert_eq!(listed["items"][0]["cloned_at"], "2026-11-21T07:30:00.000Z");
    // It is no second factor either, and the password still signs in.
    let guarded = guards(&anna).await;
    let ask = json!({ "sign_in_challenge": guarded.challenge().await });
    app.post("/v1/sessions/passkey/challenges", ask).await.problem(404, "not-found");
    // An authenticator without a counter can't be told from its copy.
    let eve = app.player("eve").await;
    let mut silent = Authenticator::new(2);
    (silent.counter, silent.counts) = (0, false);
    adds(&eve, &mut silent).await;
    for _ in 0..2 {
        comes(&app, &mut silent).await.expect(201);
    }
}

/// Signs in with a passkey on the pages.
async fn comes_on_pages(app: &TestApp, authenticator: &mut Authenticator) -> Browser {
    let asked = door(app).await;
    let credential = authenticator.answers(&asked["options"]).to_string();
    let fields = [("passkey_challenge", asked["challenge"].as_str().unwrap()), ("credential", &credential)];
    let mut browser = Browser::new(app);
    let answer = browser.comes_in("/oauth/sign-in/passkey", "/oauth/apps", &fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    browser
}

#[actix_web::test]
async fn what_a_passkey_has_approved_opens_nothing_when_it_is_dead() {
    for is_removed in [true, false] {
        let app = TestApp::start().await;
        let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
        let mut copy = phone.clone();
        let thief = comes_on_pages(&app, &mut phone).await;
        let begun = oauth_devices::begin(&app).await;
        oauth_devices::decides(&thief, &begun, "allow").await;
        let code = thief.allows(&asked(&challenge(VERIFIER))).await;
        if is_removed {
            let listed = anna.get("/v1/account/passkeys").await.expect(200);
            removes(&anna, listed["items"][0]["id"].as_str().unwrap(), &anna.password).await.expect_status(204);
        } else {
            comes(&app, &mut copy).await.problem(401, "invalid-passkey");
        }
        refused(&app.token(&oauth_devices::question(&begun)).await, "invalid_grant");
        refused(&app.token(&exchange(&code)).await, "invalid_grant");
        assert_eq!(anna.get("/v1/account/apps").await.expect(200)["items"], json!([]));
    }
}

#[actix_web::test]
async fn a_new_password_ends_what_the_old_one_has_begun() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let guarded = guards(&anna).await;
    let thief = guarded.signs_in().await;
    let ask = json!({ "sign_in_challenge": guarded.challenge().await });
    let asked = app.post("/v1/sessions/passkey/challenges", ask).await.expect(200);
    app.passes_unseen_s(30);
    let begun = is_asked(&thief, Some(&guarded.digits())).await;
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    answers(&app, &asked, &phone.answers(&asked["options"])).await.problem(401, "sign-in-challenge-invalid");
    let made = Authenticator::new(2).makes(&begun["options"]);
    sends(&thief, &begun, &made).await.problem(401, "token-unknown");
    assert_eq!(sends(&anna, &begun, &made).await.pointers(), ["/challenge"]);
    // The passkey stays: its owner chose the password.
    comes(&app, &mut phone).await.expect(201);
}

#[actix_web::test]
async fn only_the_owner_with_the_password_adds_and_removes() {
    let app = TestApp::start().await;
    let (anna, _) = with_passkey(&app, "anna", 1).await;
    let id = anna.get("/v1/account/passkeys").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/account/passkeys/{id}");
    let token = app.lasting_player("ben").await;
    let proof = json!({ "current_password": token.password });
    token.get("/v1/account/passkeys").await.problem(403, "session-required");
    token.post("/v1/account/passkeys/challenges", proof.clone()).await.problem(403, "session-required");
    token.request("DELETE", &path, Some(proof.clone())).await.problem(403, "session-required");
    // Another account's passkey is not found.
    let eve = app.player("eve").await;
    let proof = json!({ "current_password": eve.password });
    eve.request("DELETE", &path, Some(proof)).await.problem(404, "not-found");
    eve.request("PATCH", &path, Some(json!({ "name": "mine" }))).await.problem(404, "not-found");
    let guessed = json!({ "current_password": "guessed" });
    let refused = anna.post("/v1/account/passkeys/challenges", guessed).await;
    assert_eq!(refused.pointers(), ["/current_password"]);
    // A key belongs to one account.
    let asked = is_asked(&eve, None).await;
    let made = Authenticator::new(1).makes(&asked["options"]);
    assert_eq!(sends(&eve, &asked, &made).await.pointers(), ["/credential"]);
    let named = anna.request("PATCH", &path, Some(json!({ "name": "a\u{202e}b" }))).await;
    assert_eq!(named.pointers(), ["/name"]);
}

#[actix_web::test]
async fn a_suspended_account_comes_in_and_begins_nothing() {
    let app = TestApp::start().await;
    let (anna, mut phone) = with_passkey(&app, "anna", 1).await;
    let mia = app.moderator("mia").await;
    let body = json!({ "reason": "insults after a warning", "expires_in_s": 3600 });
    mia.post("/v1/moderation/players/anna/suspend", body).await.expect_status(204);
    // As by password.
    signs_in(&app, "anna", &anna.password).await.expect(201);
    let session = comes(&app, &mut phone).await.expect(201);
    assert_eq!(session["account"]["suspension"]["reason"], "insults after a warning");
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    let offer = json!({ "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } });
    anna.post("/v1/challenges", offer).await.problem(403, "account-suspended");
}

#[actix_web::test]
async fn an_account_has_twenty_at_most() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for number in 1..=19 {
        adds(&anna, &mut Authenticator::new(number)).await;
    }
    let asked = is_asked(&anna, None).await;
    adds_directly(&app, "anna", 20).await;
    let made = Authenticator::new(21).makes(&asked["options"]);
    sends(&anna, &asked, &made).await.problem(409, "quota-exceeded");
    let body = json!({ "current_password": anna.password });
    anna.post("/v1/account/passkeys/challenges", body).await.problem(409, "quota-exceeded");
}

/// Adds a passkey directly, as if by another session.
async fn adds_directly(app: &TestApp, name: &str, number: u8) {
    let row = format!(
        "INSERT INTO passkeys (id, account_id, credential_id, credential, name, created_at) \
         SELECT gen_random_uuid(), id, '\\x{number:02x}', '{{}}', 'another', now() FROM accounts \
         WHERE username = '{name}'"
    );
    crate::support::database::execute(&app.database, &row).await;
}

#[actix_web::test]
async fn sign_ins_are_counted_by_address() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let from: SocketAddr = "192.0.2.1:40000".parse().unwrap();
    let mut last = 200;
    for _ in 0..200 {
        let ask = plain("POST", "/v1/sessions/passkey/challenges", Some(json!({})));
        last = app.send_from(from, ask).await.status;
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    let elsewhere = plain("POST", "/v1/sessions/passkey/challenges", Some(json!({})));
    app.send_from("192.0.2.2:40000".parse().unwrap(), elsewhere).await.expect(200);
}

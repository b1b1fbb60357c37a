//! Attacks on the second factor: guessing, replaying, racing, and detours.

use std::net::SocketAddr;

use serde_json::json;

use crate::mail::{confirms, with_mail};
use crate::recovery::{NEXT, completes, gets_link, signs_in};
use crate::second_factor::{answers, digits, guards};
use crate::support::{TestApp, plain};

#[actix_web::test]
async fn a_code_is_good_once_and_so_is_its_time_step() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let of_now = guarded.digits();
    answers(&app, &guarded.challenge().await, &of_now).await.expect(201);
    answers(&app, &guarded.challenge().await, &of_now).await.problem(401, "invalid-code");
    // Nor is a code of an earlier step, even if the clock would allow it.
    let before = digits(&app, &guarded.secret, -1);
    answers(&app, &guarded.challenge().await, &before).await.problem(401, "invalid-code");
    // A code from a fast clock is one step ahead, and ends the current step.
    let next = digits(&app, &guarded.secret, 1);
    answers(&app, &guarded.challenge().await, &next).await.expect(201);
    app.passes_unseen_s(30);
    answers(&app, &guarded.challenge().await, &next).await.problem(401, "invalid-code");
    let body = json!({ "current_password": guarded.player.password, "code": next });
    let refused = guarded.player.request("DELETE", "/v1/account/second-factor", Some(body)).await;
    assert_eq!(refused.pointers(), ["/code"], "nor for anything else");
    for far in [-2, 2] {
        let code = digits(&app, &guarded.secret, far);
        answers(&app, &guarded.challenge().await, &code).await.problem(401, "invalid-code");
    }
}

#[actix_web::test]
async fn two_requests_at_the_same_moment_use_one_code_once() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let other = app.another_node().await;
    for code in [guarded.digits(), guarded.recovery_codes[0].clone()] {
        let (first, second) = (guarded.challenge().await, guarded.challenge().await);
        let (one, two) = tokio::join!(answers(&app, &first, &code), answers(&other, &second, &code));
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 401], "{code}");
    }
    // One challenge opens one session, whatever the answer.
    let open = guarded.challenge().await;
    let codes = [&guarded.recovery_codes[1], &guarded.recovery_codes[2]];
    let (one, two) = tokio::join!(answers(&app, &open, codes[0]), answers(&other, &open, codes[1]));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401]);
}

#[actix_web::test]
async fn guessing_is_hopeless_from_wherever_it_comes() {
    let (app, postbox) = with_mail().await;
    let anna = app.player("anna").await;
    confirms(&anna, &postbox, "anna@example.org").await;
    let guarded = guards(&anna).await;
    app.tells_owners().await;
    postbox.empty();
    // An attacker with the password has many addresses and any number of challenges.
    for number in 0..20_u8 {
        let from: SocketAddr = format!("192.0.2.{number}:40000").parse().unwrap();
        let body = json!({ "challenge": guarded.challenge().await, "code": "000000" });
        let guess = plain("POST", "/v1/sessions/second-factor", Some(body));
        app.send_from(from, guess).await.problem(401, "invalid-code");
    }
    assert_eq!(app.tells_owners().await, 1, "the owner hears of ten");
    assert_eq!(postbox.next().await.header("subject"), "Somebody may know your password");
    let refused = answers(&app, &guarded.challenge().await, &guarded.digits()).await;
    refused.problem(429, "too-many-requests");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() > 86_000);
    let body = json!({ "current_password": anna.password, "code": guarded.digits() });
    anna.request("DELETE", "/v1/account/second-factor", Some(body)).await.problem(429, "too-many-requests");
    // The owner isn't locked out: a recovery code works. A new password resets nothing, since the old one and a session
    // suffice to set it; a mailed link does, which needs the mailbox.
    let session = answers(&app, &guarded.challenge().await, &guarded.recovery_codes[0]).await.expect(201);
    let anna = anna.with_token(session["access_token"].as_str().unwrap());
    answers(&app, &guarded.challenge().await, &guarded.digits()).await.problem(429, "too-many-requests");
    let body = json!({ "current_password": anna.password, "new_password": NEXT });
    anna.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    let asked = signs_in(&app, "anna", NEXT).await.problem(401, "second-factor-required");
    let challenge = asked["challenge"].as_str().unwrap();
    answers(&app, challenge, &guarded.digits()).await.problem(429, "too-many-requests");
    app.tells_owners().await;
    postbox.empty();
    let link = gets_link(&app, &postbox, "anna").await;
    completes(&app, &link, "the third of my passwords").await.expect_status(204);
    let asked = signs_in(&app, "anna", "the third of my passwords").await.problem(401, "second-factor-required");
    answers(&app, asked["challenge"].as_str().unwrap(), &guarded.digits()).await.expect(201);
}

#[actix_web::test]
async fn a_day_later_digits_are_good_again() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    for _ in 0..20 {
        answers(&app, &guarded.challenge().await, "000000").await.problem(401, "invalid-code");
    }
    app.passes_unseen_s(24 * 3600 - 1);
    answers(&app, &guarded.challenge().await, &guarded.digits()).await.problem(429, "too-many-requests");
    app.passes_unseen_s(1);
    answers(&app, &guarded.challenge().await, &guarded.digits()).await.expect(201);
}

#[actix_web::test]
async fn a_challenge_is_short_lived_and_its_accounts_own() {
    let app = TestApp::start().await;
    let (anna, eve) = (guards(&app.player("anna").await).await, guards(&app.player("eve").await).await);
    // Five wrong codes end a challenge.
    let open = anna.challenge().await;
    for _ in 0..5 {
        answers(&app, &open, "000000").await.problem(401, "invalid-code");
    }
    answers(&app, &open, &anna.digits()).await.problem(401, "sign-in-challenge-invalid");
    // So do five minutes.
    let open = anna.challenge().await;
    app.passes_unseen_s(300);
    answers(&app, &open, &anna.digits()).await.problem(401, "sign-in-challenge-invalid");
    // Another account's codes open nothing.
    let open = anna.challenge().await;
    answers(&app, &open, &eve.digits()).await.problem(401, "invalid-code");
    answers(&app, &open, &eve.recovery_codes[0]).await.problem(401, "invalid-code");
    let session = answers(&app, &open, &anna.recovery_codes[0]).await.expect(201);
    assert_eq!(session["account"]["username"], "anna");
    answers(&app, &open, &anna.recovery_codes[1]).await.problem(401, "sign-in-challenge-invalid");
    // A made-up challenge, and other secrets.
    let invented = format!("bsc_{}", "A".repeat(43));
    answers(&app, &invented, &anna.digits()).await.problem(401, "sign-in-challenge-invalid");
    let refresh = session["refresh_token"].as_str().unwrap();
    answers(&app, &refresh.replace("brt_", "bsc_"), &anna.digits()).await.problem(401, "sign-in-challenge-invalid");
    answers(&app, refresh, &anna.digits()).await.problem(422, "validation-failed");
    // A challenge is no token.
    let open = anna.challenge().await;
    anna.player.with_token(&open).get("/v1/account").await.expect_status(401);
    app.post("/v1/sessions/refresh", json!({ "refresh_token": open })).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_new_password_ends_a_challenge() {
    let app = TestApp::start().await;
    let guarded = guards(&app.player("anna").await).await;
    let theirs = guarded.challenge().await;
    let body = json!({ "current_password": guarded.player.password, "new_password": NEXT });
    guarded.player.request("PUT", "/v1/account/password", Some(body)).await.expect_status(204);
    answers(&app, &theirs, &guarded.digits()).await.problem(401, "sign-in-challenge-invalid");
}

#[actix_web::test]
async fn a_stolen_session_neither_sees_nor_changes_it() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    // First with a personal token.
    for (method, path) in [
        ("GET", "/v1/account/second-factor"),
        ("POST", "/v1/account/second-factor"),
        ("POST", "/v1/account/second-factor/confirm"),
        ("POST", "/v1/account/second-factor/recovery-codes"),
        ("DELETE", "/v1/account/second-factor"),
    ] {
        let body = (method != "GET").then(|| json!({ "current_password": anna.password, "code": "000000" }));
        anna.request(method, path, body).await.problem(403, "session-required");
    }
    // A session without the password can't set one up, so a thief can't lock the owner out.
    let stolen = anna.signed_in().await;
    let body = json!({ "current_password": "guessed" });
    stolen.post("/v1/account/second-factor", body).await.problem(422, "validation-failed");
    let guarded = guards(&stolen).await;
    // Nor can it read the secret afterwards.
    let seen = stolen.get("/v1/account/second-factor").await.text() + &stolen.get("/v1/account/export").await.text();
    assert!(!seen.contains(&guarded.secret) && !seen.contains(&guarded.recovery_codes[0]), "{seen}");
}

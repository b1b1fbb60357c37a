//! Guests: their rights, their conversion to full accounts, and their expiry.

use broadside::account_deletion;
use broadside::accounts::guests::GuestSettings;
use serde_json::{Value, json};

use crate::support::setup::Setup;
use crate::support::{Player, TestApp, plain, plays_out};

const GOOD: &str = "three masts and a storm";
const DAY_S: i64 = 24 * 60 * 60;

pub async fn guest(app: &TestApp, name: &str) -> Player {
    let body = app.post("/v1/guests", json!({ "username": name })).await.expect(201);
    assert_eq!(body["account"]["guest"], true);
    Player {
        app: app.clone(),
        name: name.to_owned(),
        id: body["account"]["id"].as_str().unwrap().to_owned(),
        token: body["access_token"].as_str().unwrap().to_owned(),
        refresh_token: body["refresh_token"].as_str().unwrap().to_owned(),
        password: String::new(),
    }
}

async fn refreshed(player: &Player) -> Player {
    let body = json!({ "refresh_token": player.refresh_token });
    let body = player.app.post("/v1/sessions/refresh", body).await.expect(200);
    let refresh_token = body["refresh_token"].as_str().unwrap().to_owned();
    Player { refresh_token, ..player.with_token(body["access_token"].as_str().unwrap()) }
}

async fn sweep(app: &TestApp) {
    account_deletion::sweep_guests(&app.app.accounts, &app.app.matches).await.unwrap();
}

#[actix_web::test]
async fn a_guest_plays_with_a_name_and_nothing_else() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    assert_eq!(gus.get("/v1/account").await.expect(200)["email"], Value::Null);
    assert_eq!(app.get("/v1/players/gus").await.expect(200)["guest"], true);
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["guest"], false);
    let id = gus.challenges_and_meets(&ben, json!({})).await;
    assert_eq!(plays_out(&[&gus, &ben], &id, 400).await["status"], "finished");
    assert_eq!(app.get("/v1/players/gus").await.expect(200)["matches"]["finished"], 1);
    // Guests and full accounts share one namespace.
    app.post("/v1/guests", json!({ "username": "Ben" })).await.problem(409, "username-taken");
    app.post("/v1/accounts", json!({ "username": "GUS", "password": GOOD })).await.problem(409, "username-taken");
    app.post("/v1/guests", json!({ "username": "moderator" })).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn nobody_signs_in_as_a_guest() {
    let app = TestApp::start().await;
    guest(&app, "gus").await;
    for password in ["x", "", "gus", GOOD] {
        let answer = app.post("/v1/sessions", json!({ "username": "gus", "password": password })).await;
        assert!(matches!(answer.status, 401 | 422), "{password:?}: {}", answer.text());
    }
}

#[actix_web::test]
async fn guests_play_unrated() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    let terms = |rated: bool, opponent: &str| {
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        json!({ "variant": "classic", "clock": clock, "rated": rated, "opponent": opponent })
    };
    gus.post("/v1/challenges", terms(true, "ben")).await.problem(403, "guest-not-allowed");
    let refused = ben.post("/v1/challenges", terms(true, "gus")).await;
    refused.problem(422, "validation-failed");
    assert_eq!(
        (refused.pointers(), refused.json()["errors"][0]["code"].clone()),
        (vec!["/opponent".into()], json!("guest"))
    );
    ben.post("/v1/challenges", terms(false, "gus")).await.expect(201);
    for (rated, status) in [(true, 422), (false, 201)] {
        let mut invites = terms(rated, "");
        invites.as_object_mut().unwrap().remove("opponent");
        invites["invited"] = json!(["gus"]);
        let answer = ben.post("/v1/challenges", invites).await.expect(status);
        assert!(
            !rated
                || answer["errors"][0]
                    == json!({ "pointer": "/invited/0", "code": "guest", "detail": "gus is a guest and plays unrated matches only" }),
            "{answer}"
        );
    }
    let mut open = terms(true, "");
    open.as_object_mut().unwrap().remove("opponent");
    let open = ben.post("/v1/challenges", open).await.expect(201);
    let accept = format!("/v1/challenges/{}/accept", open["id"].as_str().unwrap());
    gus.post(&accept, json!({})).await.problem(403, "guest-not-allowed");
    assert_eq!(ben.get(&accept.replace("/accept", "")).await.expect(200)["status"], "open");
}

/// The operations with a token that guests may use; all others are refused.
const MAY: [&str; 36] = [
    "accept_challenge",
    "block_player",
    "claim_account",
    "create_challenge",
    "create_passkey",
    "create_passkey_challenge",
    "create_push_subscription",
    "create_stream_ticket",
    "decline_challenge",
    "delete_push_subscription",
    "delete_session",
    "delete_standing_orders",
    "export_account",
    "export_matches",
    "get_account",
    "get_calendar",
    "get_events",
    "get_match_notes",
    "get_standing_orders",
    "list_account_ladders",
    "list_blocked_players",
    "list_messages",
    "list_muted_players",
    "list_push_subscriptions",
    "list_sessions",
    "list_turns",
    "mute_player",
    "replace_match_notes",
    "replace_standing_orders",
    "report_message",
    "report_text",
    "request_rematch",
    "submit_action",
    "unblock_player",
    "unmute_player",
    "withdraw_challenge",
];

#[actix_web::test]
async fn guests_are_refused_what_is_not_in_the_table() {
    let app = TestApp::start().await;
    let gus = guest(&app, "gus").await;
    let mut may = Vec::new();
    for operation in crate::authorization::operations(&app).await {
        if operation.id == "claim_account" {
            may.push(operation.id);
            continue;
        }
        let anonymous = crate::authorization::tried(&app, &operation, None).await;
        if anonymous.status != 401 || anonymous.json()["code"] != "token-missing" {
            continue;
        }
        let answer = crate::authorization::tried(&app, &operation, Some(&gus.token)).await;
        if answer.status == 403 && answer.json()["code"] == "guest-not-allowed" {
            continue;
        }
        assert_ne!(answer.status, 401, "{}: {}", operation.id, answer.text());
        may.push(operation.id);
    }
    may.sort();
    assert_eq!(may, MAY);
}

#[actix_web::test]
async fn a_guest_who_gets_a_password_is_an_account_like_any_other() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    let id = gus.challenges_and_meets(&ben, json!({})).await;
    let claim = |password: &str| {
        let (gus, body) = (gus.clone(), json!({ "password": password }));
        async move { gus.post("/v1/account/claim", body).await }
    };
    let weak = claim("password").await;
    weak.problem(422, "validation-failed");
    assert_eq!(weak.pointers(), ["/password"]);
    gus.post("/v1/account/tokens", json!({ "name": "x", "scopes": ["account:read"] }))
        .await
        .problem(403, "guest-not-allowed");
    for _ in 0..2 {
        let once = plain("POST", "/v1/account/claim", Some(json!({ "password": GOOD })));
        let once = gus.signed(once).insert_header(("idempotency-key", "a-password-at-last"));
        assert_eq!(app.send(once).await.expect(200)["guest"], false);
    }
    claim(GOOD).await.problem(409, "already-done");
    ben.post("/v1/account/claim", json!({ "password": GOOD })).await.problem(409, "already-done");
    // The session and the matches stay; refused operations are now allowed.
    assert_eq!(gus.sees(&id).await["viewer"]["seat"], 0);
    gus.post("/v1/account/tokens", json!({ "name": "x", "scopes": ["account:read"] })).await.expect(201);
    app.post("/v1/sessions", json!({ "username": "gus", "password": GOOD })).await.expect(201);
    app.passes_s(61 * DAY_S).await;
    sweep(&app).await;
    app.get("/v1/players/gus").await.expect(200);
}

#[actix_web::test]
async fn guests_go_when_nobody_uses_them() {
    let guests = GuestSettings { idle_days: 10, ..GuestSettings::default() };
    let app = TestApp::with(Setup { guests: Some(guests), ..Setup::default() }).await;
    let (mut gus, ida, ben) = (guest(&app, "gus").await, guest(&app, "ida").await, app.player("ben").await);
    let terms = json!({ "clock": { "kind": "none" } });
    let id = ida.challenges_and_meets(&ben, terms).await;
    app.passes_s(9 * DAY_S).await;
    gus = refreshed(&gus).await;
    sweep(&app).await;
    app.get("/v1/players/ida").await.expect(200);
    app.passes_s(2 * DAY_S).await;
    sweep(&app).await;
    app.get("/v1/players/ida").await.problem(404, "not-found");
    app.get("/v1/players/gus").await.expect(200);
    // The match is over, and stays in Ben's list.
    let body = json!({ "username": "ben", "password": ben.password });
    let ben = ben.with_token(app.post("/v1/sessions", body).await.expect(201)["access_token"].as_str().unwrap());
    let left = ben.sees(&id).await;
    assert_eq!((&left["status"], &left["seats"][0]["player"]["username"] != "ida"), (&json!("finished"), true));
    app.post("/v1/guests", json!({ "username": "ida" })).await.problem(409, "username-taken");
    // A guest without a password can't sign in again after signing out.
    let gus = refreshed(&gus).await;
    let session = gus.get("/v1/sessions").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(gus.request("DELETE", &format!("/v1/sessions/{session}"), None).await.status, 204);
    sweep(&app).await;
    app.get("/v1/players/gus").await.problem(404, "not-found");
}

#[actix_web::test]
async fn the_operator_may_want_no_guests() {
    let guests = GuestSettings { allowed: false, ..GuestSettings::default() };
    let app = TestApp::with(Setup { guests: Some(guests), ..Setup::default() }).await;
    app.post("/v1/guests", json!({ "username": "gus" })).await.problem(409, "guests-disabled");
}

#[actix_web::test]
async fn guests_and_accounts_have_one_budget_by_address() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    for number in 0..30 {
        app.post("/v1/guests", json!({ "username": format!("gus{number}") })).await.expect(201);
    }
    app.post("/v1/guests", json!({ "username": "gus30" })).await.problem(429, "too-many-requests");
    app.post("/v1/accounts", json!({ "username": "ben", "password": GOOD })).await.problem(429, "too-many-requests");
}

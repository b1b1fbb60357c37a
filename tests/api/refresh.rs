//! Refresh tokens: one chain per session, and no way to keep a copy alive.

use broadside::accounts::SessionSettings;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::{Answer, Player, Setup, TestApp, plain};

pub async fn signs_in(player: &Player) -> Value {
    let body = json!({ "username": player.name, "password": player.password });
    player.app.post("/v1/sessions", body).await.expect(201)
}

async fn refreshes(app: &TestApp, token: &Value) -> Answer {
    app.post("/v1/sessions/refresh", json!({ "refresh_token": token })).await
}

pub fn with(player: &Player, body: &Value) -> Player {
    player.with_token(body["access_token"].as_str().unwrap())
}

#[actix_web::test]
async fn a_refresh_token_is_exchanged_for_the_next_pair() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.passes_unseen_s(800);
    let next = refreshes(&app, &json!(anna.refresh_token)).await.expect(200);
    assert_ne!(next["refresh_token"], json!(anna.refresh_token));
    app.passes_unseen_s(800);
    let now = with(&anna, &next);
    now.get("/v1/account").await.expect(200);
    let sessions = now.get("/v1/sessions").await.expect(200);
    let session = &sessions["items"][0];
    assert_eq!(session["id"], next["session_id"]);
    assert_eq!(session["created_at"], "2026-11-21T07:30:00.000Z");
    assert_eq!(session["last_used_at"], "2026-11-21T07:43:20.000Z");
    assert_eq!(session["expires_at"], "2027-01-20T07:43:20.000Z");
}

#[actix_web::test]
async fn a_refresh_whose_answer_was_lost_can_be_repeated_for_twenty_seconds() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let token = json!(anna.refresh_token);
    let lost = refreshes(&app, &token).await.expect(200);
    app.passes_unseen_s(20);
    let again = refreshes(&app, &token).await.expect(200);
    assert_eq!((&lost["expires_in_s"], &again["expires_in_s"]), (&json!(900), &json!(880)));
    for same in ["session_id", "access_token", "refresh_token"] {
        assert_eq!(lost[same], again[same], "the same pair again: {same}");
    }
    with(&anna, &again).get("/v1/account").await.expect(200);
    refreshes(&app, &again["refresh_token"]).await.expect(200);
}

#[actix_web::test]
async fn one_refresh_token_makes_one_pair() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let anna = app.player("anna").await;
    // At the same moment on two nodes; both lock the token's row.
    let token = json!(anna.refresh_token);
    let nodes = [&app, &far];
    let all = join_all((0..22).map(|number| refreshes(nodes[number % 2], &token))).await;
    let mut pairs: Vec<_> = all.iter().map(|answer| answer.expect(200)["refresh_token"].clone()).collect();
    pairs.dedup();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    // Once the next token was used, the previous one is a copy, however soon it is sent.
    let next = refreshes(&app, &pairs[0]).await.expect(200);
    refreshes(&app, &token).await.problem(401, "refresh-token-reused");
    refreshes(&app, &next["refresh_token"]).await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn now_and_then_an_answer_may_be_lost() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut token = json!(anna.refresh_token);
    for _ in 0..3 {
        let lost = refreshes(&app, &token).await.expect(200);
        // Repeatable, since any answer may be lost: each is the same.
        for _ in 0..3 {
            app.passes_unseen_s(5);
            assert_eq!(refreshes(&app, &token).await.expect(200)["refresh_token"], lost["refresh_token"]);
        }
        app.passes_unseen_s(800);
        let next = refreshes(&app, &lost["refresh_token"]).await.expect(200);
        app.passes_unseen_s(800);
        token = next["refresh_token"].clone();
    }
    refreshes(&app, &token).await.expect(200);
}

#[actix_web::test]
async fn personal_tokens_go_with_the_stolen_session_that_made_them() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let anna = app.player("anna").await;
    let elsewhere = with(&anna, &signs_in(&anna).await);
    let makes = async |from: &Player| {
        let made = from.post("/v1/account/tokens", json!({ "name": "bot", "scopes": ["account:read"] })).await;
        from.with_token(made.expect(201)["token"].as_str().unwrap())
    };
    let (of_thief, of_owner) = (makes(&anna).await, makes(&elsewhere).await);
    of_thief.get("/v1/account").await.expect(200);
    let next = with(&anna, &refreshes(&app, &json!(anna.refresh_token)).await.expect(200));
    next.at(&far).get("/v1/account").await.expect(200);
    app.passes_unseen_s(21);
    refreshes(&app, &json!(anna.refresh_token)).await.problem(401, "refresh-token-reused");
    of_thief.get("/v1/account").await.problem(401, "token-unknown");
    of_owner.get("/v1/account").await.expect(200);
    // A node that still trusts the session makes no token that would outlive it.
    next.at(&far).get("/v1/account").await.expect(200);
    let late = next.at(&far).post("/v1/account/tokens", json!({ "name": "late", "scopes": ["account:read"] })).await;
    late.problem(401, "token-unknown");
    assert_eq!(elsewhere.get("/v1/account/tokens").await.expect(200)["items"].as_array().unwrap().len(), 1);
    // The owner is notified once.
    refreshes(&app, &json!(anna.refresh_token)).await.problem(401, "token-unknown");
    let told: Vec<Value> =
        elsewhere.hears(0).await.into_iter().filter(|event| event["type"] == "session-revoked").collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let sessions = elsewhere.get("/v1/sessions").await.expect(200);
    assert!(sessions["items"].as_array().unwrap().iter().all(|session| session["id"] != told[0]["session_id"]));
    assert_eq!(told[0]["revoked_tokens"], 1);
}

#[actix_web::test]
async fn a_refresh_token_used_twice_ends_its_session() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let elsewhere = signs_in(&anna).await;
    let stolen = json!(anna.refresh_token);
    let next = refreshes(&app, &stolen).await.expect(200);
    let owner = with(&anna, &next);
    owner.get("/v1/account").await.expect(200);
    app.passes_unseen_s(21);
    refreshes(&app, &stolen).await.problem(401, "refresh-token-reused");
    owner.get("/v1/account").await.problem(401, "token-unknown");
    refreshes(&app, &next["refresh_token"]).await.problem(401, "token-unknown");
    refreshes(&app, &stolen).await.problem(401, "token-unknown");
    with(&anna, &elsewhere).get("/v1/account").await.expect(200);
}

#[actix_web::test]
async fn an_idempotency_key_keeps_no_refresh_token_alive() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let once = || {
        let body = json!({ "refresh_token": anna.refresh_token });
        let request = plain("POST", "/v1/sessions/refresh", Some(body));
        app.send(request.insert_header(("idempotency-key", "one")))
    };
    let first = once().await.expect(200);
    assert_eq!(once().await.expect(200), first);
    app.passes_unseen_s(21);
    once().await.problem(401, "refresh-token-reused");
    refreshes(&app, &first["refresh_token"]).await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn a_session_ends_at_its_greatest_age() {
    const DAY_S: i64 = 24 * 60 * 60;
    let sessions = Some(SessionSettings { max_days: 100 });
    let app = TestApp::with(Setup { sessions, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let mut next = json!({ "refresh_token": anna.refresh_token });
    for _ in 0..2 {
        app.passes_unseen_s(45 * DAY_S);
        next = refreshes(&app, &next["refresh_token"]).await.expect(200);
    }
    let listed = with(&anna, &next).get("/v1/sessions").await.expect(200);
    assert_eq!(listed["items"][0]["expires_at"], "2027-03-01T07:30:00.000Z", "100 days after the sign-in");
    app.passes_unseen_s(10 * DAY_S - 60);
    let last = refreshes(&app, &next["refresh_token"]).await.expect(200);
    app.passes_unseen_s(60);
    with(&anna, &last).get("/v1/account").await.problem(401, "token-unknown");
    refreshes(&app, &last["refresh_token"]).await.problem(401, "token-unknown");
    // A stricter setting by the operator applies to existing sessions.
    let young = signs_in(&anna).await;
    app.passes_unseen_s(2 * DAY_S);
    let strict = Setup { sessions: Some(SessionSettings { max_days: 1 }), ..Setup::default() };
    let strict = TestApp::on(app.database.clone(), app.clock.clone(), strict).await;
    refreshes(&strict, &young["refresh_token"]).await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn nobody_at_the_same_address_stops_the_refreshes_of_others() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let garbage = || app.post("/v1/sessions/refresh", json!({ "refresh_token": "garbage" }));
    let unknown = |number: u8| format!("brt_{}", char::from(b'A' + number % 26).to_string().repeat(43));
    let mut used_up = false;
    for number in 0..60 {
        garbage().await.problem(422, "validation-failed");
        used_up |= refreshes(&app, &json!(unknown(number))).await.status == 429;
        app.post("/v1/sessions", json!({ "username": 7 })).await.problem(422, "validation-failed");
    }
    assert!(used_up, "unknown tokens have no end");
    // It never blocks a token's owner or a sign-in.
    let mut next = json!(anna.refresh_token);
    signs_in(&ben).await;
    // A session has a budget of its own.
    let mut refreshed = 0;
    while let Some(token) = Some(refreshes(&app, &next).await).filter(|answer| answer.status == 200) {
        next = token.json()["refresh_token"].clone();
        refreshed += 1;
        assert!(refreshed < 90, "refreshes have no end");
    }
    assert!(refreshed >= 30, "{refreshed}");
    refreshes(&app, &next).await.problem(429, "too-many-requests");
    let answer = refreshes(&app, &json!(ben.refresh_token)).await;
    answer.expect(200);
    assert_eq!(answer.header("ratelimit-policy"), Some("\"refresh\";q=30;w=300"));
}

#[actix_web::test]
async fn invented_tokens_are_refused_before_they_are_looked_up() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    let wanted = json!({ "name": "bot", "scopes": ["account:read"] });
    let made = anna.post("/v1/account/tokens", wanted).await.expect(201)["token"].clone();
    let invented = |number: u8| format!("{}", char::from(b'a' + number)).repeat(43);
    for number in 0..15 {
        refreshes(&app, &json!(format!("brt_{}", invented(number)))).await.problem(401, "token-unknown");
        let bot = anna.with_token(&format!("bst_{}", invented(number)));
        bot.get("/v1/account").await.problem(401, "token-unknown");
        // A malformed token is refused without being counted.
        anna.with_token("bst_short").get("/v1/account").await.problem(401, "token-malformed");
    }
    // A lookup would fail here.
    let rename = async |from: &str, to: &str| {
        let sql = ["refresh", "access"].map(|kind| format!("ALTER TABLE {kind}_{from} RENAME TO {kind}_{to};"));
        execute(&app.database, &sql.concat()).await;
    };
    rename("tokens", "hidden").await;
    let refused = refreshes(&app, &json!(format!("brt_{}", invented(20)))).await;
    refused.problem(429, "too-many-requests");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"unknown-token\";q=30;w=300"));
    let refused = anna.with_token(&format!("bst_{}", invented(20))).get("/v1/account").await;
    refused.problem(429, "too-many-requests");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"unknown-token\";q=30;w=300"));
    rename("hidden", "tokens").await;
    // A valid token still works, here and on a node that hasn't seen it yet.
    anna.with_token(made.as_str().unwrap()).get("/v1/account").await.expect(200);
    refreshes(&app, &json!(anna.refresh_token)).await.expect(200);
}

#[actix_web::test]
async fn a_token_that_was_refused_is_not_looked_up_again() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let phone = signs_in(&anna).await;
    let old = with(&anna, &phone);
    anna.request("DELETE", &format!("/v1/sessions/{}", phone["session_id"].as_str().unwrap()), None).await.expect(204);
    old.get("/v1/account").await.problem(401, "token-unknown");
    execute(&app.database, "ALTER TABLE sessions RENAME TO hidden_sessions").await;
    old.get("/v1/account").await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn an_unknown_refresh_token_is_refused() {
    let app = TestApp::start().await;
    let unknown = format!("brt_{}", "A".repeat(43));
    refreshes(&app, &json!(unknown)).await.problem(401, "token-unknown");
    for bad in [json!("brt_"), json!("x"), json!(7)] {
        refreshes(&app, &bad).await.problem(422, "validation-failed");
    }
}

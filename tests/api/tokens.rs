//! Personal access tokens: made with scopes, used, revoked.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Answer, Player, TestApp};

async fn makes(player: &Player, wanted: Value) -> Answer {
    player.post("/v1/account/tokens", wanted).await
}

async fn token(player: &Player, scopes: &[&str]) -> (Player, String) {
    let made = makes(player, json!({ "name": "my bot", "scopes": scopes })).await.expect(201);
    let id = made["id"].as_str().unwrap().to_owned();
    (player.with_token(made["token"].as_str().unwrap()), id)
}

#[actix_web::test]
async fn a_token_is_shown_once() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wanted =
        json!({ "name": "my bot", "scopes": ["matches:play", "matches:read", "matches:play"], "expires_in_s": 3600 });
    let answer = makes(&anna, wanted).await;
    let made = answer.expect(201);
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("bst_") && secret.len() == 47, "{secret}");
    assert_eq!(answer.header("location").unwrap(), format!("/v1/account/tokens/{}", made["id"].as_str().unwrap()));
    assert_eq!(made["scopes"], json!(["matches:read", "matches:play"]));
    assert_eq!(made["expires_at"], "2026-11-21T08:30:00.000Z");
    let listed = anna.get("/v1/account/tokens").await;
    assert!(!listed.text().contains(secret));
    let expected = json!({
        "id": made["id"], "name": "my bot", "scopes": ["matches:read", "matches:play"],
        "created_at": "2026-11-21T07:30:00.000Z", "last_used_at": null, "expires_at": "2026-11-21T08:30:00.000Z",
    });
    assert_eq!(listed.expect(200), json!({ "items": [expected], "next_cursor": null }));
}

#[actix_web::test]
async fn a_token_does_what_its_scopes_say_and_no_more() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (reader, _) = token(&anna, &["account:read"]).await;
    assert_eq!(reader.get("/v1/account").await.expect(200)["id"], json!(anna.id));
    let refused = reader.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await;
    assert!(refused.problem(403, "insufficient-scope")["detail"].as_str().unwrap().contains("account:write"));
    reader.get("/v1/turns").await.problem(403, "insufficient-scope");
    let (all, _) =
        token(&anna, &["account:read", "account:write", "lobby:read", "lobby:write", "matches:read", "matches:play"])
            .await;
    all.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    // No scope replaces a session: a token can't make tokens, end sessions, or delete the account.
    all.get("/v1/sessions").await.problem(403, "session-required");
    makes(&all, json!({ "name": "more", "scopes": ["account:read"] })).await.problem(403, "session-required");
    all.request("DELETE", "/v1/account", Some(json!({ "password": anna.password })))
        .await
        .problem(403, "session-required");
}

#[actix_web::test]
async fn a_revoked_token_is_dead_here_at_once_and_everywhere_within_thirty_seconds() {
    let app = TestApp::start().await;
    let far = app.another_node().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (bot, id) = token(&anna, &["account:read"]).await;
    let there = bot.at(&far);
    bot.get("/v1/account").await.expect(200);
    there.get("/v1/account").await.expect(200);
    let path = format!("/v1/account/tokens/{id}");
    ben.request("DELETE", &path, None).await.problem(404, "not-found");
    anna.request("DELETE", &path, None).await.expect(204);
    bot.get("/v1/account").await.problem(401, "token-unknown");
    app.passes_unseen_s(30);
    there.get("/v1/account").await.problem(401, "token-unknown");
    anna.request("DELETE", &path, None).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_token_stops_when_its_time_is_over() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let made =
        makes(&anna, json!({ "name": "short", "scopes": ["account:read"], "expires_in_s": 60 })).await.expect(201);
    let bot = anna.with_token(made["token"].as_str().unwrap());
    app.passes_unseen_s(59);
    bot.get("/v1/account").await.expect(200);
    app.passes_unseen_s(1);
    bot.get("/v1/account").await.problem(401, "token-unknown");
    bot.at(&app.restarted().await).get("/v1/account").await.problem(401, "token-unknown");
}

#[actix_web::test]
async fn the_last_use_is_noted_once_a_minute() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let (bot, _) = token(&anna, &["account:read"]).await;
    let noted = || async { anna.get("/v1/account/tokens").await.expect(200)["items"][0]["last_used_at"].clone() };
    assert_eq!(noted().await, Value::Null);
    bot.get("/v1/account").await.expect(200);
    assert_eq!(noted().await, "2026-11-21T07:30:00.000Z");
    app.passes_unseen_s(45);
    bot.get("/v1/account").await.expect(200);
    assert_eq!(noted().await, "2026-11-21T07:30:00.000Z");
    app.passes_unseen_s(35);
    bot.get("/v1/account").await.expect(200);
    assert_eq!(noted().await, "2026-11-21T07:31:20.000Z");
}

#[actix_web::test]
async fn every_fault_of_a_token_is_named() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let refused = makes(&anna, json!({ "name": "", "scopes": ["account:read", "matches:*"], "lives": 1 })).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort();
    assert_eq!(pointers, ["/lives", "/name", "/scopes/1"]);
    for (wanted, pointer) in [
        (json!({ "name": "x", "scopes": [] }), "/scopes"),
        (json!({ "name": "x", "scopes": ["account:read"], "expires_in_s": 59 }), "/expires_in_s"),
        (json!({ "name": "x", "scopes": ["account:read"], "expires_in_s": 31_622_401 }), "/expires_in_s"),
        (json!({ "name": "x\u{0}", "scopes": ["account:read"] }), "/name"),
    ] {
        let refused = makes(&anna, wanted).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [pointer]);
    }
    for life in [60, 31_622_400] {
        makes(&anna, json!({ "name": "x", "scopes": ["account:read"], "expires_in_s": life })).await.expect(201);
    }
}

#[actix_web::test]
async fn an_account_has_fifty_tokens_at_most() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wanted = json!({ "name": "one of many", "scopes": ["account:read"] });
    for _ in 0..45 {
        makes(&anna, wanted.clone()).await.expect(201);
    }
    let together = join_all((0..10).map(|_| makes(&anna, wanted.clone()))).await;
    assert_eq!(together.iter().filter(|answer| answer.status == 201).count(), 5);
    makes(&anna, wanted.clone()).await.problem(409, "quota-exceeded");
    let page = anna.get("/v1/account/tokens?limit=20").await.expect(200);
    assert_eq!(page["items"].as_array().unwrap().len(), 20);
    let path = format!("/v1/account/tokens?limit=100&cursor={}", page["next_cursor"].as_str().unwrap());
    let rest = anna.get(&path).await.expect(200);
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (30, &Value::Null));
    let path = format!("/v1/account/tokens/{}", page["items"][0]["id"].as_str().unwrap());
    anna.request("DELETE", &path, None).await.expect(204);
    makes(&anna, wanted).await.expect(201);
}

#[actix_web::test]
async fn a_repeated_request_makes_one_token() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wanted = json!({ "name": "bot", "scopes": ["account:read"] });
    let make = || anna.post_once("key-1", "/v1/account/tokens", wanted.clone());
    let (first, again) = (make().await, make().await);
    assert_eq!(first.expect(201), again.expect(201));
    assert_eq!(anna.get("/v1/account/tokens").await.expect(200)["items"].as_array().unwrap().len(), 1);
    // The stored answer can be read only with the key, and a revoked token stays revoked.
    let bot = anna.with_token(first.json()["token"].as_str().unwrap());
    bot.get("/v1/account").await.expect(200);
}

//! Roles and the audit log.

use serde_json::{Value, json};

use crate::support::{Player, TestApp};

/// The log's kinds as a moderator reads them, newest first.
async fn kinds(moderator: &Player, query: &str) -> Vec<String> {
    let page = moderator.get(&format!("/v1/moderation/actions{query}")).await.expect(200);
    let items = page["items"].as_array().unwrap();
    items.iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn nobody_has_a_role_until_the_operator_gives_it_and_it_is_gone_at_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let anna = app.player("anna").await;
    anna.get("/v1/moderation/actions").await.problem(403, "role-required");
    app.grants("anna", "organizer").await;
    anna.get("/v1/moderation/actions").await.problem(403, "role-required");
    app.grants("ANNA", "moderator").await;
    // Her token is unchanged, on either node.
    assert_eq!(kinds(&anna, "").await, ["role-granted", "role-granted"]);
    assert_eq!(kinds(&anna.at(&other), "").await, ["role-granted", "role-granted"]);
    other.revokes("anna", "moderator").await;
    anna.get("/v1/moderation/actions").await.problem(403, "role-required");
    anna.at(&other).get("/v1/moderation/actions").await.problem(403, "role-required");
}

#[actix_web::test]
async fn the_log_says_who_did_what_about_whom_and_why() {
    let app = TestApp::start().await;
    let (mia, ben) = (app.moderator("mia").await, app.player("ben").await);
    app.passes_s(1).await;
    app.grants("ben", "organizer").await;
    app.passes_s(1).await;
    app.revokes("ben", "organizer").await;
    let page = mia.get("/v1/moderation/actions?player=ben").await.expect(200);
    let newest = &page["items"][0];
    assert_eq!(newest["kind"], "role-revoked");
    assert_eq!(newest["by"], Value::Null, "the operator has no account");
    assert_eq!(newest["player"], json!({ "id": ben.id, "username": "ben", "bot": false }));
    assert_eq!(newest["reason"], "that will do");
    assert_eq!(newest["details"], json!({ "role": "organizer" }));
    assert_eq!(page["items"].as_array().unwrap().len(), 2);
    assert_eq!(kinds(&mia, "?player=nobody").await.len(), 0);
    assert_eq!(kinds(&mia, "?actor=mia").await.len(), 0);
    let first = mia.get("/v1/moderation/actions?limit=2").await.expect(200);
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(kinds(&mia, &format!("?limit=2&cursor={cursor}")).await, ["role-granted"]);
}

#[actix_web::test]
async fn who_deletes_his_account_has_no_role_any_more() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let body = json!({ "username": "mia", "password": mia.password });
    let session = app.post("/v1/sessions", body).await.expect(201);
    let session = mia.with_token(session["access_token"].as_str().unwrap());
    session.request("DELETE", "/v1/account", Some(json!({ "password": mia.password }))).await.expect(204);
    let mut conn = app.app.db.conn().await.unwrap();
    assert!(broadside::moderation::grants::list(&mut conn).await.unwrap().is_empty());
}

#[actix_web::test]
async fn a_moderator_who_is_suspended_reads_nothing_of_it() {
    let app = TestApp::start().await;
    let (mia, ben) = (app.moderator("mia").await, app.lasting_player("ben").await);
    // The role comes after the suspension: people with a role can't be suspended.
    let body = json!({ "reason": "insults after a warning", "expires_in_s": 3600 });
    mia.post("/v1/moderation/players/ben/suspend", body).await.expect(204);
    app.grants("ben", "moderator").await;
    let paths = ["actions", "players/mia", "players/mia/hit-analysis", "abuse-reports", "fair-play"]
        .map(|path| format!("/v1/moderation/{path}"));
    for path in &paths {
        ben.get(path).await.problem(403, "account-suspended");
        mia.get(path).await.expect(200);
    }
    app.passes_s(3600).await;
    for path in &paths {
        ben.get(path).await.expect(200);
    }
}

#[actix_web::test]
async fn what_was_done_about_a_ladder_is_found_by_its_id() {
    let app = TestApp::start().await;
    let (mia, anna) = (app.moderator("mia").await, app.lasting_player("anna").await);
    let mut ladders = Vec::new();
    for title in ["One", "Another"] {
        let clock = json!({ "kind": "per-move", "move_s": 86_400 });
        let terms = json!({ "title": title, "format": "rating", "variant": "classic", "clock": clock });
        let ladder = anna.post("/v1/ladders", terms).await.expect(201)["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/ladders/{ladder}/close");
        mia.post(&path, json!({ "reason": format!("{title} too many") })).await.expect(200);
        ladders.push(ladder);
    }
    let found = mia.get(&format!("/v1/moderation/actions?ladder_id={}", ladders[0])).await.expect(200);
    assert_eq!((found["items"].as_array().unwrap().len(), &found["items"][0]["reason"]), (1, &json!("One too many")));
    assert_eq!(found["items"][0]["ladder_id"], json!(ladders[0]));
}

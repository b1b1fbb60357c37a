//! Idempotency keys: one request, one effect, one answer.

use futures_util::future::join_all;
use serde_json::json;

use crate::authorization::operations;
use crate::second_factor::digits;
use crate::support::database::execute;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, deployment};
use crate::support::{Setup, TestApp, plain};

fn challenge() -> serde_json::Value {
    json!({ "variant": "classic", "clock": { "kind": "none" } })
}

#[actix_web::test]
async fn a_repetition_gets_the_first_answer() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let first = anna.post_once("key-1", "/v1/challenges", challenge()).await;
    let again = anna.post_once("key-1", "/v1/challenges", challenge()).await;
    first.expect(201);
    assert_eq!((again.status, &again.body, again.header("location")), (201, &first.body, first.header("location")));
    assert_eq!(anna.get("/v1/challenges?mine=true").await.expect(200)["items"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_key_belongs_to_one_request_and_one_account() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    anna.post_once("key-1", "/v1/challenges", challenge()).await.expect(201);
    let other = json!({ "variant": "paper", "clock": { "kind": "none" } });
    anna.post_once("key-1", "/v1/challenges", other.clone()).await.problem(422, "idempotency-key-reused");
    ben.post_once("key-1", "/v1/challenges", other).await.expect(201);
    anna.post_once("", "/v1/challenges", challenge()).await.problem(400, "malformed-header");
}

#[actix_web::test]
async fn the_oldest_answers_of_an_address_make_room() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let anna = app.player("anna").await;
    anna.post_once("first", "/v1/challenges", challenge()).await.expect(201);
    let more = "INSERT INTO idempotency_keys (id, fingerprint, created_at, response, owner) \
         SELECT decode(md5(n::text), 'hex'), fingerprint, created_at + interval '1 s', decode(repeat('00', 60000), 'hex'), owner \
         FROM idempotency_keys, generate_series(1, 80) AS n WHERE owner IS NOT NULL";
    execute(&app.database, more).await;
    app.passes_s(2).await;
    let last = anna.post_once("last", "/v1/challenges", challenge()).await;
    last.expect(201);
    assert_eq!(anna.post_once("last", "/v1/challenges", challenge()).await.body, last.body);
    let refused = anna.post_once("first", "/v1/challenges", challenge()).await.problem(422, "idempotency-key-reused");
    assert!(refused["detail"].as_str().unwrap().contains("no longer stored"), "{refused}");
    let most = "SELECT 1 / (sum(octet_length(response)) <= 4194304)::int FROM idempotency_keys WHERE owner IS NOT NULL";
    execute(&app.database, most).await;
    assert_eq!(anna.get("/v1/challenges?mine=true").await.expect(200)["items"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn a_failure_is_not_kept() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let to_carl = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "carl" });
    anna.post_once("key-1", "/v1/challenges", to_carl.clone()).await.problem(422, "validation-failed");
    let _carl = app.player("carl").await;
    anna.post_once("key-1", "/v1/challenges", to_carl).await.expect(201);
    drop(ben);
}

#[actix_web::test]
async fn the_same_key_twice_at_once_has_one_effect() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let anna = app.player("anna").await;
    let nodes = [anna.clone(), anna.at(&other)];
    let both = (0..10).map(|turn| nodes[turn % 2].post_once("key-1", "/v1/challenges", challenge()));
    let answers = join_all(both).await;
    for answer in &answers {
        answer.expect(201);
        assert_eq!(answer.body, answers[0].body);
    }
    assert_eq!(anna.get("/v1/challenges?mine=true").await.expect(200)["items"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn an_action_is_answered_again_as_it_was() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let path = format!("/v1/matches/{id}/actions");
    let fire = json!({ "action": { "type": "fire", "cells": ["J6"] } });
    let first = anna.post_once("shot", &path, fire.clone()).await;
    first.expect(200);
    ben.fires(&id, &["A1"]).await;
    // The match has moved on and the node was restarted, but the answer is still the first one.
    let again = anna.at(&app.restarted().await).post_once("shot", &path, fire).await;
    assert_eq!((again.status, again.text(), again.header("etag")), (200, first.text(), first.header("etag")));
    let other = json!({ "action": { "type": "fire", "cells": ["J7"] } });
    anna.post_once("shot", &path, other).await.problem(422, "idempotency-key-reused");
}

#[actix_web::test]
async fn the_same_action_twice_at_once_is_one_action() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    ben.deploys(&id, SOUTH_EAST).await;
    let nodes = [anna.clone(), anna.at(&other)];
    let path = format!("/v1/matches/{id}/actions");
    let order = json!({ "action": deployment(NORTH_WEST) });
    let answers = join_all((0..10).map(|turn| nodes[turn % 2].post_once("fleet", &path, order.clone()))).await;
    for answer in &answers {
        answer.expect(200);
        assert_eq!(answer.text(), answers[0].text());
    }
}

/// Every POST accepts a key, or documents its reason for not needing one.
#[actix_web::test]
async fn every_post_takes_a_key_or_says_why_not() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    app.grants("anna", "moderator").await;
    let document = app.get("/openapi.json").await.json();
    let (mut taken, mut reasons) = (0, Vec::new());
    for operation in operations(&app).await.into_iter().filter(|operation| operation.method == "POST") {
        let described = operation.described(&document);
        let parameters = described["parameters"].as_array().cloned().unwrap_or_default();
        let takes = parameters.contains(&json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        let request = anna.signed(plain("POST", &operation.path, operation.body.clone()));
        let answer = app.send(request.insert_header(("idempotency-key", ""))).await;
        let is_read = answer.json_or_null()["code"] == "malformed-header";
        assert_eq!(is_read, takes, "{}: {}", operation.id, answer.text());
        if takes {
            taken += 1;
            continue;
        }
        let said = described["description"].as_str().unwrap();
        let reason = said.split("\n\n").find(|text| text.contains("`Idempotency-Key`"));
        reasons.push(reason.unwrap_or_else(|| panic!("{} says nothing: {said}", operation.id)).to_owned());
    }
    assert!(taken >= 71 && reasons.len() <= 9, "{taken} take a key; {reasons:#?}");
}

/// Secrets that are shown only once must survive a lost answer.
#[actix_web::test]
async fn what_is_shown_once_is_shown_again_to_its_owner() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let password = json!({ "current_password": anna.password });
    let path = "/v1/account/second-factor";
    let first = anna.post_once("set-up", path, password.clone()).await.expect(200);
    assert_eq!(anna.post_once("set-up", path, password.clone()).await.expect(200)["secret"], first["secret"]);
    assert_ne!(anna.post_once("anew", path, password.clone()).await.expect(200)["secret"], first["secret"]);
    let second = anna.post_once("again", path, password).await.expect(200);

    let secret = second["secret"].as_str().unwrap();
    let code = json!({ "code": digits(&app, secret, 0) });
    let confirm = format!("{path}/confirm");
    let codes = anna.post_once("confirm", &confirm, code.clone()).await.expect(200);
    assert_eq!(anna.post_once("confirm", &confirm, code).await.expect(200), codes);

    app.passes_unseen_s(60);
    let replace = format!("{path}/recovery-codes");
    let wrong = json!({ "current_password": anna.password, "code": "000000" });
    let both = json!({ "current_password": anna.password, "code": digits(&app, secret, 0) });
    // A wrong code is counted even under a key, and leaves the key free.
    for _ in 0..3 {
        anna.post_once("replace", &replace, wrong.clone()).await.problem(422, "validation-failed");
    }
    execute(&app.database, "DO $$ BEGIN ASSERT (SELECT failures FROM second_factors) = 3; END $$").await;
    let replaced = anna.post_once("replace", &replace, both.clone()).await.expect(200);
    assert_eq!(anna.post_once("replace", &replace, both.clone()).await.expect(200), replaced);
    anna.post("/v1/account/second-factor/recovery-codes", both).await.problem(422, "validation-failed");
}

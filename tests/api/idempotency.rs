//! One request, one effect, one answer.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::TestApp;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, deployment};

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
    // The match has moved on, and the node has been started again: the answer is the first one all the same.
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

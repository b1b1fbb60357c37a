//! An armistice over HTTP: play and clocks stop, and resume.

use serde_json::json;

use crate::support::TestApp;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};

#[actix_web::test]
async fn an_armistice_stops_the_clocks_and_shows_the_proof() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let terms = json!({ "clock": { "kind": "per-move", "move_s": 600 } });
    let id = anna.challenges_and_meets(&ben, terms).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    anna.fires(&id, &["A10"]).await;
    app.passes_s(590).await;
    anna.acts(&id, json!({ "type": "call-armistice" })).await.expect(200);
    let view = ben.sees(&id).await;
    assert_eq!((&view["status"], &view["to_act"]), (&json!("armistice"), &json!([])));
    assert_eq!((&view["armistice"]["until"], &view["armistice"]["agreed"]), (&view["deadline"], &json!([])));
    let waiting = ben.get("/v1/turns").await.expect(200);
    assert_eq!(waiting["items"], json!([]), "nobody has to act");
    let listed = ben.get("/v1/matches?player=ben&status=armistice").await.expect(200);
    assert_eq!(listed["items"][0]["id"], json!(id));
    let played = ben.acts(&id, json!({ "type": "fire", "cells": ["A9"] })).await;
    played.problem(422, "armistice-running");
    // The material for a review: every shot with its answer, chained and signed.
    let record = ben.get(&format!("/v1/matches/{id}/record")).await.expect(200);
    assert!(record["reports"].as_array().unwrap().iter().any(|report| report["type"] == "fired"));

    app.passes_s(300).await;
    ben.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    anna.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    app.passes_s(9).await;
    assert_eq!(ben.sees(&id).await["status"], "playing", "Ben has the ten seconds that were left");
    app.passes_s(1).await;
    assert_eq!(ben.sees(&id).await["result"]["winner"], 0);
}

#[actix_web::test]
async fn an_armistice_that_nobody_ends_ends_by_itself() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let terms = json!({ "clock": { "kind": "per-move", "move_s": 259_200 } });
    let id = anna.challenges_and_meets(&ben, terms).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    ben.acts(&id, json!({ "type": "call-armistice" })).await.expect(200);
    app.passes_s(86_399).await;
    assert_eq!(anna.sees(&id).await["status"], "armistice");
    app.passes_s(1).await;
    assert_eq!(anna.sees(&id).await["status"], "playing", "a day at most");
    ben.acts(&id, json!({ "type": "call-armistice" })).await.problem(422, "armistice-already-called");
    anna.fires(&id, &["A1"]).await;
}

//! Time runs out with nobody connected, once.

use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};

fn clock(clock: Value) -> Value {
    json!({ "clock": clock })
}

#[actix_web::test]
async fn a_player_who_does_not_move_loses_on_time() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 600 }))).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    app.passes_s(599).await;
    assert_eq!(ben.sees(&id).await["status"], "playing");
    app.passes_s(1).await;
    let view = ben.sees(&id).await;
    assert_eq!(
        (&view["status"], &view["result"]["reason"], &view["result"]["winner"]),
        (&json!("finished"), &json!("time"), &json!(1))
    );
    let profile = app.get("/v1/players/anna").await.expect(200);
    assert_eq!(profile["reliability"], json!(0.0));
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["reliability"], json!(1.0));
}

#[actix_web::test]
async fn each_move_gets_its_time_anew() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 600 }))).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    for cell in ["A10", "B10", "C10"] {
        app.passes_s(500).await;
        anna.fires(&id, &[cell]).await;
        app.passes_s(500).await;
        ben.fires(&id, &[&cell.replace("10", "9")]).await;
    }
    assert_eq!(anna.sees(&id).await["status"], "playing");
}

#[actix_web::test]
async fn a_bank_runs_down_and_grows_with_each_move() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let bank = json!({ "kind": "bank", "initial_s": 100, "increment_s": 30, "cap_s": 120 });
    let id = anna.challenges_and_meets(&ben, clock(bank)).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    app.passes_s(60).await;
    anna.fires(&id, &["A10"]).await;
    let left = |view: &Value, seat: usize| view["seats"][seat]["time_left_s"].clone();
    assert_eq!(left(&anna.sees(&id).await, 0), 70);
    ben.fires(&id, &["A9"]).await;
    // At once: the cap holds.
    assert_eq!(left(&ben.sees(&id).await, 1), 120);
    app.passes_s(70).await;
    assert_eq!(anna.sees(&id).await["result"]["winner"], 1);
}

#[actix_web::test]
async fn who_does_not_deploy_loses_and_if_nobody_does_it_is_off() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let terms = clock(json!({ "kind": "per-move", "move_s": 86_400, "deploy_s": 600 }));
    let one = anna.challenges_and_meets(&ben, terms.clone()).await;
    let none = anna.challenges_and_meets(&ben, terms).await;
    ben.deploys(&one, SOUTH_EAST).await;
    app.passes_s(600).await;
    let view = anna.sees(&one).await;
    assert_eq!((&view["result"]["reason"], &view["result"]["winner"]), (&json!("time"), &json!(1)));
    assert_eq!(anna.sees(&none).await["status"], "aborted");
}

#[actix_web::test]
async fn a_move_after_the_deadline_comes_too_late_even_before_the_sweep() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 600 }))).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    app.passes_unseen_s(600);
    let late = anna.acts(&id, json!({ "type": "fire", "cells": ["A1"] })).await;
    late.problem(422, "match-over");
    assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
}

#[actix_web::test]
async fn a_time_out_is_played_once_by_whichever_node() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..10 {
        let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 600 }))).await;
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, SOUTH_EAST).await;
        ids.push(id);
    }
    app.passes_unseen_s(600);
    let (one, two) = futures_util::future::join(app.app.tend(), other.app.tend()).await;
    one.unwrap();
    two.unwrap();
    for id in ids {
        let reports = anna.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
        let of =
            |kind: &str| reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == kind).count();
        assert_eq!((of("timed-out"), of("finished")), (1, 1));
    }
}

#[actix_web::test]
async fn without_a_clock_nothing_runs_out() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "none" }))).await;
    app.passes_s(400 * 86_400).await;
    let view = anna.sees(&id).await;
    assert_eq!((&view["status"], &view["deadline"]), (&json!("deploying"), &Value::Null));
}

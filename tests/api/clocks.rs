//! Time-outs with nobody connected; each happens once.

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
    assert_eq!(profile["reliability_percent"], json!(0));
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["reliability_percent"], json!(100));
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
    // Applied at once: the cap.
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
    let (one, two) = futures_util::future::join(
        broadside::matches::expire::sweep(&app.app.matches),
        broadside::matches::expire::sweep(&other.app.matches),
    )
    .await;
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

#[actix_web::test]
async fn the_clock_of_a_match_explains_itself() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let bank =
        json!({ "kind": "bank", "initial_s": 100_000, "increment_s": 600, "cap_s": 100_100, "rests": "no-days-off" });
    let id = anna.challenges_and_meets(&ben, clock(bank)).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let path = format!("/v1/matches/{id}/clock");
    app.passes_s(1000).await;
    anna.acts(&id, json!({ "type": "call-armistice" })).await.expect(200);
    app.passes_s(60).await;
    let halted = ben.get(&path).await.expect(200);
    assert_eq!((&halted["status"], &halted["deadline"]), (&json!("armistice"), &halted["armistice"]["until"]));
    let seat = &halted["seats"][0];
    assert_eq!(
        (&seat["running"], &seat["time_left_s"], &seat["deadline"]),
        (&json!(false), &json!(99_000), &Value::Null)
    );
    assert_eq!(seat["prospect"]["deadline"], "2026-11-22T11:17:40.000Z", "07:47:40 and 27 hours and a half");
    anna.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    ben.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    app.passes_s(500).await;

    let mine = anna.get(&path).await.expect(200);
    let seat = &mine["seats"][0];
    assert_eq!((&mine["at"], &mine["clock"]["rests"]), (&json!("2026-11-21T07:56:00.000Z"), &json!("no-days-off")));
    assert_eq!((&seat["running"], &seat["time_left_s"]), (&json!(true), &json!(98_500)));
    assert_eq!(seat["time_left_if_moved_s"], 99_100, "and ten minutes for the move");
    let segments = seat["segments"].as_array().unwrap().iter();
    let segments: Vec<_> = segments.map(|segment| (&segment["kind"], &segment["from"], &segment["until"])).collect();
    let at = ["07:30:00", "07:46:40", "07:47:40"].map(|at| json!(format!("2026-11-21T{at}.000Z")));
    let whole = [
        (&json!("running"), &at[0], &at[1]),
        (&json!("armistice"), &at[1], &at[2]),
        (&json!("running"), &at[2], &mine["deadline"]),
    ];
    assert_eq!(segments, whole);
    assert_eq!((&seat["deadline"], &seat["since"]), (&mine["deadline"], &at[0]));
    assert_eq!(mine["deadline"], anna.sees(&id).await["deadline"]);
    // The next move confirms the prospect.
    let other = mine["seats"][1]["prospect"]["deadline"].clone();
    anna.fires(&id, &["A10"]).await;
    let moved = app.get(&path).await.expect(200);
    assert_eq!((&moved["seats"][0]["time_left_s"], &moved["deadline"]), (&json!(99_100), &other));
    let own = [&mine["seats"][1], &moved["seats"][0], &moved["seats"][1]];
    assert!(
        own.iter().all(|seat| seat["time_left_if_moved_s"].is_null()),
        "only the player whose turn it is can act, and only that player is told"
    );
}

#[actix_web::test]
async fn clocks_that_rest_need_a_day() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for (clock, pointer, code) in [
        (json!({ "kind": "per-move", "move_s": 86_399, "rests": "standard" }), "/clock/rests", "conflicting-fields"),
        (json!({ "kind": "per-move", "move_s": 86_400, "rests": "sometimes" }), "/clock/rests", "unknown-value"),
        (json!({ "kind": "none", "rests": "standard" }), "/clock/rests", "unknown-field"),
    ] {
        let answer = anna.post("/v1/challenges", json!({ "variant": "classic", "clock": clock })).await;
        let body = answer.expect(422);
        assert_eq!((answer.pointers(), &body["errors"][0]["code"]), (vec![pointer.to_owned()], &json!(code)));
    }
}

#[actix_web::test]
async fn a_clock_that_was_set_back_makes_no_entry_older_than_the_last() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 600 }))).await;
    anna.deploys(&id, NORTH_WEST).await;
    app.passes_s(60).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let deadline = anna.sees(&id).await["deadline"].clone();
    app.passes_unseen_s(-30);
    anna.fires(&id, &["A10"]).await;
    ben.fires(&id, &["A9"]).await;
    assert_eq!(anna.sees(&id).await["deadline"], deadline, "both moved at the time of the last entry");
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let findings = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert!(findings.faults.is_empty(), "{:?}", findings.faults);
}

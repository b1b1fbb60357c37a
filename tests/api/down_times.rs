//! Down times: time in which the service was unreachable is charged to nobody, whatever interrupted it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use broadside::heartbeat::{self, HeartbeatSettings};
use broadside::matches::down_times;
use broadside::moderation::{operator, read};
use broadside_rules::{DownTime, Time, record};
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{MORNING_MS, Player, Setup, TestApp, database};

const DAY_S: i64 = 86_400;

/// A monitored node with this clock.
async fn node_at(database: &str, clock: &Arc<AtomicI64>, ahead_ms: i64) -> TestApp {
    let setup = Setup { heartbeat: Some(HeartbeatSettings::default()), ahead_ms, ..Setup::default() };
    Box::pin(TestApp::on(database.to_owned(), Arc::clone(clock), setup)).await
}

async fn another(app: &TestApp) -> TestApp {
    node_at(&app.database, &app.clock, 0).await
}

async fn start() -> TestApp {
    let app = node_at(&database::fresh().await, &Arc::new(AtomicI64::new(MORNING_MS)), 0).await;
    app.beats().await;
    app
}

fn per_move(move_s: i64) -> Value {
    json!({ "clock": { "kind": "per-move", "move_s": move_s } })
}

/// A match on this clock: in battle, or before the placement of the fleets.
async fn begins(anna: &Player, ben: &Player, terms: Value, battle: bool) -> String {
    let id = anna.challenges_and_meets(ben, terms).await;
    if battle {
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, SOUTH_EAST).await;
    }
    id
}

async fn battle(app: &TestApp, move_s: i64) -> (Player, Player, String) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = begins(&anna, &ben, per_move(move_s), true).await;
    (anna, ben, id)
}

/// The rests that the viewer sees.
async fn rests(player: &Player, id: &str) -> Vec<Value> {
    told(player.get(&format!("/v1/matches/{id}/reports")).await.expect(200))
}

fn told(reports: Value) -> Vec<Value> {
    reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "clocks-rested").cloned().collect()
}

fn time(text: &Value) -> i64 {
    text.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

async fn tells(app: &TestApp) {
    down_times::tell(&app.app.matches).await.unwrap();
}

#[actix_web::test]
async fn three_days_away_cost_nobody_a_match() {
    let app = start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut deadlines = Vec::new();
    for index in 0..100 {
        let mut terms = match index % 5 {
            0 => json!({ "clock": { "kind": "bank", "initial_s": 7200, "increment_s": 60, "cap_s": 7200 } }),
            kind => per_move([60, 3600, DAY_S, 2 * DAY_S][kind - 1]),
        };
        (terms["rated"], terms["first"]) = (true.into(), "random".into());
        let id = begins(&anna, &ben, terms, index % 3 > 0).await;
        let deadline = time(&anna.sees(&id).await["deadline"]);
        deadlines.push((id, deadline));
    }
    // The last sign of life, followed by three days without any.
    app.beats().await;
    let fell_silent = app.clock.load(Ordering::SeqCst);
    app.passes_unseen_s(3 * DAY_S);
    let app = another(&app).await;
    let (anna, ben) = (anna.at(&app), ben.at(&app));
    // A node that doesn't know the length of its absence judges nothing.
    app.passes_s(0).await;
    let first = &deadlines[0].0;
    let refused = ben.acts(first, json!({ "type": "resign" })).await;
    refused.problem(503, "unavailable");
    assert!(refused.header("retry-after").is_some());

    app.beats().await;
    app.passes_s(0).await;
    tells(&app).await;
    app.passes_s(0).await;
    for (id, deadline) in &deadlines {
        let seen = anna.sees(id).await;
        assert!(["deploying", "playing"].contains(&seen["status"].as_str().unwrap()), "{seen}");
        assert_eq!(time(&seen["deadline"]), deadline + 3 * DAY_S * 1000);
        let of_anna = rests(&anna, id).await;
        assert_eq!(of_anna.len(), 1);
        assert_eq!(
            (time(&of_anna[0]["from"]), time(&of_anna[0]["until"])),
            (fell_silent, fell_silent + 3 * DAY_S * 1000)
        );
        let of_others = told(app.get(&format!("/v1/matches/{id}/reports")).await.expect(200));
        let of_ben = rests(&ben, id).await;
        assert_eq!((&of_ben[0]["from"], &of_others[0]["until"]), (&of_anna[0]["from"], &of_anna[0]["until"]));
    }
    let audited = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!(audited.faults, Vec::<String>::new());

    // A player with a minute left keeps that minute.
    app.lives_s(60).await;
    let over = async |id: &str| anna.sees(id).await["status"].as_str().unwrap() != "playing";
    assert!(over(&deadlines[1].0).await && !over(&deadlines[2].0).await);
}

#[actix_web::test]
async fn a_record_with_a_down_time_verifies() {
    let app = start().await;
    let (anna, ben, id) = battle(&app, DAY_S).await;
    anna.fires(&id, &["A1"]).await;
    app.passes_unseen_s(2 * DAY_S);
    app.beats().await;
    // No node has updated the match before the action, and the player hasn't seen the new version.
    let version = ben.sees(&id).await["version"].clone();
    let shot = json!({ "version": version, "action": { "type": "fire", "cells": ["A1"] } });
    ben.post(&format!("/v1/matches/{id}/actions"), shot).await.expect(200);
    assert_eq!(rests(&ben, &id).await.len(), 1);
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    let record_of = anna.get(&format!("/v1/matches/{id}/record")).await;
    let verified = record::verify(&record_of.text()).unwrap();
    assert!(verified.whole);
    let lines = record_of.json()["log"].as_array().unwrap().clone();
    assert_eq!(lines.iter().filter(|line| line.get("down_times").is_some()).count(), 1);
}

#[actix_web::test]
async fn whoever_comes_first_tells_a_match_and_nobody_tells_it_twice() {
    let app = start().await;
    let (anna, ben, id) = battle(&app, DAY_S).await;
    let mut ids = vec![id.clone()];
    for _ in 0..10 {
        ids.push(begins(&anna, &ben, per_move(3600), true).await);
    }
    let other = another(&app).await;
    app.passes_unseen_s(5000);
    let (_, _) = tokio::join!(app.beats(), other.beats());
    let shot = anna.acts(&id, json!({ "type": "fire", "cells": ["A1"] }));
    let (shot, ..) = tokio::join!(shot, tells(&app), tells(&other), app.passes_s(0), other.passes_s(0));
    shot.expect(200);
    for id in &ids {
        assert_eq!(rests(&anna, id).await.len(), 1, "{id}");
    }
    assert_eq!(heartbeat::list(&app.app.db).await.unwrap().len(), 1, "two nodes have found one down time");
    tells(&app).await;
    assert!(heartbeat::list(&app.app.db).await.unwrap()[0].contains("all matches have been told"));
}

#[actix_web::test]
async fn while_one_node_lives_the_service_lives() {
    let app = start().await;
    let (anna, _, id) = battle(&app, 3600).await;
    let other = another(&app).await;
    other.beats().await;
    // The other node is cut off from the database.
    for _ in 0..6 {
        app.passes_unseen_s(10);
        app.beats().await;
    }
    let there = anna.at(&other);
    there.acts(&id, json!({ "type": "fire", "cells": ["A1"] })).await.problem(503, "unavailable");
    other.beats().await;
    there.fires(&id, &["A1"]).await;
    assert_eq!(rests(&anna, &id).await, Vec::<Value>::new());
    assert_eq!(heartbeat::list(&app.app.db).await.unwrap(), Vec::<String>::new());
    // A short break doesn't count.
    app.passes_unseen_s(20);
    app.beats().await;
    assert_eq!(heartbeat::list(&app.app.db).await.unwrap(), Vec::<String>::new());
    app.passes_unseen_s(21);
    app.beats().await;
    assert_eq!(heartbeat::list(&app.app.db).await.unwrap().len(), 1);
}

#[actix_web::test]
async fn an_operator_says_that_nobody_could_reach_the_service() {
    let app = start().await;
    let (anna, ben, id) = battle(&app, 3600).await;
    let deadline = time(&anna.sees(&id).await["deadline"]);
    app.lives_s(1200).await;
    let now = app.clock.load(Ordering::SeqCst);
    let span =
        |from_s: i64, until_s: i64| DownTime { from: Time(now + from_s * 1000), until: Time(now + until_s * 1000) };
    let note = async |span| operator::rest_clocks(&app.app, span, "the line was cut".parse().unwrap()).await.unwrap();
    assert!(!note(span(-60, 60)).await, "it isn't over");
    assert!(note(span(-600, -300)).await);
    let log = read::audit_log_for_operator(&app.app, read::AuditQuery::default(), 10).await.unwrap().items;
    let line = log.iter().map(|entry| entry.line()).collect::<Vec<_>>().join("\n");
    assert!(line.contains("clocks-rested  by the operator: the line was cut {\"from\":") && log.len() == 1, "{line}");
    // A node that doesn't know of it yet leaves it to others, and to its own next sign of life.
    tells(&app).await;
    assert_eq!(rests(&ben, &id).await, Vec::<Value>::new());
    app.beats().await;
    tells(&app).await;
    assert_eq!(rests(&ben, &id).await.len(), 1);
    assert_eq!(time(&anna.sees(&id).await["deadline"]), deadline + 300_000);
}

#[actix_web::test]
async fn a_node_with_a_wrong_clock_judges_by_the_time_of_the_database() {
    let app = start().await;
    let (anna, _, id) = battle(&app, 3600).await;
    // A deviation of three seconds is logged and compensated.
    let ahead = node_at(&app.database, &app.clock, 3000).await;
    ahead.beats().await;
    assert_eq!(ahead.app.clock.now(), app.app.clock.now());
    app.passes_unseen_s(3598);
    app.beats().await;
    ahead.beats().await;
    // Ten minutes, a year: such a node is useless, but does no harm.
    for ahead_ms in [600_000, -600_000, 365 * DAY_S * 1000] {
        let astray = node_at(&app.database, &app.clock, ahead_ms).await;
        astray.beats().await;
        astray.passes_s(0).await;
        let anna_there = anna.at(&astray);
        anna_there.acts(&id, json!({ "type": "fire", "cells": ["A1"] })).await.problem(503, "unavailable");
        // It can't judge the expiry of tokens, and nothing may begin at its time.
        let offer = json!({ "variant": "classic", "clock": { "kind": "per-move", "move_s": 3600 } });
        anna_there.get("/v1/turns").await.problem(503, "unavailable");
        let refused = anna_there.post("/v1/challenges", offer).await;
        assert!(refused.header("retry-after").is_some());
        refused.problem(503, "unavailable");
        astray.post("/v1/sessions", json!({ "username": "anna", "password": "x" })).await.problem(503, "unavailable");
        assert_eq!(astray.get("/docs/").await.status, 200);
        assert_eq!(anna.sees(&id).await["status"], "playing");
    }
    // After its clock is corrected it takes part.
    ahead.passes_s(0).await;
    assert_eq!(rests(&anna, &id).await.len(), 1);
}

//! Long computations run in the worker pool, and quick requests don't wait for it. The tests fill the pool, so anything
//! answered meanwhile didn't use it.

use std::sync::mpsc;
use std::time::Duration;

use broadside::work_pool::Lane;
use serde_json::{Value, json};

use crate::support::{Player, TestApp};

/// An upper bound for any answer that doesn't wait for the pool.
const MUCH_TOO_LONG: Duration = Duration::from_secs(20);
/// A request that waits for the pool isn't answered within this time.
const A_WHILE: Duration = Duration::from_millis(300);

/// A lane of the pool with all threads busy, until it is dropped.
struct Busy(Vec<mpsc::Sender<()>>);

impl Busy {
    async fn lane(app: &TestApp, lane: Lane) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut ends = Vec::new();
        for _ in 0..threads {
            let (end, ended) = mpsc::channel::<()>();
            let (begin, begun) = tokio::sync::oneshot::channel();
            let service = app.app.clone();
            actix_web::rt::spawn(async move {
                let work = move || {
                    let _ = begin.send(());
                    let _ = ended.recv();
                };
                service.pool.run(lane, work).await
            });
            // A lane may have fewer threads than there are processors: then the remaining jobs wait.
            let _ = tokio::time::timeout(A_WHILE, begun).await;
            ends.push(end);
        }
        Self(ends)
    }
}

/// A match of four on the largest seas, with weapons that have many uses. All fleets are placed.
async fn large_match(players: &[Player]) -> String {
    let line = |range: u32| {
        let name = format!("line-{range}");
        json!({ "weapon": name, "name": name, "effect": "line", "uses": 3, "range": range })
    };
    let rule_set = json!({
        "board": { "rows": 26, "columns": 26, "labels": "row-letter" }, "seats": { "min": 4, "max": 4 },
        "weapons": (1..=8).map(line).collect::<Vec<Value>>(),
    });
    let others: Vec<&Player> = players[1..].iter().collect();
    let terms = json!({ "rule_set": rule_set, "first": "creator" });
    let id = players[0].sits_down_with(&others, terms, &[]).await;
    for player in players {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    id
}

#[actix_web::test]
async fn files_that_are_not_there_take_no_turn_in_the_pool() {
    let app = TestApp::start().await;
    let busy = Busy::lane(&app, Lane::Heavy).await;
    for path in ["/app/none.js", "/app/~x/none.js", "/docs/files/~x/none.js"] {
        let answer = tokio::time::timeout(MUCH_TOO_LONG, app.get(path)).await;
        assert_eq!(answer.expect("it waits for the pool").status, 404, "{path}");
    }
    assert!(!busy.0.is_empty());
}

#[actix_web::test]
async fn short_views_are_made_at_once_and_long_ones_in_the_pool() {
    let app = TestApp::start().await;
    let mut players = Vec::new();
    for name in ["anna", "ben", "cleo", "dora"] {
        players.push(app.player(name).await);
    }
    let anna = &players[0];
    let small = anna.challenges_and_meets(&players[1], json!({})).await;
    let large = large_match(&players).await;
    let long = anna.get(&format!("/v1/matches/{large}")).await;
    assert!(long.body.len() > 32 * 1024, "{} bytes", long.body.len());
    anna.sees(&small).await;
    let fire = anna.example(&large).await.unwrap();

    let busy = Busy::lane(&app, Lane::Play).await;
    let seen = tokio::time::timeout(MUCH_TOO_LONG, anna.sees(&small)).await;
    assert_eq!(seen.expect("a short view waits for the pool")["status"], "deploying");
    let mut fires = Box::pin(anna.acts(&large, fire));
    let early = tokio::time::timeout(A_WHILE, &mut fires).await;
    assert!(early.is_err(), "a long view was not made in the pool");
    drop(busy);
    let fired = fires.await.expect(200);
    assert_eq!(fired["match"]["version"], fired["version"]);
}

/// One caller may have 32 sign-ins waiting. The next is refused before anything is hashed for it.
#[actix_web::test]
async fn who_has_too_much_waiting_is_refused_at_once() {
    let app = TestApp::start().await;
    let busy = Busy::lane(&app, Lane::SignIn).await;
    let credentials = json!({ "username": "nobody-here", "password": "three masts and a storm" });
    let sign_ins = (0..34).map(|_| Box::pin(app.post("/v1/sessions", credentials.clone())));
    let (first, _, rest) = futures_util::future::select_all(sign_ins).await;
    first.problem(503, "overloaded");
    assert_eq!(first.header("retry-after"), Some("5"));
    drop((rest, busy));
}

/// A dry run that has to read a match uses the general lane, and delays no move: neither in the lane of moves nor by
/// the match's lock.
#[actix_web::test]
async fn a_dry_run_waits_in_the_general_lane_and_holds_up_no_move() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let deploy = json!({ "action": { "type": "deploy-auto" } });
    let node = app.restarted().await;
    let (anna, ben) = (anna.at(&node), ben.at(&node));
    let busy = Busy::lane(&node, Lane::Heavy).await;
    let path = format!("/v1/matches/{id}/actions?dry_run=true");
    let mut dry = Box::pin(ben.post(&path, deploy.clone()));
    let early = tokio::time::timeout(A_WHILE, &mut dry).await;
    assert!(early.is_err(), "a dry run was judged in the lane of moves: {}", early.unwrap().text());
    let moved = tokio::time::timeout(MUCH_TOO_LONG, anna.acts(&id, json!({ "type": "deploy-auto" }))).await;
    assert_eq!(moved.expect("a move waits for the dry run of another").status, 200);
    drop(busy);
    dry.await.expect(200);

    // Conversely, a full lane of moves doesn't delay dry runs.
    let node = app.restarted().await;
    let busy = Busy::lane(&node, Lane::Play).await;
    let judged = tokio::time::timeout(MUCH_TOO_LONG, ben.at(&node).post(&path, deploy)).await;
    judged.expect("a dry run waits in the lane of moves").expect(200);
    drop(busy);
}

/// After a refused action, the caller's next match is read in the general lane; other players' moves don't wait.
#[actix_web::test]
async fn after_a_refused_action_a_match_is_read_in_the_general_lane() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let first = anna.challenges_and_meets(&ben, json!({})).await;
    let second = anna.challenges_and_meets(&ben, json!({})).await;
    let node = app.restarted().await;
    let (anna, ben) = (anna.at(&node), ben.at(&node));
    ben.acts(&first, json!({ "type": "fire", "cells": ["A1"] })).await.expect(422);
    let busy = Busy::lane(&node, Lane::Heavy).await;
    let mut again = Box::pin(ben.acts(&second, json!({ "type": "fire", "cells": ["A1"] })));
    let early = tokio::time::timeout(A_WHILE, &mut again).await;
    assert!(early.is_err(), "a match was read in the lane of moves: {}", early.unwrap().text());
    let moved = tokio::time::timeout(MUCH_TOO_LONG, anna.acts(&second, json!({ "type": "deploy-auto" }))).await;
    assert_eq!(moved.expect("a move waits for the refused action of another").status, 200);
    drop(busy);
    again.await.expect(422);
    // An accepted action ends that.
    ben.acts(&first, json!({ "type": "deploy-auto" })).await.expect(200);
    let third = anna.challenges_and_meets(&ben, json!({})).await;
    let busy = Busy::lane(&node, Lane::Heavy).await;
    let moved = tokio::time::timeout(MUCH_TOO_LONG, ben.acts(&third, json!({ "type": "deploy-auto" }))).await;
    assert_eq!(moved.expect("a move waits in the general lane").status, 200);
    drop(busy);
}

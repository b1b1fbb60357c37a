//! Price-based budgets: expensive requests use a budget up sooner, and moves are not charged to it.

use broadside::rate_limits::ProcessorBudgets;
use serde_json::json;

use crate::proof::{finished, record_of};
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, Setup, TestApp, plain};

/// A service with budgets in milliseconds: per account, per address, and for requests without an account.
async fn limited(account_ms: u32, address_ms: u32, anonymous_ms: u32) -> TestApp {
    let budgets = ProcessorBudgets { account_ms, address_ms, anonymous_ms };
    TestApp::with(Setup { rate_limits: true, budgets, ..Setup::default() }).await
}

/// Number of reads of the path until it is refused.
async fn reads(player: &Player, path: &str) -> usize {
    for number in 0..200 {
        let answer = player.get(path).await;
        if answer.status == 429 {
            answer.problem(429, "too-many-requests");
            assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
            return number;
        }
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    200
}

#[actix_web::test]
async fn expensive_reads_use_a_budget_up_and_moves_go_on() {
    let app = limited(150, 0, 100).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let over = finished(&anna, &ben, json!({})).await;
    let running = anna.challenges_and_meets(&ben, json!({})).await;
    let carl = app.player("carl").await;
    assert_eq!(reads(&carl, &record_of(&over)).await, 6);
    let dora = app.player("dora").await;
    assert!((150..=180).contains(&reads(&dora, "/v1/account").await), "what is light is allowed more often");
    // Players with a used-up budget still play.
    reads(&anna, &record_of(&over)).await;
    let moved = anna.acts(&running, json!({ "type": "deploy-auto" })).await;
    assert_eq!(moved.status, 200, "{}", moved.text());
    assert!(moved.header("ratelimit-policy").unwrap().starts_with("\"actions\";q=1200;w=60"));
    // So do visitors without an account, who have a budget of their own.
    let path = record_of(&over);
    assert_eq!(app.get(&path).await.header("ratelimit-policy"), Some("\"general\";q=100;qu=\"processor-ms\";w=60"));
    for _ in 0..3 {
        app.get(&path).await.expect(200);
    }
    app.get(&path).await.problem(429, "too-many-requests");
    app.get("/openapi.json").await.problem(429, "too-many-requests");
    assert_eq!(app.get("/readyz").await.status, 200);
}

/// A match whose log costs a millisecond to read: seventy rounds of misses.
async fn long_match(app: &TestApp) -> (Player, String) {
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let cells: Vec<String> = ('A'..='J').flat_map(|row| (1..=10).map(move |column| format!("{row}{column}"))).collect();
    let water = |fleet: &[(&str, &[&str])]| -> Vec<String> {
        let is_water = |cell: &&String| !fleet.iter().any(|(_, ship)| ship.contains(&cell.as_str()));
        cells.iter().filter(is_water).take(70).cloned().collect()
    };
    for (annas, bens) in water(SOUTH_EAST).iter().zip(water(NORTH_WEST)) {
        anna.fires(&id, &[annas]).await;
        ben.fires(&id, &[&bens]).await;
    }
    (anna, id)
}

#[actix_web::test]
async fn a_fold_is_paid_by_whoever_asks_for_it() {
    let app = TestApp::start().await;
    let (anna, id) = long_match(&app).await;
    let strict = |account_ms| {
        let budgets = ProcessorBudgets { account_ms, address_ms: 0, anonymous_ms: 1 };
        TestApp::on(app.database.clone(), app.clock.clone(), Setup { rate_limits: true, budgets, ..Setup::default() })
    };
    let path = format!("/v1/matches/{id}");
    // The read can be paid, but not the fold.
    let poor = strict(1).await;
    anna.at(&poor).get(&path).await.problem(429, "too-many-requests");
    poor.get(&path).await.problem(429, "too-many-requests");
    // Only the first read folds.
    assert_eq!(reads(&anna.at(&strict(5).await), &path).await, 4);
    // Actions are charged to the actions' budget.
    let node = strict(1).await;
    let acted = anna.at(&node).acts(&id, json!({ "type": "fire", "cells": ["J10"] })).await;
    assert_eq!(acted.status, 200, "{}", acted.text());
    assert!(acted.header("ratelimit").unwrap().starts_with("\"actions\";"), "{:?}", acted.headers);
}

#[actix_web::test]
async fn accounts_of_one_address_share_a_budget() {
    let app = limited(150, 260, 100).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let over = finished(&anna, &ben, json!({})).await;
    let (carl, dora) = (app.player("carl").await, app.player("dora").await);
    let path = record_of(&over);
    let together = reads(&carl, &path).await + reads(&dora, &path).await;
    assert!((9..=10).contains(&together), "{together}");
    let refused = dora.get(&path).await;
    refused.problem(429, "too-many-requests");
    assert!(refused.header("ratelimit").unwrap().starts_with("\"address\";r=0;"), "{:?}", refused.header("ratelimit"));
}

#[actix_web::test]
async fn a_password_that_stays_is_refused_at_once_and_changes_are_counted() {
    let app = limited(6_000_000, 0, 100).await;
    let anna = app.player("anna").await;
    let change = async |current: &str, new: &str| {
        let body = json!({ "current_password": current, "new_password": new });
        anna.request("PUT", "/v1/account/password", Some(body)).await
    };
    for password in [anna.password.as_str(), "not even her password"] {
        let refused = change(password, password).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/new_password"]);
    }
    let changed = change(&anna.password, "another good one").await;
    assert_eq!(changed.status, 204, "{}", changed.text());
    assert!(changed.header("ratelimit").unwrap().starts_with("\"passwords\";r=17;"), "{:?}", changed.headers);
    for _ in 0..17 {
        change("the same again", "the same again").await.problem(422, "validation-failed");
    }
    change("another good one", "the third of them").await.problem(429, "too-many-requests");
}

#[actix_web::test]
async fn a_token_without_the_scope_spends_nothing_but_time() {
    let app = limited(6_000_000, 0, 100).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let body = json!({ "name": "reader", "scopes": ["matches:read"] });
    let made = anna.post("/v1/account/tokens", body).await.expect(201);
    let reader = anna.with_token(made["token"].as_str().unwrap());
    let left = |answer: &Answer| {
        let budget = answer.header("ratelimit").unwrap().split(';').take(2).collect::<Vec<_>>().join(";");
        budget.replace('"', "")
    };
    for _ in 0..50 {
        let refused = reader.acts(&id, json!({ "type": "resign" })).await;
        refused.problem(403, "insufficient-scope");
        assert!(left(&refused).starts_with("general;"), "{:?}", refused.headers);
    }
    let moved = anna.acts(&id, json!({ "type": "deploy-auto" })).await;
    assert_eq!((moved.status, left(&moved).as_str()), (200, "actions;r=1199"));
    // It can't use up the budget for a change of password either.
    for _ in 0..21 {
        reader.request("PUT", "/v1/account/password", Some(json!({}))).await.problem(403, "session-required");
    }
}

#[actix_web::test]
async fn behind_a_trusted_proxy_everybody_has_a_budget_of_their_own() {
    let proxy: std::net::SocketAddr = "10.0.0.1:40000".parse().unwrap();
    let stranger: std::net::SocketAddr = "203.0.113.5:40000".parse().unwrap();
    let trusted = vec!["10.0.0.0/8".parse().unwrap()];
    let proxies = broadside::proxies::Proxies::new(trusted, broadside::proxies::ForwardedHeader::XForwardedFor);
    let budgets = ProcessorBudgets { account_ms: 100, address_ms: 0, anonymous_ms: 20 };
    let app = TestApp::with(Setup { rate_limits: true, budgets, proxies, ..Setup::default() }).await;
    let asks = async |peer, client: &str| {
        let request = plain("GET", "/v1/variants", None).insert_header(("x-forwarded-for", client));
        app.send_from(peer, request).await.status
    };
    while asks(proxy, "198.51.100.7").await == 200 {}
    assert_eq!(asks(proxy, "198.51.100.7").await, 429);
    assert_eq!(asks(proxy, "198.51.100.8").await, 200, "another client of the proxy has a budget of their own");
    // A client's own header value stands before the proxy's.
    assert_eq!(asks(proxy, "198.51.100.9, 198.51.100.7").await, 429);
    // Any other client is charged itself, whatever it writes in the header.
    while asks(stranger, "198.51.100.10").await == 200 {}
    assert_eq!(asks(stranger, "198.51.100.11").await, 429);
    assert_eq!(asks(proxy, "198.51.100.10").await, 200);
}

/// The remaining budget and its name.
fn left(answer: &Answer) -> (String, u32) {
    let budget = answer.header("ratelimit").unwrap();
    let (name, rest) = budget.split_once(";r=").unwrap();
    (name.replace('"', ""), rest.split(';').next().unwrap().parse().unwrap())
}

#[actix_web::test]
async fn dry_runs_are_charged_as_reading_is() {
    let app = limited(150, 0, 100).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let deploy = json!({ "action": { "type": "deploy-auto" } });
    // In any spelling.
    for query in ["dry_run=true", "dry%5Frun=tr%75e"] {
        let judged = ben.post(&format!("/v1/matches/{id}/actions?{query}"), deploy.clone()).await;
        assert_eq!((judged.status, left(&judged).0.as_str()), (200, "general"), "{}", judged.text());
    }
    let mut judged = 0;
    let last = loop {
        let answer = ben.post(&format!("/v1/matches/{id}/actions?dry_run=true"), deploy.clone()).await;
        if answer.status != 200 || judged > 30 {
            break answer;
        }
        judged += 1;
    };
    last.problem(429, "too-many-requests");
    assert!((20..=30).contains(&judged), "{judged}");
    // The dry runs used up no action, and acting is still possible.
    let not_dry = ben.post(&format!("/v1/matches/{id}/actions?dry_run=false"), deploy).await;
    assert_eq!((not_dry.status, left(&not_dry)), (200, ("actions".to_owned(), 1199)));
}

#[actix_web::test]
async fn a_refused_action_is_paid_as_processor_time_and_bars_no_move() {
    let app = limited(150, 0, 100).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let fire = json!({ "type": "fire", "cells": ["A1"] });
    let refused = ben.acts(&id, fire.clone()).await;
    assert_eq!(refused.status, 422, "{}", refused.text());
    let (name, before) = left(&refused);
    assert_eq!(name, "general");
    let path = format!("/v1/matches/{id}/actions");
    for body in [json!({ "action": fire, "version": 99 }), json!({ "actoin": fire }), json!({ "action": fire })] {
        let refused = ben.post(&path, body).await;
        assert!((400..500).contains(&refused.status), "{}", refused.text());
        assert_eq!(left(&refused).0, "general");
    }
    let (_, after) = left(&ben.acts(&id, fire.clone()).await);
    assert!(before >= after + 18, "four refusals cost {} ms", before - after);
    // The rest is charged to the actions. The reason is still given.
    for _ in 0..40 {
        assert_eq!(ben.acts(&id, fire.clone()).await.status, 422);
    }
    let moved = ben.acts(&id, json!({ "type": "deploy-auto" })).await;
    let (name, actions) = left(&moved);
    assert_eq!((moved.status, name.as_str()), (200, "actions"));
    assert!((1000..1150).contains(&actions), "{actions}");
}

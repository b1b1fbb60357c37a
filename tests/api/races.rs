//! Concurrent requests: one wins, and nothing is half done.

use futures_util::future::{join, join_all};
use serde_json::json;

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, deployment};
use crate::support::{Answer, TestApp, ok};

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

#[actix_web::test]
async fn of_many_actions_at_once_one_is_done() {
    for players in [2, 10, 50] {
        let app = TestApp::start().await;
        let other = app.another_node().await;
        let (anna, ben, id) = app.table("classic").await;
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, SOUTH_EAST).await;
        let version = anna.sees(&id).await["version"].clone();
        let path = format!("/v1/matches/{id}/actions");
        let nodes = [anna.clone(), anna.at(&other)];
        let shots = (0..players).map(|shot| {
            let cell = format!("{}{}", char::from(b'A' + shot / 10), shot % 10 + 1);
            let order = json!({ "version": version, "action": { "type": "fire", "cells": [cell] } });
            let node = nodes[usize::from(shot) % 2].clone();
            let path = path.clone();
            async move { node.post(&path, order).await }
        });
        let answers = join_all(shots).await;
        let mut wanted = vec![200];
        wanted.resize(usize::from(players), 409);
        assert_eq!(statuses(&answers), wanted);
        // The log holds one shot, and both nodes have it.
        for node in nodes {
            let reports = node.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
            let fired = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "fired").count();
            assert_eq!(fired, 1);
        }
    }
}

#[actix_web::test]
async fn the_last_seat_has_one_taker() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let anna = app.player("anna").await;
    let challenge = json!({ "variant": "classic", "clock": { "kind": "none" } });
    let challenge = anna.post("/v1/challenges", challenge).await.expect(201);
    let path = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
    let mut takers = Vec::new();
    for name in ["ben", "carl", "dora", "emil"] {
        let node = if takers.len() % 2 == 0 { &app } else { &other };
        takers.push(app.player(name).await.at(node));
    }
    let answers = join_all(takers.iter().map(|taker| taker.post(&path, json!({})))).await;
    assert_eq!(statuses(&answers), [200, 409, 409, 409]);
    let matches = app.get("/v1/matches?player=anna").await.expect(200);
    assert_eq!(matches["items"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn both_fleets_are_placed_at_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let ben = ben.at(&other);
    let (one, two) = join(anna.acts(&id, deployment(NORTH_WEST)), ben.acts(&id, deployment(SOUTH_EAST))).await;
    assert!(ok(one.status) && ok(two.status), "{} {}", one.text(), two.text());
    assert_eq!(anna.sees(&id).await["status"], "playing");
    assert_eq!(ben.sees(&id).await["status"], "playing");
}

#[actix_web::test]
async fn one_name_has_one_taker() {
    let app = TestApp::start().await;
    let registrations = ["Anna", "anna", "ANNA"].map(|name| {
        let body = json!({ "username": name, "password": "a password of her own" });
        let app = app.clone();
        async move { app.post("/v1/accounts", body).await }
    });
    let answers = join_all(registrations).await;
    assert_eq!(statuses(&answers), [201, 409, 409]);
}

#[actix_web::test]
async fn nodes_know_of_each_others_moves() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let ben = ben.at(&other);
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    for (mine, yours) in [("A10", "J1"), ("B10", "I1"), ("C10", "H1")] {
        anna.fires(&id, &[mine]).await;
        ben.fires(&id, &[yours]).await;
    }
    assert_eq!(anna.sees(&id).await["version"], ben.sees(&id).await["version"]);
}

#[actix_web::test]
async fn what_is_refused_leaves_no_lock_behind() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    // The pool holds several connections, so the next request may get a different one.
    join_all((0..8).map(|_| anna.get("/v1/challenges?mine=true"))).await;
    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" });
    let challenge = anna.post("/v1/challenges", offer).await.expect(201);
    let path = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    ben.request("DELETE", &path, None).await.problem(403, "not-the-creator");
    let withdrawn = tokio::time::timeout(std::time::Duration::from_secs(5), anna.request("DELETE", &path, None)).await;
    withdrawn.expect("the challenge is still locked by who was refused").expect(204);
}

#[actix_web::test]
async fn what_both_ask_for_at_once_stands_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.table("classic").await;
    let far = ben.at(&other);
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let both = async |what: &str| {
        let action = json!({ "type": what });
        let (one, two) = join(anna.acts(&id, action.clone()), far.acts(&id, action)).await;
        if one.status == 200 { (two, &far) } else { (one, &anna) }
    };
    // One armistice is called, and the other player may still call one later.
    both("call-armistice").await.0.problem(422, "wrong-phase");
    assert_eq!(anna.sees(&id).await["status"], "armistice");
    for player in [&anna, &far] {
        player.acts(&id, json!({ "type": "end-armistice" })).await.expect(200);
    }
    // One draw is offered, and the player who came second accepts it.
    let (refused, second) = both("offer-draw").await;
    refused.problem(422, "draw-already-offered");
    second.acts(&id, json!({ "type": "accept-draw" })).await.expect(200);
    assert_eq!(anna.sees(&id).await["result"]["reason"], "agreement");
}

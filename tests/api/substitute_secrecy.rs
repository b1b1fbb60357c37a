//! Secrecy of substitutions: an offer reveals nothing about its seat, and a substitute gets the seat's knowledge, but
//! nothing private of its former player. Two worlds that differ in a hidden fleet, and in the former player's notes and
//! messages, give everybody else the same bytes before, during and after the handover.

use serde_json::{Value, json};

use crate::readable::readable;
use crate::secrecy::{first_unlike, without_proof};
use crate::substitutes::{answers, asks, begun, hands_over, is_ready, path};
use crate::support::database::execute;
use crate::support::fleets::{Fleet, NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, Setup, TestApp, feed_of, seven_people};

/// The view of everybody but Ben's seat, and at the end Dora's, who then has it. Carl is a spectator, Emil an
/// unsuccessful candidate, and Ben finally a former player who tries to tell `secret`.
async fn transcript(fleet: &Fleet, secret: &str) -> (Vec<(String, Answer)>, Vec<Answer>) {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({ "clock": { "kind": "none" } })).await;
    let mine = anna.get("/v1/challenges?mine=true").await.expect(200);
    let challenge = mine["items"][0]["id"].as_str().unwrap().to_owned();
    let mut reads = readable(&app, &id, &challenge, "classic", &feed_of(anna).await).await;
    ben.deploys(&id, fleet).await;
    anna.deploys(&id, NORTH_WEST).await;
    // A shot that misses in both worlds.
    anna.fires(&id, &["A10"]).await;
    let mut seen = Vec::new();
    let look = async |seen: &mut Vec<(String, Answer)>, step: &str, people: &[&Player], reads: &[String]| {
        for path in reads {
            for person in people {
                seen.push((format!("{step}: {} reads {path}", person.name), person.get(path).await));
            }
            seen.push((format!("{step}: a stranger reads {path}"), app.get(path).await));
        }
    };
    let spectators = format!("/v1/matches/{id}/chat/spectators");
    seen.push(("Emil listens to the spectators".to_owned(), emil.get(&spectators).await));
    let wanted = asks(ben, &id, json!({})).await.expect(201);
    reads.push(path(&wanted));
    // Dora wants the seat, so she is not shown the spectators' room.
    let elsewhere: Vec<String> = reads.iter().filter(|path| **path != spectators).cloned().collect();
    look(&mut seen, "offered", &[anna, carl, emil], &reads).await;
    look(&mut seen, "offered", &[dora], &elsewhere).await;
    seen.push(("Emil is ready".to_owned(), is_ready(emil, &wanted).await));
    is_ready(dora, &wanted).await.expect(204);
    look(&mut seen, "proposed", &[anna, carl, emil], &reads).await;
    look(&mut seen, "proposed", &[dora], &elsewhere).await;
    answers(anna, &wanted, true).await.expect(204);
    // From now on Ben has a spectator's view, and can tell nobody. (Ben's earlier events stay.)
    for room in ["spectators", "players"] {
        let said = ben.post(&format!("/v1/matches/{id}/chat/{room}"), json!({ "text": secret })).await;
        seen.push((format!("handed over: Ben speaks to the {room}"), said));
    }
    look(&mut seen, "handed over", &[anna, carl, emil], &reads).await;
    let of_former: Vec<String> = reads[..5].iter().chain([&spectators]).cloned().collect();
    look(&mut seen, "handed over", &[ben], &of_former).await;
    let of_match: Vec<String> = reads[..5].to_vec();
    let mut known = Vec::new();
    for path in &of_match {
        known.push(dora.get(path).await);
    }
    (seen, known)
}

#[actix_web::test]
async fn a_hidden_fleet_stays_hidden_when_its_seat_changes_hands() {
    let ((one, known), (two, others)) = (transcript(NORTH_WEST, "A1").await, transcript(SOUTH_EAST, "J10").await);
    let bare =
        |seen: Vec<(String, Answer)>| seen.into_iter().map(|(what, answer)| (what, without_proof(answer))).collect();
    if let Some(difference) = first_unlike(bare(one), bare(two)) {
        panic!("{difference}");
    }
    // Dora does see the difference.
    assert!(known[0].body != others[0].body);
}

/// Dora's reads of a seat taken over from Ben, with or without notes and standing orders left behind.
async fn taken_over(leaves_some: bool) -> Vec<(String, Answer)> {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({})).await;
    ben.deploys(&id, NORTH_WEST).await;
    anna.deploys(&id, SOUTH_EAST).await;
    let mine = anna.get("/v1/challenges?mine=true").await.expect(200);
    let reads = readable(&app, &id, mine["items"][0]["id"].as_str().unwrap(), "classic", &feed_of(anna).await).await;
    let orders = json!([{ "then": { "action": { "type": "fire", "cells": ["D4"] } } }]);
    let kept = [
        ("standing-orders", json!({ "revision": 0, "orders": orders })),
        ("standing-orders", json!({ "revision": 1, "orders": [] })),
        ("standing-orders", json!({ "revision": 2, "orders": orders })),
        ("notes", json!({ "revision": 0, "text": "She begins in the corners." })),
    ];
    for (what, body) in kept {
        let path = format!("/v1/matches/{id}/{what}");
        match leaves_some {
            true => ben.request("PUT", &path, Some(body)).await.expect(200),
            false => ben.get(&path).await.expect(200),
        };
    }
    hands_over(ben, dora, anna, &id).await;
    let mut seen = Vec::new();
    for path in &reads {
        seen.push((format!("Dora reads {path}"), dora.get(path).await));
    }
    let first = json!({ "revision": 0, "orders": orders });
    seen.push((
        "Dora orders".to_owned(),
        dora.request("PUT", &format!("/v1/matches/{id}/standing-orders"), Some(first)).await,
    ));
    seen
}

#[actix_web::test]
async fn a_substitute_finds_nothing_that_the_former_player_has_left() {
    if let Some(difference) = first_unlike(taken_over(true).await, taken_over(false).await) {
        panic!("{difference}");
    }
}

#[actix_web::test]
async fn the_first_orders_of_a_substitute_are_executed_after_those_of_the_former_player() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, ..] = people.as_slice() else { unreachable!() };
    let id = begun(anna, ben).await;
    let shot = |cell: &str| json!([{ "then": { "action": { "type": "fire", "cells": [cell] } } }]);
    ben.tries_orders(&id, shot("D4"), (60, 60)).await.expect(200);
    anna.fires(&id, &["A1"]).await;
    app.passes_s(61).await;
    assert_eq!(ben.hears_of_orders().await.len(), 1, "the first revision of Ben's is executed");
    // Ben leaves another one behind, which nobody executes.
    ben.request(
        "PUT",
        &format!("/v1/matches/{id}/standing-orders"),
        Some(json!({ "revision": 2, "orders": shot("D5") })),
    )
    .await
    .expect(200);
    hands_over(ben, dora, anna, &id).await;
    dora.tries_orders(&id, shot("E7"), (60, 60)).await.expect(200);
    // An order that Ben's last request stored right after the handover: it plays nobody's turn.
    let late = format!(
        "INSERT INTO standing_orders (match_id, seat, account_id, revision, orders, has_orders, min_delay_s, max_delay_s, \
         edited_at, edited_revision, share_owner) SELECT match_id, seat, '{}', 1, replace(orders::text, 'E7', 'F8')::jsonb, \
         has_orders, 0, 0, edited_at, 1, share_owner FROM standing_orders WHERE account_id = '{}'",
        ben.id, dora.id
    );
    execute(&app.database, &late).await;
    anna.fires(&id, &["A2"]).await;
    app.passes_s(61).await;
    assert_eq!(dora.hears_of_orders().await.len(), 1);
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let fired = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "fired");
    let cells: Vec<&Value> = fired.map(|report| &report["shots"][0]["cell"]).collect();
    assert_eq!(cells, ["A1", "D4", "A2", "E7"]);
    let none = format!("SELECT 1 / (count(*) = 0)::int FROM standing_orders WHERE account_id = '{}'", ben.id);
    execute(&app.database, &none).await;
}

//! Cells in lower case: accepted as input, but never stored, shown or signed.

use broadside_rules::record;
use serde_json::{Value, json};

use crate::proof::record_of;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, deployment};
use crate::support::{TestApp, orders};

/// The fleet in a player's lower-case spelling.
fn in_lower_case(fleet: &[(&str, &[&str])]) -> Value {
    let mut action = deployment(fleet);
    for ship in action["ships"].as_array_mut().unwrap() {
        for cell in ship["cells"].as_array_mut().unwrap() {
            *cell = json!(cell.as_str().unwrap().to_lowercase());
        }
    }
    action
}

#[actix_web::test]
async fn cells_of_actions_are_kept_in_upper_case() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let placed = anna.acts(&id, in_lower_case(NORTH_WEST)).await.expect(200);
    assert_eq!(placed["reports"][0]["ships"], deployment(NORTH_WEST)["ships"]);
    ben.acts(&id, in_lower_case(SOUTH_EAST)).await.expect(200);
    let fired = anna.fires(&id, &["j6"]).await;
    assert_eq!((&fired["shots"][0]["cell"], &fired["shots"][0]["answer"]), (&json!("J6"), &json!("hit")));
    // Upper and lower case name the same cell, which can't be shot at again.
    ben.fires(&id, &["a1"]).await;
    let again = anna.acts(&id, json!({ "type": "fire", "cells": ["J6"] })).await;
    again.problem(422, "illegal-action");
    assert_eq!(again.json()["errors"][0]["code"], "cell-already-tried");
    let twice = anna.acts(&id, json!({ "type": "fire", "cells": ["b7", "B7"] })).await;
    assert!(twice.text().contains("duplicate-cell") || twice.text().contains("wrong-shot-count"), "{}", twice.text());
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    // The commitment uses the canonical spelling, so the record verifies.
    let proven = app.get(&record_of(&id)).await.text();
    assert!(record::verify(&proven).is_ok_and(|verified| verified.whole), "{proven}");
    assert!(!proven.contains("\"j6\"") && !proven.contains("\"a1\""));
}

#[actix_web::test]
async fn cells_of_notes_and_standing_orders_are_kept_in_upper_case() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let sea = anna.get(&format!("/v1/matches/{id}/board")).await.expect(200)["seas"][0]["id"].clone();
    let notes = json!({ "revision": 0, "marks": [{ "sea": sea, "cell": "b7", "mark": "?" }] });
    let written = anna.request("PUT", &format!("/v1/matches/{id}/notes"), Some(notes)).await.expect(200);
    assert_eq!(written["marks"][0]["cell"], "B7");

    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let hit =
        json!({ "type": "reported", "report": { "type": "fired", "shots": [{ "cell": "j6", "answer": "hit" }] } });
    let next = json!([{ "when": [hit], "then": orders::fire("j7")["then"] }]);
    let list = json!([{ "then": { "action": { "type": "fire", "cells": ["j6"] }, "next": next } }]);
    let kept = anna.orders_to(&id, list).await;
    let text = kept["orders"].to_string();
    assert!(text.contains("J6") && text.contains("J7") && !text.contains("j6") && !text.contains("j7"), "{text}");
    app.passes_s(1).await;
    ben.fires(&id, &["A1"]).await;
    app.passes_s(1).await;
    // The condition in lower case applies.
    assert_eq!(anna.shots_of(&id, 0).await, ["J6", "J7"]);
}

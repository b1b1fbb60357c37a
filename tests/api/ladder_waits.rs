//! An unpaired ladder member's reasons for waiting, and the organizer's remedies.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

/// The reason why the member isn't paired, and the earliest time of a pairing.
async fn waits(player: &Player, ladder: &str) -> (String, Value) {
    let found = player.looks_at(ladder).await["membership"]["waiting_for"].clone();
    (found["reason"].as_str().unwrap_or("nothing").to_owned(), found["again_at"].clone())
}

#[actix_web::test]
async fn a_club_of_two_that_has_met_learns_when_it_goes_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let rule = json!({ "relax_s": 60, "no_return_s": 7200 });
    let id = carl.makes_ladder(json!({ "pairing_rule": rule })).await;
    anna.joins(&id, 1).await;
    app.passes_s(1).await;
    let reason = |word: &str| (word.to_owned(), Value::Null);
    assert_eq!(waits(anna, &id).await, reason("nobody-waits"));
    ben.joins(&id, 1).await;
    app.passes_s(1).await;
    assert_eq!(waits(anna, &id).await, reason("all-pairings-run"));
    let played = anna.at_play().await.pop().unwrap();
    anna.loses(ben, &played).await;
    app.passes_s(1).await;
    app.passes_s(1).await;
    let (reason_now, again_at) = waits(anna, &id).await;
    assert_eq!(reason_now, "all-met-lately");
    assert!(again_at.is_string(), "{again_at}");
    app.passes_s(600).await;
    assert_eq!(waits(ben, &id).await, (reason_now, again_at.clone()), "the same for both, and it doesn't move");
    assert!(anna.at_play().await.is_empty());

    let pause = json!({ "reason": "A holiday." });
    carl.post(&format!("/v1/contests/{id}/pause"), pause).await.expect(200);
    assert_eq!(waits(anna, &id).await.0, "ladder-paused");
    carl.post(&format!("/v1/contests/{id}/resume"), json!({})).await.expect(204);
    // The organizer can shorten the wait.
    let looser = json!({ "pairing_rule": { "relax_s": 60, "no_return_s": 0 } });
    carl.request("PATCH", &format!("/v1/ladders/{id}"), Some(looser)).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(anna.at_play().await.len(), 1);
    assert_eq!(waits(ben, &id).await, reason("all-pairings-run"));
    assert!(carl.looks_at(&id).await["membership"].is_null());
}

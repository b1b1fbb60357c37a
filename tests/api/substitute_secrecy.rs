//! An offer shows nothing of its seat, and a substitute gets what the seat knew: two worlds that differ in a hidden
//! fleet alone give everybody else the same bytes, before the seat is handed over, while it is, and afterwards.

use serde_json::json;

use crate::readable::readable;
use crate::secrecy::{first_unlike, without_proof};
use crate::substitutes::{answers, asks, is_ready, path};
use crate::support::fleets::{Fleet, NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, Setup, TestApp, feed_of, seven_people};

/// What everybody but Ben's seat sees, and at the end what Dora sees of it, who has it then.
async fn transcript(fleet: &Fleet) -> (Vec<(String, Answer)>, Vec<Answer>) {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
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
    let wanted = asks(ben, &id, json!({})).await.expect(201);
    reads.push(path(&wanted));
    look(&mut seen, "offered", &[anna, carl, dora], &reads).await;
    is_ready(dora, &wanted).await.expect(204);
    look(&mut seen, "proposed", &[anna, carl, dora], &reads).await;
    answers(anna, &wanted, true).await.expect(204);
    // Ben sees from now on what a spectator sees. (Ben's events have what was told before.)
    look(&mut seen, "handed over", &[anna, carl], &reads).await;
    let of_match: Vec<String> = reads[..5].to_vec();
    look(&mut seen, "handed over", &[ben], &of_match).await;
    let mut known = Vec::new();
    for path in &of_match {
        known.push(dora.get(path).await);
    }
    (seen, known)
}

#[actix_web::test]
async fn a_hidden_fleet_stays_hidden_when_its_seat_changes_hands() {
    let ((one, known), (two, others)) = (transcript(NORTH_WEST).await, transcript(SOUTH_EAST).await);
    let bare =
        |seen: Vec<(String, Answer)>| seen.into_iter().map(|(what, answer)| (what, without_proof(answer))).collect();
    if let Some(difference) = first_unlike(bare(one), bare(two)) {
        panic!("{difference}");
    }
    // And it does make a difference to Dora.
    assert!(known[0].body != others[0].body);
}

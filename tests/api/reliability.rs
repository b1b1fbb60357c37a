//! Reliability: the player charged with a time-out after a seat has changed hands, and matches without a trace.

use serde_json::{Value, json};

use crate::ratings::duellists;
use crate::substitutes::{hands_over, three_navies};
use crate::support::{Player, TestApp, seven_people};

const DAY_S: i64 = 86_400;

async fn reliability(app: &TestApp, name: &str) -> Value {
    app.get(&format!("/v1/players/{name}")).await.expect(200)["reliability_percent"].clone()
}

async fn annuls(moderator: &Player, id: &str) {
    let body = json!({ "reason": "the network was down" });
    moderator.post(&format!("/v1/moderation/matches/{id}/annul"), body).await.expect(204);
}

/// A match of Anna, who begins, and Ben with this clock; both fleets are placed.
async fn battle(anna: &Player, ben: &Player, clock: Value) -> String {
    let id = anna.challenges_and_meets(ben, json!({ "clock": clock })).await;
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    id
}

fn turns_of(days: i64) -> Value {
    json!({ "kind": "per-move", "move_s": days * DAY_S })
}

#[actix_web::test]
async fn who_has_let_the_time_go_by_answers_for_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = battle(anna, ben, turns_of(10)).await;
    // Nine of ten days are gone when Carl takes the seat.
    app.passes_s(9 * DAY_S - 60).await;
    hands_over(anna, carl, ben, &id).await;
    app.passes_s(DAY_S + 60).await;
    assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
    assert_eq!((reliability(&app, "anna").await, reliability(&app, "carl").await), (json!(0), json!(100)));
    assert_eq!(reliability(&app, "ben").await, 100);
}

#[actix_web::test]
async fn a_substitute_answers_for_a_turn_that_was_theirs() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    // Most of the turn is left; in the second match it is the turn after their arrival.
    for played in [false, true] {
        let id = battle(anna, ben, turns_of(10)).await;
        app.passes_s(if played { 9 * DAY_S } else { 4 * DAY_S }).await;
        hands_over(anna, carl, ben, &id).await;
        if played {
            carl.fires(&id, &["A1"]).await;
            ben.fires(&id, &["A1"]).await;
        }
        app.passes_s(10 * DAY_S + 60).await;
        assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
        // The former player has an entry, too: kept.
        assert_eq!(reliability(&app, "carl").await, 0, "{played}");
        assert_eq!(reliability(&app, "anna").await, 100, "{played}");
    }
}

#[actix_web::test]
async fn nobody_sits_down_to_an_empty_bank() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let bank = json!({ "kind": "bank", "initial_s": 5 * DAY_S, "increment_s": 0, "cap_s": 5 * DAY_S,
        "deploy_s": 5 * DAY_S });
    let id = battle(anna, ben, bank).await;
    // An hour of the bank is left when the clock stops and Carl takes the seat: an hour later Carl has lost.
    app.passes_s(5 * DAY_S - 3600).await;
    anna.fires(&id, &["A1"]).await;
    hands_over(anna, carl, ben, &id).await;
    ben.fires(&id, &["A1"]).await;
    app.passes_s(3600).await;
    assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
    assert_eq!((reliability(&app, "anna").await, reliability(&app, "carl").await), (json!(0), json!(100)));
}

#[actix_web::test]
async fn what_was_annulled_or_ended_without_result_leaves_no_trace() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let (anna, ben) = duellists(&app).await;
    let lost = anna.begins_rated(&ben).await;
    app.passes_s(10 * DAY_S).await;
    assert_eq!(anna.sees(&lost).await["result"]["reason"], "time");
    let lost_by = if anna.sees(&lost).await["result"]["winner"] == 0 { "ben" } else { "anna" };
    assert_eq!(reliability(&app, lost_by).await, 0);
    annuls(&mia, &lost).await;
    assert_eq!((reliability(&app, "anna").await, reliability(&app, "ben").await), (Value::Null, Value::Null));
    // A moderator later decides that it counts, with a result.
    let verdict = json!({ "verdict": "draw", "expected_status": "annulled", "reason": "it counts after all" });
    mia.post(&format!("/v1/moderation/matches/{lost}/adjudicate"), verdict).await.expect(204);
    assert_eq!(reliability(&app, lost_by).await, 0);

    // One of three navies has timed out before a moderator calls the match off.
    let mut people = Vec::new();
    for name in ["dora", "emil", "fritz"] {
        people.push(app.lasting_player(name).await);
    }
    let id = three_navies(&people, json!({ "clock": turns_of(1) })).await;
    for player in &people[..2] {
        let example = player.example(&id).await.unwrap();
        player.acts(&id, example).await.expect(200);
    }
    app.passes_s(DAY_S).await;
    assert_eq!(people[0].sees(&id).await["status"], "playing");
    let verdict = json!({ "verdict": "no-result", "expected_status": "running", "reason": "the network was down" });
    mia.post(&format!("/v1/moderation/matches/{id}/adjudicate"), verdict).await.expect(204);
    for player in &people {
        assert_eq!(reliability(&app, &player.name).await, Value::Null, "{}", player.name);
    }
}

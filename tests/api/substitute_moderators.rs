//! Seats of missing accounts: a deleted account leaves a vacant seat, and moderators look for a substitute for a
//! suspended player.

use serde_json::{Value, json};

use crate::cases::{adds, decides, opened};
use crate::substitutes::{answers, asks, is_ready, path, seats, settles, status, three_navies, told};
use crate::support::{TestApp, seven_people};

const DAY_S: i64 = 86_400;

#[actix_web::test]
async fn who_deletes_their_account_leaves_a_seat_that_waits() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = three_navies(&people, json!({ "rated": true })).await;
    let wanted = asks(ben, &id, json!({ "message": "to whoever wants it" })).await.expect(201);
    let signed_in = ben.signed_in().await;
    let password = json!({ "password": ben.password });
    signed_in.request("DELETE", "/v1/account", Some(password)).await.expect(204);
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!((&seen["status"], &seen["seats"][1]["status"]), (&json!("playing"), &json!("playing")));
    assert_eq!(app.get(&path(&wanted)).await.expect(200)["message"], Value::Null, "the words are gone");
    is_ready(dora, &wanted).await.expect(204);
    for player in [anna, carl] {
        answers(player, &wanted, true).await.expect(204);
    }
    assert_eq!(seats(&app, &id).await.0, ["anna", "dora", "carl"]);
    assert!(seats(&app, &id).await.1[0].starts_with("deleted-"));
    // A moderator looks for a substitute for the suspended Carl, and decides about the candidate.
    let body = json!({ "reason": "insults", "expires_in_s": 30 * DAY_S });
    mia.post("/v1/moderation/players/carl/suspend", body).await.expect(204);
    let why = json!({ "seat": 2, "reason": "suspended for a month" });
    let wanted = asks(&mia, &id, why).await.expect(201);
    is_ready(&mia, &wanted).await.problem(403, "substitute-not-allowed");
    is_ready(emil, &wanted).await.expect(204);
    let decides = json!({ "agrees": true, "reason": "a good sport" });
    let refused = anna.post(&format!("{}/answer", path(&wanted)), decides.clone()).await;
    refused.problem(403, "not-a-player");
    answers(&mia, &wanted, true).await.problem(422, "validation-failed");
    app.passes_s(1).await;
    mia.post(&format!("{}/answer", path(&wanted)), decides).await.expect(204);
    assert_eq!(seats(&app, &id).await.0, ["anna", "dora", "emil"]);
    let log = mia.get(&format!("/v1/moderation/actions?match_id={id}")).await.expect(200);
    let kinds: Vec<&Value> = log["items"].as_array().unwrap().iter().map(|action| &action["kind"]).collect();
    assert_eq!(kinds, ["substitute-decided", "substitute-requested"]);
    // Without a taker, the clock decides.
    let wanted = asks(dora, &id, json!({})).await.expect(201);
    app.passes_s(DAY_S + 1).await;
    settles(&app).await;
    assert_eq!(status(&app, &wanted).await, "expired");
}

#[actix_web::test]
async fn who_has_handed_a_seat_over_judges_the_match_no_more_than_before() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, ..] = people.as_slice() else { unreachable!() };
    let mia = app.moderator("mia").await;
    let id = mia.challenges_and_meets(anna, json!({ "rated": true, "first": "random" })).await;
    for player in [&mia, anna] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let wanted = asks(&mia, &id, json!({ "player": "ben" })).await.expect(201);
    is_ready(ben, &wanted).await.expect(204);
    answers(anna, &wanted, true).await.expect(204);
    assert_eq!(seats(&app, &id).await.1, ["mia"]);
    // The match is rated for Mia, who no longer plays in it.
    let verdict = json!({ "expected_status": "running", "verdict": "win", "winner": 0, "reason": "no" });
    let judged = mia.post(&format!("/v1/moderation/matches/{id}/adjudicate"), verdict).await;
    judged.problem(403, "conflict-of-interest");
    let suspension = json!({ "reason": "no", "running_matches": "forfeit" });
    let suspended = mia.post("/v1/moderation/players/anna/suspend", suspension).await;
    suspended.problem(403, "conflict-of-interest");
    let case = opened(&mia, None, "anna").await;
    adds(&mia, &case, json!({ "kind": "match", "match_id": id })).await.expect(200);
    decides(&mia, &case, "warning", json!({})).await.problem(403, "conflict-of-interest");
}

#[actix_web::test]
async fn a_block_between_consent_and_hand_over_counts() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = three_navies(&people, json!({})).await;
    for (candidate, blocking, blocked) in [(dora, carl, "dora"), (emil, emil, "anna")] {
        let wanted = asks(ben, &id, json!({})).await.expect(201);
        is_ready(candidate, &wanted).await.expect(204);
        blocking.request("PUT", &format!("/v1/account/blocks/{blocked}"), None).await.expect(204);
        for player in [anna, carl] {
            answers(player, &wanted, true).await.expect(204);
        }
        assert_eq!(status(&app, &wanted).await, "not-allowed");
        assert_eq!(told(ben, "substitution-closed").await.last().unwrap()["outcome"], "not-allowed");
        assert_eq!(seats(&app, &id).await.0, ["anna", "ben", "carl"]);
    }
}

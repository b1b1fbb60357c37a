//! Rounds of a Swiss that wait for an organizer, who reviews them, pairs by hand where needed, and starts them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::organized_rounds::{asks, bye, codes, is_faithful, row, scores, swiss, takes_back};
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{alphabet, boards, plays_round, reads, starts, tournament};

const HOUR_S: i64 = 3600;

async fn pairs(who: &Player, path: &str, round: u64, body: Value) -> Answer {
    who.request("PUT", &format!("{path}/rounds/{round}/pairings"), Some(body)).await
}

async fn releases(who: &Player, path: &str, round: u64) -> Answer {
    who.post(&format!("{path}/rounds/{round}/release"), json!({})).await
}

/// The starting numbers of the games of a draft.
fn games(draft: &Value) -> Vec<(u64, u64)> {
    let number = |game: &Value, seat: &str| game[seat].as_u64().unwrap();
    let all = draft["games"].as_array().unwrap();
    all.iter().map(|game| (number(game, "first"), number(game, "second"))).collect()
}

fn as_body(games: &[(u64, u64)], more: Value) -> Value {
    let games: Vec<Value> = games.iter().map(|(first, second)| json!({ "first": first, "second": second })).collect();
    let mut body = json!({ "games": games, "reason": "the two are of one family" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[actix_web::test]
async fn gina_pairs_the_first_round_by_hand() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let gina = &people[6];
    let path = swiss(&people, 6, json!({ "review_s": HOUR_S })).await;
    let shown = reads(&app, &path).await;
    assert_eq!((&shown["status"], &shown["round"]), (&json!("running"), &json!(0)));
    assert_eq!(shown["waiting_round"]["round"], 1);
    // The draft is hidden from everybody else.
    app.get(&format!("{path}/rounds/1")).await.problem(404, "not-found");
    let draft = format!("{path}/rounds/1/pairings");
    people[0].get(&draft).await.problem(403, "not-an-organizer");
    let drawn = gina.get(&draft).await.expect(200);
    let first = games(&drawn["pairings"]);
    assert_eq!((first.len(), drawn["players"].as_array().unwrap().len()), (3, 6));
    let told = gina.hears(0).await;
    assert!(told.iter().any(|event| event["type"] == "round-drafted" && event["round"] == 1));

    // All faults name the same place.
    pairs(&people[0], &path, 1, as_body(&first, json!({}))).await.problem(403, "not-an-organizer");
    let refused = pairs(gina, &path, 1, as_body(&[(1, 1), (2, 9)], json!({}))).await.problem(422, "validation-failed");
    assert_eq!(
        codes(&refused),
        ["named-twice", "unknown-number", "missing-player", "missing-player", "missing-player", "missing-player"]
    );
    let wanted = [(6, 1), (2, 5), (3, 4)];
    let changed = pairs(gina, &path, 1, as_body(&wanted, json!({}))).await.expect(200);
    assert_eq!(games(&changed["pairings"]), wanted);
    assert_eq!(games(&changed["paired_by_hand"]["drawn"]), first);
    releases(&people[0], &path, 1).await.problem(403, "not-an-organizer");
    let pausing = format!("/v1/contests/{}", shown["id"].as_str().unwrap());
    gina.post(&format!("{pausing}/pause"), json!({ "reason": "the club moves" })).await.expect(200);
    releases(gina, &path, 1).await.problem(409, "contest-paused");
    gina.post(&format!("{pausing}/resume"), json!({})).await.expect(204);
    assert_eq!(releases(gina, &path, 1).await.expect(200)["round"], 1);
    app.passes_s(1).await;

    let round = reads(&app, &format!("{path}/rounds/1")).await;
    let seat = |board: &Value, seat: &str| board[seat]["starting_number"].as_u64().unwrap();
    let played: Vec<(u64, u64)> =
        round["boards"].as_array().unwrap().iter().map(|board| (seat(board, "first"), seat(board, "second"))).collect();
    assert_eq!(played, wanted);
    let by_hand = &round["paired_by_hand"];
    assert_eq!((&by_hand["by"]["username"], &by_hand["reason"]), (&json!("gina"), &json!("the two are of one family")));
    assert_eq!(games(&by_hand["drawn"]), first);
    let page = mia.get("/v1/moderation/actions?actor=gina").await.expect(200);
    let kinds: BTreeSet<&str> =
        page["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains("round-paired") && kinds.contains("round-released"), "{page}");
    pairs(gina, &path, 1, as_body(&wanted, json!({}))).await.problem(404, "not-found");
    releases(gina, &path, 1).await.problem(404, "not-found");
    is_faithful(&app).await;
    let export = gina.signed_in().await.get("/v1/account/export").await.expect(200);
    assert_eq!(export["tournaments"]["paired_rounds"][0]["reason"], "the two are of one family");
}

#[actix_web::test]
async fn a_round_that_nobody_looks_at_begins_by_itself() {
    let app = TestApp::start().await;
    let mut people = seven_people(&app).await;
    people.push(app.lasting_player("hanna").await);
    let terms = json!({ "review_s": HOUR_S, "late_entry": { "until_round": 3, "missed_round": "half-point" } });
    let mut all = json!({ "format": "swiss", "rounds": 3 });
    all.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    let path = tournament(&people[6], &people[..6], all).await;
    starts(&people[6], &path).await;
    let (gina, hanna) = (&people[6], &people[7]);
    app.passes_s(HOUR_S).await;
    assert_eq!(reads(&app, &path).await["round"], 1);
    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    // Round 2 is drawn, and waits: Hanna enters round 3, and Emil leaves.
    let waiting = reads(&app, &path).await;
    assert_eq!((&waiting["round"], &waiting["waiting_round"]["round"]), (&json!(1), &json!(2)));
    asks(&people[0], &path, 2, "anna").await.problem(409, "round-drawn");
    hanna.post(&format!("{path}/join"), json!({})).await.expect(200);
    assert_eq!(row(&app, &path, "hanna").await["first_round"], 3);
    scores(gina, &path, "hanna", 0).await.problem(409, "round-drawn");
    people[4].post(&format!("{path}/leave"), json!({})).await.expect(200);
    // They have met: a repetition must be explicit.
    let draft = gina.get(&format!("{path}/rounds/2/pairings")).await.expect(200);
    assert_eq!(draft["players"].as_array().unwrap().iter().filter(|player| player["withdrawn"] == true).count(), 1);
    let met: Vec<(u64, u64)> = boards(&app, &path, 1)
        .await
        .iter()
        .filter(|board| !board["second"].is_null())
        .map(|board| {
            let seat = |seat: &str| board[seat]["starting_number"].as_u64().unwrap();
            (seat("first"), seat("second"))
        })
        .collect();
    let refused = pairs(gina, &path, 2, as_body(&met, json!({}))).await.problem(422, "validation-failed");
    assert_eq!(codes(&refused), ["repeated-pair"; 3]);
    pairs(gina, &path, 2, as_body(&met, json!({ "allow_repeats": true }))).await.expect(200);
    // One of them gets a bye without points, another a bye with a point.
    let (games, left) = (&met[..2], met[2]);
    let body = as_body(games, json!({ "allow_repeats": true, "bye": left.0, "sitting_out": [left.1] }));
    pairs(gina, &path, 2, body).await.expect(200);
    // Sending the original draw again undoes it.
    let again = as_body(&self::games(&draft["pairings"]), json!({}));
    assert_eq!(pairs(gina, &path, 2, again).await.expect(200)["paired_by_hand"], Value::Null);
    app.passes_s(HOUR_S).await;
    let second = boards(&app, &path, 2).await;
    assert_eq!(second.iter().filter(|board| board["unplayed"] == true && !board["second"].is_null()).count(), 1);
    assert_eq!(bye(&app, &path, 2, "hanna").await, Some(("late-entry".to_owned(), 0.5)));
    assert_eq!(reads(&app, &format!("{path}/rounds/2")).await["paired_by_hand"], Value::Null);
    scores(gina, &path, "hanna", 1).await.expect(204);
    assert_eq!(row(&app, &path, "hanna").await["points"], 0.5);
    is_faithful(&app).await;
    // A canceled tournament has no waiting round.
    plays_round(&people, &path, 2, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["waiting_round"]["round"], 3);
    gina.post(&format!("{path}/cancel"), json!({ "reason": "no time" })).await.expect(200);
    assert_eq!(reads(&app, &path).await["waiting_round"], Value::Null);
    gina.get(&format!("{path}/rounds/3/pairings")).await.problem(409, "tournament-closed");
    pairs(gina, &path, 3, again_of(&draft)).await.problem(409, "tournament-closed");
    releases(gina, &path, 3).await.problem(409, "tournament-closed");
    is_faithful(&app).await;
}

fn again_of(draft: &Value) -> Value {
    as_body(&games(&draft["pairings"]), json!({}))
}

#[actix_web::test]
async fn who_plays_or_is_suspended_looks_at_no_draft() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let anna = &people[0];
    let path = tournament(anna, &people[..4], json!({ "format": "swiss", "rounds": 2, "review_s": HOUR_S })).await;
    starts(anna, &path).await;
    anna.get(&format!("{path}/rounds/1/pairings")).await.problem(403, "conflict-of-interest");
    pairs(anna, &path, 1, as_body(&[(1, 2), (3, 4)], json!({}))).await.problem(403, "conflict-of-interest");
    releases(anna, &path, 1).await.problem(403, "conflict-of-interest");
    mia.post("/v1/moderation/players/anna/suspend", json!({ "reason": "again and again" })).await.expect(204);
    anna.get(&format!("{path}/rounds/1/pairings")).await.problem(403, "account-suspended");
    pairs(anna, &path, 1, as_body(&[(1, 2), (3, 4)], json!({}))).await.problem(403, "account-suspended");
    releases(anna, &path, 1).await.problem(403, "account-suspended");
    asks(anna, &path, 2, "anna").await.problem(403, "account-suspended");
    takes_back(anna, &path, 2, "anna").await.problem(403, "account-suspended");
    scores(anna, &path, "ben", 0).await.problem(403, "account-suspended");
}

#[actix_web::test]
async fn nobody_has_a_full_point_without_play_twice() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let gina = &people[6];
    let path = swiss(&people, 5, json!({ "review_s": HOUR_S })).await;
    let drawn = gina.get(&format!("{path}/rounds/1/pairings")).await.expect(200);
    let alone = drawn["pairings"]["bye"].as_u64().unwrap();
    app.passes_s(HOUR_S).await;
    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    let others: Vec<u64> = (1..=5).filter(|number| *number != alone).collect();
    let again = as_body(&[(others[0], others[1]), (others[2], others[3])], json!({ "bye": alone }));
    let refused = pairs(gina, &path, 2, again).await.problem(422, "validation-failed");
    assert!(codes(&refused).contains(&"repeated-bye"), "{refused}");
}

//! An organizer's work between rounds: late entries, byes, and numbering by rating.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::contest_entries::at;
use crate::support::database::execute;
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{alphabet, boards, heard, named, plays_round, reads, standings, starts, tournament};

/// A running Swiss of the first of these people, run by the last.
pub async fn swiss(people: &[Player], players: usize, extra: Value) -> String {
    let mut terms = json!({ "format": "swiss", "rounds": 3 });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let path = tournament(people.last().unwrap(), &people[..players], terms).await;
    starts(people.last().unwrap(), &path).await;
    path
}

pub async fn row(app: &TestApp, path: &str, name: &str) -> Value {
    standings(app, path).await.into_iter().find(|row| row["player"]["username"] == name).unwrap()
}

/// The codes of the faults, in order.
pub fn codes(refused: &Value) -> Vec<&str> {
    refused["errors"].as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap()).collect()
}

pub async fn asks(who: &Player, path: &str, round: u64, name: &str) -> Answer {
    who.request("PUT", &format!("{path}/rounds/{round}/byes/{name}"), Some(json!({}))).await
}

pub async fn takes_back(who: &Player, path: &str, round: u64, name: &str) -> Answer {
    who.request("DELETE", &format!("{path}/rounds/{round}/byes/{name}"), None).await
}

pub async fn scores(who: &Player, path: &str, name: &str, half_point_byes: u64) -> Answer {
    let body = json!({ "half_point_byes": half_point_byes, "reason": "came later than announced" });
    who.request("PUT", &format!("{path}/late-entries/{name}"), Some(body)).await
}

/// The reason and the points of a player's bye in a round; `None` if they play.
pub async fn bye(app: &TestApp, path: &str, round: u64, name: &str) -> Option<(String, f64)> {
    let all = boards(app, path, round).await;
    let own =
        all.into_iter().find(|board| board["first"]["player"]["username"] == name && board["second"].is_null())?;
    Some((own["bye"].as_str().unwrap().to_owned(), own["first"]["points"].as_f64().unwrap()))
}

async fn drawn_from(app: &TestApp, path: &str, round: u64) -> BTreeSet<u64> {
    let shown = reads(app, &format!("{path}/rounds/{round}")).await;
    shown["drawn_from"].as_array().unwrap().iter().map(|one| one["starting_number"].as_u64().unwrap()).collect()
}

/// Asserts that every round equals its recomputed draw.
pub async fn is_faithful(app: &TestApp) {
    let found = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert_eq!(found.faults, Vec::<String>::new());
}

/// A player's results in the report, one per round.
async fn reported(app: &TestApp, path: &str, name: &str) -> Vec<String> {
    let report = app.get(&format!("{path}/report")).await.text();
    let line = report.lines().find(|line| line.starts_with("001") && line.contains(name)).unwrap().to_owned();
    line.as_bytes()[91..].chunks(10).map(|cell| String::from_utf8_lossy(cell).trim_end().to_owned()).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[actix_web::test]
async fn hanna_comes_in_a_round_late() {
    let app = TestApp::start().await;
    let mut people = seven_people(&app).await;
    let hanna = app.player("hanna").await;
    people.push(hanna);
    let terms = json!({ "late_entry": { "until_round": 2, "missed_round": "half-point" } });
    let path = tournament(&people[6], &people[..6], {
        let mut all = json!({ "format": "swiss", "rounds": 3 });
        all.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        all
    })
    .await;
    starts(&people[6], &path).await;
    let (gina, hanna) = (&people[6], &people[7]);
    // A withdrawn player can't return as a late entrant.
    let fred = &people[5];
    fred.post(&format!("{path}/leave"), json!({})).await.expect(200);
    let refused = fred.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(codes(&refused), ["has-withdrawn"]);

    assert_eq!(hanna.get(&path).await.expect(200)["eligibility"]["join"]["allowed"], true);
    hanna.post(&format!("{path}/join"), json!({})).await.expect(200);
    let own = row(&app, &path, "hanna").await;
    assert_eq!((&own["starting_number"], &own["first_round"], &own["points"]), (&json!(7), &json!(2), &json!(0.5)));
    assert_eq!(bye(&app, &path, 1, "hanna").await, Some(("late-entry".to_owned(), 0.5)));
    // Her missed round was drawn without her.
    assert_eq!(drawn_from(&app, &path, 1).await, (1..=6).collect());

    // An organizer sets a lower score, within the terms.
    scores(&people[0], &path, "hanna", 0).await.problem(403, "not-an-organizer");
    scores(gina, &path, "ben", 0).await.problem(404, "not-found");
    let refused = scores(gina, &path, "hanna", 2).await.problem(422, "validation-failed");
    assert_eq!(codes(&refused), ["out-of-range"]);
    scores(gina, &path, "hanna", 0).await.expect(204);
    assert_eq!(bye(&app, &path, 1, "hanna").await, Some(("late-entry".to_owned(), 0.0)));
    let told = heard(hanna).await;
    assert_eq!(kinds(&told), ["tournament-entered-late", "tournament-entered-late"]);
    let said = |event: &Value| (event["first_round"].clone(), event["half_point_byes"].clone());
    assert_eq!((said(&told[0]), said(&told[1])), ((json!(2), json!(1)), (json!(2), json!(0))));

    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(drawn_from(&app, &path, 2).await.len(), 6, "five are left, and Hanna");
    scores(gina, &path, "hanna", 1).await.problem(409, "round-drawn");
    let ivo = app.player("ivo").await;
    let refused = ivo.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(codes(&refused), ["registration-over"], "round 2 was the last one");
    for round in 2..=3 {
        plays_round(&people, &path, round, alphabet).await;
        app.passes_s(1).await;
    }
    assert_eq!(reads(&app, &path).await["status"], "finished");
    scores(gina, &path, "hanna", 1).await.problem(409, "tournament-closed");
    let own = row(&app, &path, "hanna").await;
    let played = own["results"].as_array().unwrap();
    assert_eq!((played.len(), &played[0]["bye"], &played[0]["points"]), (3, &json!("late-entry"), &json!(0.0)));
    assert_eq!(reported(&app, &path, "hanna").await[0], "0000 - Z");
    let table = app.get(&format!("{path}/standings?format=csv")).await.text();
    assert!(table.lines().any(|line| line.contains("hanna") && line.trim_end().ends_with(",2,,,,")), "{table}");
    is_faithful(&app).await;
    // A board that doesn't follow from a draw is found.
    execute(&app.database, "UPDATE tournament_boards SET bye = NULL WHERE bye = 'late-entry'").await;
    let found = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert!(found.faults.iter().any(|fault| fault.contains("the round 1")), "{:?}", found.faults);
}

#[actix_web::test]
async fn anna_is_away_in_the_second_round() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, dora, gina) = (&people[0], &people[3], &people[6]);
    let path = tournament(gina, &people[..6], json!({ "format": "swiss", "rounds": 3 })).await;
    assert_eq!(
        reads(&app, &path).await["requested_byes"],
        json!({ "max": 1, "worth": "half-point", "not_in_last": 1 })
    );
    // Before the start; repeating it changes nothing.
    for _ in 0..2 {
        let asked = asks(anna, &path, 2, "anna").await.expect(200);
        assert_eq!((&asked["worth"], &asked["by_organizer"]), (&json!("half-point"), &json!(false)));
    }
    asks(anna, &path, 1, "anna").await.problem(409, "bye-refused");
    asks(dora, &path, 3, "dora").await.problem(409, "bye-refused");
    asks(dora, &path, 4, "dora").await.problem(404, "not-found");
    asks(anna, &path, 2, "dora").await.problem(403, "not-an-organizer");
    asks(gina, &path, 2, "gina").await.problem(403, "not-a-participant");
    asks(gina, &path, 2, "mia").await.problem(404, "not-found");
    starts(gina, &path).await;
    asks(dora, &path, 1, "dora").await.problem(409, "round-drawn");
    takes_back(dora, &path, 1, "dora").await.problem(409, "round-drawn");
    takes_back(dora, &path, 2, "dora").await.problem(404, "not-found");
    asks(dora, &path, 2, "dora").await.expect(200);
    let listed = reads(&app, &format!("{path}/byes")).await;
    let names = |listed: &Value| {
        let all = listed["items"].as_array().unwrap();
        all.iter().map(|bye| bye["player"]["username"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&listed), ["anna", "dora"]);
    takes_back(dora, &path, 2, "dora").await.expect(204);
    takes_back(dora, &path, 2, "dora").await.problem(404, "not-found");
    takes_back(gina, &path, 2, "gina").await.problem(403, "not-a-participant");
    takes_back(anna, &path, 2, "ben").await.problem(403, "not-an-organizer");
    // An organizer may grant an additional bye without points; the player is notified.
    let granted = asks(gina, &path, 3, "dora").await.expect(200);
    assert_eq!((&granted["worth"], &granted["by_organizer"]), (&json!("nothing"), &json!(true)));
    takes_back(gina, &path, 3, "dora").await.expect(204);
    asks(gina, &path, 3, "dora").await.expect(200);
    let told = heard(dora).await;
    let changes: Vec<&Value> = told.iter().map(|event| &event["change"]).filter(|change| !change.is_null()).collect();
    assert_eq!(changes, ["granted", "taken-back", "granted"]);

    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(bye(&app, &path, 2, "anna").await, Some(("requested".to_owned(), 0.5)));
    assert_eq!(drawn_from(&app, &path, 2).await.len(), 5);
    let second = boards(&app, &path, 2).await;
    assert_eq!(second.iter().filter(|board| board["bye"] == "allocated").count(), 1, "five are an odd number");
    assert_eq!(reads(&app, &format!("{path}/byes")).await["items"].as_array().unwrap().len(), 1);
    plays_round(&people, &path, 2, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(bye(&app, &path, 3, "dora").await, Some(("requested".to_owned(), 0.0)));
    plays_round(&people, &path, 3, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    assert_eq!(reported(&app, &path, "anna").await[1], "0000 - H");
    assert_eq!(reported(&app, &path, "dora").await[2], "0000 - Z");
    let points: f64 = standings(&app, &path).await.iter().map(|row| row["points"].as_f64().unwrap()).sum();
    assert!((points - (3.0 + 3.5 + 3.0)).abs() < 1e-9, "{points}");
    asks(anna, &path, 3, "anna").await.problem(409, "tournament-closed");
    takes_back(anna, &path, 3, "anna").await.problem(409, "tournament-closed");
    is_faithful(&app).await;
}

#[actix_web::test]
async fn nobody_sits_out_where_everybody_is_needed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    // In a round robin all pairings are fixed.
    let robin = tournament(&people[6], &people[..4], json!({})).await;
    asks(&people[0], &robin, 2, "anna").await.problem(409, "no-requested-byes");
    takes_back(&people[0], &robin, 2, "anna").await.problem(409, "no-requested-byes");
    // An organizer who plays in the Swiss can't decide about others.
    let own = tournament(&people[0], &people[..4], json!({ "format": "swiss", "rounds": 2 })).await;
    asks(&people[0], &own, 1, "ben").await.problem(403, "conflict-of-interest");
    takes_back(&people[0], &own, 1, "ben").await.problem(403, "conflict-of-interest");
    scores(&people[0], &own, "ben", 0).await.problem(403, "conflict-of-interest");
    // Three of four request a bye: no draw is possible, so all of them play.
    let path = swiss(&people, 4, json!({ "rounds": 2, "requested_byes": { "not_in_last": 0 } })).await;
    for player in &people[..3] {
        asks(player, &path, 2, &player.name).await.expect(200);
    }
    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    assert!(boards(&app, &path, 2).await.iter().all(|board| board["status"] == "running"));
    let told = heard(&people[0]).await;
    let change = told.iter().find(|event| event["type"] == "tournament-bye-changed").unwrap();
    assert_eq!((&change["change"], &change["round"]), (&json!("set-aside"), &json!(2)));
    assert_eq!(reads(&app, &format!("{path}/byes")).await["items"], json!([]));
    is_faithful(&app).await;
}

#[actix_web::test]
async fn starting_numbers_follow_ratings_or_the_order_of_joining() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    // Ben loses a rated match to Anna, so Anna is first and Ben last.
    let rated =
        json!({ "rated": true, "first": "random", "clock": { "kind": "per-move", "move_s": 86_400, "rests": "none" } });
    let id = people[0].challenges_and_meets(&people[1], rated).await;
    crate::tournaments::resigns(&[&people[0], &people[1]], &people[1], &id).await;
    let path = swiss(&people, 6, json!({ "seeding": "rating" })).await;
    let number = async |name: &str| row(&app, &path, name).await["starting_number"].as_u64().unwrap();
    assert_eq!((number("anna").await, number("ben").await), (1, 6));
    // The upper half meets the lower half in the first round.
    let first: Vec<(u64, u64)> = boards(&app, &path, 1)
        .await
        .iter()
        .map(|board| {
            let seat = |seat: &str| board[seat]["starting_number"].as_u64().unwrap();
            (seat("first"), seat("second"))
        })
        .collect();
    assert_eq!(first, [(1, 4), (5, 2), (3, 6)]);
    is_faithful(&app).await;
    let policies = reads(&app, &path).await["policies"].clone();
    let seeding = policies.as_array().unwrap().iter().find(|policy| policy["topic"] == "seeding").unwrap().clone();
    assert_eq!(seeding["outcome"], "by-rating");
    let robin = tournament(&people[6], &[], json!({ "seeding": "entry" })).await;
    for player in people[..4].iter().rev() {
        app.passes_s(1).await;
        player.post(&format!("{robin}/join"), json!({})).await.expect(200);
    }
    starts(&people[6], &robin).await;
    let mut rows = standings(&app, &robin).await;
    rows.sort_by_key(|row| row["starting_number"].as_u64());
    let names: Vec<&str> = rows.iter().map(|row| row["player"]["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["dora", "carl", "ben", "anna"]);
    is_faithful(&app).await;
}

#[actix_web::test]
async fn late_and_away_at_tables() {
    let app = TestApp::start().await;
    let mut people = seven_people(&app).await;
    people.push(app.player("hanna").await);
    let terms = json!({
        "format": "tables", "variant": "salvos", "seats": 4, "rounds": 2,
        "late_entry": { "until_round": 2 }, "requested_byes": { "not_in_last": 0 },
    });
    let path = tournament(&people[6], &people[..6], terms).await;
    starts(&people[6], &path).await;
    people[7].post(&format!("{path}/join"), json!({})).await.expect(200);
    assert_eq!(bye(&app, &path, 1, "hanna").await, Some(("late-entry".to_owned(), 0.0)));
    asks(&people[0], &path, 2, "anna").await.expect(200);
    crate::many_seats::plays_round(&people, &path, 1).await;
    app.passes_s(1).await;
    assert_eq!(bye(&app, &path, 2, "anna").await, Some(("requested".to_owned(), 0.5)));
    let second = boards(&app, &path, 2).await;
    let seated = |name: &str| {
        second.iter().any(|board| {
            let table = board["table"].as_array().unwrap();
            table.iter().any(|seat| named(&people, seat).name == name)
        })
    };
    assert!(seated("hanna") && !seated("anna"));
    assert!(!drawn_from(&app, &path, 2).await.is_empty());
    crate::many_seats::plays_round(&people, &path, 2).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    is_faithful(&app).await;
}

#[actix_web::test]
async fn such_terms_are_refused_where_they_make_no_sense() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let faults = async |terms: Value| {
        let mut all =
            json!({ "title": "A cup", "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } });
        all.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
        let refused = anna.post("/v1/tournaments", all).await.problem(422, "validation-failed");
        let line =
            |error: &Value| format!("{} {}", error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap());
        refused["errors"].as_array().unwrap().iter().map(line).collect::<Vec<_>>()
    };
    let all = json!({
        "format": "knockout", "seeding": "lot", "late_entry": { "until_round": 2 }, "requested_byes": {}, "review_s": 600
    });
    assert_eq!(
        faults(all).await,
        ["/seeding", "/review_s", "/late_entry", "/requested_byes"].map(|at| format!("{at} conflicting-fields"))
    );
    let beyond = json!({
        "format": "swiss", "rounds": 3, "late_entry": { "until_round": 4 }, "requested_byes": { "max": 11 }, "review_s": 60,
    });
    assert_eq!(
        faults(beyond).await,
        ["/review_s", "/late_entry/until_round", "/requested_byes/max"].map(|at| format!("{at} out-of-range"))
    );
}

#[actix_web::test]
async fn whoever_may_still_come_in_is_invited_after_the_start() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (hanna, ivo, gina) = (app.player("hanna").await, app.player("ivo").await, &people[6]);
    let invites =
        async |path: &str, name: &str| gina.request("PUT", &at(path, &format!("invitations/{name}")), None).await;
    let waiting = async |who: &Player| {
        let own = who.get("/v1/account/contest-entries").await.expect(200);
        own["items"].as_array().unwrap().len()
    };
    let terms = json!({
        "format": "swiss", "rounds": 3, "late_entry": { "until_round": 2, "missed_round": "nothing" },
    });
    let path = tournament(gina, &people[..6], terms).await;
    gina.request("PATCH", &path, Some(json!({ "entry": "invitation" }))).await.expect(200);
    invites(&path, "ivo").await.expect(204);
    starts(gina, &path).await;
    assert_eq!(waiting(&ivo).await, 1, "an invitation from before the start");
    invites(&path, "hanna").await.expect(204);
    assert_eq!(waiting(&hanna).await, 1);
    hanna.post(&format!("{path}/join"), json!({})).await.expect(200);
    assert_eq!(row(&app, &path, "hanna").await["first_round"], 2);
    plays_round(&people, &path, 1, alphabet).await;
    app.passes_s(1).await;
    // Round 2, the last one open to late entries, is drawn.
    app.player("jane").await;
    invites(&path, "jane").await.problem(409, "tournament-closed");
    assert_eq!(waiting(&ivo).await, 0);
    let without = swiss(&people, 4, json!({})).await;
    invites(&without, "jane").await.problem(409, "tournament-closed");
}

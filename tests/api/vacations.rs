//! Vacations: earned over the year, booked, canceled, started automatically; clocks stand still in them.

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, Setup, TestApp};

const DAY_S: i64 = 86_400;

async fn book(player: &Player, from: Option<&str>, until: &str) -> Answer {
    player.post("/v1/account/vacations", json!({ "starts_at": from, "ends_at": until })).await
}

async fn left_s(player: &Player) -> i64 {
    player.get("/v1/account/calendar").await.expect(200)["vacation_left_s"].as_i64().unwrap()
}

async fn deadline(player: &Player, id: &str) -> Value {
    player.sees(id).await["deadline"].clone()
}

/// Anna and Ben, a year after they registered: Sunday 21 November 2027, 07:30 UTC.
async fn a_year_on() -> (TestApp, Player, Player) {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    app.passes_s(365 * DAY_S).await;
    (app, anna, ben)
}

/// A match with these rests and two days per move; it is Anna's turn.
async fn at_play(anna: &Player, ben: &Player, rests: &str) -> String {
    let clock = json!({ "kind": "per-move", "move_s": 2 * DAY_S, "rests": rests });
    let id = anna.challenges_and_meets(ben, json!({ "clock": clock })).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    id
}

#[actix_web::test]
async fn vacation_is_earned_as_the_year_goes() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    assert_eq!(left_s(&anna).await, 0);
    app.passes_s(73 * DAY_S).await;
    assert_eq!(left_s(&anna).await, 6 * DAY_S);
    // Now it is 2 February, 07:30. Six days and no more.
    let refused = book(&anna, None, "2027-02-08T07:30:01Z").await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.json()["errors"][0]["code"], "not-enough-vacation");
    assert!(refused.json()["detail"].as_str().unwrap().contains("518400 seconds"), "{}", refused.text());
    let booked = book(&anna, None, "2027-02-08T07:30:00Z").await.expect(201);
    assert_eq!((&booked["starts_at"], &booked["automatic"]), (&json!("2027-02-02T07:30:00.000Z"), &json!(false)));
    assert_eq!(left_s(&anna).await, 0);
    app.passes_s(365 * DAY_S).await;
    assert_eq!(left_s(&anna).await, 30 * DAY_S);
    app.passes_s(365 * DAY_S).await;
    assert_eq!(left_s(&anna).await, 30 * DAY_S, "never more than thirty days");
    assert_eq!(anna.get("/v1/account/calendar").await.expect(200)["vacations"], json!([]), "it is over");
}

#[actix_web::test]
async fn a_booking_is_refused_with_every_fault() {
    let (_app, anna, _) = a_year_on().await;
    for (from, until, codes) in [
        (Some("2027-11-21T07:29:59Z"), "2027-11-21T07:30:00Z", json!(["in-the-past", "vacation-too-short"])),
        (Some("2028-12-01T00:00:00Z"), "2028-12-02T00:00:00Z", json!(["out-of-range"])),
        (Some("2027-12-01"), "tomorrow", json!(["invalid-value", "invalid-value"])),
        (None, "2027-11-21T08:29:59Z", json!(["vacation-too-short"])),
    ] {
        let refused = book(&anna, from, until).await;
        let problem = refused.problem(422, "validation-failed");
        let found: Vec<&Value> = problem["errors"].as_array().unwrap().iter().map(|fault| &fault["code"]).collect();
        assert_eq!(json!(found), codes, "{}", refused.text());
    }
    book(&anna, Some("2027-12-20T00:00:00Z"), "2027-12-27T00:00:00Z").await.expect(201);
    let refused = book(&anna, Some("2027-12-26T00:00:00Z"), "2027-12-28T00:00:00Z").await;
    assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "vacation-overlaps");
    // Twenty-three days are left of the allowance by then, and by the second of January more is earned.
    let refused = book(&anna, Some("2027-11-22T00:00:00Z"), "2027-12-19T00:00:00Z").await;
    assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "not-enough-vacation");
    // A repeated request makes one vacation.
    let body = json!({ "starts_at": "2028-02-01T00:00:00Z", "ends_at": "2028-02-02T00:00:00Z" });
    let first = anna.post_once("february", "/v1/account/vacations", body.clone()).await.expect(201);
    assert_eq!(anna.post_once("february", "/v1/account/vacations", body).await.expect(201), first);
    assert_eq!(anna.get("/v1/account/calendar").await.expect(200)["vacations"].as_array().unwrap().len(), 2);
}

#[actix_web::test]
async fn a_vacation_counts_at_once_where_the_terms_let_it() {
    let (app, anna, ben) = a_year_on().await;
    let resting = at_play(&anna, &ben, "standard").await;
    let awake = at_play(&anna, &ben, "no-days-off").await;
    assert_eq!(deadline(&ben, &resting).await, "2027-11-23T07:30:00.000Z");
    app.passes_s(DAY_S).await;
    let booked = book(&anna, None, "2027-11-27T07:30:00Z").await.expect(201);
    assert_eq!(deadline(&ben, &resting).await, "2027-11-28T07:30:00.000Z");
    assert_eq!(deadline(&ben, &awake).await, "2027-11-23T07:30:00.000Z");
    let profile = app.get("/v1/players/anna").await.expect(200);
    assert_eq!(profile["on_vacation_until"], "2027-11-27T07:30:00.000Z");
    assert_eq!(app.get("/v1/players/ben").await.expect(200)["on_vacation_until"], Value::Null);
    assert_eq!(anna.hears(0).await.iter().filter(|event| event["type"] == "vacation-started").count(), 0, "she knows");
    // A new match has it in its first plan.
    let new = anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "per-move", "move_s": 2 * DAY_S } })).await;
    let clock = ben.get(&format!("/v1/matches/{new}/clock")).await.expect(200);
    assert_eq!(clock["seats"][0]["deadline"], "2027-11-29T07:30:00.000Z");
    assert_eq!(clock["seats"][0]["segments"][0]["kind"], "vacation");

    // She returns two days later: the rest goes back into the bank, and her clocks resume.
    app.passes_s(2 * DAY_S).await;
    assert_eq!(ben.sees(&awake).await["result"]["reason"], "time");
    let path = format!("/v1/account/vacations/{}", booked["id"].as_str().unwrap());
    ben.request("DELETE", &path, None).await.problem(404, "not-found");
    let before = left_s(&anna).await;
    anna.request("DELETE", &path, None).await.expect(204);
    assert_eq!(left_s(&anna).await - before, 3 * DAY_S);
    assert_eq!(deadline(&ben, &resting).await, "2027-11-25T07:30:00.000Z");
    assert_eq!(app.get("/v1/players/anna").await.expect(200)["on_vacation_until"], Value::Null);
    anna.request("DELETE", &path, None).await.problem(409, "vacation-over");
    // A vacation canceled before it begins leaves no trace.
    let later = book(&anna, Some("2027-11-24T12:00:00Z"), "2027-11-24T18:00:00Z").await.expect(201);
    assert_eq!(deadline(&ben, &resting).await, "2027-11-25T07:30:00.000Z");
    anna.request("DELETE", &format!("/v1/account/vacations/{}", later["id"].as_str().unwrap()), None).await.expect(204);
    assert_eq!(deadline(&ben, &resting).await, "2027-11-25T07:30:00.000Z");
    let export = anna.with_token(&sign_in(&app, &anna).await).get("/v1/account/export").await.expect(200);
    assert_eq!(export["calendar"]["vacations"].as_array().unwrap().len(), 1);
    let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert!(audit.faults.is_empty(), "{:?}", audit.faults);
}

async fn sign_in(app: &TestApp, player: &Player) -> String {
    let body = json!({ "username": player.name, "password": player.password });
    app.post("/v1/sessions", body).await.expect(201)["access_token"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn a_vacation_that_was_acknowledged_counts_though_no_node_planned_it_in_time() {
    for acts_first in [false, true] {
        let (app, anna, ben) = a_year_on().await;
        let (id, late) = (at_play(&anna, &ben, "standard").await, at_play(&anna, &ben, "no-days-off").await);
        // The state a node leaves if it is killed between the answer and the plans: a day of vacation from Sunday 08:00
        // on.
        crate::support::database::execute(
            &app.database,
            &format!(
                "INSERT INTO account_calendars (account_id, revision) VALUES ('{0}', 1) ON CONFLICT (account_id) DO UPDATE SET revision = 1; \
                 INSERT INTO account_vacations VALUES ('{0}', gen_random_uuid(), '2027-11-21T08:00:00Z', '2027-11-22T08:00:00Z', false); \
                 INSERT INTO replanning_queue VALUES ('{0}', 1, '2027-11-21T08:00:00Z')",
                anna.id
            ),
        )
        .await;
        // Her time would have run out half an hour ago.
        app.passes_unseen_s(2 * DAY_S + 1800);
        if acts_first {
            anna.fires(&id, &["J10"]).await;
        } else {
            broadside::matches::expire::sweep(&app.app.matches).await.unwrap();
            assert_eq!(deadline(&ben, &id).await, "2027-11-24T07:30:00.000Z");
        }
        let reports = ben.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
        let plan =
            reports["items"].as_array().unwrap().iter().find(|report| report["type"] == "rests-planned").cloned();
        assert_eq!(plan.expect("it is planned")["at"], "2027-11-21T08:00:00.000Z", "when it was promised");
        app.passes_s(1).await;
        assert_eq!(ben.sees(&late).await["result"]["reason"], "time", "these terms know no vacations");
        assert_eq!(ben.sees(&id).await["status"], "playing");
        app.passes_s(2 * DAY_S).await;
        assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
        let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
        assert!(audit.faults.is_empty(), "{:?}", audit.faults);
    }
}

#[actix_web::test]
async fn a_vacation_begins_automatically_only_if_that_is_set() {
    let (app, anna, ben) = a_year_on().await;
    let other = app.another_node().await;
    anna.request("PUT", "/v1/account/calendar", Some(json!({ "automatic_vacation": true }))).await.expect(200);
    let (one, two) = (at_play(&anna, &ben, "standard").await, at_play(&anna, &ben, "weekdays").await);
    let awake = at_play(&anna, &ben, "none").await;
    let of_ben = at_play(&ben, &anna, "standard").await;
    // `weekdays`: it is Sunday, so the second match has until Wednesday.
    assert_eq!(deadline(&ben, &two).await, "2027-11-24T00:00:00.000Z");
    app.passes_s(47 * 3600 - 1).await;
    assert_eq!(deadline(&ben, &one).await, "2027-11-23T07:30:00.000Z");
    // Tuesday 06:30: an hour is left. Both nodes check.
    app.passes_unseen_s(1);
    let (one_node, other_node) = futures_util::future::join(
        broadside::matches::expire::sweep(&app.app.matches),
        broadside::matches::expire::sweep(&other.app.matches),
    )
    .await;
    one_node.unwrap();
    other_node.unwrap();
    app.passes_s(0).await;
    let started: Vec<Value> =
        anna.hears(0).await.into_iter().filter(|event| event["type"] == "vacation-started").collect();
    assert_eq!(started.len(), 1, "{started:?}");
    assert_eq!(
        (&started[0]["starts_at"], &started[0]["ends_at"], &started[0]["automatic"]),
        (&json!("2027-11-23T06:30:00.000Z"), &json!("2027-11-24T06:30:00.000Z"), &json!(true))
    );
    assert_eq!(deadline(&ben, &one).await, "2027-11-24T07:30:00.000Z");
    assert_eq!(deadline(&ben, &two).await, "2027-11-25T00:00:00.000Z", "it counts everywhere");
    assert_eq!(ben.hears(0).await.iter().filter(|event| event["type"] == "vacation-started").count(), 0);
    app.passes_s(3600).await;
    assert_eq!(ben.sees(&awake).await["result"]["reason"], "time", "these terms know no vacations");
    assert_eq!(anna.sees(&of_ben).await["result"]["reason"], "time", "Ben has not asked for it");
    // The hour is still left after the day: so the next day begins, and so on, until the bank is empty.
    app.passes_s(DAY_S - 3600).await;
    assert_eq!(deadline(&ben, &one).await, "2027-11-25T07:30:00.000Z");
    // She plays, and her vacation continues.
    anna.fires(&one, &["J10"]).await;
    assert_eq!(app.get("/v1/players/anna").await.expect(200)["on_vacation_until"], "2027-11-25T06:30:00.000Z");
}

#[actix_web::test]
async fn a_vacation_that_follows_another_is_told_without_the_deadline_that_it_moves() {
    let (app, anna, ben) = a_year_on().await;
    anna.request("PUT", "/v1/account/calendar", Some(json!({ "automatic_vacation": true, "remind_at_percent": 25 })))
        .await
        .expect(200);
    let id = at_play(&anna, &ben, "standard").await;
    let count = async |kind: &str| anna.hears(0).await.iter().filter(|event| event["type"] == kind).count();
    app.passes_s(36 * 3600).await;
    assert_eq!((count("deadline-near").await, count("vacation-started").await), (1, 0));
    app.passes_s(11 * 3600).await;
    for day in 1..=30 {
        assert_eq!((count("deadline-near").await, count("vacation-started").await), (1, day));
        app.passes_s(DAY_S).await;
    }
    // Thirty days earn two more days, and a little. Then an hour is left, and it is announced once.
    for day in [31, 32] {
        assert_eq!((count("deadline-near").await, count("vacation-started").await), (1, day));
        app.passes_s(DAY_S).await;
    }
    assert_eq!((count("deadline-near").await, count("vacation-started").await), (2, 32));
    let told = anna.hears(0).await.into_iter().rfind(|event| event["type"] == "deadline-near").unwrap();
    assert_eq!((&told["deadline"], &told["time_left_s"]), (&deadline(&ben, &id).await, &json!(3600)));
}

/// Everything that Ben and a stranger see of Anna's matches and of Anna, from the evening on which she books a vacation
/// until the moment before its first day off.
async fn before_a_vacation(from: &str, until: &str) -> (TestApp, Player, [String; 3], Vec<(String, Answer)>) {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    app.passes_s(365 * DAY_S).await;
    let annas = at_play(&anna, &ben, "standard").await;
    let bens = at_play(&ben, &anna, "weekdays").await;
    book(&anna, Some(from), until).await.expect(201);
    let new = anna.challenges_and_meets(&ben, json!({ "clock": { "kind": "per-move", "move_s": 2 * DAY_S } })).await;
    let mut seen = Vec::new();
    let mut look = async |step: &str| {
        let of_matches = ["", "/clock", "/reports?limit=1000", "/record", "/board"];
        let paths =
            [&annas, &bens, &new].into_iter().flat_map(|id| of_matches.map(|part| format!("/v1/matches/{id}{part}")));
        let others = ["/v1/players/anna", "/v1/matches?player=anna", "/v1/events?after=0&limit=1000", "/v1/turns"];
        for path in paths.chain(others.map(str::to_owned)) {
            seen.push((format!("{step}: Ben reads {path}"), ben.get(&path).await));
            seen.push((format!("{step}: a stranger reads {path}"), app.get(&path).await));
        }
    };
    look("booked").await;
    app.passes_s(DAY_S - 1).await;
    look("a second before").await;
    (app, ben, [annas, bens, new], seen)
}

#[actix_web::test]
async fn a_booked_vacation_is_private_until_it_begins() {
    let (app, ben, ids, soon) = before_a_vacation("2027-11-22T07:30:00Z", "2027-11-25T07:30:00Z").await;
    let (.., late) = before_a_vacation("2028-11-01T07:30:00Z", "2028-11-04T07:30:00Z").await;
    if let Some(difference) = crate::secrecy::first_unlike(soon, late) {
        panic!("{difference}");
    }
    // While it lasts everybody sees it, from its first moment on, although the job runs hours later.
    app.passes_s(1 + 3 * 3600).await;
    for (id, seat) in ids.iter().zip([0, 1, 0]) {
        let clock = ben.get(&format!("/v1/matches/{id}/clock")).await.expect(200);
        let (annas, until) = (&clock["seats"][seat], r#""kind":"vacation","until":"2027-11-25T07:30:00.000Z""#);
        assert_eq!(annas.to_string().matches(r#""kind":"vacation""#).count(), 1, "{clock}");
        assert!(annas.to_string().contains(until), "{clock}");
    }
    assert_eq!(app.get("/v1/players/anna").await.expect(200)["on_vacation_until"], "2027-11-25T07:30:00.000Z");
    // Two days per move, of which one had passed.
    assert_eq!(deadline(&ben, &ids[0]).await, "2027-11-26T07:30:00.000Z");
    let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert!(audit.faults.is_empty(), "{:?}", audit.faults);
}

#[actix_web::test]
async fn a_booked_vacation_keeps_a_deadline_though_no_node_was_there_when_it_began() {
    for acts_first in [false, true] {
        let (app, anna, ben) = a_year_on().await;
        let id = at_play(&anna, &ben, "standard").await;
        // Two in a row: the second begins at the end of the first.
        book(&anna, Some("2027-11-22T07:30:00Z"), "2027-11-23T07:30:00Z").await.expect(201);
        book(&anna, Some("2027-11-23T07:30:00Z"), "2027-11-24T07:30:00Z").await.expect(201);
        app.passes_s(DAY_S + 60).await;
        assert_eq!(app.get("/v1/players/anna").await.expect(200)["on_vacation_until"], "2027-11-23T07:30:00.000Z");
        assert_eq!(deadline(&ben, &id).await, "2027-11-24T07:30:00.000Z");
        // No job runs until her time would be over without the second vacation.
        app.passes_unseen_s(2 * DAY_S);
        if acts_first {
            anna.fires(&id, &["J10"]).await;
        } else {
            broadside::matches::expire::sweep(&app.app.matches).await.unwrap();
            assert_eq!(deadline(&ben, &id).await, "2027-11-25T07:30:00.000Z");
        }
        app.passes_s(0).await;
        assert_eq!(ben.sees(&id).await["status"], "playing");
        let reports = ben.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
        let planned = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "rests-planned");
        let at: Vec<&Value> = planned.map(|report| &report["at"]).collect();
        assert_eq!(at, ["2027-11-22T07:30:00.000Z", "2027-11-23T07:30:00.000Z"], "when they began");
        let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
        assert!(audit.faults.is_empty(), "{:?}", audit.faults);
    }
}

#[actix_web::test]
async fn what_a_substitute_has_booked_is_private_as_well() {
    let (app, anna, ben) = a_year_on().await;
    let carl = app.lasting_player("carl").await;
    app.passes_s(365 * DAY_S).await;
    let id = at_play(&anna, &ben, "standard").await;
    book(&carl, Some("2028-11-21T07:30:00Z"), "2028-11-22T07:30:00Z").await.expect(201);
    let wanted = crate::substitutes::asks(&anna, &id, json!({ "player": "carl" })).await.expect(201);
    crate::substitutes::is_ready(&carl, &wanted).await.expect(204);
    crate::substitutes::answers(&ben, &wanted, true).await.expect(204);
    let clock = ben.get(&format!("/v1/matches/{id}/clock")).await;
    assert_eq!(clock.expect(200)["seats"][0]["running"], true);
    assert!(!clock.text().contains("vacation"), "{}", clock.text());
    app.passes_s(DAY_S).await;
    assert!(ben.get(&format!("/v1/matches/{id}/clock")).await.text().contains("vacation"));
}

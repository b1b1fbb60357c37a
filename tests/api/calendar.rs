//! Clocks with personal calendars: nights and days off over weeks, and changes that reach running matches.

use serde_json::{Value, json};

use crate::support::database::execute;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp};

pub const DAY_S: i64 = 86_400;

/// Anna's calendar: Paris, nights from 22:30 to 07:00, Sundays off.
fn paris() -> Value {
    json!({ "time_zone": "Europe/Paris", "night": { "start": "22:30", "end": "07:00" }, "days_off": ["sunday"], "remind_at_percent": 25 })
}

pub fn clock(clock: Value) -> Value {
    json!({ "clock": clock })
}

impl Player {
    pub async fn lives_by(&self, calendar: Value) -> Value {
        self.request("PUT", "/v1/account/calendar", Some(calendar)).await.expect(200)
    }

    /// A match with Ben in which both have deployed, and it is this player's turn.
    pub async fn plays(&self, ben: &Player, terms: Value) -> String {
        let id = self.challenges_and_meets(ben, terms).await;
        self.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, SOUTH_EAST).await;
        id
    }

    /// A seat's clock.
    pub async fn time_of(&self, id: &str, seat: usize) -> Value {
        let clock = self.get(&format!("/v1/matches/{id}/clock")).await.expect(200);
        clock["seats"][seat].clone()
    }

    async fn deadline_of(&self, id: &str, seat: usize) -> Value {
        self.time_of(id, seat).await["deadline"].clone()
    }

    /// The player's events of this type.
    pub async fn heard(&self, kind: &str) -> Vec<Value> {
        let mut events = self.hears(0).await;
        events.retain(|event| event["type"] == kind);
        events
    }

    /// Both play examples in turn, with a pause in seconds before each.
    async fn and(&self, ben: &Player, id: &str, rounds: usize, pause_s: i64) {
        for _ in 0..rounds {
            for player in [self, ben] {
                self.app.passes_s(pause_s).await;
                let example = player.example(id).await.expect("it is their turn");
                player.acts(id, example).await.expect(200);
            }
        }
    }
}

/// Anna and Ben, with tokens that last.
pub async fn two(app: &TestApp) -> (Player, Player) {
    (app.lasting_player("anna").await, app.lasting_player("ben").await)
}

#[actix_web::test]
async fn a_calendar_is_replaced_whole_and_read_back() {
    let app = TestApp::start().await;
    let (anna, _) = two(&app).await;
    let nothing = anna.get("/v1/account/calendar").await.expect(200);
    assert_eq!(
        nothing,
        json!({ "time_zone": "UTC", "night": null, "days_off": [], "remind_at_percent": 25, "automatic_vacation": false,
            "vacation_left_s": 0, "vacations": [], "feed_enabled": false })
    );
    let said = anna.lives_by(paris()).await;
    assert_eq!(
        (&said["time_zone"], &said["night"]["start"], &said["days_off"]),
        (&json!("Europe/Paris"), &json!("22:30"), &json!(["sunday"]))
    );
    assert_eq!(anna.get("/v1/account/calendar").await.expect(200), said);
    // A field that is left out is off.
    let off = anna.lives_by(json!({})).await;
    assert_eq!(
        (&off["time_zone"], &off["night"], &off["remind_at_percent"]),
        (&json!("UTC"), &Value::Null, &Value::Null)
    );

    let wrong = json!({
        "time_zone": "localtime", "night": { "start": "22:30", "end": "21:00", "length": 3 }, "days_off": ["sunday", "someday"],
        "remind_at_percent": 51, "automatic_vacation": "yes", "tz": 1,
    });
    let refused = anna.request("PUT", "/v1/account/calendar", Some(wrong)).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort();
    assert_eq!(
        pointers,
        ["/automatic_vacation", "/days_off", "/night/length", "/remind_at_percent", "/time_zone", "/tz"]
    );
    for night in [
        json!({ "start": "22:00", "end": "08:01" }),
        json!({ "start": "22:00", "end": "22:59" }),
        json!({ "start": "22:00" }),
        json!("22:00"),
    ] {
        anna.request("PUT", "/v1/account/calendar", Some(json!({ "night": night })))
            .await
            .problem(422, "validation-failed");
    }
    for share in [json!(0.04), json!(0.51), json!(-1), json!("0.25"), json!(1e300)] {
        anna.request("PUT", "/v1/account/calendar", Some(json!({ "remind_at_percent": share })))
            .await
            .problem(422, "validation-failed");
    }
    assert_eq!(anna.get("/v1/account/calendar").await.expect(200), off, "nothing has changed");
}

#[actix_web::test]
async fn correspondence_over_weeks_and_over_the_change_of_summer_time() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    anna.lives_by(paris()).await;
    // From Saturday 21 November, 07:30 UTC, to Thursday 25 March, 08:00 UTC.
    app.passes_s(124 * DAY_S + 1800).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 3 * DAY_S }))).await;
    assert_eq!(anna.sees(&id).await["clock"]["rests"], "standard", "nobody has said anything else");
    // 13.5 hours on Thursday, 15.5 on Friday, Saturday and (an hour earlier by UTC) Monday, none on Sunday: 12 are left
    // for Tuesday.
    let time = anna.time_of(&id, 0).await;
    assert_eq!(time["deadline"], "2027-03-30T17:00:00.000Z");
    let kinds: Vec<&str> =
        time["segments"].as_array().unwrap().iter().map(|segment| segment["kind"].as_str().unwrap()).collect();
    let (run, night, off) = ("running", "night", "day-off");
    assert_eq!(kinds, [run, night, run, night, run, night, off, night, run, night, run]);
    // The day off begins at midnight in Paris, and has an hour less.
    assert_eq!(
        (&time["segments"][6]["from"], &time["segments"][6]["until"]),
        (&json!("2027-03-27T23:00:00.000Z"), &json!("2027-03-28T22:00:00.000Z"))
    );
    assert_eq!(ben.deadline_of(&id, 0).await, time["deadline"], "it is public");

    // Forty days of play extend the plan on the way.
    anna.and(&ben, &id, 20, DAY_S).await;
    // Tuesday 4 May, 08:00 UTC: 12.5 hours, then 15.5 on each day but Sunday.
    let time = anna.time_of(&id, 0).await;
    assert_eq!(
        (&time["since"], &time["deadline"]),
        (&json!("2027-05-04T08:00:00.000Z"), &json!("2027-05-08T18:00:00.000Z"))
    );
    let reports = ben.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let of_plans = |report: &&Value| report["type"] == "rests-planned";
    let plans: Vec<&Value> = reports["items"].as_array().unwrap().iter().filter(of_plans).collect();
    assert_eq!(plans.len(), 2, "one to begin with, and one when that ended");
    assert!(plans.iter().all(|plan| plan["seat"] == 0), "Ben never rests");
    assert_eq!(plans[0]["until"], plans[1]["from"]);

    // The turn lasts to its last second, and no longer.
    app.passes_s(4 * DAY_S + 10 * 3600 - 1).await;
    assert_eq!(ben.sees(&id).await["status"], "playing");
    app.passes_s(1).await;
    let view = ben.sees(&id).await;
    assert_eq!((&view["result"]["reason"], &view["result"]["winner"]), (&json!("time"), &json!(1)));
    let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert!(audit.faults.is_empty(), "{:?}", audit.faults);
}

#[actix_web::test]
async fn the_terms_say_what_of_a_calendar_counts() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    anna.lives_by(paris()).await;
    // A day, from Saturday 07:30 UTC on. Ben has the default calendar, in UTC.
    for (rests, of_anna, of_ben) in [
        ("standard", "2026-11-23T16:00:00.000Z", "2026-11-22T07:30:00.000Z"),
        ("weekdays", "2026-11-24T14:30:00.000Z", "2026-11-24T00:00:00.000Z"),
        ("no-days-off", "2026-11-22T16:00:00.000Z", "2026-11-22T07:30:00.000Z"),
        ("none", "2026-11-22T07:30:00.000Z", "2026-11-22T07:30:00.000Z"),
    ] {
        let terms =
            clock(json!({ "kind": "bank", "initial_s": DAY_S, "increment_s": 0, "cap_s": DAY_S, "rests": rests }));
        let id = anna.challenges_and_meets(&ben, terms).await;
        assert_eq!(anna.deadline_of(&id, 0).await, of_anna, "{rests}");
        assert_eq!(anna.deadline_of(&id, 1).await, of_ben, "{rests}");
    }
    // A clock with less than a day per move never rests, and can't be asked to.
    let id = anna.challenges_and_meets(&ben, clock(json!({ "kind": "per-move", "move_s": 7200 }))).await;
    assert_eq!(anna.sees(&id).await["clock"].get("rests"), None);
    assert_eq!(anna.deadline_of(&id, 0).await, "2026-11-21T09:30:00.000Z");
    let body = json!({ "variant": "classic", "clock": { "kind": "per-move", "move_s": 7200, "rests": "standard" } });
    let refused = anna.post("/v1/challenges", body).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/clock/rests"]);
}

#[actix_web::test]
async fn moving_the_nights_stretches_no_turn_and_counts_from_the_next_on() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    let deadline = anna.deadline_of(&id, 0).await;
    assert_eq!(deadline, "2026-11-22T07:30:00.000Z");
    app.passes_s(12 * 3600).await;
    anna.lives_by(json!({ "night": { "start": "20:00", "end": "06:00" }, "days_off": ["sunday", "monday"] })).await;
    let time = anna.time_of(&id, 0).await;
    assert_eq!((&time["deadline"], &time["time_left_s"]), (&deadline, &json!(12 * 3600)));
    // Ben has had enough time in this turn to let Sunday and Monday pass.
    anna.acts(&id, json!({ "type": "fire", "cells": ["J10"] })).await.expect(200);
    let prospect = ben.time_of(&id, 0).await["prospect"]["deadline"].clone();
    // The next turn: nothing changes before the old deadline; after it come two days off and a night.
    assert_eq!(prospect, "2026-11-24T18:00:00.000Z");
    // A change back while it isn't her turn: it takes effect in a week, so that nobody takes just today and tomorrow
    // off while the others think.
    anna.lives_by(json!({})).await;
    assert_eq!(ben.time_of(&id, 0).await["prospect"]["deadline"], prospect);
    assert_eq!(ben.time_of(&id, 0).await["rests_known_until"], Value::Null);
    // A change to today and tomorrow also takes effect in a week, and this evening has no night.
    app.passes_s(8 * DAY_S - 12 * 3600).await;
    let other = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    anna.fires(&other, &["J10"]).await;
    anna.lives_by(json!({ "days_off": ["sunday", "monday"] })).await;
    assert_eq!(ben.time_of(&other, 0).await["prospect"]["deadline"], "2026-11-30T07:30:00.000Z");
}

#[actix_web::test]
async fn what_lies_under_a_vacation_that_is_taken_back_is_no_gain() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    anna.lives_by(json!({ "days_off": ["monday", "tuesday"] })).await;
    // Monday, a year on: 22 November 2027, 23:00.
    app.passes_s(366 * DAY_S + 15 * 3600 + 1800).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    assert_eq!(ben.deadline_of(&id, 0).await, "2027-11-25T00:00:00.000Z");
    app.passes_s(DAY_S).await;
    for (days, minute) in [(["wednesday", "thursday"], 1), (["friday", "saturday"], 3)] {
        let vacation =
            json!({ "starts_at": format!("2027-11-23T23:0{minute}:00Z"), "ends_at": "2027-11-27T23:01:00Z" });
        let booked = anna.post("/v1/account/vacations", vacation).await.expect(201);
        assert_eq!(ben.deadline_of(&id, 0).await, "2027-11-25T00:00:00.000Z", "it hasn't begun");
        app.passes_s(120).await;
        assert_ne!(ben.deadline_of(&id, 0).await, "2027-11-25T00:00:00.000Z");
        anna.lives_by(json!({ "days_off": days })).await;
        let path = format!("/v1/account/vacations/{}", booked["id"].as_str().unwrap());
        anna.request("DELETE", &path, None).await.expect(204);
        let deadline = ben.deadline_of(&id, 0).await;
        assert!(deadline.as_str().unwrap() <= "2027-11-25T00:00:00.000Z", "{deadline}");
    }
    // None of it makes an order stale: no move was played.
    let version = anna.sees(&id).await["version"].as_u64().unwrap();
    let action = |version| json!({ "version": version, "action": { "type": "fire", "cells": ["J10"] } });
    let path = format!("/v1/matches/{id}/actions");
    anna.post(&path, action(version - 4)).await.expect(200);
    let version = ben.sees(&id).await["version"].as_u64().unwrap();
    ben.post(&path, action(version - 1)).await.problem(409, "stale-version");
    ben.post(&path, action(version + 1)).await.problem(409, "stale-version");
    ben.post(&path, action(version)).await.expect(200);
}

#[actix_web::test]
async fn changes_of_a_calendar_have_a_budget_of_their_own() {
    let app = TestApp::with(crate::support::Setup { rate_limits: true, ..Default::default() }).await;
    let anna = app.player("anna").await;
    for _ in 0..20 {
        anna.lives_by(paris()).await;
    }
    let body = json!({ "ends_at": "2027-11-27T23:01:00Z" });
    anna.request("PUT", "/v1/account/calendar", Some(paris())).await.problem(429, "too-many-requests");
    anna.post("/v1/account/vacations", body).await.problem(429, "too-many-requests");
    anna.get("/v1/account/calendar").await.expect(200);
}

#[actix_web::test]
async fn a_change_whose_node_died_is_finished_by_another() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = two(&app).await;
    let terms = clock(json!({ "kind": "per-move", "move_s": 2 * DAY_S }));
    let (one, two) = (anna.plays(&ben, terms.clone()).await, anna.plays(&ben, terms).await);
    anna.fires(&one, &["J10"]).await;
    // The state a node leaves if it is killed after the change was committed and one of two matches planned.
    execute(
        &app.database,
        &format!(
            "INSERT INTO account_calendars (account_id, revision, night_from, night_until) VALUES ('{0}', 1, 1320, 360) \
             ON CONFLICT (account_id) DO UPDATE SET revision = 1, night_from = 1320, night_until = 360; \
             INSERT INTO replanning_queue VALUES ('{0}', 1, '2026-11-21T07:30:00Z')",
            anna.id
        ),
    )
    .await;
    let (on_one, on_two) = futures_util::future::join(
        broadside::matches::replan::sweep(&app.app.matches),
        broadside::matches::replan::sweep(&other.app.matches),
    )
    .await;
    on_one.unwrap();
    on_two.unwrap();
    for id in [&one, &two] {
        let planned = |node: &TestApp| {
            let anna = anna.at(node);
            async move {
                let reports = anna.get(&format!("/v1/matches/{id}/reports")).await.expect(200);
                reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "rests-planned").count()
            }
        };
        assert_eq!((planned(&app).await, planned(&other).await), (1, 1), "once, whoever has done it");
    }
    // Nothing is left to do, and repeating it changes nothing.
    let version = ben.sees(&one).await["version"].clone();
    anna.at(&other).lives_by(json!({ "night": { "start": "22:00", "end": "06:00" } })).await;
    app.passes_s(1).await;
    assert_eq!(ben.sees(&one).await["version"], version);
    // She waits in the first match and is on turn in the second, where the nights begin after the deadline.
    assert_eq!(ben.time_of(&one, 0).await["prospect"]["deadline"], "2026-11-24T07:30:01.000Z");
    assert_eq!(ben.deadline_of(&two, 0).await, "2026-11-23T07:30:00.000Z");
}

#[actix_web::test]
async fn a_new_match_and_a_change_at_the_same_moment_agree() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let ben = app.lasting_player("ben").await;
    for round in 0..6 {
        // A first calendar takes effect at once.
        let anna = app.lasting_player(&format!("anna{round}")).await;
        let night = json!({ "night": { "start": format!("2{}:00", round % 4), "end": "06:00" } });
        let (ben, at_other) = (ben.clone(), anna.at(&other));
        let terms = clock(json!({ "kind": "per-move", "move_s": 2 * DAY_S }));
        let (id, _) =
            futures_util::future::join(anna.challenges_and_meets(&ben, terms), at_other.lives_by(night)).await;
        app.passes_s(1).await;
        ben.deploys(&id, SOUTH_EAST).await;
        anna.deploys(&id, NORTH_WEST).await;
        anna.fires(&id, &["J10"]).await;
        let rests = ben.time_of(&id, 0).await["prospect"]["segments"].clone();
        let night =
            rests.as_array().unwrap().iter().find(|segment| segment["kind"] == "night").expect("she sleeps").clone();
        assert!(night["from"].as_str().unwrap().contains(&format!("T2{}:00", round % 4)), "round {round}: {rests}");
    }
}

#[actix_web::test]
async fn an_export_holds_the_calendar_and_a_deleted_account_leaves_none() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    anna.lives_by(paris()).await;
    let path = anna.post("/v1/account/calendar/feed", json!({})).await.header("location").unwrap().to_owned();
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(
        (&export["calendar"]["time_zone"], &export["calendar"]["feed_enabled"]),
        (&json!("Europe/Paris"), &json!(true))
    );
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    app.get(&path).await.problem(404, "not-found");
    assert_eq!(ben.sees(&id).await["status"], "finished");
    execute(
        &app.database,
        &format!(
            "DO $$ BEGIN ASSERT (SELECT count(*) FROM account_calendars WHERE account_id = '{0}') = 0; \
             ASSERT (SELECT count(*) FROM replanning_queue) = 0; END $$",
            anna.id
        ),
    )
    .await;
}

#[actix_web::test]
async fn a_vacation_that_is_taken_back_at_once_takes_no_night_along() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    anna.lives_by(json!({ "night": { "start": "21:00", "end": "07:00" } })).await;
    app.passes_s(366 * DAY_S).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    anna.acts(&id, json!({ "type": "fire", "cells": ["J10"] })).await.expect(200);
    // A new night takes effect in a week; until then the old one counts, also after a short vacation.
    anna.lives_by(json!({ "night": { "start": "23:00", "end": "05:00" } })).await;
    let before = ben.time_of(&id, 0).await["prospect"].clone();
    let booked = anna.post("/v1/account/vacations", json!({ "ends_at": "2027-11-25T12:00:00Z" })).await.expect(201);
    assert_ne!(ben.time_of(&id, 0).await["prospect"], before);
    let path = format!("/v1/account/vacations/{}", booked["id"].as_str().unwrap());
    anna.request("DELETE", &path, None).await.expect(204);
    assert_eq!(ben.time_of(&id, 0).await["prospect"], before);
}

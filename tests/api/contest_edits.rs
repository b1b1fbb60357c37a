//! Edits of ladders and tournaments by their organizers: texts at any time, terms until members rely on them.

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde_json::{Value, json};

use crate::rulesets::rows;
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{starts, tournament};

impl Player {
    async fn edits(&self, path: &str, change: Value) -> Answer {
        self.request("PATCH", path, Some(change)).await
    }
}

fn faults(refused: &Value) -> Vec<(String, String)> {
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    refused["errors"].as_array().unwrap().iter().map(|fault| (text(fault, "pointer"), text(fault, "code"))).collect()
}

fn fixed(pointers: &[&str]) -> Vec<(String, String)> {
    pointers.iter().map(|pointer| ((*pointer).to_owned(), "fixed-by-now".to_owned())).collect()
}

#[actix_web::test]
async fn a_ladder_is_edited_until_people_take_part() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let terms = json!({ "description": "Every Tuesday.", "season_s": 86_400, "max_meetings": 3, "audience": "humans" });
    let path = format!("/v1/ladders/{}", anna.makes_ladder(terms).await);
    let before = anna.get(&path).await.expect(200);
    app.passes_s(3600).await;
    let clock = json!({ "kind": "per-move", "move_s": 172_800, "rests": "none" });
    let change = json!({ "title": "Wednesday ladder", "description": null, "clock": clock, "season_s": 172_800 });
    let changed = anna.edits(&path, change).await.expect(200);
    assert_eq!([&changed["title"], &changed["description"]], [&json!("Wednesday ladder"), &Value::Null]);
    assert_eq!([&changed["clock"]["move_s"], &changed["season_s"]], [&json!(172_800), &json!(172_800)]);
    // A season of another length starts anew; fields not named stay.
    assert_ne!(changed["season"]["started_at"], before["season"]["started_at"]);
    let seasons = app.get(&format!("{path}/seasons")).await.expect(200);
    assert_eq!(seasons["items"][0]["ends_at"], changed["season"]["ends_at"]);
    for kept in ["audience", "max_meetings", "rule_set", "rated", "created_at", "creator", "ranking"] {
        assert_eq!(changed[kept], before[kept], "{kept}");
    }
    // Derived defaults follow: twice the time per move, twice the time until the pairing limits are relaxed.
    let relax = |ladder: &Value| ladder["pairing_rule"]["relax_s"].as_i64();
    assert_eq!((relax(&before), relax(&changed)), (Some(3600), Some(7200)));
    let wrong = json!({ "divisions": { "size": 4, "promotions": 3 }, "flag": true });
    assert_eq!(
        faults(&anna.edits(&path, wrong).await.problem(422, "validation-failed")),
        [("/flag".to_owned(), "unknown-field".to_owned())]
    );
    let wrong = json!({ "divisions": { "size": 4, "promotions": 3 } });
    assert_eq!(
        faults(&anna.edits(&path, wrong).await.problem(422, "validation-failed")),
        [("/divisions/promotions".to_owned(), "out-of-range".to_owned())]
    );
    let refused = anna.edits(&path, json!({ "format": "position" })).await;
    assert_eq!(faults(&refused.problem(409, "terms-fixed")), fixed(&["/format"]));

    ben.post(&format!("{path}/join"), json!({})).await.expect(200);
    let late = json!({ "title": "Thursday ladder", "clock": { "kind": "per-move", "move_s": 60 }, "rated": true });
    let refused = anna.edits(&path, late).await.problem(409, "terms-fixed");
    assert_eq!(faults(&refused), fixed(&["/clock", "/rated"]));
    assert_eq!(refused["errors"][0]["detail"], "people take part, and have agreed to this");
    assert_eq!(anna.get(&path).await.expect(200)["title"], "Wednesday ladder");
    let entry = json!({ "title": "Thursday ladder", "min_reliability_percent": 90, "rated": false });
    let changed = anna.edits(&path, entry).await.expect(200);
    assert_eq!([&changed["title"], &changed["min_reliability_percent"]], [&json!("Thursday ladder"), &json!(90)]);
    assert_eq!(changed["members"], 1);

    anna.post(&format!("{path}/close"), json!({ "reason": "no time" })).await.expect(200);
    let refused = anna.edits(&path, json!({ "min_reliability_percent": 80 })).await.problem(409, "terms-fixed");
    assert_eq!(faults(&refused), fixed(&["/min_reliability_percent"]));
    let changed = anna.edits(&path, json!({ "description": "It was nice." })).await.expect(200);
    assert_eq!([&changed["description"], &changed["closed_reason"]], [&json!("It was nice."), &json!("no time")]);
}

/// Limits that keep members apart may be loosened when a small club has run out of pairings, but never tightened.
#[actix_web::test]
async fn a_ladder_that_people_have_joined_is_only_loosened() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let rule = |no_return_s: u32| json!({ "pairing_rule": { "relax_s": 60, "no_return_s": no_return_s } });
    let mut terms = rule(7200);
    terms["max_pairings"] = json!(2);
    let path = format!("/v1/ladders/{}", anna.makes_ladder(terms).await);
    people[1].post(&format!("{path}/join"), json!({})).await.expect(200);
    let told = |refused: Value| (faults(&refused), refused["errors"][0]["detail"].as_str().unwrap().to_owned());
    let (fields, why) = told(anna.edits(&path, rule(7201)).await.problem(409, "terms-fixed"));
    assert_eq!(fields, fixed(&["/pairing_rule"]));
    assert_eq!(why, "people take part: of the rule only `no_return_s` may change, and become less");
    let quicker = json!({ "pairing_rule": { "relax_s": 30, "no_return_s": 7200 } });
    anna.edits(&path, quicker).await.problem(409, "terms-fixed");
    let (fields, why) = told(anna.edits(&path, json!({ "max_pairings": 1 })).await.problem(409, "terms-fixed"));
    assert_eq!((fields, why.as_str()), (fixed(&["/max_pairings"]), "people take part: it may only become more"));
    let mut looser = rule(0);
    looser["max_pairings"] = json!(3);
    let changed = anna.edits(&path, looser).await.expect(200);
    assert_eq!([&changed["pairing_rule"]["no_return_s"], &changed["max_pairings"]], [&json!(0), &json!(3)]);
    anna.post(&format!("{path}/close"), json!({ "reason": "no time" })).await.expect(200);
    anna.edits(&path, json!({ "max_pairings": 4 })).await.problem(409, "terms-fixed");
}

#[actix_web::test]
async fn what_was_not_given_follows() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let groups = json!({ "format": "groups", "groups": { "count": 4 }, "round_time_s": 86_400 });
    let cup = tournament(anna, &[], groups).await;
    let smaller =
        json!({ "groups": { "count": 2, "qualifiers": 2 }, "all_rounds_at_once": true, "round_time_s": null });
    let changed = anna.edits(&cup, smaller).await.expect(200);
    assert_eq!([&changed["min_players"], &changed["max_players"]], [&json!(6), &json!(32)]);
    assert_eq!([&changed["at_deadline"], &changed["round_time_s"]], [&Value::Null, &Value::Null]);
    let kept = anna.edits(&cup, json!({ "max_players": 20 })).await.expect(200);
    let larger = anna.edits(&cup, json!({ "groups": { "count": 3 } })).await.expect(200);
    assert_eq!([&kept["max_players"], &larger["max_players"]], [&json!(20), &json!(20)], "what is given stays");

    let ranked = json!({ "ranking": "best", "pairing_rule": { "no_return_s": 5 } });
    let ladder = format!("/v1/ladders/{}", anna.makes_ladder(ranked).await);
    let clock = json!({ "kind": "per-move", "move_s": 2_400 });
    let changed = anna.edits(&ladder, json!({ "ranking": "sum", "clock": clock })).await.expect(200);
    assert_eq!([&changed["ranking"], &changed["ranking_results"]], [&json!("sum"), &Value::Null]);
    let rule = &changed["pairing_rule"];
    assert_eq!([&rule["relax_s"], &rule["no_return_s"]], [&json!(100), &json!(5)]);
}

#[actix_web::test]
async fn an_edited_ladder_pairs_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({})).await;
    people[0].joins(&id, 1).await;
    people[1].joins(&id, 1).await;
    people[0].edits(&format!("/v1/ladders/{id}"), json!({ "title": "Another name" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(people[0].at_play().await.len(), 1);
}

#[actix_web::test]
async fn a_tournament_is_edited_until_its_first_round() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let path = tournament(anna, &people[1..4], json!({ "min_rating": 1000, "description": "Small." })).await;
    let few = anna.edits(&path, json!({ "max_players": 3, "min_players": 4 })).await.problem(422, "validation-failed");
    assert_eq!(faults(&few), [("/min_players".to_owned(), "out-of-range".to_owned())]);
    let changed =
        anna.edits(&path, json!({ "min_rating": null, "max_players": 5, "min_players": 3 })).await.expect(200);
    assert_eq!([&changed["min_rating"], &changed["max_players"]], [&Value::Null, &json!(5)]);
    assert_eq!([&changed["description"], &changed["status"]], [&json!("Small."), &json!("open")]);
    let heard = ben.hears(0).await;
    let told: Vec<&Value> = heard.iter().filter(|event| event["type"] == "tournament-changed").collect();
    let [told] = told.as_slice() else { panic!("{heard:?}") };
    assert_eq!([&told["tournament_id"], &told["fields"]], [&changed["id"], &json!(["max_players", "min_rating"])]);
    // A change of texts alone is no reason to leave.
    anna.edits(&path, json!({ "title": "Winter cup" })).await.expect(200);
    assert_eq!(ben.hears(0).await.len(), heard.len());

    people[4].post(&format!("{path}/join"), json!({})).await.expect(200);
    let few = anna.edits(&path, json!({ "max_players": 3 })).await.problem(422, "validation-failed");
    assert_eq!(few["errors"][0]["detail"], "must be at least the 4 who have joined");
    // With `max_players` reached, the tournament is due to start.
    anna.edits(&path, json!({ "max_players": 4 })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(anna.get(&path).await.expect(200)["status"], "running");
    let late = json!({ "min_rating": 1200, "clock": { "kind": "per-move", "move_s": 60 }, "title": "Late cup" });
    let refused = anna.edits(&path, late).await.problem(409, "terms-fixed");
    assert_eq!(faults(&refused), fixed(&["/clock", "/min_rating"]));
    assert_eq!(anna.edits(&path, json!({ "title": "Late cup" })).await.expect(200)["title"], "Late cup");
}

#[actix_web::test]
async fn rules_stay_as_they_are_unless_others_are_named() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let own = tournament(anna, &[], json!({ "rule_set": rows(12) })).await;
    let kept = anna.edits(&own, json!({ "description": "Twelve rows." })).await.expect(200);
    assert_eq!(kept["rule_set"]["board"]["rows"], 12);
    let hash = anna.publishes("Thirteen rows", rows(13)).await;
    let named = anna.edits(&own, json!({ "named_rule_set": hash })).await.expect(200);
    assert_eq!([&named["named_rule_set"], &named["rule_set"]["board"]["rows"]], [&json!(hash), &json!(13)]);
    let kept = anna.edits(&own, json!({ "description": "Thirteen." })).await.expect(200);
    assert_eq!(kept["named_rule_set"], json!(hash));
    let ladder = format!("/v1/ladders/{}", anna.makes_ladder(json!({})).await);
    for path in [&own, &ladder] {
        let wrong = json!({ "variant": "classic", "rule_set": { "salvo": { "size": 99 } } });
        anna.edits(path, wrong).await.problem(422, "invalid-rule-set");
    }
    let plain = anna.edits(&own, json!({ "variant": "classic", "rated": true })).await.expect(200);
    assert_eq!([&plain["named_rule_set"], &plain["rule_set"]["board"]["rows"]], [&Value::Null, &json!(10)]);
}

#[actix_web::test]
async fn strangers_edit_nothing_and_organizers_are_noted() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben, mia) = (&people[0], &people[1], app.moderator("mia").await);
    let cup = tournament(anna, &[], json!({})).await;
    let ladder = format!("/v1/ladders/{}", anna.makes_ladder(json!({})).await);
    for path in [&cup, &ladder] {
        for stranger in [ben, &mia] {
            stranger.edits(path, json!({ "title": "Mine now" })).await.problem(403, "not-an-organizer");
        }
    }
    app.grants("mia", "organizer").await;
    app.passes_s(1).await;
    for path in [&cup, &ladder] {
        mia.edits(path, json!({ "title": "A decent title" })).await.expect(200);
    }
    let log = mia.get("/v1/moderation/actions").await.expect(200);
    for entry in &log["items"].as_array().unwrap()[..2] {
        assert_eq!([&entry["kind"], &entry["details"]], [&json!("contest-changed"), &json!({ "fields": ["title"] })]);
    }
    let why = json!({ "reason": "insults after a warning" });
    mia.post("/v1/moderation/players/anna/suspend", why).await.expect(204);
    for path in [&cup, &ladder] {
        anna.edits(path, json!({ "title": "Mine again" })).await.problem(403, "account-suspended");
        for method in ["PUT", "DELETE"] {
            let refused = anna.request(method, &format!("{path}/organizers/ben"), None).await;
            refused.problem(403, "account-suspended");
        }
    }
}

/// An edit doesn't silently undo a concurrent one.
#[actix_web::test]
async fn of_two_edits_at_once_the_later_one_is_asked_to_look_again() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let anna = &people[0];
    let cup = tournament(anna, &[], json!({})).await;
    let ladder = format!("/v1/ladders/{}", anna.makes_ladder(json!({})).await);
    for (table, path) in [("tournaments", &cup), ("ladders", &ladder)] {
        let mut other = AsyncPgConnection::establish(&app.database).await.unwrap();
        let change = format!("BEGIN; UPDATE {table} SET description = 'Another edit was here.'");
        other.batch_execute(&change).await.unwrap();
        let commits = async {
            while waiting(&app.database).await == 0 {}
            other.batch_execute("COMMIT").await.unwrap();
        };
        let edits = anna.edits(path, json!({ "title": "A word too late" }));
        let (refused, ()) = tokio::join!(edits, commits);
        refused.problem(409, "concurrent-action");
        let shown = anna.get(path).await.expect(200);
        assert_eq!(shown["description"], "Another edit was here.");
        anna.edits(path, json!({ "title": "A word in time" })).await.expect(200);
    }
}

/// The number of sessions that wait for a database lock.
async fn waiting(database: &str) -> i64 {
    #[derive(diesel::QueryableByName)]
    struct Count {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        waiting: i64,
    }
    let mut looking = AsyncPgConnection::establish(database).await.unwrap();
    let sql = "SELECT count(*) AS waiting FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    diesel::sql_query(sql).get_result::<Count>(&mut looking).await.unwrap().waiting
}

/// A tournament starts during an edit: the edit is refused, or came first.
#[actix_web::test]
async fn terms_are_fixed_from_the_first_round_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people[..3], json!({})).await;
    starts(&people[0], &path).await;
    let refused = people[0].edits(&path, json!({ "rated": true })).await.problem(409, "terms-fixed");
    assert_eq!(refused["errors"][0]["detail"], "the first round is drawn, and the players have agreed to this");
    people[0].edits("/v1/tournaments/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47", json!({})).await.problem(404, "not-found");
}

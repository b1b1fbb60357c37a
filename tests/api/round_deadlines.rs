//! Deadlines of rounds: unfinished games end by the terms, and nobody loses one because of a down time.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use broadside::heartbeat::HeartbeatSettings;
use broadside_rules::record;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{MORNING_MS, Player, Setup, TestApp, database, seven_people};
use crate::tournaments::{alphabet, boards, heard, named, plays_round, reads, starts, table, tournament};

const DAY_S: i64 = 86_400;

/// Terms with a clock that is slower than the round.
fn terms(extra: Value) -> Value {
    let mut terms = json!({
        "round_time_s": 5 * DAY_S,
        "clock": { "kind": "per-move", "move_s": 7 * DAY_S, "deploy_s": 7 * DAY_S, "rests": "none" },
    });
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    terms
}

async fn begun(people: &[Player], extra: Value) -> String {
    let path = tournament(&people[0], people, terms(extra)).await;
    starts(&people[0], &path).await;
    path
}

async fn place_fleets(people: &[Player], board: &Value) -> String {
    let id = board["match_ids"][0].as_str().unwrap();
    for seat in ["first", "second"] {
        named(people, &board[seat]).acts(id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    id.to_owned()
}

/// Kinds of the public reports of a match.
async fn told(app: &TestApp, id: &str) -> Vec<String> {
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    reports["items"].as_array().unwrap().iter().map(|report| report["type"].as_str().unwrap().to_owned()).collect()
}

async fn near(player: &Player) -> Vec<Value> {
    heard(player).await.into_iter().filter(|event| event["type"] == "round-deadline-near").collect()
}

async fn is_sound(app: &TestApp) {
    let matches = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert_eq!(matches.faults, Vec::<String>::new());
    let tournaments = broadside::tournaments::audit::all(&app.app).await.unwrap();
    assert_eq!(tournaments.faults, Vec::<String>::new());
}

#[actix_web::test]
async fn a_round_ends_when_its_time_is_over_and_two_nodes_end_each_game_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = &seven_people(&app).await[..4];
    let path = begun(people, json!({ "rated": true })).await;
    let made = reads(&app, &path).await;
    assert_eq!((&made["round_time_s"], &made["at_deadline"]), (&json!(5 * DAY_S), &json!("by-time-taken")));
    let policy = |topic: &str| made["policies"].as_array().unwrap().iter().find(|one| one["topic"] == topic).cloned();
    assert!(policy("delay").is_none());
    let stated = policy("round-deadline").unwrap();
    assert!(stated["detail"].as_str().unwrap().contains("more than two thirds of the time"), "{stated}");
    let first = boards(&app, &path, 1).await;
    // It began at 07:30 of the 21st.
    assert!(first.iter().all(|board| board["due_at"] == "2026-11-26T07:30:01.000Z"), "{first:?}");
    // On one board the first player doesn't move; on the other nobody appears.
    let id = place_fleets(people, &first[0]).await;
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    let slow = usize::from(seen["to_act"][0] != 0);
    let (loser, winner) = (["first", "second"][slow], ["first", "second"][1 - slow]);
    app.passes_s(4 * DAY_S - 60).await;
    assert_eq!(near(&people[0]).await.len(), 0);
    app.passes_s(61).await;
    other.passes_s(0).await;
    for player in people {
        let told = near(player).await;
        assert_eq!(told.len(), 1, "{}", player.name);
        assert_eq!((&told[0]["round"], &told[0]["unfinished_matches"]), (&json!(1), &json!(1)));
        assert_eq!(told[0]["due_at"], first[0]["due_at"]);
    }
    app.passes_unseen_s(DAY_S);
    let run = |node: &TestApp| {
        let node = node.clone();
        Box::pin(async move { broadside::tournaments::job::run(&node.app.matches).await })
    };
    let (one, two) = join(run(&app), run(&other)).await;
    one.and(two).unwrap();
    app.passes_s(1).await;
    let ended = boards(&app, &path, 1).await;
    assert_eq!((&ended[0][loser]["points"], &ended[0][winner]["points"]), (&json!(0.0), &json!(1.0)));
    assert_eq!((&ended[1]["status"], &ended[1]["first"]["points"]), (&json!("finished"), &Value::Null));
    assert_eq!(reads(&app, &path).await["round"], 2);
    assert!(told(&app, &id).await.ends_with(&["deadline-reached", "finished", "revealed"].map(str::to_owned)));
    let called_off = told(&app, ended[1]["match_ids"][0].as_str().unwrap()).await;
    assert!(called_off.ends_with(&["deadline-reached", "aborted"].map(str::to_owned)), "{called_off:?}");
    let result = app.get(&format!("/v1/matches/{id}")).await.expect(200)["result"].clone();
    assert_eq!((&result["reason"], result["ratings"].as_array().unwrap().len()), (&json!("deadline"), 2), "{result}");
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(record::verify(&proof).is_ok_and(|verified| verified.whole), "{proof}");
    // A no-show is warned, and so is the loser.
    let missed = async |seat: &Value| {
        let heard = heard(named(people, seat)).await;
        heard.iter().filter(|event| event["type"] == "tournament-board-missed").count()
    };
    assert_eq!((missed(&ended[0][loser]).await, missed(&ended[0][winner]).await), (1, 0));
    assert_eq!((missed(&ended[1]["first"]).await, missed(&ended[1]["second"]).await), (1, 1));
    let second = boards(&app, &path, 2).await;
    assert!(second.iter().all(|board| board["due_at"].as_str() > first[0]["due_at"].as_str()), "{second:?}");
    is_sound(&app).await;
}

#[actix_web::test]
async fn time_in_which_the_service_was_away_moves_the_deadline() {
    let setup = || Setup { heartbeat: Some(HeartbeatSettings::default()), ..Setup::default() };
    let clock = Arc::new(AtomicI64::new(MORNING_MS));
    let app = Box::pin(TestApp::on(database::fresh().await, Arc::clone(&clock), setup())).await;
    app.beats().await;
    let people = &seven_people(&app).await[..3];
    let path = begun(people, json!({})).await;
    app.beats().await;
    let board = boards(&app, &path, 1).await[0].clone();
    let id = place_fleets(people, &board).await;
    // Six days of down time move the deadline by six days.
    app.passes_unseen_s(6 * DAY_S);
    let app = Box::pin(TestApp::on(app.database.clone(), clock, setup())).await;
    app.passes_s(0).await;
    app.get(&format!("/v1/matches/{id}")).await.problem(503, "unavailable"); // it doesn't know the time yet
    app.beats().await;
    app.passes_s(0).await;
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.expect(200)["status"], "playing");
    assert_eq!(boards(&app, &path, 1).await[0]["due_at"], "2026-12-02T07:30:01.000Z");
    is_sound(&app).await;
}

#[actix_web::test]
async fn a_knockout_goes_on_with_further_boards_of_their_own_deadlines() {
    let app = TestApp::start().await;
    let people = &seven_people(&app).await[..3];
    let extra = json!({
        "format": "knockout", "at_deadline": "drawn", "knockout": { "seeding": "lot", "extra_boards": 1 },
    });
    let path = begun(people, extra).await;
    let first = boards(&app, &path, 1).await;
    let played = |all: &[Value]| all.iter().find(|board| board["status"] == "running").cloned();
    let board = played(&first).unwrap();
    place_fleets(people, &board).await;
    app.passes_s(5 * DAY_S).await;
    app.passes_s(1).await;
    let again = played(&boards(&app, &path, 1).await).unwrap();
    assert_eq!((&again["tie"], &board["first"]["points"]), (&board["tie"], &Value::Null));
    assert!(again["due_at"].as_str() > board["due_at"].as_str(), "{again}");
    // Nobody appears any more: it counts as a board, and the higher seed advances.
    app.passes_s(5 * DAY_S).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["round"], 2);
    let bracket = reads(&app, &format!("{path}/bracket")).await;
    let decided: Vec<&Value> =
        bracket["rounds"][0]["ties"].as_array().unwrap().iter().map(|tie| &tie["decided_by"]).collect();
    assert!(decided.contains(&&json!("higher-seed")) && decided.contains(&&json!("bye")), "{decided:?}");
    is_sound(&app).await;
}

#[actix_web::test]
async fn a_round_that_waits_tells_its_players_and_ends_no_game() {
    let app = TestApp::start().await;
    let people = &seven_people(&app).await[..4];
    let path = begun(people, json!({ "at_deadline": "waited-for", "all_rounds_at_once": true })).await;
    app.passes_s(5 * DAY_S - 3600).await;
    let told = near(&people[1]).await;
    assert_eq!((told.len(), &told[0]["unfinished_matches"]), (1, &json!(3)), "all rounds have one deadline");
    app.passes_s(DAY_S).await;
    assert!(boards(&app, &path, 1).await.iter().all(|board| board["status"] == "running"));
    for round in 1..=3 {
        plays_round(people, &path, round, alphabet).await;
    }
    app.passes_s(1).await;
    app.passes_s(1).await;
    assert_eq!(reads(&app, &path).await["status"], "finished");
    assert_eq!(table(&app, &path).await[0].1, "anna");
}

#[actix_web::test]
async fn a_tournament_that_is_called_off_ends_no_game_at_a_deadline() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[6], &people[..3], terms(json!({}))).await;
    starts(&people[6], &path).await;
    let board = boards(&app, &path, 1).await[0].clone();
    let id = place_fleets(&people, &board).await;
    people[6].post(&format!("{path}/cancel"), json!({ "reason": "the hall is closed" })).await.expect(200);
    app.passes_s(5 * DAY_S + 5).await;
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.expect(200)["status"], "playing");
}

#[actix_web::test]
async fn a_rule_for_deadlines_needs_a_time_and_both_may_change_before_the_start() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let tried = async |extra: Value| {
        let mut body = json!({
            "title": "Autumn cup", "format": "round-robin", "variant": "classic",
            "clock": { "kind": "per-move", "move_s": DAY_S },
        });
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        people[0].post("/v1/tournaments", body).await
    };
    let fault = |answer: crate::support::Answer| {
        let problem = answer.problem(422, "validation-failed");
        let error = &problem["errors"][0];
        [&error["pointer"], &error["code"]].map(|text| text.as_str().unwrap().to_owned())
    };
    assert_eq!(fault(tried(json!({ "at_deadline": "drawn" })).await), ["/at_deadline", "conflicting-fields"]);
    for time_s in [59, 365 * DAY_S + 1] {
        assert_eq!(fault(tried(json!({ "round_time_s": time_s })).await), ["/round_time_s", "out-of-range"]);
    }
    let path = tournament(&people[0], &people[..3], json!({ "round_time_s": 60 })).await;
    let changed = |body: Value| people[0].request("PATCH", &path, Some(body));
    let terms = changed(json!({ "at_deadline": "waited-for" })).await.expect(200);
    assert_eq!((&terms["round_time_s"], &terms["at_deadline"]), (&json!(60), &json!("waited-for")));
    let terms = changed(json!({ "round_time_s": null })).await.expect(200);
    assert_eq!((&terms["round_time_s"], &terms["at_deadline"]), (&Value::Null, &Value::Null));
    starts(&people[0], &path).await;
    assert_eq!(boards(&app, &path, 1).await[0]["due_at"], Value::Null);
    changed(json!({ "round_time_s": 600 })).await.problem(409, "terms-fixed");
}

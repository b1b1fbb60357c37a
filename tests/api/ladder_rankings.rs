//! Ranking scores recomputed from the public list of pairings, limits on repeated meetings, and invalid terms.

use std::collections::BTreeMap;
use std::time::Duration;

use broadside::ladders::position;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use serde_json::{Value, json};

use crate::ladders::{DAY_S, pairings, standings, terms, the_first_by_name_win};
use crate::support::club::{Club, reasons};
use crate::support::database::execute;
use crate::support::{Player, TestApp, seven_people};

/// The scores in millionths of a point, in the order of the standings: computed by the guide's definition, from the
/// pairings alone.
async fn computed(app: &TestApp, ladder: &str, ranking: &str, results: u64) -> Vec<(String, u64)> {
    let page = app.get(&format!("/v1/ladders/{ladder}/pairings?season=1&limit=100")).await.expect(200);
    let mut all: BTreeMap<String, (Vec<u64>, u64, u64)> = BTreeMap::new();
    for pairing in page["items"].as_array().unwrap() {
        assert_eq!(pairing["season"], 1);
        let games = pairing["games"].as_array().unwrap().iter().filter(|game| game["places"] != json!([])).count();
        let most = pairing["players"].as_array().unwrap().iter().map(half).max().unwrap();
        for one in pairing["players"].as_array().unwrap() {
            let own = all.entry(one["player"]["username"].as_str().unwrap().to_owned()).or_default();
            own.0.push(half(one));
            own.1 += games as u64;
            own.2 += u64::from(half(one) == most && games as u64 != half(one));
        }
    }
    let mut rows: Vec<(u64, u64, u64, String)> = Vec::new();
    for (name, (mut points, games, won)) in all {
        points.sort_unstable_by(|one, other| other.cmp(one));
        let (sum, count) = (points.iter().sum::<u64>() * 500_000, points.len() as u64);
        let (score, tie) = match ranking {
            "sum" => (sum, count),
            "best" => (points.iter().take(results as usize).sum::<u64>() * 500_000, count),
            "average" => (sum / count.max(results), 1000 - won),
            _ => (sum / games.max(results), 1000 - won),
        };
        rows.push((u64::MAX - score, tie, 1000 - won, name));
    }
    rows.sort();
    rows.into_iter().map(|(score, .., name)| (name, u64::MAX - score)).collect()
}

/// Twice a player's points.
fn half(player: &Value) -> u64 {
    (player["points"].as_f64().unwrap() * 2.0) as u64
}

/// The standings of the members with games, as (name, score in millionths).
async fn scores(app: &TestApp, ladder: &str) -> Vec<(String, u64)> {
    let page = app.get(&format!("/v1/ladders/{ladder}/standings?season=1")).await.expect(200);
    let rows = page["items"].as_array().unwrap().iter().filter(|row| row["pairings"] != 0);
    rows.map(|row| {
        let score = (row["score"].as_f64().unwrap() * 1e6).round() as u64;
        (row["player"]["username"].as_str().unwrap().to_owned(), score)
    })
    .collect()
}

async fn faults(app: &TestApp) -> Vec<String> {
    broadside::ladders::audit::all(&app.app).await.unwrap().faults
}

#[actix_web::test]
async fn every_ranking_follows_from_the_pairings() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    app.grants("anna", "organizer").await;
    let four = &people[..4];
    let mut ids = Vec::new();
    for (ranking, results) in [("sum", 0), ("best", 3), ("average", 2), ("per-board", 3)] {
        let mut asked = json!({
            "official": true, "ranking": ranking, "season_s": 10 * DAY_S, "max_pairings": 3,
            "paired_games": ranking == "per-board",
        });
        if results > 0 {
            asked["ranking_results"] = json!(results);
        }
        let id = people[0].makes_ladder(asked).await;
        let ladder = app.get(&format!("/v1/ladders/{id}")).await.expect(200);
        let number = if results > 0 { json!(results) } else { Value::Null };
        assert_eq!([&ladder["ranking"], &ladder["ranking_results"]], [&json!(ranking), &number]);
        // Ben and dora wish for more than anna and carl.
        for (player, wish) in four.iter().zip([1, 3, 1, 3]) {
            player.joins(&id, wish).await;
        }
        ids.push((id, ranking, results));
    }
    for _ in 0..3 {
        app.passes_s(8 * 3600).await;
        for (id, ..) in &ids {
            the_first_by_name_win(&app, id, four).await;
        }
        app.passes_s(1).await;
    }
    for (id, ranking, results) in &ids {
        let found = scores(&app, id).await;
        assert_eq!(found, computed(&app, id, ranking, *results).await, "{ranking}");
        assert_eq!(found.len(), 4);
        assert!(pairings(&app, id).await.len() >= 6, "{ranking}");
    }
    assert_eq!(faults(&app).await, Vec::<String>::new());
    // The final ranks are in the same order.
    let before = scores(&app, &ids[2].0).await;
    app.passes_s(10 * DAY_S).await;
    assert_eq!(scores(&app, &ids[2].0).await, before);
    assert_eq!(faults(&app).await, Vec::<String>::new());
}

#[actix_web::test]
async fn a_standing_that_does_not_follow_from_the_pairings_is_found() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "ranking": "best", "ranking_results": 2, "season_s": DAY_S })).await;
    for player in &people[..2] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    assert!(faults(&app).await.is_empty());
    for (forged, mended) in [
        ("ladder_standings SET score = score + 1", "ladder_standings SET score = score - 1"),
        ("ladder_standings SET won = won + 1", "ladder_standings SET won = won - 1"),
        ("ladder_meetings SET meetings = 2", "ladder_meetings SET meetings = 1"),
        ("pairings SET season = NULL", "pairings SET season = 1"),
    ] {
        execute(&app.database, &format!("UPDATE {forged}")).await;
        assert!(!faults(&app).await.is_empty(), "{forged}");
        execute(&app.database, &format!("UPDATE {mended} WHERE true")).await;
        // The second match has no result yet.
        execute(&app.database, "UPDATE pairings SET season = NULL WHERE settled_at IS NULL").await;
        assert!(faults(&app).await.is_empty(), "{mended}");
    }
    app.passes_s(DAY_S).await;
    assert!(faults(&app).await.is_empty());
    execute(&app.database, "UPDATE ladder_standings SET rank = 3 - rank WHERE season = 1").await;
    assert!(faults(&app).await.iter().any(|fault| fault.contains("ranks")));
}

#[actix_web::test]
async fn two_meet_as_often_in_a_season_as_the_ladder_says() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let two = &people[..2];
    let id = people[0].makes_ladder(json!({ "max_meetings": 2, "season_s": 10 * DAY_S })).await;
    for player in two {
        player.joins(&id, 1).await;
    }
    for _ in 0..5 {
        app.passes_s(DAY_S).await;
        the_first_by_name_win(&app, &id, two).await;
    }
    app.passes_s(1).await;
    assert_eq!(standings(&app, &id, "").await[0].2, 2);
    assert_eq!(pairings(&app, &id).await.len(), 2);
    // A third member is a new opponent, and the next season a new start.
    people[2].joins(&id, 1).await;
    app.passes_s(60).await;
    assert_eq!(pairings(&app, &id).await.len(), 3);
    the_first_by_name_win(&app, &id, &people).await;
    people[2].post(&format!("/v1/ladders/{id}/leave"), json!({})).await.expect(200);
    app.passes_s(5 * DAY_S).await;
    assert_eq!(app.get(&format!("/v1/ladders/{id}")).await.expect(200)["season"]["number"], 2);
    app.passes_s(60).await;
    assert_eq!(pairings(&app, &id).await.len(), 4);
    assert!(faults(&app).await.is_empty());

    // The same in the export.
    let session = people[1].signed_in().await;
    let export = session.get("/v1/account/export").await.expect(200);
    let meetings = export["ladders"]["meetings"].as_array().unwrap();
    let is_of_first = |one: &&Value| one["opponent_id"] == people[0].id && one["season"] == 1;
    let with_anna = meetings.iter().find(is_of_first).unwrap();
    assert_eq!([&with_anna["season"], &with_anna["meetings"]], [&json!(1), &json!(2)]);
}

#[actix_web::test]
async fn two_challenge_each_other_as_often_in_a_season_as_the_ladder_says() {
    let app = TestApp::start().await;
    let mut members = Vec::new();
    for name in ["anna", "ben", "carl"] {
        members.push(app.lasting_player(name).await);
    }
    let body = terms(json!({
        "format": "position", "max_meetings": 1, "season_s": 10 * DAY_S,
        "position_terms": { "no_return_s": 0, "protection_s": 0 },
    }));
    let ladder = members[0].post("/v1/ladders", body).await.expect(201);
    let path = format!("/v1/ladders/{}", ladder["id"].as_str().unwrap());
    for member in &members {
        member.post(&format!("{path}/join"), json!({})).await.expect(200);
    }
    let club = Club { app: app.clone(), members, path };
    club.plays("ben", "anna", "anna").await;
    assert_eq!(club.wall().await, "ben anna carl");
    // In both directions.
    assert_eq!(club.sees("anna").await["ben"], ["met-too-often"]);
    assert_eq!(reasons(&club.tries("anna", "ben").await), ["met-too-often"]);
    assert!(club.sees("carl").await.values().all(Vec::is_empty));
    app.passes_s(10 * DAY_S).await;
    assert_eq!(club.sees("anna").await["ben"], Vec::<String>::new());
    assert!(faults(&app).await.is_empty());
}

#[actix_web::test]
async fn what_contradicts_itself_is_refused() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let refused = async |player: &Player, more: Value| -> Vec<(String, String)> {
        let problem = player.post("/v1/ladders", terms(more)).await.problem(422, "validation-failed");
        let text = |fault: &Value, field: &str| fault[field].as_str().unwrap().to_owned();
        let faults = problem["errors"].as_array().unwrap().clone();
        faults.iter().map(|fault| (text(fault, "pointer"), text(fault, "code"))).collect()
    };
    for (more, pointer, code) in [
        (json!({ "max_meetings": 2 }), "/max_meetings", "conflicting-fields"),
        (json!({ "max_meetings": 101, "season_s": DAY_S }), "/max_meetings", "out-of-range"),
        (json!({ "ranking_results": 3 }), "/ranking_results", "conflicting-fields"),
        (json!({ "ranking": "best", "ranking_results": 0 }), "/ranking_results", "out-of-range"),
        (json!({ "ranking": "most" }), "/ranking", "unknown-value"),
        (json!({ "pairing_rule": { "relax_s": 9 } }), "/pairing_rule/relax_s", "out-of-range"),
        (json!({ "pairing_rule": { "no_return_s": 7_776_001 } }), "/pairing_rule/no_return_s", "out-of-range"),
        (json!({ "format": "position", "ranking": "average" }), "/ranking", "conflicting-fields"),
        (json!({ "format": "position", "pairing_rule": {} }), "/pairing_rule", "conflicting-fields"),
        (json!({ "format": "position", "position_terms": { "open_s": 0 } }), "/position_terms/open_s", "out-of-range"),
    ] {
        assert_eq!(refused(&anna, more.clone()).await, [(pointer.to_owned(), code.to_owned())], "{more}");
    }
    // The default follows the clock.
    let made = anna.post("/v1/ladders", terms(json!({}))).await.expect(201);
    assert_eq!(
        [&made["pairing_rule"]["relax_s"], &made["pairing_rule"]["no_return_s"]],
        [&json!(3600), &json!(2 * DAY_S)]
    );
    assert_eq!([&made["ranking"], &made["ranking_results"]], [&json!("sum"), &Value::Null]);
}

#[actix_web::test]
async fn an_audit_waits_for_nobody_and_holds_nobody_up() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({})).await;
    let club = Club::of(&app, &["olga", "paul"], json!({})).await;
    // Both ladders are locked by another session.
    let mut holder = AsyncPgConnection::establish(&app.database).await.unwrap();
    holder.batch_execute("BEGIN; SELECT FROM ladders FOR UPDATE").await.unwrap();
    let audits = async { (faults(&app).await, position::audit::all(&app.app).await.unwrap().faults) };
    let found = tokio::time::timeout(Duration::from_secs(20), audits).await.expect("the audits wait for the ladder");
    assert_eq!(found, (Vec::<String>::new(), Vec::<String>::new()), "{id} {}", club.path);
    holder.batch_execute("ROLLBACK").await.unwrap();
}

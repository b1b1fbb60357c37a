//! Leagues, which are ladders with divisions: each division's cross-table, and the warning before a season ends.

use serde_json::{Value, json};

use crate::ladders::{DAY_S, standings, the_first_by_name_win};
use crate::support::{Answer, Player, TestApp, plain, seven_people};

/// A league of two divisions, the first four by name in the upper one, after every pair of a division has met.
async fn league(app: &TestApp, people: &[Player]) -> String {
    let clock = json!({ "kind": "per-move", "move_s": 14 * DAY_S });
    let divisions = json!({ "size": 4, "promotions": 1 });
    let terms = json!({ "season_s": 10 * DAY_S, "divisions": divisions, "max_pairings": 3, "clock": clock });
    let id = people[0].makes_ladder(terms).await;
    for player in people {
        player.joins(&id, 3).await;
        app.passes_unseen_s(1);
    }
    app.passes_s(6 * 3600).await;
    the_first_by_name_win(app, &id, people).await;
    app.passes_s(1).await;
    id
}

/// The rows of a table, cell by cell. No cell in these tests contains a comma.
fn cells(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The season-end warnings a player has received.
async fn warnings(player: &Player) -> Vec<Value> {
    player.hears(0).await.into_iter().filter(|event| event["type"] == "season-end-near").collect()
}

#[actix_web::test]
async fn the_cross_table_of_a_division_has_what_its_members_gave_each_other() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = league(&app, &people).await;
    let path = format!("/v1/ladders/{id}/crosstable");
    let upper = cells(&app.get(&format!("{path}?format=csv")).await);
    assert_eq!(upper[0], ["rank", "player", "points", "score", "anna", "ben", "carl", "dora"]);
    let by_name = standings(&app, &id, "").await;
    for (row, (name, points, _)) in upper[1..].iter().zip(&by_name) {
        assert_eq!((&row[1], &row[2]), (name, &points.to_string()));
        let met = row[4..].iter().filter_map(|cell| cell.parse::<f64>().ok());
        assert!((met.sum::<f64>() - points).abs() < f64::EPSILON, "all points come from this division: {row:?}");
        assert_eq!(row.iter().filter(|cell| *cell == "x").count(), 1);
    }
    // Anna has won all her games, and each pairing is seen from both sides.
    let table = app.get(&path).await.expect(200);
    let [anna, ben] = [0, 1].map(|row: usize| table["rows"][row].clone());
    assert_eq!([&anna["player"]["username"], &ben["player"]["username"]], ["anna", "ben"]);
    let of = |row: &Value, column: u64| {
        let results = row["results"].as_array().unwrap();
        results.iter().find(|result| result["column"] == column).cloned().unwrap()
    };
    let (won, lost) = (of(&anna, 2), of(&ben, 1));
    assert_eq!([&won["points"], &lost["points"]], [&json!(1.0), &json!(0.0)]);
    assert_eq!(won["pairings"][0]["pairing_id"], lost["pairings"][0]["pairing_id"]);
    assert_eq!([&table["members"], &table["is_final"], &table["division"]], [&json!(4), &json!(false), &json!(1)]);
    // The other division has its own table and its own file name.
    let lower = app.get(&format!("{path}?division=2&format=csv")).await;
    assert_eq!(cells(&lower)[0][4..], ["emil", "fritz", "gina"]);
    let file = lower.header("content-disposition").unwrap();
    assert_eq!(file, "attachment; filename=\"tuesday-ladder-season-1-division-2-crosstable.csv\"");
    let accepted =
        app.send(plain("GET", &format!("{path}?division=2"), None).insert_header(("accept", "text/csv"))).await;
    assert_eq!(accepted.body, lower.body);
    // The table remains after the season, and the next one starts without meetings.
    app.passes_s(10 * DAY_S).await;
    let past = app.get(&format!("{path}?season=1")).await.expect(200);
    assert_eq!((&past["rows"], &past["is_final"]), (&table["rows"], &json!(true)));
    let next = app.get(&path).await.expect(200);
    assert!(next["rows"].as_array().unwrap().iter().all(|row| row["results"] == json!([])), "{next}");
    app.get(&format!("{path}?season=3")).await.problem(404, "not-found");
    app.get(&format!("{path}?season=0")).await.problem(422, "validation-failed");
    app.get("/v1/ladders/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47/crosstable").await.problem(404, "not-found");
}

#[actix_web::test]
async fn members_are_told_once_that_a_season_ends_soon() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "season_s": 10 * DAY_S })).await;
    for player in &people[..3] {
        player.joins(&id, 1).await;
    }
    let ends_at = app.get(&format!("/v1/ladders/{id}")).await.expect(200)["season"]["ends_at"].clone();
    app.passes_s(9 * DAY_S - 60).await;
    assert!(warnings(&people[0]).await.is_empty());
    app.passes_unseen_s(60);
    for node in [&app, &other, &app] {
        broadside::ladders::job::run(&node.app.matches).await.unwrap();
    }
    for player in &people[..3] {
        let told = warnings(player).await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!([&told[0]["season"], &told[0]["division"], &told[0]["ends_at"]], [&json!(1), &json!(1), &ends_at]);
    }
    assert!(warnings(&people[3]).await.is_empty(), "who is no member isn't told");
    app.passes_s(DAY_S).await;
    assert_eq!(warnings(&people[0]).await.len(), 1);
    app.passes_s(9 * DAY_S).await;
    let seasons: Vec<Value> = warnings(&people[0]).await.iter().map(|told| told["season"].clone()).collect();
    assert_eq!(seasons, [1, 2]);
}

#[actix_web::test]
async fn a_pause_moves_the_warning_with_the_end_of_the_season() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({ "season_s": 10 * DAY_S })).await;
    ben.joins(&id, 1).await;
    app.passes_s(8 * DAY_S).await;
    let path = format!("/v1/contests/{id}");
    anna.post(&format!("{path}/pause"), json!({ "reason": "The club is closed." })).await.expect(200);
    app.passes_s(5 * DAY_S).await;
    assert!(warnings(ben).await.is_empty(), "nobody is told of an end that moves");
    anna.post(&format!("{path}/resume"), json!({})).await.expect(204);
    // It lasts fifteen days now, and a tenth of that is a day and a half.
    app.passes_s(DAY_S / 2 - 60).await;
    assert!(warnings(ben).await.is_empty());
    app.passes_s(60).await;
    let ends_at = app.get(&format!("/v1/ladders/{id}")).await.expect(200)["season"]["ends_at"].clone();
    assert_eq!(warnings(ben).await.iter().map(|told| told["ends_at"].clone()).collect::<Vec<_>>(), [ends_at]);
}

#[actix_web::test]
async fn a_closed_ladder_warns_nobody() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let id = people[0].makes_ladder(json!({ "season_s": 10 * DAY_S })).await;
    people[1].joins(&id, 1).await;
    people[0].post(&format!("/v1/ladders/{id}/close"), json!({ "reason": "Nobody plays." })).await.expect(200);
    app.passes_s(9 * DAY_S).await;
    assert!(warnings(&people[1]).await.is_empty());
}

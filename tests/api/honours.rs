//! Past seasons with their winners, and a player's honours, which remain after a ladder is closed.

use serde_json::{Value, json};

use crate::ladders::{DAY_S, the_first_by_name_win};
use crate::support::{TestApp, database, seven_people};
use crate::tournaments::{alphabet, plays_round, starts, tournament};

/// A player's honours: kind, title and place, newest first.
async fn honours(app: &TestApp, name: &str) -> Vec<(String, String, u64)> {
    let page = app.get(&format!("/v1/players/{name}/honours")).await.expect(200);
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let row = |row: &Value| (text(row, "kind"), text(row, "title"), row["rank"].as_u64().unwrap());
    page["items"].as_array().unwrap().iter().map(row).collect()
}

fn won(kind: &str, title: &str, rank: u64) -> (String, String, u64) {
    (kind.to_owned(), title.to_owned(), rank)
}

#[actix_web::test]
async fn a_season_keeps_its_winner_also_when_the_ladder_is_closed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let rule = json!({ "no_return_s": 80 * DAY_S });
    let id = anna.makes_ladder(json!({ "season_s": 10 * DAY_S, "pairing_rule": rule })).await;
    for player in [anna, ben] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(2).await;
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
    assert_eq!(seasons["items"][0]["winners"], json!([]), "the season is on");
    assert_eq!(honours(&app, "anna").await, []);
    app.passes_s(10 * DAY_S).await;
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
    let [second, first] = seasons["items"].as_array().unwrap().as_slice() else { panic!("{seasons}") };
    assert_eq!((&second["number"], &second["winners"]), (&json!(2), &json!([])));
    let winner = &first["winners"][0];
    assert_eq!(
        [&winner["player"]["username"], &winner["points"], &winner["section"]],
        [&json!("anna"), &json!(1.0), &json!("all")]
    );
    assert_eq!(honours(&app, "anna").await, [won("winner", "Tuesday ladder", 1)]);
    assert_eq!(honours(&app, "ben").await, [], "nobody is behind the last");
    // Rewritten as if Ben had been in the second division and moved up.
    let lower = "UPDATE ladder_standings SET division = 2, rank = 1 WHERE season = 1 \
         AND account_id = (SELECT id FROM accounts WHERE username = 'ben')";
    database::execute(&app.database, lower).await;
    assert_eq!(honours(&app, "ben").await, [won("promoted", "Tuesday ladder", 1)]);
    database::execute(&app.database, &lower.replace("division = 2, rank = 1", "division = 1, rank = 2")).await;
    // Nobody has played in the second season: it has no winner.
    anna.post(&format!("/v1/ladders/{id}/close"), json!({ "reason": "The club has a new one." })).await.expect(200);
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
    assert!(seasons["items"][0]["ended_at"].is_string());
    assert_eq!([&seasons["items"][0]["winners"], &seasons["items"][1]["winners"][0]], [&json!([]), winner]);
    let mine = app.get("/v1/players/anna/honours").await.expect(200);
    let [only] = mine["items"].as_array().unwrap().as_slice() else { panic!("{mine}") };
    assert_eq!([&only["ladder_id"], &only["season"], &only["division"]], [&json!(id), &json!(1), &json!(1)]);
    assert_eq!([&only["tournament_id"], &only["at"]], [&Value::Null, &first["ended_at"]]);
    anna.signed_in()
        .await
        .request("DELETE", "/v1/account", Some(json!({ "password": anna.password })))
        .await
        .expect(204);
    app.get("/v1/players/anna/honours").await.problem(404, "not-found");
    let seasons = app.get(&format!("/v1/ladders/{id}/seasons")).await.expect(200);
    assert_ne!(seasons["items"][1]["winners"][0]["player"]["username"], "anna");
}

#[actix_web::test]
async fn a_tournament_has_a_podium() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    for title in ["Spring cup", "Autumn cup"] {
        let path = tournament(&people[0], &people[..3], json!({ "all_rounds_at_once": true, "title": title })).await;
        starts(&people[0], &path).await;
        assert!(honours(&app, "anna").await.iter().all(|one| one.1 != title), "it is on");
        for round in 1..=3 {
            plays_round(&people[..3], &path, round, alphabet).await;
        }
        app.passes_s(1).await;
    }
    assert_eq!(honours(&app, "anna").await, [won("winner", "Autumn cup", 1), won("winner", "Spring cup", 1)]);
    assert_eq!(honours(&app, "ben").await, [won("podium", "Autumn cup", 2), won("podium", "Spring cup", 2)]);
    assert_eq!(honours(&app, "carl").await, [], "the last of three stands on no podium");
    let first = app.get("/v1/players/anna/honours?limit=1").await.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = app.get(&format!("/v1/players/anna/honours?limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!([&second["items"][0]["title"], &second["next_cursor"]], [&json!("Spring cup"), &Value::Null]);
    app.get("/v1/players/anna/honours?cursor=xyz").await.problem(422, "validation-failed");
    // An unreadable honour doesn't hide the others.
    let damage = "UPDATE tournament_players SET final_standing = '7' WHERE account_id = (SELECT id FROM accounts \
         WHERE username = 'anna') AND tournament_id = (SELECT id FROM tournaments WHERE title = 'Autumn cup')";
    database::execute(&app.database, damage).await;
    assert_eq!(app.get("/v1/players/anna/honours").await.expect(200)["incomplete"], true);
    assert_eq!(honours(&app, "anna").await, [won("winner", "Spring cup", 1)]);
}

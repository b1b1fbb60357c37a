//! Unreadable rows, damaged or from a newer version, hide no other row.

use serde_json::{Value, json};

use crate::ladders::the_first_by_name_win;
use crate::ratings::duellists;
use crate::support::database::execute;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{starts, tournament};

/// The ids of a list, and its mark as incomplete.
async fn listed(player: &Player, path: &str) -> (Vec<String>, bool) {
    let list = player.get(path).await.expect(200);
    let ids = list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned());
    (ids.collect(), list["incomplete"] == true)
}

/// Every page of a list by pages of one.
async fn paged(player: &Player, path: &str) -> (Vec<String>, usize) {
    let (mut ids, mut gaps, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = player.get(&format!("{path}limit=1{cursor}")).await.expect(200);
        ids.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
        gaps += usize::from(page["incomplete"] == true);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (ids, gaps),
        }
    }
}

/// A value from a newer version, which no check of this one allows.
async fn newer(app: &TestApp, table: &str, column: &str, word: &str, rows: &str) {
    let drop = format!(
        "DO $$ DECLARE c text; BEGIN FOR c IN SELECT conname FROM pg_constraint \
         WHERE conrelid = '{table}'::regclass AND contype = 'c' LOOP \
           EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', c); END LOOP; END $$"
    );
    execute(&app.database, &drop).await;
    execute(&app.database, &format!("UPDATE {table} SET {column} = {word} WHERE {rows}")).await;
}

async fn made(player: &Player, path: &str, body: &Value) -> String {
    player.post(path, body.clone()).await.expect(201)["id"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn one_challenge_ladder_or_tournament_that_cannot_be_read_hides_no_other() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let clock = json!({ "kind": "per-move", "move_s": 86_400 });
    let challenge = json!({ "variant": "classic", "clock": clock });
    let ladder = json!({ "title": "Autumn", "variant": "classic", "clock": clock });
    let tournament = json!({
        "title": "Autumn", "format": "round-robin", "variant": "classic", "clock": clock, "max_players": 8,
    });
    for (path, body, table, column, word) in [
        ("/v1/challenges", challenge, "challenges", "clock", "'{\"kind\": \"sundial\"}'"),
        ("/v1/ladders", ladder, "ladders", "format", "'spiral'"),
        ("/v1/tournaments", tournament, "tournaments", "audience", "'left-handed'"),
    ] {
        let mut ids = Vec::new();
        for _ in 0..3 {
            app.passes_s(1).await;
            ids.push(made(&anna, path, &body).await);
        }
        ids.reverse();
        assert_eq!(listed(&ben, path).await, (ids.clone(), false), "{path}");
        for damaged in [&ids[1], &ids[0]] {
            newer(&app, table, column, word, &format!("id = '{damaged}'")).await;
            let left: Vec<String> =
                ids.iter().filter(|id| *id == &ids[2] || (damaged == &ids[1] && *id == &ids[0])).cloned().collect();
            assert_eq!(listed(&ben, path).await, (left.clone(), true), "{path}");
            let gaps = ids.len() - left.len();
            assert_eq!(paged(&ben, &format!("{path}?")).await, (left, gaps), "{path}");
            ben.get(&format!("{path}/{damaged}")).await.problem(500, "internal-error");
        }
    }
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(export["incomplete"], true);
    assert_eq!(export["challenges"].as_array().unwrap().len(), 1);
}

/// Asserts that each page is served as `incomplete`, and that a file is refused.
async fn say_what_they_lack(app: &TestApp, path: &str, pages: &[&str]) {
    for page in pages {
        let answer = app.get(&format!("{path}{page}")).await;
        match page.contains("csv") || *page == "/report" {
            true => drop(answer.problem(500, "internal-error")),
            false => assert_eq!(answer.expect(200)["incomplete"], true, "{page}"),
        }
    }
}

#[actix_web::test]
async fn one_board_or_player_that_cannot_be_read_hides_no_table() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    for (format, bracket) in [("round-robin", None), ("knockout", Some("/bracket"))] {
        let path = tournament(&people[0], &people[..4], json!({ "format": format })).await;
        starts(&people[0], &path).await;
        let id = path.rsplit('/').next().unwrap().to_owned();
        let mut pages = vec!["/standings", "/crosstable", "/rounds", "/rounds/1"];
        pages.extend(bracket);
        for page in &pages {
            let whole = app.get(&format!("{path}{page}")).await.expect(200);
            assert!(whole.get("incomplete").is_none(), "{whole}");
        }
        pages.extend(["/standings?format=csv", "/crosstable?format=csv", "/report"]);
        let first = format!("tournament_id = '{id}' AND round = 1 AND board = 1");
        newer(&app, "tournament_boards", "status", "'adjourned'", &first).await;
        say_what_they_lack(&app, &path, &pages).await;
        assert_eq!(app.get(&format!("{path}/rounds/1")).await.expect(200)["boards"].as_array().unwrap().len(), 1);
        newer(&app, "tournament_boards", "status", "'running'", &first).await;

        let one = format!("tournament_id = '{id}' AND account_id = '{}'", people[1].id);
        newer(&app, "tournament_players", "final_standing", "'7'", &one).await;
        say_what_they_lack(&app, &path, &pages).await;
        let standings = app.get(&format!("{path}/standings")).await.expect(200);
        assert_eq!(standings["items"].as_array().unwrap().len(), 3);
    }
}

#[actix_web::test]
async fn one_place_or_pairing_that_cannot_be_read_hides_no_ladder() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({})).await;
    for player in [anna, ben] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(1).await;
    let path = format!("/v1/ladders/{id}");
    newer(&app, "match_heads", "result", "'7'", "status = 'finished'").await;
    say_what_they_lack(&app, &path, &["/pairings", "/crosstable", "/crosstable?format=csv"]).await;

    let id = anna.makes_ladder(json!({ "format": "position" })).await;
    for player in &people[..3] {
        player.joins(&id, 1).await;
    }
    let second = format!("ladder_id = '{id}' AND account_id = '{}'", ben.id);
    newer(&app, "ladder_standings", "section", "'crew'", &second).await;
    let path = format!("/v1/ladders/{id}");
    say_what_they_lack(&app, &path, &["/standings", "/crosstable", "/standings?format=csv"]).await;
    let standings = app.get(&format!("{path}/standings")).await.expect(200);
    let ranks: Vec<&Value> = standings["items"].as_array().unwrap().iter().map(|row| &row["rank"]).collect();
    assert_eq!(ranks, [1, 3]);
    let next = app.get(&format!("{path}/standings?limit=2")).await.expect(200)["next_cursor"].clone();
    assert_eq!(next, "2");
}

#[actix_web::test]
async fn one_rating_that_cannot_be_read_hides_no_other() {
    let app = TestApp::start().await;
    let (anna, ben) = duellists(&app).await;
    anna.beats(&ben).await;
    let id = anna.beats(&ben).await;
    let newest = format!("match_id = '{id}' AND account_id = '{}'", anna.id);
    newer(&app, "rating_changes", "reason", "'magic'", &newest).await;
    say_what_they_lack(&app, "/v1/players/anna/ratings/classic-days", &["/history"]).await;
    say_what_they_lack(&app, &format!("/v1/matches/{id}"), &["/rating-changes"]).await;
    let history = app.get("/v1/players/anna/ratings/classic-days/history?limit=1").await.expect(200);
    assert_eq!((&history["items"], &history["next_cursor"]), (&json!([]), &json!("2")));
    newer(&app, "ratings", "pool", "'chess'", &format!("account_id = '{}'", anna.id)).await;
    say_what_they_lack(&app, "/v1/players/anna", &["/ratings"]).await;
}

#[actix_web::test]
async fn one_match_that_cannot_be_folded_hides_no_turn() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let terms = json!({ "variant": "classic" });
    let good = anna.challenges_and_meets(&ben, terms.clone()).await;
    let bad = anna.challenges_and_meets(&ben, terms).await;
    assert_eq!(listed(&anna, "/v1/turns").await.0.len(), 2);
    execute(&app.database, &format!("UPDATE match_log SET entry = '\\x00' WHERE match_id = '{bad}'")).await;
    let app = app.restarted().await;
    let (anna, ben) = (anna.at(&app), ben.at(&app));
    assert_eq!(listed(&anna, "/v1/turns").await, (vec![good.clone()], true));
    // Its head is intact, so lists of matches still have it.
    assert_eq!(listed(&anna, "/v1/matches").await.0.len(), 2);
    anna.deploys(&good, NORTH_WEST).await;
    ben.deploys(&good, SOUTH_EAST).await;
}

#[actix_web::test]
async fn an_event_that_cannot_be_read_keeps_its_number() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    anna.challenges_and_meets(&ben, json!({ "variant": "classic" })).await;
    let before = anna.get("/v1/events?after=0").await.expect(200);
    assert!(before.get("incomplete").is_none());
    let count = before["items"].as_array().unwrap().len();
    let damage = format!(
        "UPDATE account_events SET lines = 'nonsense' WHERE account_id = '{}' AND number = (SELECT min(number) \
         FROM account_events WHERE account_id = '{}')",
        anna.id, anna.id
    );
    execute(&app.database, &damage).await;
    let after = anna.get("/v1/events?after=0").await.expect(200);
    assert_eq!(after["incomplete"], true);
    let items = after["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["type"]), (count, &json!("unreadable")));
    for (number, item) in (1..).zip(items) {
        assert_eq!(item["number"], number);
    }
    assert_eq!(after["next_cursor"], before["next_cursor"]);
}

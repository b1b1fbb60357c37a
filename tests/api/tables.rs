//! Standings and cross-tables for spreadsheets: CSV with a header row, complete, and without formulas.

use serde_json::{Value, json};

use crate::ladders::{DAY_S, the_first_by_name_win};
use crate::support::club::Club;
use crate::support::{Answer, TestApp, database, plain, seven_people};
use crate::tournaments::{alphabet, plays_round, reads, starts, tournament, under_way};

/// The rows of a table, cell by cell. No cell in these tests contains a comma.
fn rows(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    let text = answer.text();
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains('\n'), "{text:?}");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The columns with these names, without the header.
fn columns(answer: &Answer, names: &[&str]) -> Vec<Vec<String>> {
    let mut rows = rows(answer);
    let header = rows.remove(0);
    let at = |name: &&str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}"));
    let wanted: Vec<usize> = names.iter().map(at).collect();
    rows.iter().map(|row| wanted.iter().map(|column| row[*column].clone()).collect()).collect()
}

async fn as_csv(app: &TestApp, path: &str) -> Answer {
    app.send(plain("GET", path, None).insert_header(("accept", "text/csv"))).await
}

#[actix_web::test]
async fn a_tournament_opens_in_a_spreadsheet() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let title = json!({ "all_rounds_at_once": true, "title": "=cmd|' /C calc'!A1 d'été" });
    let path = tournament(&people[0], &people[..4], title).await;
    let list = format!("{path}/standings");
    // Before the start it lists the members.
    let mut joined = columns(&as_csv(&app, &list).await, &["player", "rank", "points"]);
    joined.sort();
    assert_eq!(joined, ["anna", "ben", "carl", "dora"].map(|name| vec![name, "", "0"]));
    starts(&people[0], &path).await;
    plays_round(&people[..4], &path, 1, alphabet).await;
    plays_round(&people[..4], &path, 2, alphabet).await;
    plays_round(&people[..4], &path, 3, alphabet).await;
    app.passes_s(1).await;
    let table = as_csv(&app, &list).await;
    assert_eq!(
        columns(&table, &["rank", "player", "points", "wins", "sonneborn_berger", "struck"]),
        [
            ["1", "anna", "3", "3", "3", "false"],
            ["2", "ben", "2", "2", "1", "false"],
            ["3", "carl", "1", "1", "0", "false"],
            ["4", "dora", "0", "0", "0", "false"]
        ]
    );
    let file = table.header("content-disposition").unwrap();
    assert_eq!(file, "attachment; filename=\"cmd-c-calc-a1-d-ete-standings.csv\"");
    assert!(table.header("access-control-expose-headers").unwrap().contains("content-disposition"));
    assert!(table.header("vary").unwrap().contains("accept"), "caches know two forms");
    // By parameter as well, for links on a page, whatever the browser accepts.
    let browser = plain("GET", &format!("{list}?format=csv"), None).insert_header(("accept", "text/html"));
    assert_eq!(app.send(browser).await.body, table.body);
    assert_eq!(reads(&app, &format!("{list}?format=json")).await["items"][0]["player"]["username"], "anna");
    // A whole table has no pages.
    assert_eq!(as_csv(&app, &format!("{list}?limit=2")).await.pointers(), ["/limit"]);
    let refused = as_csv(&app, &format!("{list}?limit=2")).await;
    assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "conflicting-fields");
    app.get(&format!("{list}?format=xml")).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_cross_table_shows_what_each_pair_has_finished() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = under_way(&people[..4]).await;
    let list = format!("{path}/crosstable");
    let unplayed = reads(&app, &list).await;
    assert_eq!((&unplayed["size"], &unplayed["is_final"]), (&json!(4), &json!(false)));
    let games = |page: &Value| -> usize {
        page["items"].as_array().unwrap().iter().map(|row| row["results"].as_array().unwrap().len()).sum()
    };
    assert_eq!(games(&unplayed), 0, "running games are in no cell");
    plays_round(&people[..4], &path, 1, alphabet).await;
    app.passes_s(1).await;
    assert_eq!(games(&reads(&app, &list).await), 4, "each of two games from both sides");
    plays_round(&people[..4], &path, 2, alphabet).await;
    plays_round(&people[..4], &path, 3, alphabet).await;
    app.passes_s(1).await;
    let whole = as_csv(&app, &list).await;
    assert_eq!(
        columns(&whole, &["row", "rank", "player", "points", "anna", "ben", "carl", "dora"]),
        [
            ["1", "1", "anna", "3", "x", "1", "1", "1"],
            ["2", "2", "ben", "2", "0", "x", "1", "1"],
            ["3", "3", "carl", "1", "0", "0", "x", "1"],
            ["4", "4", "dora", "0", "0", "0", "0", "x"]
        ]
    );
    let file = whole.header("content-disposition").unwrap();
    assert_eq!(file, "attachment; filename=\"autumn-cup-crosstable.csv\"");
    // In FIDE's format.
    let report = app.get(&format!("{path}/report")).await;
    assert_eq!(report.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(report.header("content-disposition"), Some("attachment; filename=\"autumn-cup-report.trf\""));
    let text = report.text();
    for fact in ["012 Autumn cup\r\n", "062 4\r\n", "072 0\r\n", "092 Individual: Round-Robin\r\n"] {
        assert!(text.contains(fact), "{text}");
    }
    let players: Vec<&str> = text.lines().filter(|line| line.starts_with("001 ")).collect();
    let anna = players.iter().find(|line| line[14..].starts_with("anna ")).unwrap();
    assert_eq!((players.len(), &anna[80..84], &anna[85..89]), (4, " 3.0", "   1"), "{text}");
    assert_eq!(anna[91..].split("  ").filter(|round| round.ends_with(" 1")).count(), 3, "{anna}");
    // As JSON in pages.
    let page = app.get(&format!("{list}?limit=3")).await;
    assert!(page.header("link").unwrap().contains("cursor=3"));
    let first = page.expect(200);
    assert_eq!((&first["next_cursor"], &first["size"], &first["is_final"]), (&json!("3"), &json!(4), &json!(true)));
    let last = reads(&app, &format!("{list}?limit=3&cursor=3")).await;
    assert_eq!((&last["next_cursor"], &last["items"][0]["player"]["username"]), (&Value::Null, &json!("dora")));
    let cell = &first["items"][1]["results"][0];
    assert_eq!((&cell["column"], &cell["points"]), (&json!(1), &json!(0.0)));
    assert_eq!(cell["games"].as_array().unwrap().len(), 1);
    assert_eq!(cell["games"][0]["unplayed"], false);
    assert_eq!(as_csv(&app, &format!("{list}?cursor=3")).await.pointers(), ["/cursor"]);
    app.get("/v1/tournaments/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47/crosstable").await.problem(404, "not-found");
}

#[actix_web::test]
async fn two_games_of_a_pair_and_a_walkover_are_told_apart() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people[..3], json!({ "double_round_robin": true })).await;
    starts(&people[0], &path).await;
    for round in 1..=3 {
        app.passes_s(1).await;
        plays_round(&people[..3], &path, round, alphabet).await;
    }
    people[2].post(&format!("{path}/leave"), json!({})).await.expect(200);
    for round in 4..=6 {
        app.passes_s(1).await;
        plays_round(&people[..3], &path, round, alphabet).await;
    }
    app.passes_s(1).await;
    let cells = columns(&as_csv(&app, &format!("{path}/crosstable")).await, &["player", "anna", "ben", "carl"]);
    // Each pair meets twice; Carl leaves before the second time.
    assert_eq!(cells[0], ["anna", "x", "1 1", "1 1F"], "{cells:?}");
    assert_eq!(cells[1], ["ben", "0 0", "x", "1 1F"]);
    assert_eq!(cells[2], ["carl", "0 0F", "0 0F", "x"]);
}

#[actix_web::test]
async fn a_ladder_has_all_rows_of_a_season_in_one_table() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let season = json!({ "season_s": 30 * DAY_S, "ranking": "average", "title": "Tuesday ladder" });
    let id = people[0].makes_ladder(season).await;
    for player in &people[..4] {
        player.joins(&id, 1).await;
    }
    app.passes_s(1).await;
    the_first_by_name_win(&app, &id, &people).await;
    app.passes_s(2).await;
    // As if many more had joined.
    let crowd = format!(
        "INSERT INTO accounts (id, username, username_key, username_skeleton, password_hash, bot, created_at) \
         SELECT gen_random_uuid(), 'player' || n, 'player' || n, ('player' || n)::bytea, '', false, now() FROM generate_series(1, 300) AS n; \
         INSERT INTO ladder_standings (ladder_id, season, account_id, section, division, since, half_points, pairings, won, drawn, lost, games, best_results, score, tie_break) \
         SELECT '{id}', 1, id, 'all', 1, '2026-11-22', 0, 0, 0, 0, 0, 0, '{{}}', 0, 0 FROM accounts WHERE username LIKE 'player%'"
    );
    database::execute(&app.database, &crowd).await;
    let path = format!("/v1/ladders/{id}/standings");
    let table = as_csv(&app, &path).await;
    let first: Vec<_> =
        columns(&table, &["rank", "player", "points", "wins", "division"]).into_iter().take(2).collect();
    let page = app.get(&path).await.expect(200);
    for (row, item) in first.iter().zip(page["items"].as_array().unwrap()) {
        assert_eq!(row[1], item["player"]["username"].as_str().unwrap());
        assert_eq!([&row[2], &row[3], &row[4]], ["1", "1", "1"], "{row:?}");
    }
    let ranks: Vec<_> = columns(&table, &["rank"]).concat();
    assert_eq!(ranks, (1..=304).map(|rank| rank.to_string()).collect::<Vec<_>>());
    assert_eq!(table.header("link"), None, "nothing is left");
    let file = table.header("content-disposition").unwrap();
    assert_eq!(file, "attachment; filename=\"tuesday-ladder-season-1-division-1-standings.csv\"");
    // A past season remains available.
    app.passes_s(31 * DAY_S).await;
    let over = as_csv(&app, &format!("{path}?season=1")).await;
    let places: Vec<_> = columns(&over, &["rank", "player"]).into_iter().take(50).collect();
    let page = app.get(&format!("{path}?season=1")).await.expect(200);
    let place = |item: &Value| vec![item["rank"].to_string(), item["player"]["username"].as_str().unwrap().to_owned()];
    assert_eq!(places, page["items"].as_array().unwrap().iter().map(place).collect::<Vec<_>>());
    assert_eq!(columns(&over, &["rank"]).len(), 304);
    assert!(columns(&as_csv(&app, &path).await, &["points"]).iter().all(|row| row[0] == "0"), "a new season");
    as_csv(&app, &format!("{path}?season=9")).await.problem(404, "not-found");
    let refused = as_csv(&app, &format!("{path}?around=anna")).await;
    assert_eq!(refused.pointers(), ["/around"]);
}

#[actix_web::test]
async fn a_position_ladder_is_listed_by_places() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &["anna", "ben", "carl"], json!({})).await;
    club.plays("ben", "anna", "anna").await;
    let table = as_csv(&app, &club.at("/standings")).await;
    let wanted = [["1", "ben", "1"], ["2", "anna", "0"], ["3", "carl", "0"]];
    assert_eq!(columns(&table, &["rank", "player", "points"]), wanted);
}

#[actix_web::test]
async fn a_leaderboard_comes_a_thousand_at_a_time() {
    let app = TestApp::start().await;
    crate::leaderboards::crowd(&app, 1500, "'2027-01-01'").await;
    let path = "/v1/pools/classic-days/leaderboard?format=csv";
    let first = app.get(path).await;
    let next = first.header("link").unwrap().split(['<', '>']).nth(1).unwrap().to_owned();
    let second = app.get(&next).await;
    let mut listed = columns(&first, &["rank", "player"]);
    listed.extend(columns(&second, &["rank", "player"]));
    let wanted: Vec<_> = (1..=1500).map(|n: u32| vec![n.to_string(), format!("player{n}")]).collect();
    assert_eq!(listed, wanted);
    assert_eq!((second.header("link"), listed.len()), (None, 1500));
    app.get(&format!("{path}&limit=5")).await.problem(422, "validation-failed");
}

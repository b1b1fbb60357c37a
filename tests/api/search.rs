//! Search for matches and players: each filter, its faults, and its index.

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, plain, seven_people};
use crate::tournaments::{starts, tournament};

async fn found(app: &TestApp, query: &str) -> Vec<String> {
    let page = app.get(&format!("/v1/matches?{query}")).await.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// A match in its battle.
async fn begun(anna: &Player, ben: &Player, terms: Value) -> String {
    let id = anna.challenges_and_meets(ben, terms).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    id
}

#[actix_web::test]
async fn matches_are_found_by_how_they_ended_and_when_they_began() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let rated = begun(&anna, &ben, json!({ "rated": true, "first": "random" })).await;
    ben.acts(&rated, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(3600).await;
    let drawn = begun(&anna, &ben, json!({})).await;
    anna.fires(&drawn, &["A1"]).await;
    anna.acts(&drawn, json!({ "type": "offer-draw" })).await.expect(200);
    ben.acts(&drawn, json!({ "type": "accept-draw" })).await.expect(200);
    app.passes_s(3600).await;
    let aborted = anna.challenges_and_meets(&ben, json!({})).await;
    anna.acts(&aborted, json!({ "type": "abort" })).await.expect(200);
    let running = anna.challenges_and_meets(&ben, json!({ "variant": "depths" })).await;

    for (query, expected) in [
        ("player=anna&result=won", vec![&rated]),
        ("player=ben&result=lost", vec![&rated]),
        ("player=ben&result=won", vec![]),
        ("player=ben&result=drawn", vec![&drawn]),
        ("rated=true", vec![&rated]),
        ("rated=false&variant=classic", vec![&aborted, &drawn]),
        ("pool=classic-days", vec![&rated]),
        ("pool=depths-days", vec![]),
        ("created_until=2026-11-21T08:30:00Z", vec![&rated]),
        ("created_from=2026-11-21T08:30:00Z&created_until=2026-11-21T09:30:00.000Z", vec![&drawn]),
        ("created_from=2026-11-21T10:30:00%2B01:00&status=deploying", vec![&running]),
    ] {
        let mut expected: Vec<String> = expected.into_iter().cloned().collect();
        let mut seen = found(&app, query).await;
        expected.sort();
        seen.sort();
        assert_eq!(seen, expected, "{query}");
    }
    for (query, pointer) in [
        ("result=won", "/player"),
        ("player=anna&result=tied", "/result"),
        ("created_from=yesterday", "/created_from"),
        ("pool=No%20pool", "/pool"),
        ("rated=1", "/rated"),
    ] {
        let refused = app.get(&format!("/v1/matches?{query}")).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [pointer], "{query}");
    }
}

#[actix_web::test]
async fn what_is_closed_to_spectators_is_found_by_no_filter() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let closed = anna.challenges_and_meets(&ben, json!({ "spectators": false })).await;
    for query in ["rated=false", "created_from=2026-01-01T00:00:00Z", "player=anna", "variant=classic"] {
        assert!(found(&app, query).await.is_empty(), "{query}");
    }
    let own = anna.get("/v1/matches?rated=false&player=anna").await.expect(200);
    assert_eq!(own["items"][0]["id"], closed.as_str());
}

#[actix_web::test]
async fn all_matches_come_in_one_answer() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let over = begun(&anna, &ben, json!({})).await;
    ben.acts(&over, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    let closed = begun(&anna, &carl, json!({ "spectators": false })).await;
    app.passes_s(1).await;
    let others = begun(&ben, &carl, json!({})).await;

    let answer = anna.get("/v1/account/matches").await;
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for (line, id) in lines.iter().zip([&closed, &over]) {
        assert_eq!(line, &anna.get(&format!("/v1/matches/{id}/record")).await.expect(200), "{id}");
    }
    assert!(!answer.text().contains(&others));
    let older = anna.get(&format!("/v1/account/matches?cursor={closed}")).await.text();
    assert_eq!(older.lines().collect::<Vec<_>>(), answer.text().lines().skip(1).collect::<Vec<_>>());
    let words = anna.get("/v1/account/matches?format=text").await;
    assert_eq!(words.header("content-type"), Some("text/plain; charset=utf-8"));
    for id in [&closed, &over] {
        let one = anna.get(&format!("/v1/matches/{id}/record?format=text")).await.text();
        assert!(words.text().contains(&one), "{}", words.text());
    }
    assert!(app.player("dora").await.get("/v1/account/matches").await.body.is_empty());
    anna.get("/v1/account/matches?format=xml").await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn an_export_breaks_off_with_its_token() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    for _ in 0..3 {
        anna.challenges_and_meets(&ben, json!({ "variant": "cadets" })).await;
    }
    let session = anna.get("/v1/sessions").await.expect(200)["items"][0]["id"].as_str().unwrap().to_owned();
    let mut export = app.open(anna.signed(plain("GET", "/v1/account/matches", None))).await;
    assert_eq!(export.status, 200);
    assert!(export.next_piece().await.unwrap().is_ok());
    anna.request("DELETE", &format!("/v1/sessions/{session}"), None).await.expect(204);
    // The export is incomplete, and the reader notices.
    assert!(export.next_piece().await.unwrap().is_err());
    assert!(export.next_piece().await.is_none());
}

#[actix_web::test]
async fn players_are_found_by_how_their_names_begin() {
    let app = TestApp::start().await;
    for name in ["anna", "Anton", "an-x7", "anbert", "ben", "anzac"] {
        app.player(name).await;
    }
    let names = |page: &Value| -> Vec<String> {
        page["items"].as_array().unwrap().iter().map(|item| item["username"].as_str().unwrap().to_owned()).collect()
    };
    let all = app.get("/v1/players?prefix=AN").await.expect(200);
    assert_eq!(names(&all), ["an-x7", "anbert", "anna", "Anton", "anzac"]);
    let first = app.get("/v1/players?prefix=an&limit=4").await.expect(200);
    assert_eq!((names(&first).len(), &first["next_cursor"]), (4, &json!("Anton")));
    let rest = app.get("/v1/players?prefix=an&limit=4&cursor=Anton").await.expect(200);
    assert_eq!((names(&rest), &rest["next_cursor"]), (vec!["anzac".to_owned()], &Value::Null));
    assert!(names(&app.get("/v1/players?prefix=ann_").await.expect(200)).is_empty());
    for (query, pointer) in
        [("", "/prefix"), ("prefix=a", "/prefix"), ("prefix=%25an", "/prefix"), ("prefix=an&cursor=x", "/cursor")]
    {
        let refused = app.get(&format!("/v1/players?{query}")).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [pointer], "{query}");
    }
    // Deleted players are not found.
    let gone = app.player("antje").await;
    let password = json!({ "password": gone.password });
    assert_eq!(gone.request("DELETE", "/v1/account", Some(password)).await.status, 204);
    assert_eq!(names(&app.get("/v1/players?prefix=ant").await.expect(200)), ["Anton"]);
}

/// The titles of a list, sorted.
async fn titles(app: &TestApp, path: &str) -> Vec<String> {
    let page = app.get(path).await.expect(200);
    let mut titles: Vec<String> =
        page["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[actix_web::test]
async fn ladders_are_found_by_the_words_of_their_titles() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for (title, description) in
        [("Tuesday ladder", "For old salts."), ("Club of the harbour", "Tuesday evenings."), ("Night", "x")]
    {
        let terms = json!({ "title": title, "description": description, "variant": "classic", "clock": { "kind": "per-move", "move_s": 172_800 } });
        anna.post("/v1/ladders", terms).await.expect(201);
    }
    for (search, found) in [
        ("tuesday", vec!["Club of the harbour", "Tuesday ladder"]),
        ("TUESDAY%20ladder", vec!["Tuesday ladder"]),
        ("tuesday%20-ladder", vec!["Club of the harbour"]),
        ("%22old%20salts%22", vec!["Tuesday ladder"]),
        ("tuesday%20or%20night", vec!["Club of the harbour", "Night", "Tuesday ladder"]),
        ("friday", vec![]),
    ] {
        assert_eq!(titles(&app, &format!("/v1/ladders?search={search}")).await, found, "{search}");
    }
    assert_eq!(titles(&app, "/v1/ladders?search=tuesday&variant=depths").await, Vec::<String>::new());
    for bad in ["", "%00"] {
        let refused = app.get(&format!("/v1/ladders?search={bad}")).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/search"]);
    }
}

#[actix_web::test]
async fn tournaments_are_found_by_words_and_by_when_they_start() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (maker, players) = (&people[0], &people[..3]);
    let planned = json!({ "title": "Winter cup", "starts_at": "2026-12-24T10:00:00Z" });
    tournament(maker, players, planned).await;
    let begun =
        tournament(maker, players, json!({ "title": "Autumn cup", "description": "The last of autumn." })).await;
    starts(maker, &begun).await;
    tournament(maker, players, json!({ "title": "When I say so" })).await;
    let started = app.get(&begun).await.expect(200)["started_at"].as_str().unwrap().to_owned();
    let found = async |query: String| titles(&app, &format!("/v1/tournaments?{query}")).await;
    assert_eq!(found("search=cup".into()).await, ["Autumn cup", "Winter cup"]);
    assert_eq!(found("search=%22last%20of%20autumn%22".into()).await, ["Autumn cup"]);
    assert_eq!(found("search=cup&status=open".into()).await, ["Winter cup"]);
    // By the planned or the actual start; contests without a time are in neither list.
    assert_eq!(found("starts_from=2026-12-01T00:00:00Z".into()).await, ["Winter cup"]);
    assert_eq!(found(format!("starts_from={started}")).await, ["Autumn cup", "Winter cup"]);
    assert_eq!(found(format!("starts_until={started}")).await, Vec::<String>::new());
    assert_eq!(found("starts_until=2026-12-24T10:00:00Z".into()).await, ["Autumn cup"]);
    assert_eq!(
        found("starts_from=2026-12-24T10:00:00Z&starts_until=2026-12-24T10:00:01Z".into()).await,
        ["Winter cup"]
    );
    for (query, pointer) in
        [("search=", "/search"), ("starts_from=soon", "/starts_from"), ("starts_until=1", "/starts_until")]
    {
        let refused = app.get(&format!("/v1/tournaments?{query}")).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [pointer], "{query}");
    }
}

/// Titles in their own languages' spelling, and queries as people type them.
#[actix_web::test]
async fn a_search_minds_neither_case_nor_accents_in_any_language() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let titles_of_all =
        ["Échecs navals", "МОРСКОЙ Бой ёлка", "L’été à Łódź", "Straße der Œuvre", "ΘΑΛΑΣΣΑΣ", "کتاب\u{200c}ها"];
    // An account may have three ladders.
    for (title, maker) in titles_of_all.into_iter().zip([&anna, &anna, &anna, &ben, &ben, &ben]) {
        let clock = json!({ "kind": "per-move", "move_s": 172_800 });
        let terms = json!({ "title": title, "variant": "classic", "clock": clock });
        maker.post("/v1/ladders", terms).await.expect(201);
    }
    tournament(&anna, &[], json!({ "title": "Coupe", "description": "Pour les ÉCHECS." })).await;
    let rows = json!({ "board": { "rows": 12, "columns": 12, "labels": "row-letter" } });
    let body = json!({ "title": "Règles", "rules_markdown": "Aux échecs.", "variant": "classic", "rule_set": rows });
    anna.post("/v1/rule-sets", body).await.expect(201);
    for (search, title) in [
        ("échecs", "Échecs navals"),
        ("ECHECS", "Échecs navals"),
        ("e\u{301}checs", "Échecs navals"),
        ("морской", "МОРСКОЙ Бой ёлка"),
        ("БОЙ Елка", "МОРСКОЙ Бой ёлка"),
        ("l'ete", "L’été à Łódź"),
        ("L\u{2bc}ÉTÉ lodz", "L’été à Łódź"),
        ("STRASSE oeuvre", "Straße der Œuvre"),
        ("θαλασσας", "ΘΑΛΑΣΣΑΣ"),
        ("کتابها", "کتاب\u{200c}ها"),
    ] {
        let encoded = percent_encoding::utf8_percent_encode(search, percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(titles(&app, &format!("/v1/ladders?search={encoded}")).await, [title], "{search}");
    }
    for path in ["/v1/tournaments?search=echecs", "/v1/rule-sets?search=echecs"] {
        assert_eq!(titles(&app, path).await.len(), 1, "{path}");
    }
    // A changed title is found by its new words only.
    let ladder = app.get("/v1/ladders?search=navals").await.expect(200)["items"][0]["id"].clone();
    let path = format!("/v1/ladders/{}", ladder.as_str().unwrap());
    anna.request("PATCH", &path, Some(json!({ "title": "Être" }))).await.expect(200);
    assert_eq!(titles(&app, "/v1/ladders?search=echecs").await, Vec::<String>::new());
    assert_eq!(titles(&app, "/v1/ladders?search=etre").await, ["Être"]);
    // Names have only English letters; other letters in a query stand for those.
    let found = app.get("/v1/players?prefix=%C3%84nn").await.expect(200);
    assert_eq!(found["items"][0]["username"], "anna");
}

//! Announcements of deadlines: the last warning, once and only to the player concerned, and the calendar feed at a
//! secret address.

use serde_json::json;

use crate::calendar::{DAY_S, clock, two};
use crate::support::{Setup, TestApp, plain};

#[actix_web::test]
async fn the_last_warning_comes_once_to_whom_it_concerns_alone() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben) = two(&app).await;
    ben.lives_by(json!({})).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 7200 }))).await;
    let before = ben.sees(&id).await;
    app.passes_s(5399).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 0);
    app.passes_unseen_s(1);
    let (one, two) = futures_util::future::join(
        broadside::matches::expire::sweep(&app.app.matches),
        broadside::matches::expire::sweep(&other.app.matches),
    )
    .await;
    one.unwrap();
    two.unwrap();
    let restarted = app.restarted().await;
    broadside::matches::expire::sweep(&restarted.app.matches).await.unwrap();
    app.passes_s(600).await;
    let warnings = anna.heard("deadline-near").await;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(
        (&warnings[0]["match_id"], &warnings[0]["deadline"], &warnings[0]["time_left_s"]),
        (&json!(id), &json!("2026-11-21T09:30:00.000Z"), &json!(1800))
    );
    // Nobody else can see the warning.
    assert_eq!(ben.sees(&id).await, before);
    // Ben wants no warnings. Anna is warned again before her next deadline.
    anna.fires(&id, &["J10"]).await;
    app.passes_s(7000).await;
    ben.acts(&id, ben.example(&id).await.unwrap()).await.expect(200);
    assert_eq!(ben.heard("deadline-near").await.len(), 0);
    app.passes_s(5400).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 2);
    // The time-out itself is unaffected.
    app.passes_s(1800).await;
    assert_eq!(ben.sees(&id).await["result"]["reason"], "time");
}

#[actix_web::test]
async fn a_warning_keeps_to_the_share_that_was_chosen_and_to_running_time() {
    let app = TestApp::start().await;
    let (anna, ben) = two(&app).await;
    let warned_at =
        |percent: u8| json!({ "night": { "start": "19:30", "end": "05:30" }, "remind_at_percent": percent });
    anna.lives_by(warned_at(50)).await;
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 2 * DAY_S }))).await;
    let short = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": 3599 }))).await;
    app.passes_s(3598).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 0, "less than an hour is not worth a warning");
    anna.acts(&short, json!({ "type": "resign" })).await.expect(200);
    // Twelve hours on Saturday, twelve of fourteen on Sunday.
    app.passes_s(DAY_S + 10 * 3600 - 3598 - 1).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 0);
    app.passes_s(1).await;
    let warnings = anna.heard("deadline-near").await;
    assert_eq!((warnings.len(), &warnings[0]["match_id"], &warnings[0]["time_left_s"]), (1, &json!(id), &json!(DAY_S)));
    // A player who chooses a larger share after it has passed is warned at once, in another turn.
    anna.fires(&id, &["J10"]).await;
    anna.lives_by(warned_at(5)).await;
    ben.acts(&id, ben.example(&id).await.unwrap()).await.expect(200);
    // Two hours on Sunday, fourteen on Monday, twelve on Tuesday.
    app.passes_s(2 * DAY_S).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 1);
    anna.lives_by(warned_at(50)).await;
    app.passes_s(0).await;
    assert_eq!(anna.heard("deadline-near").await.len(), 2);
}

#[actix_web::test]
async fn what_somebody_keeps_to_himself_makes_no_difference_to_others() {
    let mut worlds = Vec::new();
    for (percent, automatic) in [(50, true), (5, false)] {
        let app = TestApp::with(Setup { seed: Some(7), ..Setup::default() }).await;
        let (anna, ben) = two(&app).await;
        ben.lives_by(json!({ "night": { "start": "22:00", "end": "06:00" }, "remind_at_percent": percent, "automatic_vacation": automatic })).await;
        let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
        anna.fires(&id, &["J10"]).await;
        app.passes_s(30 * 3600).await;
        assert_eq!(ben.heard("deadline-near").await.len(), usize::from(automatic), "the worlds differ");
        let mut seen = Vec::new();
        for path in [
            format!("/v1/matches/{id}"),
            format!("/v1/matches/{id}/clock"),
            format!("/v1/matches/{id}/reports"),
            format!("/v1/matches/{id}/record"),
            "/v1/matches?player=ben".to_owned(),
            "/v1/players/ben".to_owned(),
            "/v1/events?after=0&limit=1000".to_owned(),
            "/v1/turns".to_owned(),
        ] {
            seen.push((path.clone(), anna.get(&path).await));
            seen.push((path.clone(), app.get(&path).await));
        }
        worlds.push(seen);
    }
    for (one, other) in worlds[0].iter().zip(&worlds[1]) {
        assert_eq!(one, other);
    }
}

#[actix_web::test]
async fn a_calendar_leads_where_the_operator_has_matches_found() {
    let match_link = Some("https://club.example/board?match={id}");
    let app = TestApp::with(Setup { match_link, ..Setup::default() }).await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let url = anna.post("/v1/account/calendar/feed", json!({})).await.expect(201)["url"].as_str().unwrap().to_owned();
    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    let feed = app.get(url.strip_prefix("https://broadside.test").unwrap()).await.text().replace("\r\n ", "");
    assert!(feed.contains(&format!("URL:https://club.example/board?match={id}\r\n")), "{feed}");
}

#[actix_web::test]
async fn deadlines_stand_in_a_calendar_behind_a_secret_address() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let made = anna.post("/v1/account/calendar/feed", json!({})).await;
    let url = made.expect(201)["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix("https://broadside.test").unwrap().to_owned();
    assert_eq!(made.header("location"), Some(path.as_str()));
    assert_eq!(anna.get("/v1/account/calendar").await.expect(200)["feed_enabled"], true);
    let empty = app.get(&path).await;
    assert_eq!((empty.status, empty.header("content-type")), (200, Some("text/calendar; charset=utf-8")));
    // RFC 5545, 3.6: a calendar has at least one component.
    assert!(!empty.text().contains("VEVENT") && empty.text().matches("BEGIN:").count() > 1, "{}", empty.text());

    let id = anna.plays(&ben, clock(json!({ "kind": "per-move", "move_s": DAY_S }))).await;
    anna.challenges_and_meets(&ben, clock(json!({ "kind": "none" }))).await;
    let feed = app.get(&path).await;
    let text = feed.text().replace("\r\n ", "");
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines.iter().filter(|line| **line == "BEGIN:VEVENT").count(), 1, "{text}");
    for line in [
        format!("UID:{id}@broadside.test"),
        "DTSTART:20261122T073000Z".to_owned(),
        format!("URL:https://broadside.test/match/{id}"),
    ] {
        assert!(lines.contains(&line.as_str()), "{line} in {text}");
    }
    assert!(text.contains("against ben") && !text.contains("carrier"));
    assert!(feed.text().split("\r\n").all(|line| line.len() <= 75));
    // Unchanged later as well; changed once she has played.
    let known = |etag: String| plain("GET", &path, None).insert_header(("if-none-match", etag));
    let etag = feed.header("etag").unwrap().to_owned();
    app.passes_s(60).await;
    assert_eq!(app.send(known(etag.clone())).await.status, 304);
    anna.fires(&id, &["J10"]).await;
    let after = app.send(known(etag)).await;
    assert!(after.status == 200 && !after.text().contains("VEVENT"));

    // The address is sufficient, and no other works.
    app.get("/v1/calendar/bcf_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics").await.problem(404, "not-found");
    app.get(path.strip_suffix(".ics").unwrap()).await.problem(404, "not-found");
    anna.post("/v1/account/calendar/feed", json!({})).await.expect(201);
    app.get(&path).await.problem(404, "not-found");
    let path = anna.post("/v1/account/calendar/feed", json!({})).await.header("location").unwrap().to_owned();
    assert_eq!(app.get(&path).await.status, 200);
    anna.request("DELETE", "/v1/account/calendar/feed", None).await.expect(204);
    app.get(&path).await.problem(404, "not-found");
    anna.request("DELETE", "/v1/account/calendar/feed", None).await.expect(204);
}

#[actix_web::test]
async fn a_deployment_has_a_deadline_of_ones_own() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    anna.lives_by(json!({ "night": { "start": "21:00", "end": "07:00" } })).await;
    let path = anna.post("/v1/account/calendar/feed", json!({})).await.header("location").unwrap().to_owned();
    anna.challenges_and_meets(&ben, json!({})).await;
    let text = app.get(&path).await.text();
    assert!(text.contains("DTSTART:20261122T173000Z"), "her own, and not Ben's: {text}");
}

//! Tournaments before their start: invalid terms, entry, starting, cancellation, and deleted accounts.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::tournament;

async fn reads(who: &Player, path: &str) -> Value {
    who.get(path).await.expect(200)
}

fn codes(errors: &Value) -> Vec<(String, String)> {
    let pair =
        |error: &Value| (error["pointer"].as_str().unwrap().to_owned(), error["code"].as_str().unwrap().to_owned());
    errors["errors"].as_array().unwrap().iter().map(pair).collect()
}

#[actix_web::test]
async fn every_fault_of_the_terms_is_named() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wrong = json!({
        "title": "Cup", "format": "swiss", "variant": "classic", "clock": { "kind": "none" }, "rated": true, "double_round_robin": true,
        "min_reliability_percent": 101, "min_rating": 2000, "max_rating": 1000, "max_players": 1000, "min_players": 1,
        "starts_at": "2020-01-01T00:00:00Z", "registration_ends_at": "2020-01-01T00:00:00Z",
    });
    let refused = anna.post("/v1/tournaments", wrong).await.problem(422, "validation-failed");
    let codes = codes(&refused);
    for (pointer, code) in [
        ("/clock", "clock-required"),
        ("/clock", "rated-needs-clock"),
        ("/rounds", "missing-field"),
        ("/double_round_robin", "conflicting-fields"),
        ("/min_reliability_percent", "out-of-range"),
        ("/min_rating", "conflicting-fields"),
        ("/max_players", "out-of-range"),
        ("/min_players", "out-of-range"),
        ("/starts_at", "out-of-range"),
        ("/registration_ends_at", "out-of-range"),
    ] {
        assert!(codes.contains(&(pointer.to_owned(), code.to_owned())), "{pointer} {code}: {codes:?}");
    }
    let rounds = json!({
        "title": "Cup", "format": "round-robin", "variant": "classic", "clock": { "kind": "per-move", "move_s": 60 }, "rounds": 3,
        "all_rounds_at_once": true, "max_players": 33,
    });
    let refused = anna.post("/v1/tournaments", rounds).await.problem(422, "validation-failed");
    assert_eq!(
        self::codes(&refused),
        [("/rounds", "conflicting-fields"), ("/max_players", "out-of-range")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
}

#[actix_web::test]
async fn who_may_not_join_is_told_why_before_and_when_he_tries() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    ben.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    let extra = json!({ "audience": "humans", "min_rating": 1600, "max_players": 3 });
    let path = tournament(anna, &[], extra).await;
    let shown = reads(ben, &path).await;
    assert_eq!(shown["eligibility"]["join"], json!({ "allowed": false, "reasons": ["humans-only", "rating-too-low"] }));
    let refused = ben.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
    assert_eq!(
        codes(&refused).into_iter().map(|(_, code)| code).collect::<Vec<_>>(),
        ["humans-only", "rating-too-low"]
    );
    assert_eq!(app.get(&path).await.expect(200)["eligibility"], Value::Null);

    let path = tournament(anna, &people[2..5], json!({ "max_players": 3 })).await;
    assert_eq!(reads(anna, &path).await["eligibility"]["join"]["reasons"], json!(["tournament-full"]));
    assert_eq!(
        reads(&people[2], &path).await["eligibility"]["join"]["reasons"],
        json!(["tournament-full", "already-joined"])
    );
    // A place is free again, and it doesn't start by itself.
    people[2].post(&format!("{path}/leave"), json!({})).await.expect(200);
    people[2].post(&format!("{path}/leave"), json!({})).await.problem(403, "not-a-participant");
    app.passes_s(1).await;
    assert_eq!(reads(anna, &path).await["status"], "open");
    anna.post(&format!("{path}/join"), json!({})).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(anna, &path).await["status"], "running");
    assert_eq!(reads(&people[2], &path).await["eligibility"]["join"]["reasons"], json!(["registration-over"]));
    let mine = reads(anna, "/v1/tournaments?player=anna&status=running&format=round-robin&variant=classic").await;
    assert_eq!(mine["items"].as_array().unwrap().len(), 1);
    assert_eq!(reads(anna, "/v1/tournaments?player=anna&format=swiss").await["items"], json!([]));
}

#[actix_web::test]
async fn it_starts_by_itself_or_is_called_off_for_want_of_players() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let at = json!({ "starts_at": "2026-11-21T10:00:00Z", "registration_ends_at": "2026-11-21T09:00:00Z", "min_players": 4 });
    let enough = tournament(&people[0], &people[..4], at.clone()).await;
    let few = tournament(&people[0], &people[..3], at).await;
    people[0].post(&format!("{few}/start"), json!({})).await.problem(409, "too-early-to-start");
    let by_hand = tournament(&people[0], &people[..2], json!({})).await;
    people[0].post(&format!("{by_hand}/start"), json!({})).await.problem(409, "too-few-players");
    app.passes_s(5400).await;
    assert_eq!(reads(&people[5], &few).await["eligibility"]["join"]["reasons"], json!(["registration-over"]));
    app.passes_s(3600).await;
    assert_eq!(reads(&people[0], &enough).await["status"], "running");
    let cancelled = reads(&people[0], &few).await;
    assert_eq!(
        (&cancelled["status"], &cancelled["reason"]),
        (&json!("cancelled"), &json!("Too few players had joined when it was to start."))
    );
    let heard = people[2].hears(0).await;
    assert!(
        heard.iter().any(|event| event["type"] == "tournament-cancelled" && event["tournament_id"] == cancelled["id"])
    );
    people[0].post(&format!("{few}/start"), json!({})).await.problem(409, "tournament-closed");
    people[0].post(&format!("{few}/leave"), json!({})).await.problem(409, "tournament-closed");
}

#[actix_web::test]
async fn its_maker_calls_it_off_or_an_organizer_and_games_go_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, mia) = (&people[0], app.moderator("mia").await);
    let path = tournament(anna, &people[..3], json!({})).await;
    people[1].post(&format!("{path}/start"), json!({})).await.problem(403, "not-an-organizer");
    anna.post(&format!("{path}/start"), json!({})).await.expect(200);
    app.passes_s(1).await;
    let why = json!({ "reason": "the hall is taken" });
    // She plays in it, so she can't cancel it.
    anna.post(&format!("{path}/cancel"), why.clone()).await.problem(403, "conflict-of-interest");
    people[1].post(&format!("{path}/cancel"), why.clone()).await.problem(403, "not-the-creator");
    mia.post(&format!("{path}/cancel"), why.clone()).await.problem(403, "not-the-creator");
    app.grants("mia", "organizer").await;
    app.passes_s(1).await;
    let cancelled = mia.post(&format!("{path}/cancel"), why.clone()).await.expect(200);
    assert_eq!((&cancelled["status"], &cancelled["reason"]), (&json!("cancelled"), &json!("the hall is taken")));
    anna.post(&format!("{path}/cancel"), why).await.problem(409, "tournament-closed");
    let log = reads(&mia, "/v1/moderation/actions").await;
    assert_eq!(
        (&log["items"][0]["kind"], &log["items"][0]["reason"]),
        (&json!("tournament-cancelled"), &json!("the hall is taken"))
    );
    let rounds = reads(anna, &format!("{path}/rounds/1")).await;
    let board = rounds["boards"].as_array().unwrap().iter().find(|board| !board["second"].is_null()).unwrap();
    let id = board["match_ids"][0].as_str().unwrap();
    let first =
        people.iter().find(|player| player.name == board["first"]["player"]["username"].as_str().unwrap()).unwrap();
    first.acts(id, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(anna, &format!("{path}/rounds/1")).await["boards"][0]["status"], "finished");
    assert_eq!(reads(anna, &format!("{path}/rounds/2")).await["boards"][0]["status"], "cancelled");
    let finals = reads(anna, &format!("{path}/standings")).await;
    assert_eq!(finals["is_final"], false);
}

#[actix_web::test]
async fn nobody_makes_more_than_three_and_an_organizer_may() {
    let app = TestApp::start().await;
    let anna = app.lasting_player("anna").await;
    for _ in 0..3 {
        tournament(&anna, &[], json!({})).await;
    }
    let one_more = json!({ "title": "One more", "format": "round-robin", "variant": "classic", "clock": { "kind": "per-move", "move_s": 600 } });
    anna.post("/v1/tournaments", one_more.clone()).await.problem(409, "quota-exceeded");
    app.grants("anna", "organizer").await;
    anna.post("/v1/tournaments", one_more).await.expect(201);
}

#[actix_web::test]
async fn who_deletes_his_account_is_withdrawn_and_nobody_waits_for_him() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let open = tournament(&people[0], &people[..4], json!({ "max_players": 5 })).await;
    let running = tournament(&people[0], &people[..4], json!({ "format": "swiss", "rounds": 2 })).await;
    people[0].post(&format!("{running}/start"), json!({})).await.expect(200);
    app.passes_s(1).await;
    let dora =
        app.post("/v1/sessions", json!({ "username": "dora", "password": people[3].password })).await.expect(201);
    let dora = people[3].with_token(dora["access_token"].as_str().unwrap());
    let export = reads(&dora, "/v1/account/export").await;
    assert_eq!(export["tournaments"]["played"].as_array().unwrap().len(), 2, "{}", export["tournaments"]);
    dora.request("DELETE", "/v1/account", Some(json!({ "password": people[3].password }))).await.expect(204);
    app.passes_s(1).await;
    assert_eq!(reads(&people[0], &open).await["players"], 3);
    let rows = reads(&people[0], &format!("{running}/standings")).await;
    let gone = rows["items"].as_array().unwrap().iter().find(|row| !row["withdrawn"].is_null()).unwrap();
    assert_eq!(gone["withdrawn"]["reason"], "account-deleted");
    assert!(gone["player"]["username"].as_str().unwrap().starts_with("deleted-"), "{gone}");
    let first = reads(&people[0], &format!("{running}/rounds/1")).await;
    let hers = first["boards"].as_array().unwrap().iter().find(|board| board.to_string().contains("deleted-")).unwrap();
    assert_eq!(hers["status"], "finished");
}

#[actix_web::test]
async fn the_last_place_is_taken_once_and_a_start_happens_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let path = tournament(&people[0], &people[..2], json!({ "max_players": 3 })).await;
    let join_path = format!("{path}/join");
    let racing = [&people[2], &people[3]];
    let (one, two) =
        join(racing[0].post(&join_path, json!({})), racing[1].at(&other).post(&join_path, json!({}))).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422], "{} {}", one.text(), two.text());
    // Its creator starts it on both nodes while it starts by itself.
    let anna = &people[0];
    let start = format!("{path}/start");
    let there = anna.at(&other);
    let ((one, two), swept) = join(
        join(anna.post(&start, json!({})), there.post(&start, json!({}))),
        broadside::tournaments::job::run(&other.app.matches),
    )
    .await;
    swept.unwrap();
    for answer in [one, two] {
        assert!(matches!(answer.status, 200 | 409), "{}", answer.text());
    }
    app.passes_s(1).await;
    assert_eq!(reads(anna, &path).await["status"], "running");
    let started = anna.hears(0).await.into_iter().filter(|event| event["type"] == "tournament-started").count();
    assert_eq!(started, 1);
}

#[actix_web::test]
async fn who_changes_into_a_program_is_left_out_and_his_place_is_free() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let full = json!({ "audience": "humans", "min_players": 3, "max_players": 3 });
    let path = tournament(&people[6], &people[..3], full).await;
    people[1].request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    app.passes_s(1).await;
    let open = reads(&people[0], &path).await;
    assert_eq!((&open["status"], &open["players"]), (&json!("open"), &json!(2)));
    people[3].post(&format!("{path}/join"), json!({})).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reads(&people[0], &path).await["status"], "running");
}

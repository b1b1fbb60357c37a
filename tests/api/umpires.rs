//! Organizers as umpires: they judge matches, add time and move deadlines, in their own contests, only while they don't
//! play there, and publicly.

use broadside_rules::record;
use serde_json::{Value, json};

use crate::substitutes::{asks, is_ready};
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{boards, named, reads, starts, table, tournament};

const DAY_S: i64 = 86_400;

/// A tournament of the first three, run by the last: its path, and the running board.
async fn cup(people: &[Player], extra: Value) -> (String, Value) {
    let maker = &people[6];
    let path = tournament(maker, &people[..3], extra).await;
    starts(maker, &path).await;
    let board = boards(&maker.app, &path, 1).await[0].clone();
    (path, board)
}

fn match_of(board: &Value) -> String {
    board["match_ids"][0].as_str().unwrap().to_owned()
}

async fn judges(who: &Player, id: &str, verdict: Value) -> Answer {
    let mut body = json!({ "expected_status": "running", "reason": "the hall closes" });
    body.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    who.post(&format!("/v1/matches/{id}/adjudicate"), body).await
}

async fn gives_time(who: &Player, id: &str, seat: &Value, seconds: i64) -> Answer {
    let body = json!({ "seat": seat, "seconds": seconds, "reason": "their line was cut" });
    who.post(&format!("/v1/matches/{id}/add-time"), body).await
}

async fn extends(who: &Player, path: &str, more: Value) -> Answer {
    let mut body = json!({ "reason": "a holiday" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    who.post(&format!("{path}/rounds/1/extend"), body).await
}

/// The moderation log of a match: action, author, and contest.
async fn logged(moderator: &Player, query: &str) -> Vec<[String; 3]> {
    let page = moderator.get(&format!("/v1/moderation/actions?{query}")).await.expect(200);
    let line = |action: &Value| {
        let contest = if action["tournament_id"].is_string() { "tournament" } else { "ladder" };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        [text(&action["kind"]), text(&action["actor"]["username"]), contest.to_owned()]
    };
    page["items"].as_array().unwrap().iter().map(line).collect()
}

#[actix_web::test]
async fn who_runs_a_tournament_decides_a_match_of_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let (path, board) = cup(&people, json!({ "rated": true })).await;
    let id = match_of(&board);
    let (first, second) = (named(&people, &board["first"]), named(&people, &board["second"]));
    // Players and outsiders can't; no moderator is needed.
    for other in [first, &people[3]] {
        judges(other, &id, json!({ "verdict": "win", "winner": 0 })).await.problem(403, "not-an-organizer");
        gives_time(other, &id, &json!(0), 60).await.problem(403, "not-an-organizer");
        let annulled = other.post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "a bet" })).await;
        annulled.problem(403, "not-an-organizer");
    }
    judges(&people[6], &id, json!({ "verdict": "win", "winner": 1 })).await.expect(204);
    judges(&people[6], &id, json!({ "verdict": "draw" })).await.problem(409, "match-state-changed");
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!((&seen["result"]["reason"], &seen["result"]["winner"]), (&json!("adjudicated"), &json!(1)));
    assert_eq!(seen["result"]["ratings"].as_array().unwrap().len(), 2, "rated as ever");
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(record::verify(&proof).is_ok_and(|verified| verified.whole));
    app.passes_s(1).await;
    assert_eq!(table(&app, &path).await[0].1, second.name);
    let line = |kind: &str| [kind.to_owned(), "gina".to_owned(), "tournament".to_owned()];
    assert_eq!(logged(&mia, &format!("match_id={id}")).await, [line("match-adjudicated")]);
    // A later decision goes into the ledger, and the table stays.
    let anew = json!({ "expected_status": "finished", "verdict": "draw" });
    judges(&people[6], &id, anew.clone()).await.expect(204);
    judges(&people[6], &id, anew).await.problem(409, "match-state-changed");
    let as_it_counts = json!({ "expected_status": "adjudicated", "verdict": "draw" });
    judges(&people[6], &id, as_it_counts).await.problem(409, "already-done");
    people[6].post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "a bet" })).await.expect(204);
    let again = people[6].post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "a bet" })).await;
    again.problem(409, "already-done");
    assert_eq!(logged(&mia, &format!("match_id={id}")).await.len(), 3);
    assert_eq!(table(&app, &path).await[0].1, second.name);
    gives_time(&people[6], &id, &json!(0), 60).await.problem(409, "match-state-changed");
}

/// A decision on a finished unrated match would change nothing: the table stays, and there are no ratings.
#[actix_web::test]
async fn an_unrated_match_is_decided_once() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people, json!({ "rated": false })).await;
    let (id, gina) = (match_of(&board), &people[6]);
    judges(gina, &id, json!({ "verdict": "win", "winner": 1 })).await.expect(204);
    app.passes_s(1).await;
    let before = table(&app, &path).await;
    for status in ["finished", "adjudicated"] {
        let other = json!({ "expected_status": status, "verdict": "win", "winner": 0 });
        judges(gina, &id, other).await.problem(409, "match-not-rated");
    }
    let annulled = gina.post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "a slip" })).await;
    annulled.problem(409, "match-not-rated");
    assert_eq!(table(&app, &path).await, before);
}

#[actix_web::test]
async fn who_plays_in_it_judges_none_of_its_matches() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    // Anna is the creator and plays; Gina is an additional organizer.
    let path = tournament(&people[0], &people[..4], json!({ "round_time_s": DAY_S })).await;
    people[0].request("PUT", &format!("{path}/organizers/gina"), None).await.expect(204);
    starts(&people[0], &path).await;
    let others = boards(&app, &path, 1).await;
    let others = others.iter().find(|board| {
        board["first"]["player"]["username"] != "anna" && board["second"]["player"]["username"] != "anna"
    });
    let id = match_of(others.unwrap());
    let draw = || json!({ "verdict": "draw" });
    judges(&people[0], &id, draw()).await.problem(403, "conflict-of-interest");
    gives_time(&people[0], &id, &json!(0), 60).await.problem(403, "conflict-of-interest");
    extends(&people[0], &path, json!({ "seconds": 60 })).await.problem(403, "conflict-of-interest");
    let annulled = people[0].post(&format!("/v1/matches/{id}/annul"), json!({ "reason": "no" })).await;
    annulled.problem(403, "conflict-of-interest");
    judges(&people[6], &id, draw()).await.expect(204);
    // A match outside a contest can't be judged.
    let own = people[4].challenges_and_meets(&people[5], json!({})).await;
    judges(&people[6], &own, draw()).await.problem(404, "not-found");
}

#[actix_web::test]
async fn a_ladder_is_judged_by_its_creator_until_they_join() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let ladder = people[6].makes_ladder(json!({})).await;
    for player in &people[..2] {
        player.post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.expect(200);
    }
    app.passes_s(DAY_S).await;
    let played = app.get(&format!("/v1/matches?ladder={ladder}")).await.expect(200);
    let id = played["items"][0]["id"].as_str().unwrap().to_owned();
    let seat = json!(0);
    gives_time(&people[6], &id, &seat, 3600).await.expect(204);
    people[6].post(&format!("/v1/ladders/{ladder}/join"), json!({})).await.expect(200);
    gives_time(&people[6], &id, &seat, 3600).await.problem(403, "conflict-of-interest");
    people[6].post(&format!("/v1/ladders/{ladder}/leave"), json!({})).await.expect(200);
    judges(&people[6], &id, json!({ "verdict": "no-result" })).await.expect(204);
    let line = |kind: &str| [kind.to_owned(), "gina".to_owned(), "ladder".to_owned()];
    let mut all = logged(&mia, &format!("ladder_id={ladder}")).await;
    // Both were done at the same moment.
    all.sort();
    assert_eq!(all, [line("match-adjudicated"), line("match-time-added")]);
}

#[actix_web::test]
async fn who_leaves_a_ladder_judges_nothing_in_a_season_in_which_they_have_played() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, .., gina] = people.as_slice() else { unreachable!() };
    let ladder = gina.makes_ladder(json!({ "season_s": 7 * DAY_S })).await;
    for player in [anna, gina] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(1).await;
    let [own] = gina.at_play().await.try_into().unwrap();
    for player in [ben, carl] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(1).await;
    let [id] = ben.at_play().await.try_into().unwrap();
    gina.post(&format!("/v1/ladders/{ladder}/leave"), json!({})).await.expect(200);
    let refused = async || {
        judges(gina, &id, json!({ "verdict": "draw" })).await.problem(403, "conflict-of-interest");
        let pause = gina.post(&format!("/v1/contests/{ladder}/pause"), json!({ "reason": "a holiday" })).await;
        pause.problem(403, "conflict-of-interest");
    };
    // Their own game is running; after its end they could join again, and would get its points back.
    refused().await;
    anna.loses(gina, &own).await;
    app.passes_s(1).await;
    refused().await;
}

#[actix_web::test]
async fn who_is_a_substitute_in_a_match_of_it_pauses_nothing() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people, json!({})).await;
    let (id, emil, gina) = (match_of(&board), &people[4], &people[6]);
    gina.does("PUT", &format!("{path}/organizers/emil")).await;
    let wanted = asks(gina, &id, json!({ "seat": 0, "player": "emil", "reason": "they are ill" })).await.expect(201);
    is_ready(emil, &wanted).await.expect(204);
    let pause = format!("/v1/contests/{}/pause", path.rsplit('/').next().unwrap());
    emil.post(&pause, json!({ "reason": "a holiday" })).await.problem(403, "conflict-of-interest");
    gina.post(&pause, json!({ "reason": "a holiday" })).await.expect(200);
}

#[actix_web::test]
async fn more_time_is_given_to_who_is_waited_for_and_everybody_is_told() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (_, board) = cup(&people, json!({})).await;
    let (id, gina) = (match_of(&board), &people[6]);
    for seat in ["first", "second"] {
        named(&people, &board[seat]).acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    let waited = seen["to_act"][0].clone();
    let waits = json!(1 - waited.as_u64().unwrap());
    let fault = |answer: Answer| answer.problem(422, "validation-failed")["errors"][0]["code"].clone();
    assert_eq!(fault(gives_time(gina, &id, &waits, 60).await), "not-waited-for");
    assert_eq!(fault(gives_time(gina, &id, &waited, 14 * DAY_S).await), "not-waited-for");
    for seconds in [59, 14 * DAY_S + 1] {
        assert_eq!(fault(gives_time(gina, &id, &waited, seconds).await), "out-of-range");
    }
    let body = json!({ "seat": waited, "seconds": 2 * DAY_S, "reason": "their line was cut" });
    for _ in 0..2 {
        // A repeated request adds the time once.
        gina.post_once("more-time", &format!("/v1/matches/{id}/add-time"), body.clone()).await.expect(204);
    }
    app.passes_s(2 * DAY_S).await;
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.expect(200)["status"], "playing");
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let told: Vec<&Value> =
        reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "time-added").collect();
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0]["seat"], &told[0]["seconds"]), (&waited, &json!(2 * DAY_S)));
    app.passes_s(DAY_S).await;
    let over = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!(over["result"]["reason"], "time");
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(record::verify(&proof).is_ok_and(|verified| verified.whole), "{proof}");
}

#[actix_web::test]
async fn the_deadline_of_a_round_or_of_a_board_is_moved() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let gina = &people[6];
    let terms = json!({
        "round_time_s": DAY_S, "clock": { "kind": "per-move", "move_s": 7 * DAY_S, "rests": "none" },
    });
    let path = tournament(gina, &people[..4], terms).await;
    extends(gina, &path, json!({ "seconds": 60 })).await.problem(409, "tournament-closed");
    starts(gina, &path).await;
    let fault = |answer: Answer| answer.problem(422, "validation-failed")["errors"][0]["pointer"].clone();
    for seconds in [59, 90 * DAY_S + 1] {
        assert_eq!(fault(extends(gina, &path, json!({ "seconds": seconds })).await), "/seconds");
    }
    extends(&people[4], &path, json!({ "seconds": 60 })).await.problem(403, "not-an-organizer");
    let none = extends(gina, &path, json!({ "seconds": 60, "board": 7 })).await.problem(404, "not-found");
    assert_eq!(none["detail"], "Board 7 of round 1 has no deadline, is over, or isn't there.");
    extends(gina, &path, json!({ "seconds": DAY_S })).await.expect(204);
    extends(gina, &path, json!({ "seconds": DAY_S, "board": 2 })).await.expect(204);
    let due = boards(&app, &path, 1).await;
    assert_eq!(
        (&due[0]["due_at"], &due[1]["due_at"]),
        (&json!("2026-11-23T07:30:01.000Z"), &json!("2026-11-24T07:30:01.000Z"))
    );
    app.passes_s(2 * DAY_S - 2).await;
    assert!(boards(&app, &path, 1).await.iter().all(|board| board["status"] == "running"));
    app.passes_s(2).await;
    app.passes_s(0).await;
    let due = boards(&app, &path, 1).await;
    assert_eq!((&due[0]["status"], &due[1]["status"]), (&json!("finished"), &json!("running")));
    assert_eq!(reads(&app, &path).await["round"], 1);
    let page = mia.get("/v1/moderation/actions?actor=gina").await.expect(200);
    // Both are of one moment, so in either order.
    let is_of_the_board = |item: &Value| item["kind"] == "round-extended" && item["details"]["board"] == 2;
    assert!(page["items"].as_array().unwrap()[..2].iter().any(is_of_the_board), "{page}");
    let without = tournament(gina, &people[..3], json!({})).await;
    starts(gina, &without).await;
    let none = extends(gina, &without, json!({ "seconds": 60 })).await.problem(404, "not-found");
    assert_eq!(none["detail"], "The rounds of this tournament have no time of their own: there is no deadline.");
}

#[actix_web::test]
async fn who_is_suspended_judges_nothing() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let (path, board) = cup(&people, json!({ "round_time_s": DAY_S })).await;
    let (id, gina) = (match_of(&board), &people[6]);
    let why = json!({ "reason": "again and again" });
    mia.post("/v1/moderation/players/gina/suspend", why.clone()).await.expect(204);
    judges(gina, &id, json!({ "verdict": "draw" })).await.problem(403, "account-suspended");
    gives_time(gina, &id, &json!(0), 60).await.problem(403, "account-suspended");
    extends(gina, &path, json!({ "seconds": 60 })).await.problem(403, "account-suspended");
    gina.post(&format!("/v1/matches/{id}/annul"), why).await.problem(403, "account-suspended");
}

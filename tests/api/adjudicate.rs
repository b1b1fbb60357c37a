//! Moderators' decisions on matches: annulled, ended, or counted with another result.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::ratings::wrong;
use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Answer, Player, TestApp, seven_people};

const POOL: &str = "classic-days";

/// A moderator's decision; by default the moderator has seen the match running.
async fn judges(moderator: &Player, id: &str, verdict: Value) -> Answer {
    let mut body = json!({ "expected_status": "running", "reason": "somebody told the player where to fire" });
    body.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    moderator.post(&format!("/v1/moderation/matches/{id}/adjudicate"), body).await
}

fn wins(seat: u8) -> Value {
    json!({ "verdict": "win", "winner": seat })
}

/// The same verdict with another `seen` state.
fn seen(was: &str, verdict: Value) -> Value {
    let mut body = json!({ "expected_status": was });
    body.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    body
}

async fn annuls(moderator: &Player, id: &str) -> Answer {
    moderator.post(&format!("/v1/moderation/matches/{id}/annul"), json!({ "reason": "a bet" })).await
}

/// The decisions on a match, newest first.
async fn done(moderator: &Player, id: &str) -> Vec<Value> {
    let page = moderator.get(&format!("/v1/moderation/actions?match_id={id}")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

async fn three(app: &TestApp) -> (Player, Player, Player) {
    (app.moderator("mia").await, app.lasting_player("anna").await, app.lasting_player("ben").await)
}

/// Kinds of the player's reports.
async fn told(player: &Player, id: &str) -> Vec<String> {
    let reports = player.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    reports["items"].as_array().unwrap().iter().map(|report| report["type"].as_str().unwrap().to_owned()).collect()
}

#[actix_web::test]
async fn a_running_match_ends_as_it_was_decided_and_is_rated() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (mia, anna, ben) = three(&app).await;
    let id = anna.begins_rated(&ben).await;
    // This node has the match in memory, and the other one ends it.
    anna.sees(&id).await;
    judges(&mia.at(&other), &id, wins(1)).await.expect(204);
    for player in [&anna, &ben, &ben.at(&other)] {
        let seen = player.sees(&id).await;
        assert_eq!((&seen["status"], &seen["decisions"]), (&json!("finished"), &json!([])));
        assert_eq!((&seen["result"]["reason"], &seen["result"]["winner"]), (&json!("adjudicated"), &json!(1)));
        assert_eq!(seen["result"]["ratings"].as_array().unwrap().len(), 2);
    }
    assert!(told(&anna, &id).await.ends_with(&["adjudicated", "finished", "revealed"].map(str::to_owned)));
    let heard: Vec<Value> = ben.hears(0).await.into_iter().map(|event| event["type"].clone()).collect();
    assert!(heard.contains(&json!("match-finished")) && heard.contains(&json!("rating-changed")));
    assert_eq!(wrong(&app, POOL).await, None);
    // Nobody can play on, and the record proves the decision.
    anna.acts(&id, json!({ "type": "resign" })).await.problem(422, "match-over");
    let record = app.get(&format!("/v1/matches/{id}/record")).await.text();
    let verified = broadside_rules::record::verify(&record);
    assert!(verified.is_ok_and(|verified| verified.whole), "{record}");
    let audit = broadside::matches::audit::audit(&app.app.matches, None).await.unwrap();
    assert!(audit.faults.is_empty(), "{:?}", audit.faults);
    let done = done(&mia, &id).await;
    assert_eq!(done.len(), 1);
    assert_eq!(done[0]["details"], json!({ "verdict": "win", "winner": 1, "was_over": false }));
    assert_eq!(
        (&done[0]["actor"]["username"], &done[0]["reason"]),
        (&json!("mia"), &json!("somebody told the player where to fire"))
    );
    // The reason is shown to the players only.
    for answer in [anna.get(&format!("/v1/matches/{id}")).await, anna.get("/v1/events?after=0&limit=1000").await] {
        assert!(!answer.text().contains("where to fire"));
    }
    assert!(!record.contains("where to fire"));
}

#[actix_web::test]
async fn a_match_can_be_drawn_or_have_no_result() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = three(&app).await;
    let drawn = anna.begins_rated(&ben).await;
    judges(&mia, &drawn, json!({ "verdict": "draw" })).await.expect(204);
    let result = anna.sees(&drawn).await["result"].clone();
    assert_eq!((&result["reason"], &result["winner"]), (&json!("adjudicated"), &Value::Null));
    // Called off, though shots were fired: the seas stay hidden, and no rating changes.
    let id = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": null })).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    let first = if anna.example(&id).await.is_some() { &anna } else { &ben };
    first.fires(&id, &["E5"]).await;
    judges(&mia, &id, json!({ "verdict": "no-result" })).await.expect(204);
    let seen = anna.sees(&id).await;
    assert_eq!((&seen["status"], &seen["result"]["reason"]), (&json!("aborted"), &json!("aborted")));
    assert!(told(&anna, &id).await.ends_with(&["adjudicated", "aborted"].map(str::to_owned)));
    assert_eq!(anna.ledger(POOL).await.len(), 1);
    let record = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(broadside_rules::record::verify(&record).is_ok());
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn one_of_many_can_be_made_the_winner_unless_he_is_out() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = anna.sits_down_with(&[ben, carl], json!({ "variant": "salvos", "rated": true }), &[]).await;
    ben.resigns(&id).await;
    judges(&mia, &id, wins(1)).await.problem(422, "validation-failed");
    judges(&mia, &id, wins(5)).await.problem(422, "validation-failed");
    assert_eq!(done(&mia, &id).await.len(), 0);
    judges(&mia, &id, wins(2)).await.expect(204);
    let places = anna.sees(&id).await["result"]["places"].clone();
    assert_eq!(places, json!([{ "seat": 2, "place": 1 }, { "seat": 0, "place": 2 }, { "seat": 1, "place": 3 }]));
}

#[actix_web::test]
async fn a_finished_match_counts_otherwise_and_its_record_stays() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = three(&app).await;
    let id = anna.beats(&ben).await;
    let record = app.get(&format!("/v1/matches/{id}/record")).await.json();
    let won = anna.rated(POOL).await.unwrap()["current"]["rating"].as_f64().unwrap();
    judges(&mia, &id, seen("finished", wins(0))).await.problem(409, "already-done");
    judges(&mia, &id, seen("finished", json!({ "verdict": "no-result" }))).await.problem(422, "validation-failed");
    judges(&mia, &id, seen("finished", wins(1))).await.expect(204);
    let lost = anna.rated(POOL).await.unwrap()["current"]["rating"].as_f64().unwrap();
    assert!(won > 1500.0 && lost < 1500.0, "{won} {lost}");
    assert_eq!(app.get(&format!("/v1/matches/{id}/record")).await.json()["reports"], record["reports"]);
    assert_eq!(anna.sees(&id).await["result"]["winner"], 0, "as it was played");
    assert_eq!(wrong(&app, POOL).await, None);
    let kinds: Vec<Value> =
        done(&mia, &id).await.into_iter().map(|entry| entry["details"]["was_over"].clone()).collect();
    assert_eq!(kinds, [json!(true)]);
    // And annulled after that.
    annuls(&mia, &id).await.expect(204);
    annuls(&mia, &id).await.problem(409, "already-done");
    assert_eq!(wrong(&app, POOL).await, None);
    assert_eq!(done(&mia, &id).await.len(), 2);
    // A match that changed no rating can't be made to count.
    let unrated = anna.challenges_and_meets(&ben, json!({})).await;
    anna.resigns(&unrated).await;
    judges(&mia, &unrated, seen("finished", wins(1))).await.problem(409, "match-not-rated");
    annuls(&mia, &unrated).await.problem(409, "match-not-rated");
}

#[actix_web::test]
async fn who_has_not_the_right_changes_nothing() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = three(&app).await;
    let id = anna.begins_rated(&ben).await;
    let over = anna.beats(&ben).await;
    for id in [&id, &over] {
        judges(&anna, id, wins(0)).await.problem(403, "role-required");
        annuls(&anna, id).await.problem(403, "role-required");
    }
    // A moderator can't judge matches in which they play.
    app.grants("anna", "moderator").await;
    for id in [&id, &over] {
        judges(&anna, id, wins(0)).await.problem(403, "conflict-of-interest");
    }
    annuls(&anna, &over).await.problem(403, "conflict-of-interest");
    app.revokes("mia", "moderator").await;
    judges(&mia, &id, wins(0)).await.problem(403, "role-required");
    app.grants("mia", "moderator").await;
    for wrong in [json!({ "verdict": "win" }), json!({ "verdict": "draw", "winner": 0 }), json!({ "verdict": "lost" })]
    {
        judges(&mia, &id, wrong).await.problem(422, "validation-failed");
    }
    judges(&mia, &mia.id, wins(0)).await.problem(404, "not-found");
    assert_eq!(anna.sees(&id).await["status"], "playing");
    assert_eq!(anna.ledger(POOL).await.len(), 1);
    assert_eq!(done(&mia, &id).await.len() + done(&mia, &over).await.len(), 0);
}

#[actix_web::test]
async fn of_two_at_once_one_decides() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (mia, anna, ben) = three(&app).await;
    let max = app.moderator("max").await.at(&other);
    for _ in 0..3 {
        let id = anna.begins_rated(&ben).await;
        let (one, two) = join(judges(&mia, &id, wins(0)), judges(&max, &id, wins(0))).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "{} {}", one.text(), two.text());
        assert_eq!(done(&mia, &id).await.len(), 1);
        let (one, two) = join(annuls(&mia, &id), annuls(&max, &id)).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "{} {}", one.text(), two.text());
        assert_eq!(done(&mia, &id).await.len(), 2);
    }
    // Repeating the request with its key gives the same answer, before and after the end.
    let id = anna.begins_rated(&ben).await;
    let path = format!("/v1/moderation/matches/{id}/adjudicate");
    let body =
        |was: &str, winner: u8| json!({ "expected_status": was, "verdict": "win", "winner": winner, "reason": "seen" });
    for node in [&mia, &mia.at(&other), &mia] {
        node.post_once("k1", &path, body("running", 0)).await.expect(204);
    }
    for node in [&mia, &mia.at(&other), &mia] {
        node.post_once("k2", &path, body("finished", 1)).await.expect(204);
    }
    mia.post_once("k1", &path, body("finished", 1)).await.problem(422, "idempotency-key-reused");
    mia.post_once("k2", &path, body("running", 1)).await.problem(422, "idempotency-key-reused");
    assert_eq!(done(&mia, &id).await.len(), 2);
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn a_match_that_ends_meanwhile_has_one_end() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (mia, anna, ben) = three(&app).await;
    for round in 0..6 {
        let id = anna.begins_rated(&ben).await;
        let mia = if round % 2 == 0 { mia.clone() } else { mia.at(&other) };
        let resign = json!({ "type": "resign" });
        let (resigned, judged) = join(anna.acts(&id, resign), judges(&mia, &id, wins(0))).await;
        // Either the decision ended it and she won, or it was over, and nothing was decided.
        let winner = match judged.status {
            204 => 0,
            _ => {
                judged.problem(409, "match-state-changed");
                resigned.expect(200);
                1
            }
        };
        assert_eq!(anna.sees(&id).await["result"]["winner"], winner);
        assert_eq!(done(&mia, &id).await.len(), usize::from(winner == 0));
        assert_eq!(wrong(&app, POOL).await, None);
    }
}

#[actix_web::test]
async fn nobody_decides_on_what_he_has_not_seen() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = three(&app).await;
    let max = app.moderator("max").await;
    // A decision about a running match doesn't overturn its result, and the reason stays private.
    let id = anna.beats(&ben).await;
    judges(&mia, &id, wins(1)).await.problem(409, "match-state-changed");
    assert_eq!((anna.ledger(POOL).await.len(), done(&mia, &id).await.len()), (1, 0));
    // A time-out decides, even if no node has looked at the clock yet.
    let late = anna.begins_rated(&ben).await;
    app.passes_unseen_s(2 * 86_400);
    judges(&mia, &late, wins(0)).await.problem(409, "match-state-changed");
    assert_eq!(done(&mia, &late).await.len(), 0);
    // A decision about a finished match doesn't end a running one.
    let running = anna.begins_rated(&ben).await;
    for was in ["finished", "adjudicated", "annulled"] {
        judges(&mia, &running, seen(was, wins(0))).await.problem(409, "match-state-changed");
    }
    assert_eq!((&anna.sees(&running).await["status"], done(&mia, &running).await.len()), (&json!("playing"), 0));
    // A second moderator overturns the first decision only with knowledge of it.
    judges(&mia, &id, seen("finished", wins(1))).await.expect(204);
    for was in ["finished", "annulled"] {
        judges(&max, &id, seen(was, json!({ "verdict": "draw" }))).await.problem(409, "match-state-changed");
    }
    assert_eq!(done(&mia, &id).await.len(), 1);
    judges(&max, &id, seen("adjudicated", json!({ "verdict": "draw" }))).await.expect(204);
    annuls(&mia, &id).await.expect(204);
    judges(&max, &id, seen("adjudicated", wins(0))).await.problem(409, "match-state-changed");
    judges(&max, &id, seen("annulled", wins(0))).await.expect(204);
    judges(&max, &id, json!({ "expected_status": "lost", "verdict": "draw" })).await.problem(422, "validation-failed");
    assert_eq!(wrong(&app, POOL).await, None);
}

#[actix_web::test]
async fn what_the_operator_annuls_is_in_the_log_too() {
    let app = TestApp::start().await;
    let (mia, anna, ben) = three(&app).await;
    let id = anna.beats(&ben).await;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
    let annul = ["ratings", "annul", &id, "--reason", "a bet", "--database-url", &app.database];
    assert!(command.args(annul).output().unwrap().status.success());
    let done = done(&mia, &id).await;
    assert_eq!((done.len(), &done[0]["kind"], &done[0]["by"]), (1, &json!("match-annulled"), &Value::Null));
    let admin = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_broadside"));
        let output = command.arg("admin").args(arguments).args(["--database-url", &app.database]).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let (right, said) = admin(&["log", "--match", &id]);
    assert!(right && said.contains("match-annulled") && said.contains("by the operator: a bet"), "{said}");
    let (right, said) = admin(&["grant", "ben", "moderator"]);
    assert!(right && said.contains("ben is a moderator now"), "{said}");
    let (right, said) = admin(&["list"]);
    assert!(right && said.contains("moderator ben") && said.contains("2 roles"), "{said}");
    ben.get("/v1/moderation/actions").await.expect(200);
    let (right, said) = admin(&["revoke", "ben", "moderator", "--reason", "on leave"]);
    assert!(right && said.contains("no longer a moderator"), "{said}");
    assert!(admin(&["revoke", "ben", "moderator"]).1.contains("nothing has changed"));
    assert!(!admin(&["grant", "nobody-here", "moderator"]).0 && !admin(&["grant", "ben", "king"]).0);
    ben.get("/v1/moderation/actions").await.problem(403, "role-required");
}

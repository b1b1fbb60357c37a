//! Named rule sets: the operator's limits, removal by moderators, and the author's departure.

use serde_json::{Value, json};

use broadside::rulesets::RuleSetLimits;

use crate::rulesets::DAY_S;
use crate::support::{Player, Setup, TestApp};

/// The classic game with this number of rows.
fn rows(rows: u32, title: &str) -> Value {
    let board = json!({ "rows": rows, "columns": 10, "labels": "row-letter" });
    json!({ "title": title, "variant": "classic", "rule_set": { "board": board } })
}

async fn publishes(who: &Player, body: Value) -> String {
    who.post("/v1/rule-sets", body).await.expect(201)["hash"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn the_operator_says_how_many_and_how_long() {
    let limits = RuleSetLimits { per_account: 4, per_day: 2, text_chars: 40 };
    let app = TestApp::with(Setup { rulesets: Some(limits), ..Setup::default() }).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut wordy = rows(11, "Wordy");
    wordy["rules_markdown"] = json!("é".repeat(41));
    let refused = anna.post("/v1/rule-sets", wordy.clone()).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/rules_markdown"]);
    wordy["rules_markdown"] = json!("é".repeat(40));
    publishes(&anna, wordy).await;
    app.passes_s(3600).await;
    publishes(&anna, rows(12, "Second")).await;
    // Two a day: the third when the first is a day old, and not a second before.
    let third = anna.post("/v1/rule-sets", rows(13, "Third")).await;
    third.problem(429, "too-many-requests");
    let wait_s: i64 = third.header("retry-after").unwrap().parse().unwrap();
    assert!((DAY_S - 3600..=DAY_S - 3600 + 1).contains(&wait_s), "{wait_s}");
    // A duplicate is reported first, and doesn't use up a day's allowance.
    anna.post("/v1/rule-sets", rows(12, "Again")).await.problem(409, "rule-set-exists");
    publishes(&ben, rows(20, "Ben's")).await;
    app.passes_s(wait_s).await;
    publishes(&anna, rows(13, "Third")).await;
    app.passes_s(DAY_S).await;
    publishes(&anna, rows(14, "Fourth")).await;
    // Four in total.
    app.passes_s(100 * DAY_S).await;
    anna.post("/v1/rule-sets", rows(15, "Fifth")).await.problem(409, "quota-exceeded");

    for (per_account, per_day) in [(0, 10), (100, 0)] {
        let closed = RuleSetLimits { per_account, per_day, ..RuleSetLimits::default() };
        let app = TestApp::with(Setup { rulesets: Some(closed), ..Setup::default() }).await;
        let anna = app.player("anna").await;
        let refused = anna.post("/v1/rule-sets", rows(11, "None")).await;
        // Waiting wouldn't help.
        let detail = refused.problem(409, "quota-exceeded")["detail"].clone();
        assert_eq!(detail, "On this server players publish no rule sets.");
        assert_eq!(refused.header("retry-after"), None);
    }
}

#[actix_web::test]
async fn a_repeated_request_publishes_once_and_gets_the_same_answer() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let first = anna.post_once("one", "/v1/rule-sets", rows(12, "Once")).await;
    let again = anna.at(&app.another_node().await).post_once("one", "/v1/rule-sets", rows(12, "Once")).await;
    assert_eq!((first.expect(201), first.header("location")), (again.expect(201), again.header("location")));
    anna.post_once("one", "/v1/rule-sets", rows(13, "Another")).await.problem(422, "idempotency-key-reused");
    // Without the key it is a different request.
    anna.post("/v1/rule-sets", rows(12, "Once")).await.problem(409, "rule-set-exists");
}

#[actix_web::test]
async fn words_that_offend_are_hidden_and_play_goes_on() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mia = app.moderator("mia").await;
    let mut body = rows(12, "Ben is a toad");
    body["rules_markdown"] = json!("Really: a toad.");
    let hash = publishes(&anna, body).await;
    let clock = json!({ "kind": "per-move", "move_s": DAY_S });
    let challenge = json!({ "named_rule_set": hash, "clock": clock, "opponent": "ben" });
    let challenge = anna.post("/v1/challenges", challenge).await.expect(201);
    let accept = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
    let id = ben.post(&accept, json!({})).await.expect(200)["match_id"].as_str().unwrap().to_owned();

    let (hide, unhide) =
        (format!("/v1/moderation/rule-sets/{hash}/hide"), format!("/v1/moderation/rule-sets/{hash}/unhide"));
    ben.post(&hide, json!({ "reason": "it insults me" })).await.problem(403, "role-required");
    mia.post(&unhide, json!({ "reason": "nothing" })).await.problem(409, "already-done");
    mia.post(&hide, json!({ "reason": "It insults a player." })).await.expect(204);
    mia.post(&hide, json!({ "reason": "again" })).await.problem(409, "already-done");

    // The texts are gone everywhere: from lists, search, other nodes, and refusals.
    let other = app.another_node().await;
    let seen = other.get(&format!("/v1/rule-sets/{hash}")).await;
    let list = other.get("/v1/rule-sets").await;
    let found = other.get("/v1/rule-sets?search=toad").await;
    let taken = ben.post("/v1/rule-sets", rows(12, "Mine")).await;
    taken.problem(409, "rule-set-exists");
    for answer in [&seen, &list, &found, &taken] {
        assert!(!answer.text().contains("toad"), "{}", answer.text());
    }
    let seen = seen.expect(200);
    assert_eq!([&seen["title"], &seen["rules_markdown"], &seen["hidden"]], [&Value::Null, &Value::Null, &json!(true)]);
    assert_eq!(seen["creator"]["username"], "anna");
    let listed = list.expect(200)["items"][0].clone();
    assert_eq!([&listed["hash"], &listed["title"], &listed["hidden"]], [&json!(hash), &Value::Null, &json!(true)]);
    assert_eq!(found.expect(200)["items"], json!([]));
    // The match goes on, and others begin.
    ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    anna.post("/v1/challenges", json!({ "named_rule_set": hash, "clock": clock })).await.expect(201);

    // The action is logged, and a moderator can read its subject.
    let log = mia.get(&format!("/v1/moderation/actions?named_rule_set={hash}")).await.expect(200);
    let entry = &log["items"][0];
    assert_eq!([&entry["kind"], &entry["named_rule_set"]], [&json!("rule-set-hidden"), &json!(hash)]);
    assert_eq!([&entry["reason"], &entry["player"]["username"]], [&json!("It insults a player."), &json!("anna")]);
    assert_eq!((&entry["actor"]["username"], log["items"].as_array().unwrap().len()), (&json!("mia"), 1));
    let read = mia.get(&format!("/v1/moderation/rule-sets/{hash}")).await.expect(200);
    assert_eq!(read["title"], "Ben is a toad");
    assert!(read["hidden_at"].is_string());
    anna.get(&format!("/v1/moderation/rule-sets/{hash}")).await.problem(403, "role-required");

    app.passes_s(1).await;
    mia.post(&unhide, json!({ "reason": "They are friends." })).await.expect(204);
    assert_eq!(app.get("/v1/rule-sets?search=toad").await.expect(200)["items"][0]["title"], "Ben is a toad");
    let log = mia.get(&format!("/v1/moderation/actions?named_rule_set={hash}")).await.expect(200);
    assert_eq!(log["items"][0]["kind"], "rule-set-unhidden");
    // Moderators can't judge their own rule sets.
    let own = publishes(&mia, rows(16, "Mia's")).await;
    let path = format!("/v1/moderation/rule-sets/{own}/hide");
    mia.post(&path, json!({ "reason": "a bad day" })).await.problem(403, "conflict-of-interest");
    let nobody = format!("/v1/moderation/rule-sets/{}/hide", "0".repeat(64));
    mia.post(&nobody, json!({ "reason": "nothing" })).await.problem(404, "not-found");
}

#[actix_web::test]
async fn an_author_has_their_own_words_in_the_export_hidden_or_not() {
    let app = TestApp::start().await;
    let (anna, mia) = (app.player("anna").await, app.moderator("mia").await);
    let mut body = rows(12, "First");
    body["rules_markdown"] = json!("Words.");
    let hash = publishes(&anna, body).await;
    publishes(&app.player("ben").await, rows(13, "Ben's")).await;
    let hide = format!("/v1/moderation/rule-sets/{hash}/hide");
    mia.post(&hide, json!({ "reason": "a test" })).await.expect(204);
    let export = anna.get("/v1/account/export").await.expect(200);
    let own = export["rule_sets"].as_array().unwrap();
    assert_eq!(own.len(), 1);
    assert_eq!([&own[0]["title"], &own[0]["rules_markdown"]], [&json!("First"), &json!("Words.")]);
    assert_eq!(own[0]["hash"], json!(hash));
    assert!(own[0]["hidden_at"].is_string() && own[0]["rule_set"].is_object());
}

#[actix_web::test]
async fn when_an_author_goes_the_rule_set_stays_without_a_name() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.lasting_player("ben").await);
    let hash = publishes(&anna, rows(12, "A parting gift")).await;
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    app.passes_s(1).await;
    let left = app.get(&format!("/v1/rule-sets/{hash}")).await;
    assert!(!left.text().contains(&anna.id) && !left.text().contains("deleted-"), "{}", left.text());
    let left = left.expect(200);
    assert_eq!([&left["title"], &left["creator"]], [&Value::Null, &Value::Null], "titles are their author's words");
    assert_eq!(app.get("/v1/rule-sets?search=parting").await.expect(200)["items"], json!([]));
    let listed = app.get("/v1/rule-sets").await.expect(200);
    assert_eq!((&listed["items"][0]["hash"], &listed["items"][0]["creator"]), (&json!(hash), &Value::Null));
    assert_eq!(app.get("/v1/rule-sets?creator=anna").await.expect(200)["items"], json!([]));
    // It can still be played, rated and forked.
    let clock = json!({ "kind": "per-move", "move_s": DAY_S });
    ben.post("/v1/challenges", json!({ "named_rule_set": hash, "rated": true, "clock": clock })).await.expect(201);
    let fork = json!({ "title": "A fork", "forked_from": hash, "rule_set": { "contact": "forbidden" } });
    ben.post("/v1/rule-sets", fork).await.expect(201);
}

#[actix_web::test]
async fn a_suspended_author_publishes_nothing() {
    let app = TestApp::start().await;
    let (anna, mia) = (app.player("anna").await, app.moderator("mia").await);
    let why = json!({ "reason": "a test" });
    mia.post("/v1/moderation/players/anna/suspend", why).await.expect(204);
    anna.post("/v1/rule-sets", rows(12, "Nothing")).await.problem(403, "account-suspended");
    anna.get("/v1/rule-sets").await.expect(200);
}

//! Reports of messages and rule sets to the moderators.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Player, TestApp};

/// Publishes a rule set of `author` with this title and text; returns its hash.
async fn published(author: &Player, title: &str, columns: u32) -> String {
    let board = json!({ "rows": 12, "columns": columns, "labels": "row-letter" });
    let new = json!({ "title": title, "rules_markdown": "Rude\nwords.", "variant": "classic", "rule_set": { "board": board } });
    author.post("/v1/rule-sets", new).await.expect(201)["hash"].as_str().unwrap().to_owned()
}

async fn reports(who: &Player, query: &str) -> Vec<Value> {
    let page = who.get(&format!("/v1/moderation/abuse-reports{query}")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

#[actix_web::test]
async fn a_rule_set_is_reported_and_dealt_with() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let hash = published(&anna, "An insult", 12).await;
    let path = format!("/v1/rule-sets/{hash}/report");
    let report = json!({ "reason": "hate", "comment": "Look at the title." });
    anna.post(&path, report.clone()).await.problem(422, "own-rule-set");
    ben.post(&path.replace(&hash, &"0".repeat(64)), report.clone()).await.problem(404, "not-found");
    app.post(&path, report.clone()).await.problem(401, "token-missing");
    let faulty = ben.post(&path, json!({ "reason": "dull", "comment": "" })).await;
    faulty.problem(422, "validation-failed");
    assert_eq!(faulty.pointers(), ["/reason", "/comment"]);
    ben.post(&path, report.clone()).await.expect(204);
    ben.post(&path, json!({ "reason": "spam" })).await.expect(204);
    let all = reports(&mia, "").await;
    assert_eq!(all.len(), 1, "one of each reporter: {all:?}");
    let expected = json!({
        "id": all[0]["id"], "author": all[0]["author"], "reporter": all[0]["reporter"],
        "subject": {
            "type": "rule-set", "named_rule_set": hash, "title": "An insult", "rules_markdown": "Rude\nwords.",
        },
        "reason": "hate", "comment": "Look at the title.",
        "at": "2026-11-21T07:30:00.000Z", "resolved_at": null, "resolution": null,
    });
    assert_eq!(all[0], expected);
    assert_eq!((&all[0]["author"]["username"], &all[0]["reporter"]["username"]), (&json!("anna"), &json!("ben")));
    ben.get("/v1/moderation/abuse-reports").await.problem(403, "role-required");

    let resolve = format!("/v1/moderation/abuse-reports/{}/resolve", all[0]["id"].as_str().unwrap());
    let decision = json!({ "resolution": "other", "reason": "Its words are hidden." });
    ben.post(&resolve, decision.clone()).await.problem(403, "role-required");
    mia.post(&resolve, decision.clone()).await.expect(204);
    mia.post(&resolve, decision).await.problem(409, "already-done");
    assert!(reports(&mia, "").await.is_empty());
    assert_eq!(reports(&mia, "?resolved=true").await[0]["resolution"], "other");
    let log = mia.get(&format!("/v1/moderation/actions?named_rule_set={hash}")).await.expect(200);
    assert_eq!(
        (&log["items"][0]["kind"], &log["items"][0]["actor"]["username"]),
        (&json!("abuse-report-resolved"), &json!("mia"))
    );
}

#[actix_web::test]
async fn nobody_escapes_a_report_and_it_is_not_kept_for_ever() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    for (title, columns) in [("First", 11), ("Second", 12), ("Third", 13)] {
        let path = format!("/v1/rule-sets/{}/report", published(&anna, title, columns).await);
        ben.post(&path, json!({ "reason": "other", "comment": title })).await.expect(204);
        app.passes_unseen_s(1);
    }
    let exported = ben.get("/v1/account/export").await.expect(200);
    assert_eq!(
        (exported["abuse_reports"].as_array().unwrap().len(), &exported["abuse_reports"][0]["subject"]["title"]),
        (3, &json!("First"))
    );
    for player in [&anna, &ben] {
        player.request("DELETE", "/v1/account", Some(json!({ "password": player.password }))).await.expect(204);
    }
    let page = mia.get("/v1/moderation/abuse-reports?limit=2").await.expect(200);
    let rest = reports(&mia, &format!("?limit=2&cursor={}", page["next_cursor"].as_str().unwrap())).await;
    let all: Vec<&Value> = page["items"].as_array().unwrap().iter().chain(&rest).collect();
    let titles: Vec<&str> = all.iter().map(|report| report["subject"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["First", "Second", "Third"]);
    for report in all {
        assert_eq!(report["comment"], Value::Null, "the reporter has gone");
        assert!(report["author"]["username"].as_str().unwrap().starts_with("deleted-"));
    }
    app.passes_unseen_s(180 * 24 * 60 * 60 - 10);
    broadside::abuse_reports::forget_old(&app.app).await.unwrap();
    assert_eq!(reports(&mia, "").await.len(), 3);
    app.passes_unseen_s(9);
    broadside::abuse_reports::forget_old(&app.app).await.unwrap();
    assert_eq!(reports(&mia, "").await.len(), 1);
}

#[actix_web::test]
async fn no_moderator_judges_their_own_rule_set() {
    let app = TestApp::start().await;
    let (ben, mia) = (app.player("ben").await, app.moderator("mia").await);
    let hash = published(&mia, "Mine", 12).await;
    ben.post(&format!("/v1/rule-sets/{hash}/report"), json!({ "reason": "other" })).await.expect(204);
    let id = reports(&mia, "").await[0]["id"].as_str().unwrap().to_owned();
    let decision = json!({ "resolution": "no-action", "reason": "It is fine." });
    let path = format!("/v1/moderation/abuse-reports/{id}/resolve");
    mia.post(&path, decision.clone()).await.problem(403, "conflict-of-interest");
    let noa = app.moderator("noa").await;
    noa.post(&path.replace(&id, "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47"), decision.clone())
        .await
        .problem(404, "not-found");
    noa.post(&path, decision).await.expect(204);
}

#[actix_web::test]
async fn a_message_is_reported_and_dealt_with_once() {
    let app = TestApp::start().await;
    let (anna, ben, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let max = app.moderator("max").await;
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    let chat = format!("/v1/matches/{id}/chat/players");
    for text in ["one", "two", "three"] {
        ben.post(&chat, json!({ "text": text })).await.expect(201);
    }
    for number in 1..=3 {
        app.passes_s(1).await;
        let path = format!("{chat}/{number}/report");
        anna.post(&path, json!({ "reason": "spam", "comment": "again" })).await.expect(204);
    }
    anna.get("/v1/moderation/abuse-reports").await.problem(403, "role-required");
    let page = mia.get("/v1/moderation/abuse-reports?limit=2").await.expect(200);
    let first = &page["items"][0];
    assert_eq!((&first["subject"]["text"], &first["author"]["username"]), (&json!("one"), &json!("ben")));
    assert_eq!((&first["reporter"]["username"], &first["resolution"]), (&json!("anna"), &Value::Null));
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = mia.get(&format!("/v1/moderation/abuse-reports?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!((&rest["items"][0]["subject"]["text"], &rest["next_cursor"]), (&json!("three"), &Value::Null));

    let path = format!("/v1/moderation/abuse-reports/{}/resolve", first["id"].as_str().unwrap());
    let body = json!({ "resolution": "suspended", "reason": "the third time" });
    let (one, two) = join(mia.post(&path, body.clone()), max.post(&path, body.clone())).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
    let left = mia.get("/v1/moderation/abuse-reports").await.expect(200);
    assert_eq!(left["items"].as_array().unwrap().len(), 2);
    let dealt_with = mia.get("/v1/moderation/abuse-reports?resolved=true").await.expect(200);
    assert_eq!(dealt_with["items"][0]["resolution"], "suspended");
    let log = mia.get(&format!("/v1/moderation/actions?match_id={id}")).await.expect(200);
    let done = log["items"].as_array().unwrap();
    assert_eq!((done.len(), &done[0]["kind"]), (1, &json!("abuse-report-resolved")));
    assert_eq!(done[0]["player"]["username"], "ben");
    // A moderator can't resolve reports about their own messages.
    app.grants("ben", "moderator").await;
    let path = format!("/v1/moderation/abuse-reports/{}/resolve", left["items"][0]["id"].as_str().unwrap());
    ben.post(&path, body.clone()).await.problem(403, "conflict-of-interest");
    mia.post(&path, body).await.expect(204);
}

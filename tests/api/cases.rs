//! Cases: organizers and moderators gather evidence against a player, decide, and the player appeals once.

use serde_json::{Value, json};

use crate::contest_entries::{at, contests};
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::{boards, starts, tournament};

pub const DAY_S: i64 = 86_400;

pub fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

pub async fn opens(who: &Player, path: Option<&str>, player: &str) -> Answer {
    let mut body = json!({ "player": player, "title": "Two accounts in one hand" });
    if let Some(path) = path {
        body["contest_id"] = id_of(path).into();
    }
    who.post("/v1/cases", body).await
}

/// Opens a case; returns its path. Time passes, so that it is the newest.
pub async fn opened(who: &Player, path: Option<&str>, player: &str) -> String {
    who.app.passes_s(1).await;
    let made = opens(who, path, player).await.expect(201);
    format!("/v1/cases/{}", made["id"].as_str().unwrap())
}

pub async fn decides(who: &Player, case: &str, decision: &str, more: Value) -> Answer {
    let mut body = json!({ "decision": decision, "reason": "Both accounts played from one sofa." });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    who.post(&format!("{case}/decide"), body).await
}

pub async fn appeals(who: &Player, case: &str) -> Answer {
    let path = case.replace("/v1/", "/v1/account/");
    who.post(&format!("{path}/appeal"), json!({ "text": "My sister plays, too.\nAsk her." })).await
}

pub async fn answers(who: &Player, case: &str, outcome: &str) -> Answer {
    who.post(&format!("{case}/appeal/decide"), json!({ "outcome": outcome, "reason": "She does." })).await
}

pub async fn adds(who: &Player, case: &str, evidence: Value) -> Answer {
    who.app.passes_s(1).await;
    who.post(&format!("{case}/evidence"), evidence).await
}

/// The player's view of their newest case.
pub async fn own(player: &Player) -> Value {
    player.get("/v1/account/cases").await.expect(200)["items"][0].clone()
}

/// The audit log's entries about a player, sorted.
async fn audited(app: &TestApp, name: &str) -> Vec<String> {
    let mia = app.moderator("mia").await;
    let done = mia.get(&format!("/v1/moderation/actions?player={name}")).await.expect(200);
    let kinds = done["items"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned());
    let mut kinds: Vec<String> = kinds.collect();
    kinds.sort_unstable();
    kinds
}

/// A rated tournament of the first three, run by Gina and Fritz: its path, and a played board.
pub async fn cup(people: &[Player]) -> (String, Value) {
    let path = tournament(&people[6], &people[..3], json!({ "rated": true })).await;
    people[6].does("PUT", &format!("{path}/organizers/fritz")).await;
    starts(&people[6], &path).await;
    let board = boards(&people[6].app, &path, 1).await[0].clone();
    (path, board)
}

pub fn player_of(people: &[Player], seat: &Value) -> Player {
    let name = seat["player"]["username"].as_str().unwrap();
    people.iter().find(|player| player.name == name).unwrap().at(&people[0].app)
}

#[actix_web::test]
async fn an_organizer_bars_a_member_and_another_one_grants_the_appeal() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people).await;
    let (gina, fritz) = (&people[6], &people[5]);
    let ben = player_of(&people, &board["first"]);
    let case = opened(gina, Some(&path), &ben.name).await;
    let id = board["match_ids"][0].as_str().unwrap();
    adds(gina, &case, json!({ "kind": "match", "match_id": id })).await.expect(200);
    let pairing = json!({ "kind": "pairing", "pairing_id": board["pairing_id"] });
    let seen = adds(fritz, &case, pairing).await.expect(200);
    assert_eq!((&seen["evidence"][1]["match_ids"], &seen["state"]), (&board["match_ids"], &json!("open")));
    let note = fritz.post(&format!("{case}/notes"), json!({ "text": "I know the sofa." })).await.expect(201);
    assert_eq!((&note["author"]["username"], &note["text"]), (&json!("fritz"), &json!("I know the sofa.")));
    // The case is hidden from everybody else, and from the player so far.
    for other in [&ben, &people[3]] {
        other.get(&case).await.problem(404, "not-found");
        appeals(other, &case).await.problem(404, "not-found");
    }
    assert_eq!(own(&ben).await, Value::Null);

    decides(gina, &case, "bar", json!({})).await.expect(204);
    decides(gina, &case, "warning", json!({})).await.problem(409, "wrong-case-state");
    let told = ben.news_of("case-decided").await;
    assert_eq!((&told[0]["decision"], &told[0]["tournament_id"]), (&json!("bar"), &json!(id_of(&path))));
    assert_eq!(ben.news_of("contest-member-removed").await.len(), 1);
    let read = own(&ben).await;
    assert_eq!((&read["state"], &read["decision"]["kind"]), (&json!("decided"), &json!("bar")));
    assert_eq!(read["decision"]["reason"], "Both accounts played from one sofa.");
    assert_eq!(read["evidence"].as_array().unwrap().len(), 2);
    let words = read.to_string();
    for secret in ["I know the sofa", "fritz", "gina", "notes"] {
        assert!(!words.contains(secret), "{secret} in {words}");
    }

    app.passes_s(60).await;
    appeals(&ben, &case).await.expect(204);
    appeals(&ben, &case).await.problem(409, "wrong-case-state");
    assert_eq!(fritz.news_of("case-appealed").await.len(), 1);
    answers(gina, &case, "upheld").await.problem(403, "conflict-of-interest");
    answers(&people[3], &case, "overturned").await.problem(404, "not-found");
    answers(fritz, &case, "overturned").await.expect(204);
    answers(fritz, &case, "upheld").await.problem(409, "wrong-case-state");
    let read = own(&ben).await;
    assert_eq!((&read["state"], &read["appeal"]["remedy"]), (&json!("closed"), &json!("undone")));
    assert_eq!(read["appeal"]["text"], "My sister plays, too.\nAsk her.");
    assert_eq!(ben.news_of("case-appeal-decided").await[0]["outcome"], "overturned");
    let log = gina.get(&at(&path, "log")).await.expect(200);
    assert_eq!(log["items"][0]["action"], "bar-lifted");
    let expected = [
        "case-appeal-decided",
        "case-decided",
        "case-evidence-added",
        "case-evidence-added",
        "case-noted",
        "case-opened",
    ];
    assert_eq!(audited(&app, &ben.name).await, expected);
}

#[actix_web::test]
async fn who_is_concerned_decides_nothing() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({})).await {
        for player in [ben, carl] {
            player.post(&format!("{path}/join"), json!({})).await.expect(200);
        }
        // Carl is organizer and member; Dora is organizer; Ben becomes organizer while the case is open.
        for name in ["carl", "dora"] {
            anna.does("PUT", &format!("{path}/organizers/{name}")).await;
        }
        let case = opened(carl, Some(&path), "ben").await;
        decides(carl, &case, "warning", json!({})).await.problem(403, "conflict-of-interest");
        opens(carl, Some(&path), "dora").await.problem(403, "not-the-creator");
        opens(carl, Some(&path), "carl").await.problem(422, "own-account");
        opens(dora, Some(&path), "emil").await.problem(404, "not-found");
        opens(ben, Some(&path), "carl").await.problem(403, "not-an-organizer");
        anna.does("PUT", &format!("{path}/organizers/ben")).await;
        ben.get(&case).await.problem(404, "not-found");
        let list = format!("/v1/cases?contest_id={}", id_of(&path));
        assert_eq!(ben.get(&list).await.expect(200)["items"], json!([]));
        assert_eq!(dora.get(&list).await.expect(200)["items"].as_array().unwrap().len(), 1);
        decides(dora, &case, "warning", json!({})).await.problem(403, "not-the-creator");
        decides(anna, &case, "warning", json!({})).await.expect(204);
        assert_eq!(
            ben.news_of("contest-member-warned").await.last().unwrap()["text"],
            "Both accounts played from one sofa."
        );
    }
}

#[actix_web::test]
async fn an_opponent_and_a_reporter_decide_nothing_either() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (mia, max, moe) = (app.moderator("mia").await, app.moderator("max").await, app.moderator("moe").await);
    let id = mia.challenges_and_meets(&ben, json!({})).await;
    let case = opened(&mia, None, "ben").await;
    adds(&mia, &case, json!({ "kind": "match", "match_id": id })).await.expect(200);
    decides(&mia, &case, "warning", json!({})).await.problem(403, "conflict-of-interest");
    ben.request("PATCH", "/v1/account", Some(json!({ "bio": "Buy my book", "club": "Sellers" }))).await.expect(200);
    max.post("/v1/players/ben/report", json!({ "reason": "spam", "comment": "A book!" })).await.expect(204);
    let reports = moe.get("/v1/moderation/abuse-reports").await.expect(200);
    let report = &reports["items"][0];
    let subject = json!({ "type": "profile", "username": "ben", "bio": "Buy my book", "club": "Sellers" });
    assert_eq!((&report["subject"], &report["author"]["username"]), (&subject, &json!("ben")));
    let seen = adds(&moe, &case, json!({ "kind": "abuse-report", "abuse_report_id": report["id"] })).await.expect(200);
    assert_eq!(seen["evidence"][1]["details"]["bio"], "Buy my book");
    decides(&max, &case, "warning", json!({})).await.problem(403, "conflict-of-interest");
    decides(&moe, &case, "warning", json!({})).await.expect(204);
    let words = own(&ben).await.to_string();
    assert!(words.contains("Buy my book") && !words.contains("max") && !words.contains("A book!"), "{words}");
    assert!(anna.get("/v1/account/cases").await.expect(200)["items"].as_array().unwrap().is_empty());
}

#[actix_web::test]
async fn a_suspended_player_appeals_and_another_moderator_lets_them_back_in() {
    let app = TestApp::start().await;
    let ben = app.lasting_player("ben").await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let case = opened(&mia, None, "ben").await;
    let seen = adds(&mia, &case, json!({ "kind": "hit-analysis" })).await.expect(200);
    assert_eq!(seen["evidence"][0]["details"]["evidence"], 1.0);
    let finding = json!({ "kind": "fair-play-finding", "finding": "early-losses" });
    adds(&mia, &case, finding).await.problem(404, "not-found");
    let week = json!({ "suspension": { "expires_in_s": 7 * DAY_S } });
    decides(&mia, &case, "suspension", week).await.expect(204);
    let says = json!({ "bio": "Back" });
    ben.request("PATCH", "/v1/account", Some(says.clone())).await.problem(403, "account-suspended");
    let until = own(&ben).await["decision"]["suspended_until"].as_str().unwrap().to_owned();
    assert!(until.starts_with("2026-11-28T07:30:"), "{until}");
    appeals(&ben, &case).await.expect(204);
    assert_eq!(max.news_of("case-appealed").await.len(), 1);
    let waiting = max.get("/v1/cases?state=appealed").await.expect(200);
    assert_eq!(waiting["items"][0]["player"]["username"], "ben");
    answers(&max, &case, "overturned").await.expect(204);
    assert_eq!(own(&ben).await["appeal"]["remedy"], "undone");
    ben.request("PATCH", "/v1/account", Some(says)).await.expect(200);
    // A second one that ends before the appeal is decided leaves nothing to lift.
    let case = opened(&mia, None, "ben").await;
    let hour = json!({ "suspension": { "expires_in_s": 3600, "running_matches": "forfeit" } });
    decides(&mia, &case, "suspension", hour).await.expect(204);
    appeals(&ben, &case).await.expect(204);
    app.passes_s(3700).await;
    answers(&max, &case, "overturned").await.expect(204);
    assert_eq!(own(&ben).await["appeal"]["remedy"], "stays");
}

#[actix_web::test]
async fn what_was_decided_of_matches_is_taken_back() {
    let app = TestApp::start().await;
    let (anna, ben) = crate::ratings::duellists(&app).await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let rating = async || anna.rated("classic-days").await.unwrap()["current"]["rating"].clone();
    let played = anna.beats(&ben).await;
    let before = rating().await;
    let adjudicated =
        |status: &str| json!({ "adjudication": { "match_id": played, "expected_status": status, "verdict": "draw" } });
    for (decision, more) in
        [("annulment", json!({ "match_ids": [played] })), ("adjudication", adjudicated("adjudicated"))]
    {
        app.passes_s(60).await;
        let case = opened(&mia, None, "anna").await;
        decides(&mia, &case, decision, more).await.expect(204);
        assert_ne!(rating().await, before, "{decision}");
        assert_eq!(own(&anna).await["decision"]["match_ids"], json!([played]));
        appeals(&anna, &case).await.expect(204);
        answers(&max, &case, "overturned").await.expect(204);
        assert_eq!(rating().await, before, "{decision}");
        assert_eq!(own(&anna).await["appeal"]["remedy"], "undone");
    }
    // The public ledger says that there was a case, but not its subject.
    assert_eq!(crate::ratings::wrong(&app, "classic-days").await, None);
    let ledger = json!(anna.ledger("classic-days").await).to_string();
    assert!(ledger.contains("decided in a case of fair play") && !ledger.contains("sofa"), "{ledger}");
    // A match that the decision ended stays ended.
    app.passes_s(60).await;
    let running = anna.begins_rated(&ben).await;
    let case = opened(&mia, None, "anna").await;
    let ends = json!({ "adjudication": {
        "match_id": running, "expected_status": "running", "verdict": "win", "winner": 1 } });
    let body = json!({ "decision": "adjudication", "reason": "It was over.", "adjudication": ends["adjudication"] });
    for _ in 0..2 {
        mia.post_once("the-same", &format!("{case}/decide"), body.clone()).await.expect(204);
    }
    decides(&mia, &case, "adjudication", ends).await.problem(409, "wrong-case-state");
    assert_eq!(anna.sees(&running).await["result"]["reason"], "adjudicated");
    appeals(&anna, &case).await.expect(204);
    answers(&max, &case, "overturned").await.expect(204);
    assert_eq!(own(&anna).await["appeal"]["remedy"], "stays");
}

#[actix_web::test]
async fn organizers_judge_matches_of_their_own_contest_by_a_case() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people).await;
    let (gina, ben) = (&people[6], player_of(&people, &board["first"]));
    let id = board["match_ids"][0].as_str().unwrap().to_owned();
    let case = opened(gina, Some(&path), &ben.name).await;
    let ends = |status: &str, id: &str| json!({ "adjudication": { "match_id": id, "expected_status": status, "verdict": "win", "winner": 1 } });
    let elsewhere = people[3].challenges_and_meets(&people[4], json!({})).await;
    decides(gina, &case, "adjudication", ends("running", &elsewhere)).await.problem(404, "not-found");
    adds(gina, &case, json!({ "kind": "match", "match_id": elsewhere })).await.problem(404, "not-found");
    decides(gina, &case, "adjudication", ends("finished", &id)).await.problem(409, "match-state-changed");
    decides(gina, &case, "adjudication", ends("running", &id)).await.expect(204);
    let late = opened(gina, Some(&path), &ben.name).await;
    decides(gina, &late, "adjudication", ends("running", &id)).await.problem(409, "match-state-changed");
    decides(gina, &late, "annulment", json!({ "match_ids": [id] })).await.expect(204);
    let again = opened(gina, Some(&path), &ben.name).await;
    decides(gina, &again, "annulment", json!({ "match_ids": [id] })).await.problem(409, "already-done");
    decides(gina, &again, "removal", json!({})).await.expect(204);
    let once_more = opened(gina, Some(&path), &ben.name).await;
    decides(gina, &once_more, "removal", json!({})).await.problem(404, "not-found");
    gina.post(&format!("{path}/cancel"), json!({ "reason": "rain" })).await.expect(200);
    decides(gina, &once_more, "removal", json!({})).await.problem(409, "tournament-closed");
    decides(gina, &once_more, "no-action", json!({})).await.expect(204);
    // Without a sanction there is no appeal.
    appeals(&ben, &once_more).await.problem(409, "wrong-case-state");
}

#[actix_web::test]
async fn cases_are_exported_kept_for_a_year_and_lose_the_words_of_who_goes() {
    let app = TestApp::start().await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let ben = app.player("ben").await;
    let case = opened(&mia, None, "ben").await;
    mia.post(&format!("{case}/notes"), json!({ "text": "Ask the player." })).await.expect(201);
    let export = ben.get("/v1/account/export").await.expect(200);
    assert_eq!(export["cases"], json!([]), "it isn't decided");
    decides(&mia, &case, "warning", json!({})).await.expect(204);
    appeals(&ben, &case).await.expect(204);
    let export = ben.get("/v1/account/export").await.expect(200);
    assert_eq!(export["cases"], json!([own(&ben).await]));
    let of_mia = mia.signed_in().await;
    assert_eq!(of_mia.get("/v1/account/export").await.expect(200)["case_notes"][0]["text"], "Ask the player.");
    let password = json!({ "password": ben.password });
    ben.request("DELETE", "/v1/account", Some(password)).await.expect(204);
    let seen = max.get(&case).await.expect(200);
    assert_eq!((&seen["appeal"]["text"], &seen["state"]), (&Value::Null, &json!("appealed")));
    answers(&max, &case, "upheld").await.expect(204);
    app.passes_s(364 * DAY_S).await;
    broadside::cases::forget_old(&app.app).await.unwrap();
    max.get(&case).await.expect(200);
    app.passes_s(2 * DAY_S).await;
    broadside::cases::forget_old(&app.app).await.unwrap();
    max.get(&case).await.problem(404, "not-found");
}

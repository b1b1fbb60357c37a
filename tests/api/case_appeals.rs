//! Appeals: they undo only sanctions in force because of their case. And moderators as the subject of a case.

use serde_json::{Value, json};

use crate::cases::{DAY_S, adds, answers, appeals, cup, decides, opened, own, player_of};
use crate::contest_entries::{at, contests};
use crate::support::{Answer, Player, TestApp, seven_people};
use crate::tournaments::resigns;

async fn judges(who: &Player, path: &str, status: &str, verdict: Value) -> Answer {
    let mut body = json!({ "expected_status": status, "reason": "It was a bet." });
    body.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
    who.post(&format!("{path}/adjudicate"), body).await
}

async fn annuls(who: &Player, path: &str) -> Answer {
    who.post(&format!("{path}/annul"), json!({ "reason": "a bet" })).await
}

#[actix_web::test]
async fn what_a_moderator_has_decided_of_a_match_only_moderators_change() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people).await;
    let (gina, fritz, mia) = (&people[6], &people[5], app.moderator("mia").await);
    let (first, second) = (player_of(&people, &board["first"]), player_of(&people, &board["second"]));
    let id = board["match_ids"][0].as_str().unwrap();
    resigns(&[&first, &second], &second, id).await;
    app.passes_s(60).await;
    let case = opened(gina, Some(&path), &first.name).await;
    decides(gina, &case, "annulment", json!({ "match_ids": [id] })).await.expect(204);
    appeals(&first, &case).await.expect(204);
    app.passes_s(60).await;
    let (ours, theirs) = (format!("/v1/matches/{id}"), format!("/v1/moderation/matches/{id}"));
    let second_wins = || json!({ "verdict": "win", "winner": 1 });
    judges(&mia, &theirs, "annulled", second_wins()).await.expect(204);
    // The case's annulment is no longer in force.
    app.passes_s(60).await;
    answers(fritz, &case, "overturned").await.expect(204);
    assert_eq!(own(&first).await["appeal"]["remedy"], "stays");
    judges(&mia, &theirs, "adjudicated", second_wins()).await.problem(409, "already-done");
    // An organizer can't change it without a case, or by another one.
    for refused in [judges(gina, &ours, "adjudicated", json!({ "verdict": "draw" })).await, annuls(gina, &ours).await] {
        refused.problem(403, "role-required");
    }
    let case = opened(gina, Some(&path), &first.name).await;
    let draw = json!({ "match_id": id, "expected_status": "adjudicated", "verdict": "draw" });
    decides(gina, &case, "adjudication", json!({ "adjudication": draw })).await.problem(403, "role-required");
    decides(gina, &case, "annulment", json!({ "match_ids": [id] })).await.problem(403, "role-required");
    annuls(&mia, &theirs).await.expect(204);
    judges(gina, &ours, "annulled", json!({ "verdict": "draw" })).await.problem(403, "role-required");
}

#[actix_web::test]
async fn how_a_moderator_has_ended_a_match_no_organizer_changes() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (_, board) = cup(&people).await;
    let (gina, mia) = (&people[6], app.moderator("mia").await);
    let id = board["match_ids"][0].as_str().unwrap();
    let (ours, theirs) = (format!("/v1/matches/{id}"), format!("/v1/moderation/matches/{id}"));
    judges(&mia, &theirs, "running", json!({ "verdict": "draw" })).await.expect(204);
    app.passes_s(1).await;
    judges(gina, &ours, "finished", json!({ "verdict": "win", "winner": 0 })).await.problem(403, "role-required");
    judges(&mia, &theirs, "finished", json!({ "verdict": "win", "winner": 0 })).await.expect(204);
}

#[actix_web::test]
async fn a_later_bar_is_not_lifted() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({})).await {
        anna.does("PUT", &format!("{path}/organizers/dora")).await;
        let joins = async || ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        let mut cases = Vec::new();
        for _ in 0..2 {
            anna.does("DELETE", &at(&path, "bars/ben")).await;
            joins().await;
            cases.push(opened(anna, Some(&path), "ben").await);
            decides(anna, cases.last().unwrap(), "bar", json!({})).await.expect(204);
            appeals(ben, cases.last().unwrap()).await.expect(204);
            app.passes_s(60).await;
        }
        let remedies = async || {
            let own = ben.get("/v1/account/cases?limit=2").await.expect(200);
            [1, 0].map(|index| own["items"][index]["appeal"]["remedy"].clone())
        };
        answers(dora, &cases[0], "overturned").await.expect(204);
        assert_eq!(remedies().await, [json!("stays"), Value::Null]);
        assert_eq!(ben.is_kept_out(&path).await, ["barred"]);
        answers(dora, &cases[1], "overturned").await.expect(204);
        assert_eq!(remedies().await, ["stays", "undone"]);
        joins().await;
    }
}

#[actix_web::test]
async fn a_later_suspension_is_not_lifted() {
    let app = TestApp::start().await;
    let ben = app.lasting_player("ben").await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let case = opened(&mia, None, "ben").await;
    let week = json!({ "suspension": { "expires_in_s": 7 * DAY_S } });
    decides(&mia, &case, "suspension", week).await.expect(204);
    appeals(&ben, &case).await.expect(204);
    app.passes_s(60).await;
    let why = json!({ "reason": "insults" });
    max.post("/v1/moderation/players/ben/lift-suspension", why.clone()).await.expect(204);
    max.post("/v1/moderation/players/ben/suspend", why.clone()).await.expect(204);
    app.passes_s(60).await;
    answers(&max, &case, "overturned").await.expect(204);
    assert_eq!(own(&ben).await["appeal"]["remedy"], "stays");
    ben.request("PATCH", "/v1/account", Some(json!({ "bio": "Back" }))).await.problem(403, "account-suspended");
    max.post("/v1/moderation/players/ben/lift-suspension", why).await.expect(204);
}

#[actix_web::test]
async fn a_moderator_reads_nothing_of_a_case_about_themselves() {
    let app = TestApp::start().await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let case = opened(&mia, None, "max").await;
    adds(&mia, &case, json!({ "kind": "hit-analysis" })).await.expect(200);
    mia.post(&format!("{case}/notes"), json!({ "text": "Careful." })).await.expect(201);
    let read = async |who: &Player, query: &str| {
        let page = who.get(&format!("/v1/moderation/actions{query}")).await.expect(200);
        let of_cases = |action: &&Value| action["kind"].as_str().unwrap().starts_with("case-");
        page["items"].as_array().unwrap().iter().filter(of_cases).count()
    };
    let reads =
        async |who: &Player| [read(who, "").await, read(who, "?player=max").await, read(who, "?actor=mia").await];
    assert_eq!((reads(&mia).await, reads(&max).await), ([3; 3], [0; 3]));
    // The player is told the decision, but not its author.
    decides(&mia, &case, "warning", json!({})).await.expect(204);
    assert_eq!((reads(&mia).await, reads(&max).await), ([4; 3], [0; 3]));
    assert_eq!(own(&max).await["decision"]["kind"], "warning");
    // The moderator still reads cases about others.
    app.player("ben").await;
    opened(&mia, None, "ben").await;
    assert_eq!(reads(&max).await, [1, 0, 1]);
}

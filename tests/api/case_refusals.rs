//! Refusals around cases, the privacy of a private contest, and reported profiles.

use serde_json::json;

use crate::cases::{DAY_S, adds, answers, appeals, cup, decides, id_of, opened, opens, own};
use crate::contest_entries::{at, contests};
use crate::support::{TestApp, database, seven_people};

#[actix_web::test]
async fn what_is_asked_has_to_fit() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, _) = cup(&people).await;
    let (gina, mia) = (&people[6], app.moderator("mia").await);
    let max = app.moderator("max").await;
    assert_eq!(opens(&people[3], None, "ben").await.pointers(), ["/contest_id"], "who is no moderator says of what");
    opens(&mia, None, "mia").await.problem(422, "own-account");
    opens(&mia, None, "nobody").await.problem(404, "not-found");
    assert_eq!(people[3].get("/v1/cases").await.expect(200)["items"], json!([]), "who runs nothing has no cases");
    people[3].get(&format!("/v1/cases?contest_id={}", id_of(&path))).await.problem(403, "not-an-organizer");
    let (ours, theirs) = (opened(gina, Some(&path), "anna").await, opened(&mia, None, "anna").await);
    for (who, case, decision, more, at) in [
        (gina, &ours, "suspension", json!({}), "/decision"),
        (&mia, &theirs, "bar", json!({}), "/decision"),
        (&mia, &theirs, "annulment", json!({}), "/match_ids"),
        (&mia, &theirs, "annulment", json!({ "match_ids": [] }), "/match_ids"),
        (&mia, &theirs, "warning", json!({ "match_ids": [] }), "/match_ids"),
        (&mia, &theirs, "adjudication", json!({}), "/adjudication"),
        (&mia, &theirs, "warning", json!({ "suspension": {} }), "/suspension"),
        (&mia, &theirs, "suspension", json!({ "suspension": { "expires_in_s": 1 } }), "/suspension/expires_in_s"),
    ] {
        let answer = decides(who, case, decision, more).await;
        answer.problem(422, "validation-failed");
        assert_eq!(answer.pointers(), [at], "{decision}");
    }
    for (evidence, at) in [
        (json!({ "kind": "match" }), "/match_id"),
        (json!({ "kind": "hit-analysis", "finding": "drop" }), "/finding"),
        (json!({ "kind": "rumour" }), "/kind"),
    ] {
        assert_eq!(adds(&mia, &theirs, evidence).await.pointers(), [at]);
    }
    // Faults of a verdict are reported at their place.
    let (dora, emil) = (&people[3], &people[4]);
    let played = dora.beats(emil).await;
    for (verdict, at) in [
        (json!({ "verdict": "win", "winner": 5 }), "/adjudication/winner"),
        (json!({ "verdict": "win", "winner": 7 }), "/adjudication/winner"),
        (json!({ "verdict": "no-result" }), "/adjudication/verdict"),
    ] {
        let mut adjudication = json!({ "match_id": played, "expected_status": "finished" });
        adjudication.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
        let answer = decides(&mia, &theirs, "adjudication", json!({ "adjudication": adjudication })).await;
        assert_eq!(answer.pointers(), [at], "{verdict}");
        adjudication["expected_status"] = json!("annulled");
        let body = json!({ "match_id": played, "expected_status": "annulled", "verdict": "draw" });
        let changed = decides(&mia, &theirs, "adjudication", json!({ "adjudication": body })).await;
        let said = changed.problem(409, "match-state-changed")["detail"].to_string();
        assert!(said.contains("`expected_status`"), "{said}");
    }
    let friendly = dora.challenges_and_meets(emil, json!({})).await;
    for player in [dora, emil] {
        player.acts(&friendly, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    emil.resigns(&friendly).await;
    let body = json!({ "match_id": friendly, "expected_status": "finished", "verdict": "draw" });
    let unrated = decides(&mia, &theirs, "adjudication", json!({ "adjudication": body })).await;
    unrated.problem(409, "match-not-rated");
    let running = dora.begins_rated(emil).await;
    let ends = json!({ "match_id": running, "expected_status": "running", "verdict": "win", "winner": 5 });
    let answer = decides(&mia, &theirs, "adjudication", json!({ "adjudication": ends })).await;
    assert_eq!(answer.pointers(), ["/adjudication/winner"]);
    // Evidence that only moderators may read.
    adds(gina, &ours, json!({ "kind": "hit-analysis" })).await.problem(403, "role-required");
    gina.get(&theirs).await.problem(404, "not-found");
    // Moderators read the cases of contests, but leave the decision to the organizers.
    mia.get(&ours).await.expect(200);
    decides(&mia, &ours, "warning", json!({})).await.problem(403, "not-an-organizer");
    answers(&mia, &ours, "upheld").await.problem(409, "wrong-case-state");
    let staff = opened(&mia, None, "max").await;
    decides(&mia, &staff, "suspension", json!({})).await.problem(409, "player-has-role");
    max.get(&staff).await.problem(404, "not-found");
    decides(gina, &ours, "warning", json!({})).await.expect(204);
    adds(gina, &ours, json!({ "kind": "hit-analysis" })).await.problem(403, "role-required");
    adds(&mia, &ours, json!({ "kind": "hit-analysis" })).await.problem(409, "wrong-case-state");
    for _ in 0..2 {
        let next = opened(gina, Some(&path), "anna").await;
        decides(gina, &next, "warning", json!({})).await.expect(204);
    }
    let next = opened(gina, Some(&path), "anna").await;
    decides(gina, &next, "warning", json!({})).await.problem(409, "quota-exceeded");
    // The time for an appeal is over.
    app.passes_s(14 * DAY_S).await;
    appeals(&people[0], &ours).await.problem(409, "wrong-case-state");
}

#[actix_web::test]
async fn there_are_bounds() {
    let app = TestApp::start().await;
    let (_, mia) = (app.player("ben").await, app.moderator("mia").await);
    let case = opened(&mia, None, "ben").await;
    let (more, entries) = (
        "INSERT INTO cases (id, subject_id, title, opened_by, opened_at) \
         SELECT gen_random_uuid(), subject_id, title, opened_by, opened_at FROM cases, generate_series(1, 99)",
        "INSERT INTO case_entries (id, case_id, author_id, at, evidence, details, text) \
         SELECT gen_random_uuid(), id, opened_by, opened_at, kinds.evidence, kinds.details, kinds.text \
         FROM (SELECT * FROM cases ORDER BY id DESC) AS cases, generate_series(1, 200), \
         (VALUES ('match', '{}'::jsonb, NULL), (NULL, NULL, 'a note')) AS kinds (evidence, details, text)",
    );
    for statement in [entries, more] {
        database::execute(&app.database, statement).await;
    }
    opens(&mia, None, "ben").await.problem(409, "quota-exceeded");
    adds(&mia, &case, json!({ "kind": "hit-analysis" })).await.problem(409, "quota-exceeded");
    mia.post(&format!("{case}/notes"), json!({ "text": "more" })).await.problem(409, "quota-exceeded");
}

#[actix_web::test]
async fn whoever_is_suspended_looks_after_no_case() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path, board) = cup(&people).await;
    let (gina, mia) = (&people[6], app.moderator("mia").await);
    let case = opened(gina, Some(&path), "anna").await;
    mia.post("/v1/moderation/players/gina/suspend", json!({ "reason": "no" })).await.expect(204);
    opens(gina, Some(&path), "ben").await.problem(403, "account-suspended");
    let id = &board["match_ids"][0];
    adds(gina, &case, json!({ "kind": "match", "match_id": id })).await.problem(403, "account-suspended");
    gina.post(&format!("{case}/notes"), json!({ "text": "x" })).await.problem(403, "account-suspended");
    decides(gina, &case, "warning", json!({})).await.problem(403, "account-suspended");
    gina.post("/v1/players/ben/report", json!({ "reason": "spam" })).await.problem(403, "account-suspended");
    let (sam, ours) = (app.lasting_player("sam").await, opened(&mia, None, "anna").await);
    mia.post("/v1/moderation/players/sam/suspend", json!({ "reason": "no" })).await.expect(204);
    app.grants("sam", "moderator").await;
    sam.get(&ours).await.problem(403, "account-suspended");
    answers(&sam, &ours, "upheld").await.problem(403, "account-suspended");
}

#[actix_web::test]
async fn a_private_contest_stays_private() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    for path in contests(anna, json!({ "visibility": "private" })).await {
        anna.does("PUT", &at(&path, "invitations/ben")).await;
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        let case = opened(anna, Some(&path), "ben").await;
        opens(carl, Some(&path), "ben").await.problem(404, "not-found");
        let cases = carl.get(&format!("/v1/cases?contest_id={}", id_of(&path))).await.expect(200);
        assert_eq!(cases["items"], json!([]));
        carl.get(&case).await.problem(404, "not-found");
        let nowhere = "00000000-0000-7000-8000-000000000000";
        opens(carl, Some(nowhere), "ben").await.problem(404, "not-found");
        // A removed player can still read the decision.
        decides(anna, &case, "removal", json!({})).await.expect(204);
        assert_eq!(own(ben).await["decision"]["kind"], "removal");
        appeals(ben, &case).await.expect(204);
    }
}

#[actix_web::test]
async fn a_profile_is_reported_again_once_that_is_dealt_with() {
    let app = TestApp::start().await;
    let (anna, _, mia) = (app.player("anna").await, app.player("ben").await, app.moderator("mia").await);
    let path = "/v1/players/ben/report";
    anna.post("/v1/players/anna/report", json!({ "reason": "spam" })).await.problem(422, "own-account");
    anna.post("/v1/players/nobody/report", json!({ "reason": "spam" })).await.problem(404, "not-found");
    for _ in 0..2 {
        anna.post(path, json!({ "reason": "spam" })).await.expect(204);
    }
    let open = async || mia.get("/v1/moderation/abuse-reports").await.expect(200)["items"].clone();
    let reports = open().await;
    assert_eq!(reports.as_array().unwrap().len(), 1);
    let resolve = format!("/v1/moderation/abuse-reports/{}/resolve", reports[0]["id"].as_str().unwrap());
    mia.post(&resolve, json!({ "resolution": "no-action", "reason": "Fine." })).await.expect(204);
    anna.post(path, json!({ "reason": "spam" })).await.expect(204);
    assert_eq!(open().await.as_array().unwrap().len(), 1);
    let own = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(own["abuse_reports"][0]["subject"]["username"], "ben");
}

#[actix_web::test]
async fn nobody_is_removed_from_a_ladder_that_is_closed() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    let id = anna.makes_ladder(json!({})).await;
    ben.joins(&id, 1).await;
    let path = format!("/v1/ladders/{id}");
    let case = opened(anna, Some(&path), "ben").await;
    anna.post(&format!("{path}/close"), json!({ "reason": "Nobody plays." })).await.expect(200);
    decides(anna, &case, "removal", json!({})).await.problem(409, "ladder-closed");
}

//! Refusals name the wrong thing (a player, a round, a limit) in one wording, which is the same for an unknown player
//! and a hidden one.

use serde_json::{Value, json};

use crate::contest_entries::{at, contests};
use crate::organized_rounds::swiss;
use crate::support::{Answer, TestApp, seven_people};
use crate::tournaments::tournament;

fn detail(refused: &Value) -> &str {
    refused["detail"].as_str().unwrap()
}

#[actix_web::test]
async fn a_name_that_nobody_has_is_named() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    for path in contests(anna, json!({})).await {
        let named = |answer: Answer| detail(&answer.problem(404, "not-found")).to_owned();
        let id = path.rsplit('/').next().unwrap();
        let text = json!({ "text": "Please resign a lost game." });
        let case = json!({ "contest_id": id, "player": "Webbret", "title": "Somebody" });
        let refused = [
            anna.request("PUT", &at(&path, "invitations/Webbret"), None).await,
            anna.request("PUT", &format!("{path}/organizers/Webbret"), None).await,
            anna.post(&at(&path, "members/Webbret/warn"), text.clone()).await,
            anna.post("/v1/cases", case).await,
        ];
        for answer in refused {
            assert_eq!(named(answer), "There is no player webbret.");
        }
        // A player who blocks Anna counts as unknown.
        ben.request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
        for there in ["invitations/Ben", "invitations/ben"] {
            let refused = anna.request("PUT", &at(&path, there), None).await;
            assert_eq!(named(refused), "There is no player ben.");
        }
        let refused = anna.request("PUT", &format!("{path}/organizers/Ben"), None).await;
        assert_eq!(named(refused), "There is no player ben.");
        // Carl exists, but is not a member.
        let refused = anna.post(&at(&path, "members/carl/warn"), text).await;
        assert_eq!(named(refused), "carl takes no part in it.");
        let case = json!({ "contest_id": id, "player": "carl", "title": "Carl" });
        assert_eq!(named(anna.post("/v1/cases", case).await), "carl takes no part in it.");
        ben.request("DELETE", "/v1/account/blocks/anna", None).await.expect(204);
    }
}

#[actix_web::test]
async fn evidence_of_another_contest_is_none_of_this_one() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben, carl) = (&people[0], &people[1], &people[2]);
    let cup = tournament(anna, &people[1..4], json!({})).await;
    let id = cup.rsplit('/').next().unwrap();
    let case = json!({ "contest_id": id, "player": "ben", "title": "Two accounts" });
    let case = anna.post("/v1/cases", case).await.expect(201);
    let elsewhere = ben.challenges_and_meets(carl, json!({})).await;
    let path = format!("/v1/cases/{}/evidence", case["id"].as_str().unwrap());
    let refused = anna.post(&path, json!({ "kind": "match", "match_id": elsewhere })).await.problem(404, "not-found");
    assert_eq!(detail(&refused), "The contest of this case has no such match.");
}

#[actix_web::test]
async fn who_may_not_join_reads_why_without_a_pointer_before_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, ben) = (&people[0], &people[1]);
    for path in contests(anna, json!({})).await {
        ben.post(&format!("{path}/join"), json!({})).await.expect(200);
        let bar = json!({ "reason": "Three games left.", "bar": true });
        anna.post(&at(&path, "members/ben/remove"), bar).await.expect(204);
        let refused = ben.post(&format!("{path}/join"), json!({})).await.problem(422, "not-eligible");
        assert_eq!(detail(&refused), "An organizer has removed you, and doesn't let you join again.");
        let again = anna.post(&at(&path, "members/ben/remove"), json!({ "reason": "again" })).await;
        assert_eq!(detail(&again.problem(404, "not-found")), "The player takes no part in it.");
    }
}

#[actix_web::test]
async fn a_wish_is_refused_with_what_the_ladder_allows() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    for (most, allowed) in [(1, "this ladder allows 1"), (3, "this ladder allows 1 to 3")] {
        let id = people[0].makes_ladder(json!({ "max_pairings": most })).await;
        let wish = json!({ "wanted_pairings": most + 1 });
        let refused = people[1].post(&format!("/v1/ladders/{id}/join"), wish).await.problem(422, "validation-failed");
        assert_eq!(refused["errors"][0]["detail"], allowed);
    }
}

#[actix_web::test]
async fn a_bye_is_asked_for_without_a_word() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (anna, gina) = (&people[0], &people[6]);
    let path = swiss(&people, 6, json!({ "requested_byes": { "max": 2 } })).await;
    let bye = format!("{path}/rounds/2/byes");
    assert_eq!(anna.request("PUT", &format!("{bye}/anna"), None).await.expect(200)["worth"], "half-point");
    let none = anna.request("DELETE", &format!("{path}/rounds/3/byes/anna"), None).await.problem(404, "not-found");
    assert_eq!(detail(&none), "anna has not asked to sit out round 3.");
    let none = anna.request("PUT", &format!("{path}/rounds/9/byes/anna"), None).await.problem(404, "not-found");
    assert_eq!(detail(&none), "There is no round 9.");
    let none = gina.request("PUT", &format!("{bye}/gina"), None).await;
    none.problem(403, "not-a-participant");
    let late = json!({ "half_point_byes": 0, "reason": "came late" });
    let none = gina.request("PUT", &format!("{path}/late-entries/ben"), Some(late)).await.problem(404, "not-found");
    assert_eq!(detail(&none), "ben has not come in late.");
}

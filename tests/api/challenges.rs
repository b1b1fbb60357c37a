//! Challenges: opening, visibility, acceptance, refusal, withdrawal, expiry.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::{Player, TestApp, seven_people};

fn terms() -> Value {
    json!({ "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } })
}

fn with(extra: Value) -> Value {
    let mut terms = terms();
    terms.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    terms
}

async fn opens(player: &Player, extra: Value) -> String {
    let challenge = player.post("/v1/challenges", with(extra)).await.expect(201);
    challenge["id"].as_str().unwrap().to_owned()
}

fn path(id: &str) -> String {
    format!("/v1/challenges/{id}")
}

#[actix_web::test]
async fn an_open_challenge_is_listed_and_accepted() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let answer = anna.post("/v1/challenges", with(json!({ "message": "Come and play!" }))).await;
    let challenge = answer.expect(201);
    let id = challenge["id"].as_str().unwrap();
    assert_eq!(answer.header("location").unwrap(), path(id));
    assert_eq!((&challenge["status"], &challenge["match_id"]), (&json!("open"), &Value::Null));
    assert_eq!(challenge["seats"][0]["player"]["username"], "anna");
    assert_eq!(challenge["seats"][1]["player"], Value::Null);

    let listed = app.get("/v1/challenges").await.expect(200);
    assert_eq!(listed["items"][0], challenge);

    let accepted = ben.post(&format!("{}/accept", path(id)), json!({})).await.expect(200);
    assert_eq!(accepted["status"], "accepted");
    assert_eq!(anna.get(&path(id)).await.expect(200)["match_id"], accepted["match_id"]);
    assert_eq!(app.get("/v1/challenges").await.expect(200)["items"], json!([]));
    let view = ben.sees(accepted["match_id"].as_str().unwrap()).await;
    assert_eq!((&view["status"], &view["viewer"]["seat"]), (&json!("deploying"), &json!(1)));
}

#[actix_web::test]
async fn a_direct_challenge_is_between_two() {
    let app = TestApp::start().await;
    let (anna, ben, carl) = (app.player("anna").await, app.player("ben").await, app.player("carl").await);
    let id = opens(&anna, json!({ "opponent": "BEN" })).await;
    carl.get(&path(&id)).await.problem(404, "not-found");
    app.get(&path(&id)).await.problem(404, "not-found");
    carl.post(&format!("{}/accept", path(&id)), json!({})).await.problem(404, "not-found");
    assert_eq!(carl.get("/v1/challenges").await.expect(200)["items"], json!([]));
    let mine = ben.get("/v1/challenges?mine=true").await.expect(200);
    assert_eq!(mine["items"][0]["id"], json!(id));
    anna.post(&format!("{}/decline", path(&id)), json!({})).await.problem(403, "not-the-challenged-player");
    let declined = ben.post(&format!("{}/decline", path(&id)), json!({ "reason": "too-slow" })).await.expect(200);
    assert_eq!((&declined["status"], &declined["reason"]), (&json!("declined"), &json!("too-slow")));
    ben.post(&format!("{}/accept", path(&id)), json!({})).await.problem(409, "challenge-closed");
}

/// A program that has lost its opponent's name must not make a private challenge public.
#[actix_web::test]
async fn a_challenge_to_nobody_is_not_open_by_mistake() {
    let app = TestApp::start().await;
    let (anna, _ben) = (app.player("anna").await, app.player("ben").await);
    for (more, at) in [
        (json!({ "opponent": null }), "/opponent"),
        (json!({ "opponent": "" }), "/opponent"),
        (json!({ "opponent": "nobody" }), "/opponent"),
        (json!({ "invited": [] }), "/invited"),
        (json!({ "invited": null }), "/invited"),
        (json!({ "opponent": null, "visibility": null }), "/opponent"),
        (json!({ "opponent": null, "visibility": "direct" }), "/opponent"),
        (json!({ "opponent": "nobody", "visibility": "direct" }), "/opponent"),
        (json!({ "invited": [], "visibility": "direct" }), "/invited"),
        (json!({ "visibility": "direct" }), "/visibility"),
        (json!({ "oponent": "ben" }), "/oponent"),
        (json!({ "opponent": "ben", "visibility": "open" }), "/visibility"),
    ] {
        let refused = anna.post("/v1/challenges", with(more.clone())).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), [at], "{more}");
    }
    assert_eq!(app.get("/v1/challenges").await.expect(200)["items"], json!([]));
    // An open challenge may have null in every other field.
    for visibility in ["open", "link"] {
        let open = json!({ "opponent": null, "invited": null, "visibility": visibility });
        anna.post("/v1/challenges", with(open)).await.expect(201);
    }
    anna.post("/v1/challenges", with(json!({}))).await.expect(201);
    anna.post("/v1/challenges", with(json!({ "opponent": "ben", "invited": null }))).await.expect(201);
}

#[actix_web::test]
async fn a_challenge_by_link_is_in_no_list() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = opens(&anna, json!({ "visibility": "link" })).await;
    assert_eq!(ben.get("/v1/challenges").await.expect(200)["items"], json!([]));
    let seen = ben.get(&path(&id)).await.expect(200);
    assert_eq!(seen["link"], json!(format!("https://broadside.test/challenge/{id}")));
    ben.post(&format!("{}/accept", path(&id)), json!({})).await.expect(200);
}

#[actix_web::test]
async fn a_challenge_is_withdrawn_by_its_creator_alone() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = opens(&anna, json!({})).await;
    ben.request("DELETE", &path(&id), None).await.problem(403, "not-the-creator");
    assert_eq!(anna.request("DELETE", &path(&id), None).await.status, 204);
    assert_eq!(anna.get(&path(&id)).await.expect(200)["status"], "withdrawn");
    anna.request("DELETE", &path(&id), None).await.problem(409, "challenge-closed");
}

#[actix_web::test]
async fn a_challenge_expires() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = opens(&anna, json!({ "expires_in_s": 60 })).await;
    app.passes_s(61).await;
    assert_eq!(anna.get(&path(&id)).await.expect(200)["status"], "expired");
    assert_eq!(ben.get("/v1/challenges").await.expect(200)["items"], json!([]));
    assert_eq!(anna.get("/v1/challenges?mine=true&status=expired").await.expect(200)["items"][0]["id"], json!(id));
    ben.post(&format!("{}/accept", path(&id)), json!({})).await.problem(409, "challenge-closed");
}

#[actix_web::test]
async fn nobody_accepts_their_own_challenge() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let id = opens(&anna, json!({})).await;
    anna.post(&format!("{}/accept", path(&id)), json!({})).await.problem(409, "already-joined");
    anna.post("/v1/challenges", with(json!({ "opponent": "anna" }))).await.problem(422, "validation-failed");
    let refused = anna.post("/v1/challenges", with(json!({ "opponent": "nobody" }))).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/opponent"]);
}

#[actix_web::test]
async fn everything_that_is_wrong_is_named_at_once() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wrong =
        json!({ "variant": "chess", "clock": { "kind": "per-move", "move_s": 1 }, "rated": "yes", "mesage": "typo" });
    let refused = anna.post("/v1/challenges", wrong).await;
    refused.problem(422, "validation-failed");
    let pointers = refused.pointers();
    for pointer in ["/variant", "/clock/move_s", "/rated", "/mesage"] {
        assert!(pointers.iter().any(|named| named == pointer), "{pointer} is not among {pointers:?}");
    }
}

#[actix_web::test]
async fn a_rated_match_has_a_clock_and_the_variants_own_rules() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let wrong = json!({
        "variant": "classic", "clock": { "kind": "none" }, "rated": true, "rule_set": { "contact": "forbidden" },
    });
    let refused = anna.post("/v1/challenges", wrong).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/clock", "/rule_set"]);
    anna.post("/v1/challenges", with(json!({ "rated": true }))).await.expect(201);
}

#[actix_web::test]
async fn a_custom_rule_set_is_played() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let small = json!({
        "board": { "rows": 5, "columns": 6, "labels": "column-letter" },
        "fleet": [{ "class": "raft", "name": "Raft", "length": 2, "count": 1 }],
    });
    let id = anna.challenges_and_meets(&ben, json!({ "rule_set": small })).await;
    let view = anna.sees(&id).await;
    assert_eq!(view["rule_set"]["board"]["columns"], 6);
    anna.deploys(&id, &[("raft", &["F4", "F5"])]).await;
    let refused =
        anna.post("/v1/challenges", with(json!({ "rule_set": { "salvo": { "size": 99, "shrinks": "no" } } }))).await;
    refused.problem(422, "invalid-rule-set");
    assert!(refused.pointers().iter().any(|pointer| pointer == "/rule_set/salvo/size"), "{:?}", refused.pointers());
}

#[actix_web::test]
async fn an_account_has_fifty_open_challenges_at_most() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    for _ in 0..50 {
        opens(&anna, json!({})).await;
    }
    anna.post("/v1/challenges", terms()).await.problem(409, "quota-exceeded");
}

#[actix_web::test]
async fn seats_in_the_challenges_of_others_count_as_well() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (ben, three) = (&people[1], json!({ "variant": "salvos", "seats": 3 }));
    let mut ids = Vec::new();
    for index in 0..51 {
        ids.push(opens(&people[if index < 30 { 0 } else { 2 }], three.clone()).await);
    }
    for id in &ids[..49] {
        ben.post(&format!("{}/accept", path(id)), json!({})).await.expect(200);
    }
    opens(ben, json!({})).await;
    let before = ben.get(&path(&ids[50])).await.expect(200);
    ben.post(&format!("{}/accept", path(&ids[50])), json!({})).await.problem(409, "quota-exceeded");
    ben.post("/v1/challenges", terms()).await.problem(409, "quota-exceeded");
    assert_eq!(ben.get(&path(&ids[50])).await.expect(200), before);
    // A match that begins at once waits for nobody.
    let two = opens(&people[3], json!({})).await;
    ben.post(&format!("{}/accept", path(&two)), json!({})).await.expect(200);
    // A seat given back is free again.
    ben.post(&format!("{}/decline", path(&ids[0])), json!({})).await.expect(200);
    ben.post(&format!("{}/accept", path(&ids[50])), json!({})).await.expect(200);
}

#[actix_web::test]
async fn accepting_can_require_a_chance_commitment() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = opens(&anna, json!({})).await;
    let (other, accept) = (opens(&anna, json!({})).await, format!("{}/accept", path(&id)));
    let shown = ben.get(&path(&id)).await.expect(200);
    let others = ben.get(&path(&other)).await.expect(200)["chance_commitment"].clone();
    ben.post(&accept, json!({ "nonce": "mine", "chance_commitment": others }))
        .await
        .problem(409, "chance-commitment-changed");
    for wrong in [json!(""), json!("00"), json!("A".repeat(64)), json!(7), json!("0".repeat(65))] {
        let refused = ben.post(&accept, json!({ "chance_commitment": wrong })).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/chance_commitment"]);
    }
    assert_eq!(ben.get(&path(&id)).await.expect(200), shown);
    let accepted = json!({ "nonce": "mine", "chance_commitment": shown["chance_commitment"] });
    ben.post(&accept, accepted).await.expect(200)["match_id"].as_str().unwrap();
}

#[actix_web::test]
async fn a_challenge_may_ask_for_reliability() {
    let app = TestApp::start().await;
    let (anna, ben, carl) =
        (app.lasting_player("anna").await, app.lasting_player("ben").await, app.lasting_player("carl").await);
    // Ben loses one of three matches on time: 66 percent.
    let clock = json!({ "kind": "per-move", "move_s": 600 });
    for resigns in [true, true, false] {
        let id = ben.challenges_and_meets(&anna, json!({ "clock": clock })).await;
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, SOUTH_EAST).await;
        if resigns {
            ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
        }
    }
    app.passes_s(600).await;
    let reliability = app.get("/v1/players/ben").await.expect(200)["reliability_percent"].clone();
    assert_eq!(reliability, 66, "two of three, rounded down");

    let offer =
        |least: Value| json!({ "variant": "classic", "clock": { "kind": "none" }, "min_reliability_percent": least });
    for wrong in [json!(0), json!(101), json!(0.5), json!(4_000_000_000_u32)] {
        let refused = anna.post("/v1/challenges", offer(wrong)).await;
        refused.problem(422, "validation-failed");
        assert_eq!(refused.pointers(), ["/min_reliability_percent"]);
    }
    let mut ids = Vec::new();
    for least in [json!(67), json!(66), Value::Null] {
        let challenge = anna.post("/v1/challenges", offer(least.clone())).await.expect(201);
        assert_eq!(challenge["min_reliability_percent"], least);
        ids.push(challenge["id"].as_str().unwrap().to_owned());
    }
    // Challenges of the same moment are listed in any order.
    let listed = async |who: &Player| -> BTreeSet<String> {
        let list = who.get("/v1/challenges?acceptable=true").await.expect(200);
        list["items"].as_array().unwrap().iter().map(|challenge| challenge["id"].as_str().unwrap().to_owned()).collect()
    };
    let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(listed(&ben).await, set(&ids[1..]));
    // Carl has finished no match, so nothing counts against Carl. Nobody can accept their own challenge.
    assert_eq!(listed(&carl).await, set(&ids));
    assert!(listed(&anna).await.is_empty());
    app.get("/v1/challenges?acceptable=true").await.problem(401, "token-missing");
    assert_eq!(app.get("/v1/challenges").await.expect(200)["items"].as_array().unwrap().len(), 3);

    let accept = |id: &str| format!("/v1/challenges/{id}/accept");
    let refused = ben.post(&accept(&ids[0]), json!({})).await.problem(422, "not-reliable-enough");
    assert_eq!(refused["detail"], "The challenge asks for a reliability of 67 percent at least; yours is 66.");
    carl.post(&accept(&ids[0]), json!({})).await.expect(200);
    ben.post(&accept(&ids[1]), json!({})).await.expect(200);
    assert_eq!(listed(&ben).await, set(&ids[2..]));
}

#[actix_web::test]
async fn who_begins_is_refused_where_it_was_said() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let clock = json!({ "kind": "per-move", "move_s": 86_400 });
    let chosen = json!({ "variant": "classic", "clock": clock, "rated": true, "first": "creator" });
    let refused = anna.post("/v1/challenges", chosen).await;
    let problem = refused.problem(422, "validation-failed");
    assert_eq!(
        (&problem["errors"][0]["pointer"], &problem["errors"][0]["code"]),
        (&json!("/first"), &json!("rated-needs-random-first"))
    );
    let drawn = json!({ "variant": "classic", "clock": clock, "rated": true, "first": "random" });
    anna.post("/v1/challenges", drawn).await.expect(201);
    // The same value inside the rule set is refused there.
    let changed = json!({ "variant": "classic", "clock": clock, "rated": true, "rule_set": { "first": "opponent" } });
    assert_eq!(anna.post("/v1/challenges", changed).await.pointers(), ["/rule_set/first"]);
}

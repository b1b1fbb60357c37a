//! Invitations of players to the seats of a challenge.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

async fn offers(player: &Player, more: Value) -> Value {
    let mut body = json!({ "variant": "salvos", "seats": 3, "clock": { "kind": "per-move", "move_s": 600 } });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    player.post("/v1/challenges", body).await.expect(201)
}

fn path(challenge: &Value) -> String {
    format!("/v1/challenges/{}", challenge["id"].as_str().unwrap())
}

async fn kinds(player: &Player) -> Vec<String> {
    let heard = player.hears(0).await;
    let challenges =
        heard.iter().map(|event| event["type"].as_str().unwrap()).filter(|kind| kind.starts_with("challenge"));
    challenges.map(str::to_owned).collect()
}

async fn mine(player: &Player) -> usize {
    player.get("/v1/challenges?mine=true&status=open").await.expect(200)["items"].as_array().unwrap().len()
}

fn names(challenge: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        challenge["invited"].as_array().unwrap().iter().map(|player| player["username"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[actix_web::test]
async fn those_who_are_invited_meet_and_nobody_else_sees_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carol, dora] = [0, 1, 2, 3].map(|index: usize| &people[index]);
    let challenge = offers(anna, json!({ "invited": [ben.name, carol.name] })).await;
    assert_eq!((&challenge["visibility"], &challenge["opponent"]), (&json!("direct"), &Value::Null));
    assert_eq!(names(&challenge), [ben.name.as_str(), carol.name.as_str()]);
    for player in [ben, carol] {
        assert_eq!(kinds(player).await, ["challenge-received"]);
        assert_eq!(mine(player).await, 1);
    }
    dora.get(&path(&challenge)).await.problem(404, "not-found");
    let accept = format!("{}/accept", path(&challenge));
    dora.post(&accept, json!({})).await.problem(404, "not-found");
    ben.post(&accept, json!({})).await.expect(200);
    let begun = carol.post(&accept, json!({})).await.expect(200);
    assert!(begun["match_id"].is_string());
    assert_eq!(kinds(ben).await, ["challenge-received", "challenge-accepted"]);
}

#[actix_web::test]
async fn a_direct_challenge_that_nobody_can_fill_is_declined_and_another_loses_an_invitation() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carol, dora] = [0, 1, 2, 3].map(|index: usize| &people[index]);
    let three = offers(anna, json!({ "invited": [ben.name, carol.name, dora.name] })).await;
    let decline = format!("{}/decline", path(&three));
    ben.post(&format!("{}/accept", path(&three)), json!({})).await.expect(200);
    let left = carol.post(&decline, json!({ "reason": "later" })).await.expect(200);
    assert_eq!((&left["status"], names(&left)), (&json!("open"), vec![ben.name.as_str(), dora.name.as_str()]));
    carol.get(&path(&three)).await.problem(404, "not-found");
    assert_eq!(kinds(anna).await, ["challenge-accepted", "challenge-left"]);
    let declined = dora.post(&decline, json!({ "reason": "later" })).await.expect(200);
    assert_eq!((&declined["status"], &declined["reason"]), (&json!("declined"), &json!("later")));
    assert_eq!(kinds(anna).await.last().unwrap(), "challenge-declined");
    assert_eq!(kinds(ben).await.last().unwrap(), "challenge-declined");
    // Others may join if it is open.
    let open = offers(anna, json!({ "invited": [ben.name], "visibility": "open" })).await;
    ben.post(&format!("{}/decline", path(&open)), json!({})).await.expect(200);
    carol.post(&format!("{}/accept", path(&open)), json!({})).await.expect(200);
    let begun = dora.post(&format!("{}/accept", path(&open)), json!({})).await.expect(200);
    assert!(begun["match_id"].is_string());
}

#[actix_web::test]
async fn who_can_be_invited_is_said_name_by_name() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carol] = [0, 1, 2].map(|index: usize| &people[index]);
    let body = |more: Value| {
        let mut body = json!({ "variant": "salvos", "seats": 3, "clock": { "kind": "none" } });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let block = format!("/v1/account/blocks/{}", anna.name);
    ben.request("PUT", &block, None).await.expect(204);
    let invited = json!([anna.name, "nobody-here", ben.name, carol.name]);
    let refused = anna.post("/v1/challenges", body(json!({ "invited": invited }))).await;
    let refused = refused.problem(422, "validation-failed");
    let faults: Vec<(&str, &str)> = refused["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (fault["pointer"].as_str().unwrap(), fault["code"].as_str().unwrap()))
        .collect();
    let wanted = [("/invited/0", "own-account"), ("/invited/1", "unknown-player"), ("/invited/2", "unknown-player")];
    assert_eq!(faults, wanted, "who blocks the caller is nobody");
    ben.post("/v1/challenges", body(json!({ "invited": [anna.name, carol.name] })))
        .await
        .problem(422, "player-blocked");
    for (more, at) in [
        (json!({ "invited": [carol.name] }), "/invited"),
        (json!({ "invited": [carol.name], "opponent": carol.name, "seats": 2 }), "/invited"),
        (json!({ "visibility": "direct" }), "/visibility"),
        (json!({ "invited": ["a11", "b22", "c33", "d44", "e55", "f66", "g77"], "visibility": "open" }), "/invited"),
    ] {
        let refused = anna.post("/v1/challenges", body(more.clone())).await.problem(422, "validation-failed");
        assert_eq!(refused["errors"][0]["pointer"], at, "{more}");
    }
}

#[actix_web::test]
async fn nobody_is_invited_twice() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carol] = [0, 1, 2].map(|index: usize| &people[index]);
    let renames = json!({ "username": "benedict", "current_password": carol.password });
    carol.signed_in().await.request("PUT", "/v1/account/username", Some(renames)).await.expect(200);
    let body =
        |invited: Value| json!({ "variant": "salvos", "seats": 3, "clock": { "kind": "none" }, "invited": invited });
    // In other capitals, and by a former name.
    for (invited, code) in [
        (json!(["ben", "BEN"]), "named-twice"),
        (json!([carol.name, "benedict"]), "named-twice"),
        (json!(["ben", "benedict", "ben"]), "named-twice"),
        (json!(["nobody-here", "nobody-here"]), "unknown-player"),
    ] {
        let refused = anna.post("/v1/challenges", body(invited.clone())).await.problem(422, "validation-failed");
        let fault = refused["errors"].as_array().unwrap().last().unwrap();
        let last = format!("/invited/{}", invited.as_array().unwrap().len() - 1);
        assert_eq!((&fault["pointer"], &fault["code"]), (&json!(last), &json!(code)), "{invited}");
    }
    assert_eq!(mine(anna).await, 0);
    // A block doesn't reveal an identity.
    ben.request("PUT", &format!("/v1/account/blocks/{}", anna.name), None).await.expect(204);
    let refused = anna.post("/v1/challenges", body(json!(["ben", "ben"]))).await.problem(422, "validation-failed");
    let codes: Vec<&Value> = refused["errors"].as_array().unwrap().iter().map(|fault| &fault["code"]).collect();
    assert_eq!(codes, ["unknown-player", "unknown-player"]);
}

#[actix_web::test]
async fn a_block_and_a_deletion_end_invitations() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carol, dora] = [0, 1, 2, 3].map(|index: usize| &people[index]);
    let challenge = offers(anna, json!({ "invited": [ben.name, carol.name, dora.name] })).await;
    ben.request("PUT", &format!("/v1/account/blocks/{}", anna.name), None).await.expect(204);
    assert_eq!(mine(ben).await, 0);
    let now = anna.get(&path(&challenge)).await.expect(200);
    assert_eq!((&now["status"], names(&now)), (&json!("open"), vec![carol.name.as_str(), dora.name.as_str()]));
    let proof = json!({ "password": carol.password });
    carol.signed_in().await.request("DELETE", "/v1/account", Some(proof)).await.expect(204);
    let now = anna.get(&path(&challenge)).await.expect(200);
    assert_eq!((&now["status"], names(&now)), (&json!("declined"), vec![dora.name.as_str()]));
    assert_eq!(kinds(anna).await, ["challenge-left", "challenge-declined"]);
}

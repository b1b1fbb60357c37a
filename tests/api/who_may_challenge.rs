//! Limits on challenges: the recipients, the number without an answer, and guests' texts to strangers.

use serde_json::{Value, json};

use crate::guests::guest;
use crate::support::setup::Setup;
use crate::support::{Player, TestApp, seven_people};

fn offer(more: Value) -> Value {
    let mut body = json!({ "variant": "classic", "clock": { "kind": "per-move", "move_s": 86_400 } });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn fault(refused: &Value) -> (&str, &str) {
    let first = &refused["errors"][0];
    (first["pointer"].as_str().unwrap(), first["code"].as_str().unwrap())
}

async fn takes(player: &Player, whose: &str) {
    let account = player.request("PATCH", "/v1/account", Some(json!({ "challenges_from": whose }))).await.expect(200);
    assert_eq!(account["challenges_from"], whose);
}

#[actix_web::test]
async fn guests_say_nothing_to_strangers() {
    let app = TestApp::start().await;
    let (gus, ben) = (guest(&app, "gus").await, app.player("ben").await);
    let ship = |class: &str, name: &str| json!({ "rule_set": { "fleet": [{ "class": class, "name": name, "length": 2, "count": 3 }] } });
    let salvos = json!({ "variant": "salvos", "seats": 3, "clock": { "kind": "none" } });
    let named = json!({ "title": "Rafts", "variant": "classic", "rule_set": ship("raft", "Raft")["rule_set"] });
    let hash = ben.post("/v1/rule-sets", named).await.expect(201)["hash"].clone();
    let played = json!({ "named_rule_set": hash, "clock": { "kind": "none" } });
    for words in [
        json!({ "named_rule_set": hash, "clock": { "kind": "none" }, "message": "Visit my shop" }),
        offer(json!({ "message": "Visit my shop" })),
        offer(json!({ "message": "Hello", "opponent": "ben" })),
        offer(ship("destroyer", "Visit my shop")),
        offer(ship("visit-my-shop", "Destroyer")),
        offer(json!({ "nonce": "visit my shop" })),
    ] {
        let refused = gus.post("/v1/challenges", words.clone()).await.problem(403, "guest-not-allowed");
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.starts_with("Guests "), "{words}: {detail}");
    }
    let open = ben.post("/v1/challenges", salvos).await.expect(201);
    let accept = format!("/v1/challenges/{}/accept", open["id"].as_str().unwrap());
    gus.post(&accept, json!({ "nonce": "visit my shop" })).await.problem(403, "guest-not-allowed");
    gus.post(&accept, json!({ "nonce": "0af7" })).await.expect(200);
    // Standard rules, the game's ships under their own names, and published rule sets.
    gus.post("/v1/challenges", offer(json!({ "rule_set": { "contact": "forbidden" } }))).await.expect(201);
    gus.post("/v1/challenges", offer(ship("destroyer", "Destroyer"))).await.expect(201);
    gus.post("/v1/challenges", played).await.expect(201);
}

#[actix_web::test]
async fn nobody_is_flooded_with_challenges() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    let (anna, ben) = (&app.lasting_player("anna").await, &app.lasting_player("ben").await);
    app.player("carl").await;
    let dora = app.player("dora").await;
    let to_ben = offer(json!({ "opponent": "ben" }));
    let both = offer(json!({ "variant": "salvos", "seats": 3, "invited": ["ben", "carl"] }));
    for body in [&to_ben, &both, &to_ben] {
        let made = anna.post("/v1/challenges", body.clone()).await.expect(201);
        let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
        anna.request("DELETE", &path, None).await.expect(204);
    }
    let heard = ben.hears(0).await.len();
    for body in [&to_ben, &both] {
        let refused = anna.post("/v1/challenges", body.clone()).await.problem(409, "quota-exceeded");
        assert_eq!(
            refused["detail"],
            "You have challenged ben 3 times within a day without an answer. Try again when a day is over."
        );
    }
    assert_eq!(ben.hears(0).await.len(), heard, "Ben hears of nothing");
    // Other recipients are unaffected, and the next day starts anew.
    anna.post("/v1/challenges", offer(json!({ "opponent": "carl" }))).await.expect(201);
    dora.post("/v1/challenges", to_ben.clone()).await.expect(201);
    app.passes_s(86_401).await;
    let made = anna.post("/v1/challenges", to_ben.clone()).await.expect(201);
    let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
    anna.request("DELETE", &path, None).await.expect(204);
    app.passes_s(1).await;
    // An opponent in a match is no stranger.
    anna.challenges_and_meets(ben, json!({})).await;
    for _ in 0..3 {
        app.passes_s(1).await;
        let made = anna.post("/v1/challenges", to_ben.clone()).await.expect(201);
        let path = format!("/v1/challenges/{}", made["id"].as_str().unwrap());
        anna.request("DELETE", &path, None).await.expect(204);
    }
    anna.post("/v1/challenges", to_ben).await.problem(409, "quota-exceeded");
}

#[actix_web::test]
async fn guests_of_one_address_share_the_limit() {
    let app = TestApp::with(Setup { rate_limits: true, ..Setup::default() }).await;
    app.player("ben").await;
    let to_ben = offer(json!({ "opponent": "ben" }));
    let (gus, gil) = (guest(&app, "gus").await, guest(&app, "gil").await);
    for guest in [&gus, &gil, &gil] {
        let made = guest.post("/v1/challenges", to_ben.clone()).await.expect(201);
        guest.request("DELETE", &format!("/v1/challenges/{}", made["id"].as_str().unwrap()), None).await.expect(204);
    }
    for guest in [gus, gil, guest(&app, "gaby").await] {
        guest.post("/v1/challenges", to_ben.clone()).await.problem(409, "quota-exceeded");
    }
}

#[actix_web::test]
async fn everybody_says_whose_challenges_they_take() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let gus = guest(&app, "gus").await;
    assert_eq!(ben.get("/v1/account").await.expect(200)["challenges_from"], "everybody");
    let tries = async |who: &Player| {
        let asked = who.post("/v1/challenges", offer(json!({ "opponent": "ben" }))).await;
        let three = json!({ "variant": "salvos", "seats": 3, "invited": ["carl", "ben"] });
        let invited = who.post("/v1/challenges", offer(three)).await;
        assert_eq!(asked.status, invited.status);
        if asked.status == 201 {
            return true;
        }
        assert_eq!(fault(&asked.problem(422, "validation-failed")), ("/opponent", "challenges-not-taken"));
        assert_eq!(fault(&invited.problem(422, "validation-failed")), ("/invited/1", "challenges-not-taken"));
        false
    };
    assert!(tries(&gus).await && tries(anna).await);
    takes(ben, "accounts").await;
    assert!(!tries(&gus).await && tries(anna).await);
    takes(ben, "played").await;
    assert!(!tries(&gus).await && !tries(anna).await);
    let id = ben.challenges_and_meets(anna, json!({})).await;
    assert!(!tries(&gus).await && tries(anna).await);
    takes(ben, "nobody").await;
    assert!(!tries(anna).await);
    // Ben challenges freely, and former opponents ask Ben for a rematch.
    ben.post("/v1/challenges", offer(json!({ "opponent": "carl" }))).await.expect(201);
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    anna.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.expect(200);
    assert_eq!(
        ben.signed_in().await.get("/v1/account/export").await.expect(200)["account"]["challenges_from"],
        "nobody"
    );
    let wrong = carl.request("PATCH", "/v1/account", Some(json!({ "challenges_from": "friends" }))).await;
    assert_eq!(fault(&wrong.problem(422, "validation-failed")).0, "/challenges_from");
}

//! Tables with more than two seats: seats and nations are taken, given back and contested; an eliminated player watches
//! while the others play.

use broadside_rules::{Variant, variants};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, plays_out, seven_people};

/// A variant with a choice of nations, and room for more than two.
fn wide() -> &'static Variant {
    let wide = |variant: &&Variant| !variant.rule_set().seat_names().is_empty() && variant.seats().1 > 2;
    variants().iter().find(wide).unwrap()
}

fn nation(index: usize) -> &'static str {
    wide().rule_set().seat_names()[index]
}

/// Offers a match for this number of seats.
async fn offers(player: &Player, seats: u8, extra: Value) -> Value {
    let mut body = json!({ "variant": wide().id, "seats": seats, "clock": { "kind": "per-move", "move_s": 600 } });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    player.post("/v1/challenges", body).await.expect(201)
}

fn path(challenge: &Value) -> String {
    format!("/v1/challenges/{}", challenge["id"].as_str().unwrap())
}

#[actix_web::test]
async fn a_match_begins_when_the_last_seat_is_taken() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let offered = offers(&people[0], 3, json!({ "nation": nation(2) })).await;
    assert_eq!(offered["seats"].as_array().unwrap().len(), 3);
    assert_eq!(offered["seats"][0]["nation"], json!(nation(2)));
    let accept = format!("{}/accept", path(&offered));
    let seated = people[1].post(&accept, json!({ "seat": 2, "nation": nation(0) })).await.expect(200);
    assert_eq!((&seated["status"], &seated["match_id"]), (&json!("open"), &Value::Null));
    assert_eq!(seated["seats"][2]["player"]["username"], "ben");
    people[1].post(&accept, json!({})).await.problem(409, "already-joined");
    people[2].post(&accept, json!({ "seat": 2 })).await.problem(409, "seat-taken");
    people[2].post(&accept, json!({ "seat": 3 })).await.problem(409, "seat-taken");
    people[2].post(&accept, json!({ "nation": nation(0) })).await.problem(409, "nation-taken");
    // It is listed for everybody involved.
    let mine = people[1].get("/v1/challenges?mine=true").await.expect(200);
    assert_eq!(mine["items"][0]["id"], offered["id"]);
    let begun = people[2].post(&accept, json!({})).await.expect(200);
    let id = begun["match_id"].as_str().unwrap();
    let view = people[2].sees(id).await;
    assert_eq!(view["viewer"]["seat"], 1);
    let names: Vec<&str> =
        view["seats"].as_array().unwrap().iter().map(|seat| seat["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[2]), (nation(2), nation(0)));
    assert!(names[1] != names[0] && names[1] != names[2], "{names:?}");
    people[3].post(&accept, json!({})).await.problem(409, "challenge-closed");
    people[3].acts(id, json!({ "type": "deploy-auto" })).await.problem(403, "not-a-player");
}

#[actix_web::test]
async fn seats_and_nations_that_do_not_exist_are_refused() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let (least, most) = wide().seats();
    let clock = json!({ "kind": "none" });
    for seats in [u32::from(least) - 1, u32::from(most) + 1, 0, 256, u32::MAX] {
        let offer = json!({ "variant": wide().id, "seats": seats, "clock": clock });
        let refused = anna.post("/v1/challenges", offer).await;
        assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], "wrong-seat-count");
        assert_eq!(refused.pointers(), ["/seats"]);
    }
    for (variant, nation, code) in [
        (wide().id, "atlantis", "unknown-nation"),
        ("classic", nation(0), "nations-not-used"),
        (wide().id, "", "invalid-value"),
        (wide().id, "A Nation", "invalid-value"),
    ] {
        let offer = json!({ "variant": variant, "clock": clock, "nation": nation });
        let refused = anna.post("/v1/challenges", offer).await;
        assert_eq!(refused.problem(422, "validation-failed")["errors"][0]["code"], code);
        assert_eq!(refused.pointers(), ["/nation"]);
    }
    let challenge = offers(&anna, 2, json!({})).await;
    let accept = format!("{}/accept", path(&challenge));
    let refused = ben.post(&accept, json!({ "nation": "atlantis" })).await.problem(422, "validation-failed");
    assert_eq!(refused["errors"][0]["code"], "unknown-nation");
    assert_eq!(anna.get(&path(&challenge)).await.expect(200)["seats"][1]["player"], Value::Null);
    let to_one = json!({ "variant": wide().id, "seats": 3, "clock": clock, "opponent": "ben" });
    let refused = anna.post("/v1/challenges", to_one).await;
    refused.problem(422, "validation-failed");
    assert_eq!(refused.pointers(), ["/opponent"]);
}

#[actix_web::test]
async fn one_nation_has_one_taker() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let challenge = offers(&people[0], 7, json!({ "nation": nation(0) })).await;
    let accept = format!("{}/accept", path(&challenge));
    let takers = people[1..6].iter().enumerate().map(|(index, player)| {
        let player = if index % 2 == 0 { player.clone() } else { player.at(&other) };
        let accept = accept.clone();
        async move { player.post(&accept, json!({ "nation": nation(1) })).await }
    });
    let answers = join_all(takers).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409]);
    for refused in answers.iter().filter(|answer| answer.status == 409) {
        refused.problem(409, "nation-taken");
    }
    let seats = people[0].get(&path(&challenge)).await.expect(200)["seats"].clone();
    assert_eq!(seats.as_array().unwrap().iter().filter(|seat| !seat["player"].is_null()).count(), 2);
}

#[actix_web::test]
async fn the_last_of_many_seats_has_one_taker() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let challenge = offers(&people[0], 3, json!({})).await;
    let accept = format!("{}/accept", path(&challenge));
    let takers = people[1..].iter().enumerate().map(|(index, player)| {
        let player = if index % 2 == 0 { player.clone() } else { player.at(&other) };
        let accept = accept.clone();
        async move { player.post(&accept, json!({})).await.status }
    });
    let mut statuses = join_all(takers).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 409, 409, 409, 409]);
    assert_eq!(app.get("/v1/matches?player=anna").await.expect(200)["items"].as_array().unwrap().len(), 1);
}

#[actix_web::test]
async fn a_seat_is_given_back() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let challenge = offers(&people[0], 4, json!({})).await;
    let (accept, decline) = (format!("{}/accept", path(&challenge)), format!("{}/decline", path(&challenge)));
    people[1].post(&accept, json!({ "nation": nation(3), "nonce": "mine" })).await.expect(200);
    people[2].post(&accept, json!({})).await.expect(200);
    people[3].post(&decline, json!({})).await.problem(403, "not-the-challenged-player");
    people[0].post(&decline, json!({})).await.problem(403, "not-the-challenged-player");
    let left = people[1].post(&decline, json!({})).await.expect(200);
    assert_eq!((&left["status"], &left["reason"]), (&json!("open"), &Value::Null));
    let free =
        json!({ "seat": 1, "player": null, "rating": null, "nation": null, "nonce_given": false, "nonce": null });
    assert_eq!(left["seats"][1], free);
    // Carl's account is deleted and its seat resigns: nobody waits for a deleted account.
    let password = people[2].password.clone();
    let signed_in = app.post("/v1/sessions", json!({ "username": "carl", "password": password })).await.expect(201);
    let carl = people[2].with_token(signed_in["access_token"].as_str().unwrap());
    let gone = carl.request("DELETE", "/v1/account", Some(json!({ "password": carl.password }))).await;
    assert_eq!(gone.status, 204, "{}", gone.text());
    let seats = people[0].get(&path(&challenge)).await.expect(200)["seats"].clone();
    assert_eq!(seats.as_array().unwrap().iter().filter(|seat| !seat["player"].is_null()).count(), 1);
    people[4].post(&accept, json!({ "seat": 1, "nation": nation(3) })).await.expect(200);
}

#[actix_web::test]
async fn who_is_out_goes_on_seeing_his_own_and_the_others_play_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let players: Vec<&Player> = people.iter().take(3).collect();
    let clock = json!({ "variant": wide().id, "clock": { "kind": "per-move", "move_s": 600 } });
    let id = players[0].sits_down_with(&players[1..], clock, &[]).await;
    for player in &players {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let before = players[1].sees(&id).await;
    assert_eq!(before["status"], "playing");
    players[1].acts(&id, json!({ "type": "resign" })).await.expect(200);
    let view = players[1].sees(&id).await;
    assert_eq!((&view["status"], &view["viewer"]["seat"]), (&json!("playing"), &json!(1)));
    assert_eq!((&view["seats"][1]["status"], &view["decisions"]), (&json!("out"), &json!([])));
    players[1].acts(&id, json!({ "type": "resign" })).await.problem(422, "seat-out");
    assert!(!players[0].sees(&id).await["decisions"].as_array().unwrap().is_empty());
    // Carl's record still has Carl's secrets, and no others.
    let record = players[1].get(&format!("/v1/matches/{id}/record")).await.expect(200);
    assert!(record["log"].as_array().unwrap().iter().all(|line| line["seat"] == 1), "{}", record["log"]);
    assert_eq!(record["log"].as_array().unwrap().len(), 1);

    // The last two: one of them times out.
    let version = view["version"].as_u64().unwrap();
    let waiting = players[0].sees(&id).await["to_act"].clone();
    assert!(!waiting.as_array().unwrap().contains(&json!(1)), "{waiting}");
    let acting = waiting[0].as_u64().unwrap();
    if waiting.as_array().unwrap().len() > 1 {
        let other = usize::try_from(waiting[1].as_u64().unwrap()).unwrap();
        players[other].acts(&id, players[other].example(&id).await.unwrap()).await.expect(200);
    }
    app.passes_s(600).await;
    let end = players[1].sees(&id).await;
    assert_eq!((&end["status"], &end["result"]["reason"]), (&json!("finished"), &json!("time")));
    assert!(end["version"].as_u64().unwrap() > version);
    let loser = &players[usize::try_from(acting).unwrap()].name;
    for player in &players {
        let reliability =
            app.get(&format!("/v1/players/{}", player.name)).await.expect(200)["reliability_percent"].clone();
        let wanted = if player.name == *loser { 0 } else { 100 };
        assert_eq!(reliability, json!(wanted), "{}", player.name);
    }
}

#[actix_web::test]
async fn a_match_of_three_is_the_same_on_every_node_and_after_a_restart() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let at_nodes = [people[0].clone(), people[1].at(&other), people[2].clone()];
    let players: Vec<&Player> = at_nodes.iter().collect();
    let brings = [json!({ "nation": nation(1), "nonce": "a" }), json!({}), json!({ "nation": nation(4) })];
    let id = players[0].sits_down_with(&players[1..], json!({ "variant": wide().id }), &brings).await;
    let end = plays_out(&players, &id, 4000).await;
    assert_eq!(end["status"], "finished");
    let later = app.restarted().await;
    for player in players {
        assert_eq!(player.at(&later).sees(&id).await, player.sees(&id).await);
    }
    let board = app.get(&format!("/v1/matches/{id}/board")).await.expect(200);
    let card = app.get(&format!("/v1/variants/{}?seats=3", wide().id)).await.expect(200);
    let cells = |board: &Value| board["seas"][0]["cells"].as_array().unwrap().len();
    assert_eq!(cells(&board), cells(&card["board"]));
    let seven = app.get(&format!("/v1/variants/{}?seats=7", wide().id)).await.expect(200);
    assert!(cells(&seven["board"]) > cells(&board));
    let checked = json!({ "variant": wide().id, "seats": 3 });
    let checked = app.post("/v1/rule-sets/check", checked).await.expect(200);
    assert_eq!(checked["board"], card["board"]);
    assert_eq!(card["nations"], json!(wide().rule_set().seat_names()));
}

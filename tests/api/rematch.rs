//! Rematches: the same terms with sides swapped, and a single match for requests by both.

use broadside_rules::Variant;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::{Player, TestApp, seven_people};

fn path(id: &str) -> String {
    format!("/v1/matches/{id}/rematch")
}

async fn asks(player: &Player, id: &str) -> Value {
    player.post(&path(id), json!({})).await.expect(200)
}

async fn aborts(player: &Player, id: &str) {
    player.acts(id, json!({ "type": "abort" })).await.expect(200);
}

/// Each seat with its player's name.
async fn seats(player: &Player, id: &str) -> Vec<(String, String)> {
    let view = player.sees(id).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let seats = view["seats"].as_array().unwrap().iter();
    let mut seats: Vec<_> = seats.map(|seat| (text(&seat["player"]["username"]), text(&seat["name"]))).collect();
    seats.sort();
    seats
}

#[actix_web::test]
async fn the_sides_are_swapped_whoever_asks() {
    let app = TestApp::start().await;
    for variant in ["classic", "depths"] {
        let (anna, ben) = (app.player(&format!("anna-{variant}")).await, app.player(&format!("ben-{variant}")).await);
        let terms = json!({ "variant": variant, "spectators": false, "clock": { "kind": "per-move", "move_s": 777 } });
        let mut id = anna.challenges_and_meets(&ben, terms).await;
        let mut before = seats(&anna, &id).await;
        assert_eq!(before[0].1, "red", "Anna begins");
        for asker in [&ben, &anna, &anna, &ben] {
            let other = if asker.name == anna.name { &ben } else { &anna };
            aborts(&anna, &id).await;
            let challenge = asks(asker, &id).await;
            assert_eq!((&challenge["status"], &challenge["visibility"]), (&json!("open"), &json!("direct")));
            assert_eq!((&challenge["rematch_of"], &challenge["opponent"]["id"]), (&json!(id), &json!(other.id)));
            assert_eq!((&challenge["spectators"], &challenge["clock"]["move_s"]), (&json!(false), &json!(777)));
            assert_eq!(other.hears(0).await.last().unwrap()["type"], "challenge-received");
            // Accepted like any other challenge.
            let accept = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
            let accepted = other.post(&accept, json!({})).await.expect(200);
            id = accepted["match_id"].as_str().unwrap().to_owned();
            let after = seats(&anna, &id).await;
            assert_eq!((&after[0].1, &after[1].1), (&before[1].1, &before[0].1), "{variant}");
            before = after;
        }
    }
}

#[actix_web::test]
async fn custom_rules_stay_but_for_who_begins() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let rule_set = json!({ "board": { "rows": 12, "columns": 9, "labels": "row-letter" } });
    let id = anna.challenges_and_meets(&ben, json!({ "rule_set": rule_set, "first": "random" })).await;
    let began = seats(&anna, &id).await[0].1 == "red";
    aborts(&anna, &id).await;
    asks(&anna, &id).await;
    let again = asks(&ben, &id).await["match_id"].as_str().unwrap().to_owned();
    assert_eq!(seats(&anna, &again).await[0].1 == "red", !began);
    let mut expected = anna.sees(&id).await["rule_set"].clone();
    expected["first"] = json!(if began { "opponent" } else { "creator" });
    assert_eq!(anna.sees(&again).await["rule_set"], expected);
}

#[actix_web::test]
async fn a_rated_match_stays_one() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({ "rated": true, "first": "random" })).await;
    anna.acts(&id, json!({ "type": "resign" })).await.expect(200);
    asks(&anna, &id).await;
    let again = asks(&ben, &id).await["match_id"].as_str().unwrap().to_owned();
    let view = anna.sees(&again).await;
    let own = serde_json::to_value(Variant::find("classic").unwrap().rule_set()).unwrap();
    assert_eq!((&view["rated"], &view["rule_set"]), (&json!(true), &own));
}

#[actix_web::test]
async fn nations_are_exchanged_unless_somebody_wishes_otherwise() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.sits_down_with(&[&ben], json!({ "variant": "salvos" }), &[]).await;
    let before = seats(&anna, &id).await;
    aborts(&anna, &id).await;
    asks(&ben, &id).await;
    let again = asks(&anna, &id).await["match_id"].as_str().unwrap().to_owned();
    let after = seats(&anna, &again).await;
    assert_eq!((&after[0].1, &after[1].1), (&before[1].1, &before[0].1));
    aborts(&anna, &again).await;
    let challenge = asks(&ben, &again).await;
    let taken = &challenge["seats"][0]["nation"];
    assert_eq!(taken, &json!(after[0].1));
    let wish = Variant::find("salvos").unwrap().rule_set();
    let wish = wish.seat_names().iter().find(|wish| before.iter().all(|(_, name)| name != *wish)).unwrap();
    let accept = format!("/v1/challenges/{}/accept", challenge["id"].as_str().unwrap());
    let accepted = anna.post(&accept, json!({ "nation": wish })).await.expect(200);
    assert_eq!(seats(&anna, accepted["match_id"].as_str().unwrap()).await[0].1, *wish);
}

#[actix_web::test]
async fn both_may_ask_and_one_match_comes_of_it() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let far = ben.at(&app.another_node().await);
    for _ in 0..4 {
        let id = anna.challenges_and_meets(&ben, json!({})).await;
        aborts(&anna, &id).await;
        let (one, two) = join(asks(&anna, &id), asks(&far, &id)).await;
        assert_eq!(one["id"], two["id"]);
        let matches = [one, two].into_iter().filter(|challenge| !challenge["match_id"].is_null()).count();
        assert_eq!(matches, 1, "the second accepts");
    }
    // A repeated request returns the existing challenge.
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    aborts(&anna, &id).await;
    let first = asks(&anna, &id).await;
    assert_eq!(asks(&anna, &id).await, first);
    assert_eq!(ben.hears(0).await.iter().filter(|event| event["challenge_id"] == first["id"]).count(), 1);
    // After a refusal or an expiry, a new request is possible.
    ben.post(&format!("/v1/challenges/{}/decline", first["id"].as_str().unwrap()), json!({})).await.expect(200);
    let second = asks(&ben, &id).await;
    assert_eq!((&second["creator"]["id"], &second["status"]), (&json!(ben.id), &json!("open")));
    assert_ne!(second["id"], first["id"]);
}

#[actix_web::test]
async fn a_double_tap_on_both_sides_gives_one_match() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let far = ben.at(&app.another_node().await);
    for round in 0..5 {
        let id = anna.challenges_and_meets(&ben, json!({})).await;
        aborts(&anna, &id).await;
        let answers = join_all([&anna, &far, &anna, &far].map(|player| asks(player, &id))).await;
        assert!(answers.iter().all(|answer| answer["id"] == answers[0]["id"]), "round {round}: {answers:?}");
        let of_rematch = anna.get("/v1/challenges?mine=true&status=open").await.expect(200);
        assert_eq!(of_rematch["items"], json!([]), "no offer is left over");
        let matches = app.get("/v1/matches?player=anna").await.expect(200)["items"].as_array().unwrap().clone();
        assert_eq!(matches.len(), 2 * (round + 1));
        // The first rematch remains the rematch, even after its end.
        let rematch = asks(&ben, &id).await["match_id"].clone();
        assert!(matches.iter().any(|one| one["id"] == rematch), "round {round}");
        aborts(&anna, rematch.as_str().unwrap()).await;
        assert_eq!(asks(&anna, &id).await["match_id"], rematch);
    }
}

#[actix_web::test]
async fn a_rematch_is_asked_for_by_those_who_played_when_it_is_over() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({ "spectators": false })).await;
    carl.post(&path(&id), json!({})).await.problem(404, "not-found");
    anna.post(&path(&id), json!({})).await.problem(422, "match-not-finished");
    aborts(anna, &id).await;
    carl.post(&path(&id), json!({})).await.problem(403, "not-a-player");
    app.post(&path(&id), json!({})).await.problem(401, "token-missing");
    anna.post(&path(&id), json!({ "clock": 1 })).await.problem(422, "validation-failed");

    let many = anna.sits_down_with(&[ben, carl], json!({ "variant": "salvos" }), &[]).await;
    for player in [anna, ben] {
        player.acts(&many, json!({ "type": "resign" })).await.expect(200);
    }
    assert_eq!(anna.sees(&many).await["status"], "finished");
    anna.post(&path(&many), json!({})).await.problem(422, "rematch-needs-two-seats");

    // A blocking player and a deleted one lead to the same answer.
    let other = anna.challenges_and_meets(carl, json!({})).await;
    aborts(anna, &other).await;
    ben.request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
    let blocked = anna.post(&path(&id), json!({})).await.problem(422, "opponent-unavailable");
    ben.post(&path(&id), json!({})).await.problem(422, "player-blocked");
    let sign_in = json!({ "username": "carl", "password": carl.password });
    let session = app.post("/v1/sessions", sign_in).await.expect(201);
    let carl = carl.with_token(session["access_token"].as_str().unwrap());
    carl.request("DELETE", "/v1/account", Some(json!({ "password": carl.password }))).await.expect(204);
    let gone = anna.post(&path(&other), json!({})).await.problem(422, "opponent-unavailable");
    assert_eq!((&blocked["detail"], &blocked["title"]), (&gone["detail"], &gone["title"]));
}

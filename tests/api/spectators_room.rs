//! The spectators' room carries no secrets: former players can't write there, and its visitors can't take a seat in the
//! match.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::substitutes::{answers, asks, is_ready, settles, status};
use crate::support::{Answer, Player, TestApp, seven_people};

fn room(id: &str, room: &str) -> String {
    format!("/v1/matches/{id}/chat/{room}")
}

async fn says(who: &Player, id: &str, in_room: &str) -> Answer {
    who.post(&room(id, in_room), json!({ "text": "the carrier is in the corner" })).await
}

/// Anna and Ben in battle; Carl has taken over Anna's seat.
async fn with_a_former_player(people: &[Player], terms: Value) -> String {
    let [anna, ben, carl, ..] = people else { unreachable!() };
    let id = anna.challenges_and_meets(ben, terms).await;
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let wanted = asks(anna, &id, json!({ "player": "carl" })).await.expect(201);
    is_ready(carl, &wanted).await.expect(204);
    answers(ben, &wanted, true).await.expect(204);
    assert!(carl.sees(&id).await["viewer"]["seat"] == 0);
    id
}

#[actix_web::test]
async fn a_former_player_tells_the_spectators_nothing_before_the_end() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let id = with_a_former_player(&people, json!({})).await;
    let path = room(&id, "spectators");
    says(anna, &id, "spectators").await.problem(422, "match-not-finished");
    says(anna, &id, "players").await.problem(422, "match-not-finished");
    anna.get(&room(&id, "players")).await.problem(422, "match-not-finished");
    assert_eq!(dora.get(&path).await.expect(200)["items"], json!([]));
    // A former player may read the spectators' room, but never gets a seat again.
    says(dora, &id, "spectators").await.expect(201);
    assert_eq!(anna.get(&path).await.expect(200)["items"].as_array().unwrap().len(), 1);
    for player in [ben, carl] {
        player.get(&path).await.problem(422, "match-not-finished");
    }
    // After the end, Anna counts as a player of the match.
    carl.acts(&id, json!({ "type": "resign" })).await.expect(200);
    says(anna, &id, "spectators").await.expect(201);
    says(anna, &id, "players").await.expect(201);
    says(dora, &id, "players").await.problem(403, "not-a-player");
}

#[actix_web::test]
async fn a_former_player_of_a_closed_match_learns_nothing_of_its_chat() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, _, carl, ..] = people.as_slice() else { unreachable!() };
    let id = with_a_former_player(&people, json!({ "spectators": false })).await;
    for in_room in ["players", "spectators"] {
        anna.get(&room(&id, in_room)).await.problem(404, "not-found");
        says(anna, &id, in_room).await.problem(404, "not-found");
    }
    carl.acts(&id, json!({ "type": "resign" })).await.expect(200);
    for in_room in ["players", "spectators"] {
        anna.get(&room(&id, in_room)).await.problem(403, "closed-to-spectators");
        says(anna, &id, in_room).await.problem(403, "closed-to-spectators");
    }
}

#[actix_web::test]
async fn whoever_was_in_the_spectators_room_takes_no_seat() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, fritz, gina] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({})).await;
    let other = anna.challenges_and_meets(ben, json!({})).await;
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let path = room(&id, "spectators");
    // Carl reads, Dora writes, and Emil reads the match, and another match's room.
    carl.get(&path).await.expect(200);
    says(dora, &id, "spectators").await.expect(201);
    emil.sees(&id).await;
    emil.get(&room(&other, "spectators")).await.expect(200);
    let wanted = asks(ben, &id, json!({})).await.expect(201);
    for reader in [carl, dora] {
        let refused = is_ready(reader, &wanted).await.problem(403, "substitute-not-allowed");
        assert!(refused["detail"].as_str().unwrap().contains("spectators' room"), "{refused}");
    }
    // On another node as well.
    is_ready(&carl.at(&app.another_node().await), &wanted).await.problem(403, "substitute-not-allowed");
    is_ready(emil, &wanted).await.expect(204);
    // Emil is ready, and then reads the room.
    emil.get(&path).await.expect(200);
    answers(anna, &wanted, true).await.expect(204);
    settles(&app).await;
    assert_eq!(status(&app, &wanted).await, "not-allowed");
    assert_eq!(anna.sees(&id).await["seats"][1]["player"]["username"], "ben");
    // A request by name reveals no reading: only Fritz is told, and nobody before.
    fritz.get(&path).await.expect(200);
    let named = asks(ben, &id, json!({ "player": "fritz" })).await.expect(201);
    is_ready(fritz, &named).await.problem(403, "substitute-not-allowed");
    ben.request("DELETE", &crate::substitutes::path(&named), None).await.expect(204);
    // Reading and taking the seat at the same moment: one of the two comes first.
    let last = asks(ben, &id, json!({ "player": "gina" })).await.expect(201);
    is_ready(gina, &last).await.expect(204);
    let (read, _) = join(gina.get(&path), answers(anna, &last, true)).await;
    settles(&app).await;
    let sits = gina.sees(&id).await["viewer"]["seat"] == 1;
    assert!(!sits || read.status == 422, "Gina has the seat, and was answered {}", read.text());
    assert_eq!(status(&app, &last).await, if sits { "completed" } else { "not-allowed" });
}

#[actix_web::test]
async fn that_somebody_was_in_the_room_is_in_their_export_and_goes_with_them() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.table("classic").await;
    let zoe = app.player("zoe").await;
    zoe.get(&room(&id, "spectators")).await.expect(200);
    ben.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    let rooms = async |player: &Player| {
        player.get("/v1/account/export").await.expect(200)["social"]["spectators_rooms"].clone()
    };
    assert_eq!(rooms(&zoe).await, json!([{ "match_id": id, "at": "2026-11-21T07:30:00.000Z" }]));
    assert_eq!(rooms(&anna).await, json!([]));
    let password = json!({ "password": zoe.password });
    zoe.request("DELETE", "/v1/account", Some(password)).await.expect(204);
    let none = format!("SELECT 1 / (count(*) = 0)::int FROM spectators_room_visits WHERE account_id = '{}'", zoe.id);
    crate::support::database::execute(&app.database, &none).await;
}

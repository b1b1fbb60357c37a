//! Substitutes: a player leaves in the middle of a match, and another takes over the seat with the others' consent.

use broadside::ratings::verify;
use broadside_contests::Pool;
use broadside_rules::record;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Answer, Player, TestApp, plain, plays_out, seven_people};

const DAY_S: i64 = 86_400;

pub async fn asks(who: &Player, id: &str, body: Value) -> Answer {
    who.post(&format!("/v1/matches/{id}/substitutions"), body).await
}

pub fn path(request: &Value) -> String {
    format!("/v1/substitutions/{}", request["id"].as_str().unwrap())
}

pub async fn is_ready(who: &Player, request: &Value) -> Answer {
    who.post(&format!("{}/accept", path(request)), json!({})).await
}

pub async fn declines(who: &Player, request: &Value) -> Answer {
    who.post(&format!("{}/decline", path(request)), json!({})).await
}

pub async fn answers(who: &Player, request: &Value, agrees: bool) -> Answer {
    who.post(&format!("{}/answer", path(request)), json!({ "agrees": agrees })).await
}

/// A match of two who have placed their fleets.
pub async fn begun(anna: &Player, ben: &Player) -> String {
    let id = anna.challenges_and_meets(ben, json!({})).await;
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    id
}

/// Hands a seat over, with the other player's consent.
pub async fn hands_over(from: &Player, to: &Player, other: &Player, id: &str) {
    let wanted = asks(from, id, json!({ "player": to.name })).await.expect(201);
    is_ready(to, &wanted).await.expect(204);
    answers(other, &wanted, true).await.expect(204);
    assert!(seats(&from.app, id).await.0.contains(&to.name));
}

pub async fn status(app: &TestApp, request: &Value) -> Value {
    app.get(&path(request)).await.expect(200)["status"].clone()
}

pub async fn settles(app: &TestApp) {
    broadside::substitutions::settle::round(&app.app.matches).await.unwrap();
}

/// The current and former players by seat.
pub async fn seats(app: &TestApp, id: &str) -> (Vec<String>, Vec<String>) {
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    let names = |list: &Value| -> Vec<String> {
        let all = list.as_array().unwrap().iter();
        all.map(|seat| seat["player"]["username"].as_str().unwrap().to_owned()).collect()
    };
    (names(&seen["seats"]), names(&seen["former_players"]))
}

pub async fn told(player: &Player, kind: &str) -> Vec<Value> {
    player.hears(0).await.into_iter().filter(|event| event["type"] == kind).collect()
}

/// A match of the first three navies on one sea, with all fleets placed.
pub async fn three_navies(people: &[Player], terms: Value) -> String {
    let [anna, ben, carl, ..] = people else { unreachable!() };
    let mut all = json!({ "variant": "salvos" });
    all.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    let id = anna.sits_down_with(&[ben, carl], all, &[]).await;
    for player in [anna, ben, carl] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    id
}

#[actix_web::test]
async fn a_navy_is_handed_over_and_its_substitute_plays_on() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let id =
        three_navies(&people, json!({ "rated": true, "clock": { "kind": "per-move", "move_s": 3 * DAY_S } })).await;
    let was = ben.sees(&id).await;
    let wanted = asks(ben, &id, json!({ "message": "I have to leave for some months." })).await.expect(201);
    assert_eq!((&wanted["status"], &wanted["seat"], &wanted["named"]), (&json!("open"), &json!(1), &Value::Null));
    // The vacant seat is public, and the players are notified.
    let offers = app.get("/v1/substitutions").await.expect(200);
    assert_eq!(offers["items"], json!([wanted]));
    let of_match = app.get(&format!("/v1/matches/{id}/substitutions")).await.expect(200);
    assert_eq!(of_match["items"], json!([wanted]));
    assert_eq!(
        (told(carl, "substitution-requested").await.len(), told(dora, "substitution-requested").await.len()),
        (1, 0)
    );
    is_ready(dora, &wanted).await.expect(204);
    assert_eq!(dora.get("/v1/substitutions?mine=true").await.expect(200)["items"][0]["id"], wanted["id"]);
    assert_eq!(
        told(anna, "substitution-proposed").await[0]["candidate_id"],
        told(carl, "substitution-proposed").await[0]["candidate_id"]
    );
    // One of two is no more than half.
    answers(anna, &wanted, true).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "proposed");
    assert_eq!(ben.sees(&id).await["viewer"]["seat"], 1, "until then it is Ben's");
    answers(carl, &wanted, true).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "completed");
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(seats(&app, &id).await, (named(&["anna", "dora", "carl"]), named(&["ben"])));
    // Dora has the seat's knowledge from its first report on, unchanged.
    let is = dora.sees(&id).await;
    assert_eq!((&is["viewer"]["seat"], &is["seas"]), (&json!(1), &was["seas"]));
    let reports = dora.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    assert_eq!((&reports["items"][0]["number"], &reports["items"][0]["type"]), (&json!(1), &json!("started")));
    let last = reports["items"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["type"], &last["seat"], &last["by"]),
        (&json!("seat-handed-over"), &json!(1), &json!("agreement"))
    );
    assert_eq!(last["player"], told(dora, "seat-handed-over").await[0]["player_id"]);
    assert_eq!((told(dora, "your-turn").await.len(), told(ben, "seat-handed-over").await.len()), (1, 1));
    // Ben is a spectator.
    assert_eq!(ben.sees(&id).await["viewer"]["seat"], Value::Null);
    ben.acts(&id, json!({ "type": "resign" })).await.problem(403, "not-a-player");
    assert_eq!(ben.get("/v1/turns").await.expect(200)["items"], json!([]));
    for player in ["ben", "dora"] {
        let list = app.get(&format!("/v1/matches?player={player}")).await.expect(200);
        assert_eq!(list["items"][0]["former_players"][0]["player"]["username"], "ben", "{player}");
    }
    // They play on. Ben, who began the match, is rated; Dora isn't.
    let over = plays_out(&[anna, dora, carl], &id, 4000).await;
    assert_eq!(over["result"]["ratings"].as_array().unwrap().len(), 3);
    let changes = app.get(&format!("/v1/matches/{id}/rating-changes")).await.expect(200);
    let rated: Vec<&Value> =
        changes["items"].as_array().unwrap().iter().map(|change| &change["player"]["username"]).collect();
    assert_eq!(rated, ["anna", "ben", "carl"]);
    let pool: Pool = "salvos-many-days".parse().unwrap();
    assert_eq!(verify::verify(&app.app.db, &pool).await.unwrap().wrong, None);
    assert_eq!(broadside::matches::audit::audit(&app.app.matches, None).await.unwrap().faults, Vec::<String>::new());
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    let verified = record::verify(&proof).expect("it holds");
    assert!(verified.whole);
    let judged = app.post("/v1/records/verify", serde_json::from_str(&proof).unwrap()).await.expect(200);
    assert_eq!(judged["holds"], true, "{judged}");
    // On another node, from the database alone.
    assert_eq!(app.restarted().await.get(&format!("/v1/matches/{id}/record")).await.text(), proof);
    let export = ben.signed_in().await.get("/v1/account/export").await.expect(200);
    assert_eq!((&export["substitutions"][0]["id"], &export["matches"][0]["id"]), (&wanted["id"], &json!(id)));
}

#[actix_web::test]
async fn a_single_opponent_has_to_agree_and_of_more_silence_does() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({ "clock": { "kind": "none" } })).await;
    let wanted = asks(anna, &id, json!({ "player": "dora" })).await.expect(201);
    assert_eq!(app.get("/v1/substitutions").await.expect(200)["items"], json!([]), "it is for Dora");
    is_ready(emil, &wanted).await.problem(404, "not-found");
    is_ready(dora, &wanted).await.expect(204);
    app.passes_s(3 * DAY_S).await;
    settles(&app).await;
    assert_eq!(status(&app, &wanted).await, "expired");
    assert_eq!(told(dora, "substitution-closed").await[0]["outcome"], "expired");
    let wanted = asks(anna, &id, json!({})).await.expect(201);
    is_ready(dora, &wanted).await.expect(204);
    answers(ben, &wanted, false).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "refused");
    // Nobody takes it for a week.
    let wanted = asks(anna, &id, json!({})).await.expect(201);
    app.passes_s(7 * DAY_S).await;
    settles(&app).await;
    assert_eq!(status(&app, &wanted).await, "expired");
    // Three players, without an objection within three days. (Half of them could keep the seat.)
    let id = three_navies(&people, json!({ "clock": { "kind": "none" } })).await;
    let wanted = asks(carl, &id, json!({})).await.expect(201);
    is_ready(dora, &wanted).await.expect(204);
    declines(dora, &wanted).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "open");
    is_ready(emil, &wanted).await.expect(204);
    app.passes_s(3 * DAY_S).await;
    settles(&app).await;
    assert_eq!(seats(&app, &id).await.0, ["anna", "ben", "emil"]);
}

#[actix_web::test]
async fn who_may_not_is_refused() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let [anna, ben, carl, dora, emil, fritz, gina] = people.as_slice() else { unreachable!() };
    let id =
        three_navies(&people, json!({ "rated": true, "clock": { "kind": "per-move", "move_s": 14 * DAY_S } })).await;
    let seat = |seat: u8| json!({ "seat": seat, "reason": "their line was cut" });
    // The wrong seat.
    asks(anna, &id, seat(1)).await.problem(403, "not-a-player");
    asks(dora, &id, json!({})).await.problem(422, "validation-failed");
    asks(dora, &id, json!({ "seat": 1 })).await.problem(422, "validation-failed");
    asks(dora, &id, seat(1)).await.problem(403, "not-a-player");
    asks(&mia, &id, seat(1)).await.problem(409, "player-is-active");
    asks(&mia, &id, seat(6)).await.problem(409, "match-state-changed");
    // The wrong candidate.
    asks(anna, &id, json!({ "player": "anna" })).await.problem(403, "substitute-not-allowed");
    asks(anna, &id, json!({ "player": "ben" })).await.problem(403, "substitute-not-allowed");
    asks(anna, &id, json!({ "player": "nobody" })).await.problem(404, "not-found");
    anna.request("PUT", "/v1/account/blocks/gina", None).await.expect(204);
    asks(anna, &id, json!({ "player": "gina" })).await.problem(422, "player-blocked");
    fritz.request("PUT", "/v1/account/blocks/anna", None).await.expect(204);
    asks(anna, &id, json!({ "player": "fritz" })).await.problem(404, "not-found");
    asks(anna, &id, json!({ "message": " " })).await.problem(422, "validation-failed");
    let wanted = asks(anna, &id, json!({})).await.expect(201);
    asks(anna, &id, json!({})).await.problem(409, "substitution-open");
    // The wrong taker.
    is_ready(ben, &wanted).await.problem(403, "substitute-not-allowed");
    is_ready(fritz, &wanted).await.problem(422, "player-blocked");
    is_ready(gina, &wanted).await.problem(404, "not-found");
    assert_eq!(gina.get("/v1/substitutions").await.expect(200)["items"], json!([]));
    let guest = app.post("/v1/guests", json!({ "username": "gus" })).await.expect(201);
    let guest = anna.with_token(guest["access_token"].as_str().unwrap());
    is_ready(&guest, &wanted).await.problem(403, "guest-not-allowed");
    dora.request("PATCH", "/v1/account", Some(json!({ "bot": true }))).await.expect(200);
    is_ready(dora, &wanted).await.problem(403, "substitute-not-allowed");
    answers(ben, &wanted, true).await.problem(409, "substitution-closed");
    answers(emil, &wanted, true).await.problem(403, "not-a-player");
    declines(emil, &wanted).await.problem(404, "not-found");
    let suspends = async |name: &str| {
        let body = json!({ "reason": "insults", "expires_in_s": 3 * DAY_S });
        mia.post(&format!("/v1/moderation/players/{name}/suspend"), body).await.expect(204);
    };
    suspends("emil").await;
    is_ready(emil, &wanted).await.problem(403, "account-suspended");
    ben.request("DELETE", &path(&wanted), None).await.problem(404, "not-found");
    anna.request("DELETE", &path(&wanted), None).await.expect(204);
    anna.request("DELETE", &path(&wanted), None).await.problem(409, "substitution-closed");
    is_ready(carl, &wanted).await.problem(409, "substitution-closed");
    // At most three requests a day.
    for _ in 0..2 {
        let wanted = asks(anna, &id, json!({})).await.expect(201);
        anna.request("DELETE", &path(&wanted), None).await.expect(204);
    }
    asks(anna, &id, json!({})).await.problem(409, "quota-exceeded");
    suspends("carl").await;
    asks(carl, &id, json!({})).await.problem(403, "account-suspended");
    // A bot may be asked by name.
    let wanted = asks(ben, &id, json!({ "player": "dora" })).await.expect(201);
    is_ready(dora, &wanted).await.expect(204);
    declines(dora, &wanted).await.expect(204);
    declines(dora, &wanted).await.problem(409, "substitution-closed");
    assert_eq!(status(&app, &wanted).await, "declined");
    // A finished match.
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    asks(ben, &id, json!({})).await.problem(403, "not-a-player");
    app.get("/v1/substitutions?mine=true").await.problem(401, "token-missing");
    let scopes = json!({ "name": "a reader", "scopes": ["account:read"] });
    let kim = app.player("kim").await;
    let token = kim.post("/v1/account/tokens", scopes).await.expect(201)["token"].as_str().unwrap().to_owned();
    let reads = plain("GET", "/v1/substitutions?mine=true", None);
    let refused = app.send(reads.insert_header(("authorization", format!("Bearer {token}")))).await;
    refused.problem(403, "insufficient-scope");
    // No spectators are allowed: a candidate asked by name sees the request.
    let id = anna.challenges_and_meets(ben, json!({ "spectators": false })).await;
    asks(anna, &id, json!({})).await.problem(403, "closed-to-spectators");
    asks(gina, &id, json!({ "seat": 0, "reason": "let me" })).await.problem(404, "not-found");
    let wanted = asks(anna, &id, json!({ "player": "dora" })).await.expect(201);
    assert_eq!(dora.get(&path(&wanted)).await.expect(200)["id"], wanted["id"]);
    app.get(&path(&wanted)).await.problem(404, "not-found");
    is_ready(dora, &wanted).await.expect(204);
    answers(ben, &wanted, true).await.expect(204);
    anna.get(&format!("/v1/matches/{id}")).await.problem(404, "not-found");
    assert_eq!(dora.sees(&id).await["viewer"]["seat"], 0);
    // A former player can't return to any seat.
    let back = asks(dora, &id, json!({ "player": "anna" })).await;
    back.problem(403, "substitute-not-allowed");
}

#[actix_web::test]
async fn of_two_who_are_ready_at_once_one_gets_it_and_two_nodes_hand_it_over_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = three_navies(&people, json!({})).await;
    // Both nodes have the match cached.
    ben.at(&other).sees(&id).await;
    let wanted = asks(ben, &id, json!({})).await.expect(201);
    let there = emil.at(&other);
    let (one, two) = join(is_ready(dora, &wanted), is_ready(&there, &wanted)).await;
    let (lucky, late) = if one.status == 204 { (dora, two) } else { (emil, one) };
    late.problem(409, "substitution-closed");
    let there = carl.at(&other);
    let (one, two) = join(answers(anna, &wanted, true), answers(&there, &wanted, true)).await;
    one.expect(204);
    two.expect(204);
    join(settles(&app), settles(&other)).await;
    assert_eq!(
        seats(&other, &id).await,
        (vec!["anna".to_owned(), lucky.name.clone(), "carl".to_owned()], vec!["ben".to_owned()])
    );
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let over = reports["items"].as_array().unwrap().iter().filter(|report| report["type"] == "seat-handed-over");
    assert_eq!(over.count(), 1);
    // The other node refuses the former player's actions and view.
    ben.at(&other).acts(&id, json!({ "type": "resign" })).await.problem(403, "not-a-player");
    assert_eq!(ben.at(&other).sees(&id).await["viewer"]["seat"], Value::Null);
    let there = lucky.at(&other);
    let orders = there.example(&id).await.unwrap();
    there.acts(&id, orders).await.expect(200);
}

#[actix_web::test]
async fn the_clock_goes_over_with_a_day_and_the_calendar_is_the_substitutes() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, ..] = people.as_slice() else { unreachable!() };
    let calendar = |night: Value| json!({ "time_zone": "UTC", "night": night, "days_off": [], "remind_at_percent": 25, "automatic_vacation": false });
    let night = json!({ "start": "22:00", "end": "06:00" });
    anna.request("PUT", "/v1/account/calendar", Some(calendar(night))).await.expect(200);
    let terms = json!({ "clock": { "kind": "per-move", "move_s": 3 * DAY_S, "rests": "standard" } });
    let id = anna.challenges_and_meets(ben, terms).await;
    for player in [anna, ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    // Clocks rest at night: three days of clock time are four days and twelve hours.
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!((&seen["to_act"], &seen["deadline"]), (&json!([0]), &json!("2026-11-25T15:30:00.000Z")));
    dora.request("PUT", "/v1/account/calendar", Some(calendar(Value::Null))).await.expect(200);
    app.passes_s(3 * DAY_S).await;
    hands_over(anna, dora, ben, &id).await;
    let seen = dora.sees(&id).await;
    assert_eq!(seen["viewer"]["seat"], 0);
    let reports = app.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let kinds: Vec<&str> =
        reports["items"].as_array().unwrap().iter().map(|report| report["type"].as_str().unwrap()).collect();
    assert!(kinds.ends_with(&["seat-handed-over", "rests-planned"]), "a day is left: {kinds:?}");
    // A day is left, and it runs at night: Dora has no night.
    assert_eq!(seen["deadline"], "2026-11-25T07:30:00.000Z");
    // With an hour left, Dora's substitute gets a day.
    app.passes_s(23 * 3600).await;
    hands_over(dora, &people[4], ben, &id).await;
    assert_eq!(people[4].sees(&id).await["deadline"], "2026-11-26T06:30:00.000Z");
    assert_eq!(broadside::matches::audit::audit(&app.app.matches, None).await.unwrap().faults, Vec::<String>::new());
    assert_eq!(seats(&app, &id).await.1, ["anna", "dora"]);
}

#[actix_web::test]
async fn standing_orders_end_notes_stay_private_and_talk_begins_anew() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, ..] = people.as_slice() else { unreachable!() };
    let id = begun(anna, ben).await;
    let chat = format!("/v1/matches/{id}/chat/players");
    ben.post(&chat, json!({ "text": "I am away next week" })).await.expect(201);
    let notes = format!("/v1/matches/{id}/notes");
    ben.request("PUT", &notes, Some(json!({ "revision": 0, "text": "in the corner", "marks": [] }))).await.expect(200);
    let orders = format!("/v1/matches/{id}/standing-orders");
    let left = json!({ "revision": 0, "orders": [{ "then": { "action": { "type": "fire", "cells": ["D4"] } } }] });
    ben.request("PUT", &orders, Some(left)).await.expect(200);
    hands_over(ben, dora, anna, &id).await;
    // As if there had never been any: the same as for Anna, who has given none.
    let kept = dora.get(&orders).await.expect(200);
    assert_eq!(kept, anna.get(&orders).await.expect(200));
    assert_eq!((&kept["orders"], &kept["revision"], &kept["updated_at"]), (&json!([]), &json!(0), &Value::Null));
    assert_eq!(dora.get(&notes).await.expect(200)["text"], "");
    assert_eq!(dora.get(&chat).await.expect(200)["items"], json!([]));
    anna.post(&chat, json!({ "text": "welcome" })).await.expect(201);
    assert_eq!(dora.get(&chat).await.expect(200)["items"].as_array().unwrap().len(), 1);
    assert_eq!((told(dora, "chat").await.len(), told(ben, "chat").await.len()), (1, 0));
    ben.get(&orders).await.problem(403, "not-a-player");
    ben.get(&chat).await.problem(422, "match-not-finished");
    // After the end everything is public.
    dora.acts(&id, json!({ "type": "resign" })).await.expect(200);
    assert_eq!(dora.get(&chat).await.expect(200)["items"].as_array().unwrap().len(), 2);
}

//! Substitutes in ladders and tournaments: organizers decide, and the game counts for the member.

use broadside_rules::record;
use serde_json::{Value, json};

use crate::substitutes::{answers, asks, is_ready, path, seats, status, told};
use crate::support::{Player, TestApp, seven_people};
use crate::tournaments::{boards, named, starts, table, tournament};

const DAY_S: i64 = 86_400;

/// A tournament of the first three, run by the last: its path, the paired two, and their match.
async fn cup(people: &[Player]) -> (String, Vec<&Player>, String) {
    let terms = json!({ "rated": true, "clock": { "kind": "per-move", "move_s": 2 * DAY_S } });
    let path = tournament(&people[6], &people[..3], terms).await;
    starts(&people[6], &path).await;
    let board = boards(&people[6].app, &path, 1).await[0].clone();
    let both = ["first", "second"].map(|seat| named(people, &board[seat])).to_vec();
    let id = board["match_ids"][0].as_str().unwrap().to_owned();
    for player in &both {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    (path, both, id)
}

#[actix_web::test]
async fn who_runs_a_tournament_puts_a_substitute_into_a_seat() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let (path_of_cup, both, id) = cup(&people).await;
    let third = people[..3].iter().find(|player| both.iter().all(|other| other.name != player.name)).unwrap();
    let (gina, emil) = (&people[6], &people[4]);
    let wants = |name: &str| json!({ "seat": 0, "player": name, "reason": "they are in hospital" });
    asks(both[1], &id, wants("emil")).await.problem(403, "not-an-organizer");
    asks(emil, &id, wants("fritz")).await.problem(403, "not-an-organizer");
    // Nobody can play for two members.
    asks(gina, &id, wants(&third.name)).await.problem(403, "substitute-not-allowed");
    let wanted = asks(gina, &id, wants("emil")).await.expect(201);
    assert_eq!((&wanted["asked_by"], &wanted["player"]["username"]), (&json!("organizer"), &json!(both[0].name)));
    assert_eq!(told(both[0], "substitution-requested").await.len(), 1, "whose seat it is hears of it");
    // Approved: Emil's consent completes the handover.
    is_ready(emil, &wanted).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "completed");
    assert_eq!(seats(&app, &id).await, (vec!["emil".to_owned(), both[1].name.clone()], vec![both[0].name.clone()]));
    // Emil wins: it counts for the member, in the table and in the ratings.
    both[1].acts(&id, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(table(&app, &path_of_cup).await[0].1, both[0].name);
    let changes = app.get(&format!("/v1/matches/{id}/rating-changes")).await.expect(200);
    let rated: Vec<&Value> =
        changes["items"].as_array().unwrap().iter().map(|change| &change["player"]["username"]).collect();
    assert_eq!(rated, [&json!(both[0].name), &json!(both[1].name)]);
    let proof = app.get(&format!("/v1/matches/{id}/record")).await.text();
    assert!(record::verify(&proof).is_ok_and(|verified| verified.whole) && proof.contains("\"by\":\"organizer\""));
    let log = mia.get(&format!("/v1/moderation/actions?match_id={id}")).await.expect(200);
    assert_eq!(
        (&log["items"][0]["kind"], &log["items"][0]["actor"]["username"]),
        (&json!("substitute-requested"), &json!("gina"))
    );
    let faults = broadside::tournaments::audit::all(&app.app).await.unwrap().faults;
    assert_eq!(faults, Vec::<String>::new());
}

#[actix_web::test]
async fn a_player_of_a_tournament_offers_the_seat_and_who_runs_it_decides() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (path_of_cup, both, id) = cup(&people).await;
    let (gina, emil) = (&people[6], &people[4]);
    let wanted = asks(both[0], &id, json!({})).await.expect(201);
    is_ready(emil, &wanted).await.expect(204);
    assert_eq!(told(gina, "substitution-proposed").await.len(), 1);
    answers(both[1], &wanted, true).await.problem(403, "not-an-organizer");
    let answer = async |agrees: bool| {
        let body = json!({ "agrees": agrees, "reason": "a good sport" });
        gina.post(&format!("{}/answer", path(&wanted)), body).await
    };
    // An organizer who plays in it can't decide.
    gina.request("PUT", &format!("{path_of_cup}/organizers/{}", both[1].name), None).await.expect(204);
    let own = json!({ "agrees": true, "reason": "they are weak" });
    let refused = both[1].post(&format!("{}/answer", path(&wanted)), own).await;
    refused.problem(403, "conflict-of-interest");
    let wants = json!({ "seat": 0, "reason": "they are slow" });
    asks(both[1], &id, wants).await.problem(403, "conflict-of-interest");
    answer(false).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "refused");
    assert_eq!(seats(&app, &id).await.1, Vec::<String>::new());
    let wanted = asks(both[0], &id, json!({ "player": "emil" })).await.expect(201);
    is_ready(emil, &wanted).await.expect(204);
    assert_eq!(status(&app, &wanted).await, "proposed", "the player has asked");
    let body = json!({ "agrees": true, "reason": "a good sport" });
    gina.post(&format!("{}/answer", path(&wanted)), body).await.expect(204);
    assert_eq!(seats(&app, &id).await.0[0], "emil");
    // The substitute times out: the member loses the game, but without a missed board.
    app.passes_s(2 * DAY_S + 1).await;
    app.passes_s(1).await;
    let seen = app.get(&format!("/v1/matches/{id}")).await.expect(200);
    assert_eq!(seen["result"]["reason"], "time");
    assert_eq!(told(both[0], "tournament-board-missed").await.len(), 0);
}

#[actix_web::test]
async fn a_member_with_a_substitute_has_neither_missed_a_pairing_nor_played_it() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, _, emil, _, gina] = people.as_slice() else { unreachable!() };
    let id = gina.makes_ladder(json!({})).await;
    anna.joins(&id, 1).await;
    ben.joins(&id, 1).await;
    let missed = async || ben.looks_at(&id).await["membership"]["missed_pairings"].clone();
    for substituted in [false, true] {
        app.passes_s(6 * 3600).await;
        let game = anna.at_play().await[0].clone();
        anna.acts(&game, json!({ "type": "deploy-auto" })).await.expect(200);
        if substituted {
            let seats = anna.sees(&game).await["seats"].clone();
            let seat = seats.as_array().unwrap().iter().find(|seat| seat["player"]["username"] == "ben").unwrap();
            let wants = json!({ "seat": seat["seat"], "player": "emil", "reason": "they are in hospital" });
            let wanted = asks(gina, &game, wants).await.expect(201);
            is_ready(emil, &wanted).await.expect(204);
        }
        app.passes_s(DAY_S).await;
        assert_eq!(anna.sees(&game).await["result"]["reason"], "time");
        app.passes_unseen_s(1);
        assert_eq!(missed().await, 1, "{substituted}");
    }
    assert_eq!(ben.looks_at(&id).await["membership"]["status"], "active");
}

#[actix_web::test]
async fn an_organizer_who_is_suspended_decides_nothing() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let mia = app.moderator("mia").await;
    let (_, both, id) = cup(&people).await;
    let (gina, emil) = (&people[6], &people[4]);
    let wanted = asks(both[0], &id, json!({})).await.expect(201);
    is_ready(emil, &wanted).await.expect(204);
    let body = json!({ "reason": "insults", "expires_in_s": 30 * DAY_S });
    mia.post("/v1/moderation/players/gina/suspend", body).await.expect(204);
    let agrees = json!({ "agrees": true, "reason": "a good sport" });
    gina.post(&format!("{}/answer", path(&wanted)), agrees).await.problem(403, "account-suspended");
}

#[actix_web::test]
async fn no_offer_of_a_player_keeps_the_organizer_from_replacing_them() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let (_, both, id) = cup(&people).await;
    let (gina, dora, emil) = (&people[6], &people[3], &people[4]);
    let wants = |name: &str| json!({ "seat": 0, "player": name, "reason": "they are slow" });
    for _ in 0..2 {
        let offer = asks(both[0], &id, json!({})).await.expect(201);
        both[0].request("DELETE", &path(&offer), None).await.expect(204);
    }
    // A candidate is ready for the third one, and the organizer wants another one.
    let offer = asks(both[0], &id, json!({})).await.expect(201);
    is_ready(dora, &offer).await.expect(204);
    asks(both[0], &id, json!({})).await.problem(409, "quota-exceeded");
    let wanted = asks(gina, &id, wants("emil")).await.expect(201);
    assert_eq!(status(&app, &offer).await, "refused");
    for player in [both[0], both[1], dora] {
        let last = told(player, "substitution-closed").await.pop().unwrap();
        assert_eq!((&last["substitution_id"], &last["outcome"]), (&offer["id"], &json!("refused")), "{}", player.name);
    }
    // An organizer's request is kept.
    asks(gina, &id, wants("dora")).await.problem(409, "substitution-open");
    is_ready(emil, &wanted).await.expect(204);
    assert_eq!(seats(&app, &id).await.0[0], "emil");
}

#[actix_web::test]
async fn who_joins_meanwhile_plays_for_nobody_else() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let ladder = anna.makes_ladder(json!({})).await;
    for player in [ben, carl] {
        player.joins(&ladder, 1).await;
    }
    app.passes_s(1).await;
    let id = ben.at_play().await[0].clone();
    let offer = asks(ben, &id, json!({})).await.expect(201);
    is_ready(dora, &offer).await.expect(204);
    dora.joins(&ladder, 1).await;
    let agrees = json!({ "agrees": true, "reason": "a good sport" });
    anna.post(&format!("{}/answer", path(&offer)), agrees).await.expect(204);
    assert_eq!(status(&app, &offer).await, "not-allowed");
    assert_eq!(seats(&app, &id).await.1, Vec::<String>::new());
    // A substitute can't join meanwhile either.
    let emil = &people[4];
    let wants = json!({ "seat": 0, "player": "emil", "reason": "they are in hospital" });
    let wanted = asks(anna, &id, wants).await.expect(201);
    is_ready(emil, &wanted).await.expect(204);
    let ladder = format!("/v1/ladders/{ladder}");
    assert_eq!(emil.is_kept_out(&ladder).await, ["plays-for-another"]);
    emil.acts(&id, json!({ "type": "resign" })).await.expect(200);
    emil.post(&format!("{ladder}/join"), json!({})).await.expect(200);
}

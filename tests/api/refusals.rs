//! Refusals for states not covered by other tests: suspended, closed, finished, full, private to another, or just
//! changed by a concurrent request.

use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::rulesets::rows;
use crate::support::club::{Club, SIX, reasons};
use crate::support::database::{are_distributed, execute};
use crate::support::receiver::Receiver;
use crate::support::{Player, TestApp};
use crate::tournaments::tournament;
use crate::webhooks::{deliveries, hooks};

async fn suspends(moderator: &Player, name: &str) {
    let path = format!("/v1/moderation/players/{name}/suspend");
    moderator.post(&path, json!({ "reason": "insults after a warning" })).await.expect(204);
}

fn room(id: &str) -> String {
    format!("/v1/matches/{id}/chat/players")
}

/// The codes of the faults of an answer, in order.
fn codes(answer: &Value) -> Vec<&str> {
    answer["errors"].as_array().unwrap().iter().map(|fault| fault["code"].as_str().unwrap()).collect()
}

#[actix_web::test]
async fn who_is_suspended_challenges_leads_and_reports_nobody() {
    let app = TestApp::start().await;
    let mia = app.moderator("mia").await;
    let club = Club::of(&app, &SIX[..3], json!({})).await;
    let (anna, ben, carl) = (club.who("anna"), club.who("ben"), club.who("carl"));
    let challenge = club.challenges("ben", "anna").await;
    let cup = tournament(anna, &[], json!({})).await;
    let id = anna.challenges_and_meets(ben, json!({})).await;
    ben.post(&room(&id), json!({ "text": "Hurry up!" })).await.expect(201);
    let hash = ben.publishes("Twelve rows", rows(12)).await;
    let asked = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "anna", "message": "ahoy" });
    let asked = ben.post("/v1/challenges", asked).await.expect(201)["id"].as_str().unwrap().to_owned();
    for name in ["anna", "carl"] {
        suspends(&mia, name).await;
    }
    let refused = [
        (anna, format!("{challenge}/accept"), json!({})),
        (carl, club.at("/challenges"), json!({ "opponent": "ben" })),
        (anna, format!("{cup}/start"), json!({})),
        (anna, format!("{cup}/cancel"), json!({ "reason": "no time" })),
        (anna, format!("{}/1/report", room(&id)), json!({ "reason": "harassment" })),
        (anna, format!("/v1/rule-sets/{hash}/report"), json!({ "reason": "hate" })),
        (anna, format!("/v1/abuse-reports/challenge/{asked}"), json!({ "reason": "hate" })),
    ];
    for (player, path, body) in refused {
        player.post(&path, body).await.problem(403, "account-suspended");
    }
}

/// A new connection costs more than the rest of a refusal.
#[actix_web::test]
async fn a_refusal_in_a_transaction_costs_no_connection() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let mut observer = AsyncPgConnection::establish(&app.database).await.unwrap();
    let before = connections_so_far(&mut observer).await;
    for _ in 0..40 {
        let gone = "/v1/challenges/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
        anna.request("DELETE", gone, None).await.problem(404, "not-found");
    }
    // The pool may grow meanwhile, and jobs have connections of their own.
    let opened = connections_so_far(&mut observer).await - before;
    assert!(opened < 20, "{opened} connections for 40 refusals");
}

/// The number of database connections opened so far.
async fn connections_so_far(observer: &mut AsyncPgConnection) -> i64 {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        sessions: i64,
    }
    let all = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()";
    let row: Row = diesel::sql_query(all).get_result(observer).await.unwrap();
    row.sessions
}

#[actix_web::test]
async fn what_is_closed_or_over_takes_no_answer() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX[..3], json!({})).await;
    let (anna, ben, carl) = (club.who("anna"), club.who("ben"), club.who("carl"));
    let challenge = club.challenges("ben", "anna").await;
    anna.post(&club.at("/close"), json!({ "reason": "a new wall" })).await.expect(200);
    anna.post(&format!("{challenge}/decline"), json!({})).await.problem(409, "ladder-closed");
    ben.post(&format!("{challenge}/withdraw"), json!({})).await.problem(409, "ladder-closed");
    // The list of possible opponents can still be read, and is empty.
    assert_eq!(carl.get(&club.at("/opponents")).await.expect(200)["items"], json!([]));

    let offer = json!({ "variant": "classic", "clock": { "kind": "none" }, "opponent": "ben" });
    let offer = anna.post("/v1/challenges", offer).await.expect(201);
    let offer = format!("/v1/challenges/{}", offer["id"].as_str().unwrap());
    anna.request("DELETE", &offer, None).await.expect(204);
    ben.post(&format!("{offer}/decline"), json!({})).await.problem(409, "challenge-closed");

    let (webhook, _) = hooks(anna, &Receiver::open().await.url(), &[]).await;
    anna.post(&format!("{webhook}/test"), json!({})).await.expect(201);
    anna.request("PATCH", &webhook, Some(json!({ "active": false }))).await.expect(200);
    let delivery = deliveries(anna, &webhook).await[0]["id"].as_str().unwrap().to_owned();
    let again = format!("{webhook}/deliveries/{delivery}/redeliver");
    anna.post(&again, json!({})).await.problem(409, "webhook-disabled");

    let id = anna.challenges_and_meets(ben, json!({ "spectators": false })).await;
    anna.post(&room(&id), json!({ "text": "Nobody hears us." })).await.expect(201);
    anna.acts(&id, json!({ "type": "abort" })).await.expect(200);
    let report = json!({ "reason": "spam" });
    carl.post(&format!("{}/1/report", room(&id)), report).await.problem(403, "closed-to-spectators");
}

#[actix_web::test]
async fn moderators_decide_nothing_about_themselves() {
    let app = TestApp::start().await;
    let (mia, max) = (app.moderator("mia").await, app.moderator("max").await);
    let why = json!({ "reason": "it was a joke" });
    let own = "/v1/moderation/players/mia/lift-suspension";
    mia.post(own, why.clone()).await.problem(422, "own-account");
    let hash = mia.publishes("Mia's own", rows(12)).await;
    max.post(&format!("/v1/moderation/rule-sets/{hash}/hide"), why.clone()).await.expect(204);
    let unhide = format!("/v1/moderation/rule-sets/{hash}/unhide");
    mia.post(&unhide, why).await.problem(403, "conflict-of-interest");
}

#[actix_web::test]
async fn what_is_full_takes_no_more() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let many = format!(
        "INSERT INTO account_blocks SELECT '{}', 'block', gen_random_uuid(), now() FROM generate_series(1, 1000)",
        anna.id
    );
    execute(&app.database, &many).await;
    anna.request("PUT", "/v1/account/blocks/ben", None).await.problem(409, "quota-exceeded");

    let id = ben.challenges_and_meets(&anna, json!({})).await;
    ben.acts(&id, json!({ "type": "abort" })).await.expect(200);
    for _ in 0..50 {
        ben.post("/v1/challenges", json!({ "variant": "classic", "clock": { "kind": "none" } })).await.expect(201);
    }
    ben.post(&format!("/v1/matches/{id}/rematch"), json!({})).await.problem(409, "quota-exceeded");
}

/// An account may be in twenty contests of each sort.
#[actix_web::test]
async fn nobody_is_everywhere() {
    let app = TestApp::start().await;
    let (oda, ben) = (app.lasting_player("oda").await, app.lasting_player("ben").await);
    app.grants("oda", "organizer").await;
    let clock = json!({ "kind": "per-move", "move_s": 86_400 });
    for number in 0..=20 {
        let ladder = json!({ "title": "One of many", "variant": "classic", "clock": clock, "official": true });
        let ladder = oda.post("/v1/ladders", ladder).await.expect(201);
        let ladder = format!("/v1/ladders/{}/join", ladder["id"].as_str().unwrap());
        let cup = format!("{}/join", tournament(&oda, &[], json!({})).await);
        for (path, reason) in [(ladder, "too-many-ladders"), (cup, "too-many-tournaments")] {
            let answer = ben.post(&path, json!({})).await;
            if number < 20 {
                answer.expect(200);
            } else {
                assert_eq!(codes(&answer.problem(422, "not-eligible")), [reason]);
            }
        }
    }
    let for_beginners = tournament(&oda, &[], json!({ "max_rating": 1400 })).await;
    let refused = app.lasting_player("carl").await.post(&format!("{for_beginners}/join"), json!({})).await;
    assert_eq!(codes(&refused.problem(422, "not-eligible")), ["rating-too-high"]);
}

#[actix_web::test]
async fn contests_are_played_by_rules_that_can_be_played_by_two() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let terms = |rule_set: Value| {
        json!({
            "title": "A cup", "format": "round-robin", "variant": "classic", "rule_set": rule_set,
            "clock": { "kind": "per-move", "move_s": 86_400 },
        })
    };
    let mut ladder = terms(json!({ "salvo": { "size": 99 } }));
    ladder["format"] = json!("rating");
    anna.post("/v1/ladders", ladder).await.problem(422, "invalid-rule-set");
    let cup = terms(json!({ "salvo": { "size": 99 } }));
    anna.post("/v1/tournaments", cup).await.problem(422, "invalid-rule-set");
    let crowd = terms(json!({ "seats": { "min": 3, "max": 3 } }));
    let refused = anna.post("/v1/tournaments", crowd).await.problem(422, "validation-failed");
    assert_eq!(codes(&refused), ["two-seats-only"]);
}

#[actix_web::test]
async fn a_place_on_the_wall_has_its_peace() {
    let app = TestApp::start().await;
    let club = Club::of(&app, &SIX[..2], json!({})).await;
    let challenge = club.challenges("ben", "anna").await;
    assert_eq!(reasons(&club.tries("anna", "ben").await), ["not-above", "opponent-challenges-you"]);
    let game = club.accepts("anna", &challenge).await;
    club.who("ben").acts(&game, json!({ "type": "resign" })).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(reasons(&club.tries("ben", "anna").await), ["opponent-protected", "rematch-too-soon"]);
}

#[actix_web::test]
async fn what_a_match_refuses_as_a_whole() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let carl = app.lasting_player("carl").await;
    let three = anna.sits_down_with(&[&ben, &carl], json!({ "variant": "salvos" }), &[]).await;
    let refused = [
        (&three, "abort", "abort-needs-two-seats"),
        (&id, "end-armistice", "no-armistice"),
        (&id, "offer-draw", ""),
        (&id, "offer-draw", "draw-already-offered"),
        (&id, "call-armistice", ""),
        (&id, "end-armistice", ""),
        (&id, "end-armistice", "armistice-end-already-agreed"),
    ];
    for (id, action, code) in refused {
        let answer = anna.acts(id, json!({ "type": action })).await;
        match code {
            "" => drop(answer.expect(200)),
            code => drop(answer.problem(422, code)),
        }
    }
}

#[actix_web::test]
async fn after_a_depth_charge_there_is_no_torpedo() {
    let app = TestApp::start().await;
    let rule_set = json!({ "without_move": "charge-or-torpedo" });
    let (anna, ben, id) = app.long_table(json!({ "variant": "depths", "rule_set": rule_set })).await;
    for _ in 0..200 {
        for player in [&anna, &ben] {
            let view = player.sees(&id).await;
            let decisions = view["decisions"].as_array().unwrap();
            let example = |kind: &str| {
                let mut found = decisions.iter().map(|one| &one["example"]).filter(|action| action["type"] == kind);
                found.next().cloned()
            };
            // Only a turn in which a ship has moved has both.
            let has_begun = example("move").is_none();
            if let (Some(charge), Some(torpedo), false) = (example("charge"), example("torpedo"), has_begun) {
                player.acts(&id, charge).await.expect(200);
                player.acts(&id, torpedo).await.problem(422, "no-torpedo-left");
                return;
            }
            if let Some(required) = player.example(&id).await {
                player.acts(&id, required).await.expect(200);
            }
        }
    }
    panic!("nobody could drop a depth charge or fire a torpedo");
}

/// Updates of a table affect no row, as after a concurrent change.
async fn somebody_is_faster(app: &TestApp, table: &str) {
    let sql = format!(
        "CREATE FUNCTION pass_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
         CREATE TRIGGER pass_over BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION pass_over()"
    );
    execute(&app.database, &sql).await;
}

#[actix_web::test]
async fn who_is_overtaken_in_a_match_is_told_so() {
    // Citus supports no triggers.
    if are_distributed() {
        return;
    }
    let app = TestApp::start().await;
    let (anna, _, id) = app.battle(86_400).await;
    let before = anna.sees(&id).await;
    somebody_is_faster(&app, "match_heads").await;
    let fire = json!({ "action": { "type": "fire", "cells": ["A10"] } });
    let path = format!("/v1/matches/{id}/actions");
    anna.post_once("shot", &path, fire.clone()).await.problem(409, "concurrent-action");
    execute(&app.database, "DROP TRIGGER pass_over ON match_heads").await;
    assert_eq!(anna.sees(&id).await, before);
    anna.post_once("shot", &path, fire).await.expect(200);
}

#[actix_web::test]
async fn who_is_overtaken_by_another_password_is_told_so() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let change = json!({ "current_password": anna.password, "new_password": "two anchors and a calm" });
    somebody_is_faster(&app, "accounts").await;
    let changed = anna.request("PUT", "/v1/account/password", Some(change)).await;
    changed.problem(409, "concurrent-action");
    anna.signed_in().await;
}

#[actix_web::test]
async fn codes_are_for_those_who_have_a_second_factor() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let both = json!({ "current_password": anna.password, "code": "287082" });
    anna.post("/v1/account/second-factor/recovery-codes", both.clone()).await.problem(404, "not-found");
    let guest = app.post("/v1/guests", json!({ "username": "stowaway" })).await.expect(201);
    let guest = anna.with_token(guest["access_token"].as_str().unwrap());
    let password = json!({ "current_password": anna.password });
    for (method, rest, body) in [
        ("GET", "", None),
        ("POST", "", Some(password)),
        ("DELETE", "", Some(both.clone())),
        ("POST", "/confirm", Some(json!({ "code": "287082" }))),
        ("POST", "/recovery-codes", Some(both)),
    ] {
        let path = format!("/v1/account/second-factor{rest}");
        guest.request(method, &path, body).await.problem(403, "guest-not-allowed");
    }
}

#[actix_web::test]
async fn guests_add_a_passkey_and_do_nothing_else_with_it() {
    let app = TestApp::start().await;
    let guest = app.post("/v1/guests", json!({ "username": "stowaway" })).await.expect(201);
    let guest = app.player("anna").await.with_token(guest["access_token"].as_str().unwrap());
    let id = "/0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";
    let password = json!({ "current_password": "three masts and a storm" });
    for (method, rest, body) in
        [("GET", "", None), ("PATCH", id, Some(json!({ "name": "mine" }))), ("DELETE", id, Some(password))]
    {
        let path = format!("/v1/account/passkeys{rest}");
        guest.request(method, &path, body).await.problem(403, "guest-not-allowed");
    }
}

#[actix_web::test]
async fn what_strangers_have_not_is_asked_with_a_token() {
    let app = TestApp::start().await;
    let anna = app.player("anna").await;
    let token = anna.post("/v1/account/tokens", json!({ "name": "a test", "scopes": ["account:read"] })).await;
    let reader = anna.with_token(token.expect(201)["token"].as_str().unwrap());
    for path in ["/v1/matches?to_act=me", "/v1/challenges?mine=true"] {
        app.get(path).await.problem(401, "token-missing");
        reader.get(path).await.problem(403, "insufficient-scope");
    }
    app.get("/v1/players/nobody-here/matches").await.problem(404, "not-found");
}

//! Existence: hidden objects are denied like missing ones, in the same words and after the same number of statements,
//! so that the response time reveals nothing either.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use serde_json::{Value, json};

use crate::authorization::{operations, tried};
use crate::cases::opened;
use crate::contest_privacy::{private_contests, said};
use crate::substitutes::asks;
use crate::support::way::Way;
use crate::support::{MORNING_MS, Player, Setup, TestApp, database, seven_people};
use crate::tournaments::{starts, tournament};

/// An id without an object.
const NOTHING: &str = "0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c47";

/// An app with a counted connection to its database.
async fn watched() -> (TestApp, Way) {
    let way = Way::to(&database::fresh().await).await;
    let app = Box::pin(TestApp::on(way.url.clone(), Arc::new(AtomicI64::new(MORNING_MS)), Setup::default())).await;
    (app, way)
}

/// Number of tries of each request.
const TRIES: usize = 3;

/// The answers to every operation on one kind of object, with the number of statements: the fewest of some tries, since
/// other activity (a new connection, a token lookup) only adds to them.
async fn answered(app: &TestApp, way: &Way, kind: &str, id: &str, token: Option<&str>) -> Vec<(String, Value, u64)> {
    let mut seen = Vec::new();
    for mut operation in operations(app).await {
        let rest = operation.path.strip_prefix(&format!("/v1/{kind}/{NOTHING}")).map(str::to_owned);
        let Some(rest) = rest else { continue };
        operation.path = format!("/v1/{kind}/{id}{rest}");
        let (mut answer, mut fewest) = (Value::Null, u64::MAX);
        for _ in 0..TRIES {
            way.is_quiet().await;
            let before = way.statements();
            let given = tried(app, &operation, token).await;
            way.is_quiet().await;
            (answer, fewest) = (json!([given.status, said(&given)]), fewest.min(way.statements() - before));
        }
        seen.push((operation.id, answer, fewest));
    }
    seen
}

/// Tries every operation of a kind on a hidden and on a missing object, as `stranger` and without a token.
async fn denies_alike(app: &TestApp, way: &Way, kind: &str, hidden: &str, stranger: &Player) {
    for token in [Some(stranger.token.as_str()), None] {
        let (mut nothing, mut denied) = (Vec::new(), Vec::new());
        // On a busy machine an unrelated statement may be counted each time; a real difference always is.
        for _ in 0..TRIES {
            nothing = answered(app, way, kind, NOTHING, token).await;
            denied = answered(app, way, kind, hidden, token).await;
            if nothing == denied {
                break;
            }
        }
        assert!(!nothing.is_empty(), "{kind}");
        for (nothing, denied) in nothing.iter().zip(&denied) {
            assert_eq!(nothing, denied, "{kind}, {}", if token.is_some() { "a stranger" } else { "without a token" });
        }
    }
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[actix_web::test]
async fn a_private_contest_costs_as_many_statements_as_none() {
    let (app, way) = watched().await;
    let people = seven_people(&app).await;
    let [ladder, cup] = private_contests(&people).await;
    for (kind, path) in [("ladders", &ladder), ("tournaments", &cup), ("contests", &ladder), ("contests", &cup)] {
        denies_alike(&app, &way, kind, id_of(path), &people[4]).await;
    }
}

#[actix_web::test]
async fn a_private_pairing_costs_as_many_statements_as_none() {
    let (app, way) = watched().await;
    let people = seven_people(&app).await;
    let (anna, gina) = (&people[0], &people[6]);
    let cup = tournament(anna, &people[..4], json!({})).await;
    anna.request("PATCH", &cup, Some(json!({ "visibility": "private" }))).await.expect(200);
    starts(anna, &cup).await;
    let board = anna.get(&format!("{cup}/rounds/1")).await.expect(200)["boards"][0].clone();
    let seen = anna.sees(board["match_ids"][0].as_str().unwrap()).await;
    denies_alike(&app, &way, "pairings", seen["pairing"]["id"].as_str().unwrap(), gina).await;
}

#[actix_web::test]
async fn a_case_of_others_costs_as_many_statements_as_none() {
    let (app, way) = watched().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, ..] = people.as_slice() else { unreachable!() };
    let mona = app.moderator("mona").await;
    let cup = tournament(anna, &[ben.clone(), carl.clone()], json!({})).await;
    let of_contest = opened(anna, Some(&cup), "ben").await;
    let of_server = opened(&mona, None, "ben").await;
    for case in [&of_contest, &of_server] {
        for person in [ben, dora] {
            denies_alike(&app, &way, "cases", id_of(case), person).await;
        }
    }
}

#[actix_web::test]
async fn a_direct_challenge_of_others_costs_as_many_statements_as_none() {
    let (app, way) = watched().await;
    let people = seven_people(&app).await;
    let [anna, ben, carl, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let terms = |more: Value| {
        let mut all = json!({ "variant": "salvos", "clock": { "kind": "per-move", "move_s": 86_400 } });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let mut made = Vec::new();
    for more in
        [json!({ "opponent": "ben" }), json!({ "seats": 3, "invited": ["ben", "carl"], "visibility": "direct" })]
    {
        made.push(anna.post("/v1/challenges", terms(more)).await.expect(201)["id"].as_str().unwrap().to_owned());
    }
    for id in &made {
        denies_alike(&app, &way, "challenges", id, dora).await;
    }
    // Open challenges of a player who blocks the reader are hidden as well.
    let open = anna.post("/v1/challenges", terms(json!({}))).await.expect(201);
    anna.request("PUT", "/v1/account/blocks/emil", None).await.expect(204);
    let token = Some(emil.token.as_str());
    let nothing = answered(&app, &way, "challenges", NOTHING, token).await;
    assert_eq!(nothing, answered(&app, &way, "challenges", open["id"].as_str().unwrap(), token).await);
    // The players concerned see them.
    ben.get(&format!("/v1/challenges/{}", made[0])).await.expect(200);
    carl.get(&format!("/v1/challenges/{}", made[1])).await.expect(200);
}

#[actix_web::test]
async fn a_closed_match_and_its_requests_cost_as_many_statements_as_none() {
    let (app, way) = watched().await;
    let people = seven_people(&app).await;
    let [anna, ben, _, dora, emil, ..] = people.as_slice() else { unreachable!() };
    let id = anna.challenges_and_meets(ben, json!({ "spectators": false })).await;
    let wanted = asks(ben, &id, json!({ "player": "dora" })).await.expect(201);
    denies_alike(&app, &way, "matches", &id, emil).await;
    denies_alike(&app, &way, "substitutions", wanted["id"].as_str().unwrap(), emil).await;
    dora.get(&format!("/v1/substitutions/{}", wanted["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(emil.get("/v1/players/anna").await.expect(200)["matches"], json!({ "running": 0, "finished": 0 }));
}

#[actix_web::test]
async fn the_count_sees_one_statement_more() {
    let (app, way) = watched().await;
    let (anna, before) = (app.player("anna").await, way.statements());
    anna.get("/v1/account").await.expect(200);
    let once = way.statements() - before;
    anna.get("/v1/account").await.expect(200);
    anna.get("/v1/account/ladders").await.expect(200);
    assert!(once > 0 && way.statements() - before > 2 * once);
}

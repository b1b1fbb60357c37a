//! Standing orders: set, edited, refused, and private. Their execution by several nodes is in
//! `standing_orders_executed.rs`, their secrecy in `standing_orders_secrecy.rs`.

use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST};
use crate::support::orders::{chain, fire, path, told};
use crate::support::{Player, TestApp, database, seven_people};

/// Ben's fleet with a submarine on D4 to D6, or with nothing there.
const AT_D4: &[(&str, &[&str])] = &[
    ("carrier", &["J6", "J7", "J8", "J9", "J10"]),
    ("battleship", &["I7", "I8", "I9", "I10"]),
    ("cruiser", &["H8", "H9", "H10"]),
    ("submarine", &["D4", "D5", "D6"]),
    ("destroyer", &["F9", "F10"]),
];

/// The documentation's example: D4; if it hit and nothing sank, D5, else E7.
fn the_example(seat: u8) -> Value {
    json!([{ "then": { "action": { "type": "fire", "cells": ["D4"] }, "next": [{
        "when": [
            { "type": "reported", "report": { "type": "fired", "seat": seat, "shots": [{ "cell": "D4", "answer": "hit" }] } },
            { "type": "not-reported", "report": { "type": "fired", "seat": seat, "shots": [{ "answer": "sunk" }] } },
        ],
        "then": { "action": { "type": "fire", "cells": ["D5"] } },
        "otherwise": { "action": { "type": "fire", "cells": ["E7"] } },
    }] } }])
}

#[actix_web::test]
async fn if_d4_was_hit_and_nothing_sank_then_d5_else_e7() {
    for (fleet, second) in [(AT_D4, "D5"), (SOUTH_EAST, "E7")] {
        let app = TestApp::start().await;
        let (anna, ben, id) = app.long_table(json!({})).await;
        anna.deploys(&id, NORTH_WEST).await;
        ben.deploys(&id, fleet).await;
        anna.orders_to(&id, the_example(0)).await;
        app.passes_s(1).await;
        assert_eq!(anna.shots_of(&id, 0).await, ["D4"]);
        assert_eq!(anna.orders(&id).await["orders"].as_array().unwrap().len(), 1, "what follows has taken its place");
        // Ben's shot is no answer to hers, even when it hits the same cell.
        ben.fires(&id, &["D1"]).await;
        app.passes_s(1).await;
        assert_eq!(anna.shots_of(&id, 0).await, ["D4", second]);
        assert_eq!(anna.orders(&id).await["orders"], json!([]));
        assert_eq!(anna.hears_of_orders().await, told(&[("executed", "D4"), ("executed", second)]));
        assert!(ben.hears_of_orders().await.is_empty());
    }
}

#[actix_web::test]
async fn a_chain_plays_one_order_a_turn() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let put = anna.orders_to(&id, chain(&["A10", "B10", "C10"])).await;
    assert_eq!((&put["revision"], &put["updated_at"]), (&json!(1), &json!("2026-11-21T07:30:00.000Z")));
    for (round, (mine, yours)) in [("A10", "J1"), ("B10", "I1"), ("C10", "H1")].into_iter().enumerate() {
        app.passes_s(1).await;
        // Further job runs do nothing: it is Ben's turn now.
        app.passes_s(5).await;
        assert_eq!(anna.shots_of(&id, 0).await.last().unwrap(), mine);
        assert_eq!(anna.orders(&id).await["revision"], round + 2);
        ben.fires(&id, &[yours]).await;
    }
    app.passes_s(3600).await;
    assert_eq!(anna.shots_of(&id, 0).await.len(), 3);
    assert_eq!(anna.sees(&id).await["to_act"], json!([0]), "with no order left it is hers to play");
}

#[actix_web::test]
async fn a_condition_that_does_not_hold_spends_its_order_unless_it_repeats() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let when = |answer: &str| json!([{ "type": "reported", "report": { "type": "fired", "seat": 1, "shots": [{ "answer": answer }] } }]);
    let shot = |cell: &str, answer: &str, repeat: bool| json!({ "when": when(answer), "then": { "action": { "type": "fire", "cells": [cell] } }, "repeat": repeat });
    anna.orders_to(&id, json!([shot("F1", "hit", true), shot("G1", "hit", false), fire("A10"), fire("B10")])).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
    assert_eq!(anna.hears_of_orders().await, told(&[("conditions-not-met", "G1"), ("executed", "A10")]));
    let left = anna.orders(&id).await["orders"].clone();
    assert_eq!(
        left[0],
        shot("F1", "hit", true)
            .as_object()
            .map(|order| {
                let mut order = order.clone();
                order["then"]["next"] = json!([]);
                order.insert("otherwise".to_owned(), Value::Null);
                Value::Object(order)
            })
            .unwrap()
    );
    assert_eq!(left.as_array().unwrap().len(), 2);
    ben.fires(&id, &["A1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "F1"], "now Ben has hit something");
    assert_eq!(anna.orders(&id).await["orders"].as_array().unwrap().len(), 2, "it stays for the next time");
}

#[actix_web::test]
async fn a_repeated_order_passes_every_relocation() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.long_table(json!({ "variant": "admiralty" })).await;
    for player in [&anna, &ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let pass = json!({ "then": { "action": { "type": "relocate", "ships": [] } }, "repeat": true });
    // Based on the answer to her last salvo, although her last action was to pass a relocation.
    let hit = json!({ "type": "reported", "report": { "type": "fired", "seat": 0, "hits": 0 } });
    let next = json!({ "when": [hit], "then": { "action": { "type": "fire", "cells": ["F1", "F2", "F3", "F4", "F5"] } },
        "otherwise": { "action": { "type": "fire", "cells": ["J1", "J2", "J3", "J4", "J5"] } } });
    anna.orders_to(&id, json!([pass, next])).await;
    let salvo = ["A1", "C3", "E5", "G7", "I9"];
    let fired = anna.fires(&id, &salvo).await;
    let second = if fired["hits"] == 0 { "F1" } else { "J1" };
    let mut passed = 0;
    for _ in 0..40 {
        if let Some(example) = ben.example(&id).await {
            ben.acts(&id, example).await.expect(200);
        }
        app.passes_s(61).await;
        if anna.orders(&id).await["orders"].as_array().unwrap().len() < 2 {
            break;
        }
        passed += 1;
    }
    let shots = anna.shots_of(&id, 0).await;
    assert_eq!(shots[5], second, "after {passed} turns");
    let heard = anna.hears_of_orders().await;
    // A salvo that hits passes the turn, so Ben has fired, and she has passed a relocation.
    if fired["hits"] != 0 {
        assert!(heard.contains(&("executed".to_owned(), json!("relocate"))), "{heard:?}");
    }
    assert_eq!(heard.last().unwrap(), &("executed".to_owned(), json!(second)));
    assert_eq!(anna.orders(&id).await["orders"][0]["repeat"], true);
}

/// In every variant, one player uses only standing orders, including the deployment.
#[actix_web::test]
async fn every_family_can_be_played_by_standing_orders() {
    for variant in broadside_rules::variants() {
        let app = TestApp::start().await;
        let people = seven_people(&app).await;
        let (least, _) = variant.seats();
        let players: Vec<&Player> = people.iter().take(usize::from(least)).collect();
        let terms = json!({ "variant": variant.id });
        let id = players[0].sits_down_with(&players[1..], terms, &[]).await;
        players[0].orders_to(&id, json!([{ "then": { "action": { "type": "deploy-auto" } } }])).await;
        app.passes_s(61).await;
        assert_eq!(players[0].sees(&id).await["seats"][0]["deployed"], true, "{}", variant.id);
        let mut carried_out = 0;
        for _ in 0..40 {
            if let Some(example) = players[0].example(&id).await {
                players[0].orders_to(&id, json!([{ "then": { "action": example } }])).await;
                app.passes_s(61).await;
                assert_eq!(players[0].orders(&id).await["orders"], json!([]), "{}", variant.id);
                carried_out += 1;
            }
            for player in &players[1..] {
                if let Some(example) = player.example(&id).await {
                    player.acts(&id, example).await.expect(200);
                }
            }
        }
        assert!(carried_out > 5 || players[0].sees(&id).await["status"] == "finished", "{}: {carried_out}", variant.id);
        assert!(players[0].hears_of_orders().await.iter().all(|(kind, _)| kind == "executed"), "{}", variant.id);
    }
}

#[actix_web::test]
async fn an_order_that_has_become_illegal_is_dropped_and_the_turn_stays_open() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    anna.fires(&id, &["A10"]).await;
    let mut again = fire("A10");
    again["then"]["next"] = chain(&["D10"]);
    anna.orders_to(&id, json!([again, fire("B10")])).await;
    ben.fires(&id, &["J1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.hears_of_orders().await, told(&[("cell-already-tried", "A10")]));
    let dropped = anna.hears(0).await.pop().unwrap();
    assert_eq!((&dropped["match_id"], &dropped["revision"]), (&json!(id), &json!(2)));
    assert!(!dropped["detail"].as_str().unwrap().is_empty());
    assert_eq!(anna.orders(&id).await["orders"].as_array().unwrap().len(), 1, "what was to follow is gone, too");
    // The next order isn't taken instead: she didn't mean it for now. A table action makes no difference.
    app.passes_s(3600).await;
    ben.acts(&id, json!({ "type": "offer-draw" })).await.expect(200);
    app.passes_s(3600).await;
    assert_eq!(anna.sees(&id).await["to_act"], json!([0]));
    anna.fires(&id, &["C10"]).await;
    ben.fires(&id, &["I1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "C10", "B10"]);
}

#[actix_web::test]
async fn what_could_never_be_is_refused_with_every_fault() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.long_table(json!({})).await;
    let put = async |list: Value| anna.request("PUT", &path(&id), Some(list)).await;
    let wrong = json!({ "revision": 0, "delay": { "min_s": 9, "max_s": 8 }, "orders": [
        { "when": [{ "type": "reported", "report": { "type": "charged" } }, { "type": "reported", "report": { "type": "fired", "shots": [{ "cell": "K1" }] } }],
          "then": { "action": { "type": "fire", "cells": ["Z9"] }, "next": [{ "then": { "action": { "type": "resign" } } }] } },
        { "then": { "action": { "type": "fire", "cells": ["A1"] }, "next": [] }, "otherwise": { "action": { "type": "charge" } } },
        { "repeat": true, "then": { "action": { "type": "relocate", "ships": [] }, "next": chain(&["A1"]) } },
    ] });
    let refused = put(wrong).await;
    refused.problem(422, "validation-failed");
    let mut pointers = refused.pointers();
    pointers.sort();
    assert_eq!(
        pointers,
        [
            "/delay/max_s",
            "/orders/0/then/action/cells/0",
            "/orders/0/then/next/0/then/action/type",
            "/orders/0/when/0/report/type",
            "/orders/0/when/1/report/shots/0/cell",
            "/orders/1/otherwise/action/type",
            "/orders/2/then/action/type",
            "/orders/2/then/next",
        ]
    );
    let shape =
        put(json!({ "orders": [{ "when": [{ "type": "tld" }, 7], "than": {} }], "delay": { "min_s": "1" } })).await;
    shape.problem(422, "validation-failed");
    let mut pointers = shape.pointers();
    pointers.sort();
    pointers.dedup();
    assert_eq!(
        pointers,
        [
            "/delay/max_s",
            "/delay/min_s",
            "/orders/0/than",
            "/orders/0/then",
            "/orders/0/when/0/report",
            "/orders/0/when/0/type",
            "/orders/0/when/1",
            "/orders/0/when/1/report",
            "/orders/0/when/1/type",
            "/revision",
        ]
    );
}

#[actix_web::test]
async fn what_the_database_could_not_take_is_refused_and_what_is_too_much() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.long_table(json!({})).await;
    let put = async |list: Value| anna.request("PUT", &path(&id), Some(list)).await;
    let unprintable = json!({ "type": "reported", "report": { "type": "fired", "shots": [{ "cell": "\0" }] } });
    let order = json!({ "when": [unprintable], "then": { "action": { "type": "fire", "cells": ["A1"] } } });
    let refused = put(json!({ "revision": 0, "orders": [order] })).await;
    assert_eq!(refused.pointers(), ["/orders/0/when/0/report/shots/0/cell"], "{}", refused.text());
    let many: Vec<Value> = (0..51)
        .map(|_| {
            let mut order = fire("A1");
            order["then"]["next"] = chain(&["B1"]);
            order
        })
        .collect();
    let refused = put(json!({ "revision": 0, "orders": many })).await;
    assert_eq!(refused.pointers(), ["/orders"]);
    put(json!({ "revision": 0, "orders": many[..50] })).await.expect(200);
    put(json!({ "revision": 4_294_967_295_u32, "orders": [] })).await.problem(422, "validation-failed");
}

#[actix_web::test]
async fn a_list_is_edited_by_its_revision_and_is_its_owners_alone() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.long_table(json!({})).await;
    let zoe = app.player("zoe").await;
    let usual = json!({ "min_s": 60, "max_s": 3600 });
    let none =
        json!({ "match_id": id, "revision": 0, "orders": [], "delay": usual, "due_at": null, "updated_at": null });
    assert_eq!(anna.orders(&id).await, none);
    anna.orders_to(&id, chain(&["A1"])).await;
    assert_eq!(ben.orders(&id).await, none, "Ben has a list of orders, too, and none as yet");
    let stale = anna.request("PUT", &path(&id), Some(json!({ "revision": 0, "orders": [] }))).await;
    assert_eq!(stale.problem(409, "stale-revision")["current_revision"], 1);
    // A repetition after a lost answer is no conflict.
    let again = json!({ "revision": 0, "orders": chain(&["A1"]), "delay": { "min_s": 0, "max_s": 0 } });
    app.passes_unseen_s(5);
    assert_eq!(anna.request("PUT", &path(&id), Some(again)).await.expect(200), anna.orders(&id).await);
    let ahead = ben.request("PUT", &path(&id), Some(json!({ "revision": 3, "orders": [] }))).await;
    assert_eq!(ahead.problem(409, "stale-revision")["current_revision"], 0);
    for method in ["GET", "PUT", "DELETE"] {
        let body = (method == "PUT").then(|| json!({ "revision": 0, "orders": [] }));
        zoe.request(method, &path(&id), body).await.problem(403, "not-a-player");
    }
    anna.request("DELETE", &path(&id), None).await.expect(204);
    anna.request("DELETE", &path(&id), None).await.expect(204);
    let cleared = anna.orders(&id).await;
    assert_eq!((&cleared["revision"], &cleared["orders"]), (&json!(2), &json!([])), "no number is given twice");
}

#[actix_web::test]
async fn orders_are_exported_and_end_with_the_match_and_the_account() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.player("anna").await, app.player("ben").await);
    let id = anna.challenges_and_meets(&ben, json!({})).await;
    // Lists are ordered by the creation of their matches; those of one moment come in any order.
    app.passes_unseen_s(1);
    let second = anna.challenges_and_meets(&ben, json!({})).await;
    for id in [&id, &second] {
        for player in [&anna, &ben] {
            player.orders_to(id, json!([{ "then": { "action": { "type": "fire", "cells": ["A1"] } } }])).await;
        }
    }
    let export = anna.get("/v1/account/export").await.expect(200);
    assert_eq!(export["standing_orders"], json!([anna.orders(&id).await, anna.orders(&second).await]));
    let rows = async |count: usize| {
        let counted = format!("SELECT 1 / (count(*) = {count})::int FROM standing_orders");
        database::execute(&app.database, &counted).await;
    };
    ben.acts(&id, json!({ "type": "resign" })).await.expect(200);
    assert_eq!(anna.orders(&id).await["orders"], json!([]));
    let late = anna.tries_orders(&id, chain(&["A1"]), (0, 0)).await;
    late.problem(422, "match-over");
    app.passes_s(1).await;
    rows(2).await;
    anna.request("DELETE", "/v1/account", Some(json!({ "password": anna.password }))).await.expect(204);
    rows(1).await;
    app.passes_s(1).await;
    rows(0).await;
}

#[actix_web::test]
async fn who_is_out_has_no_orders_any_more() {
    let app = TestApp::start().await;
    let people = seven_people(&app).await;
    let players: Vec<&Player> = people.iter().take(3).collect();
    let id = players[0].sits_down_with(&players[1..], json!({ "variant": "salvos" }), &[]).await;
    for player in &players {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
        player.orders_to(&id, json!([{ "then": { "action": { "type": "orders", "orders": [] } } }])).await;
    }
    players[1].acts(&id, json!({ "type": "resign" })).await.expect(200);
    assert_eq!(players[1].orders(&id).await["orders"], json!([]));
    players[1].tries_orders(&id, json!([]), (0, 0)).await.problem(422, "seat-out");
    broadside::standing_orders::rounds::forget_outs(&app.app.matches).await.unwrap();
    database::execute(&app.database, "SELECT 1 / (array_agg(seat ORDER BY seat) = '{0,2}')::int FROM standing_orders")
        .await;
}

#[actix_web::test]
async fn when_the_next_order_is_due_is_said_at_once() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let put = anna.tries_orders(&id, chain(&["A10", "B10"]), (600, 600)).await.expect(200);
    assert_eq!(put["due_at"], "2026-11-21T07:40:00.000Z");
    assert_eq!(anna.orders(&id).await["due_at"], put["due_at"]);
    app.passes_s(1).await;
    assert_eq!(anna.orders(&id).await["due_at"], put["due_at"], "the job comes to the same");
    app.passes_s(600).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
    assert_eq!(anna.orders(&id).await["due_at"], Value::Null, "it is Ben's turn");
    // It is her turn, and no job has run.
    app.passes_unseen_s(59);
    ben.fires(&id, &["J1"]).await;
    assert_eq!(anna.orders(&id).await["due_at"], "2026-11-21T07:51:00.000Z");
}

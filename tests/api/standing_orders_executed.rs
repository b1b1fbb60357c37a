//! Execution of standing orders, exactly once: delays, deadlines, concurrent edits, two nodes, a node that dies.

use futures_util::future::{FutureExt, join};
use serde_json::{Value, json};

use crate::support::fleets::{NORTH_WEST, SOUTH_EAST, cells};
use crate::support::orders::{chain, fire, path, told};
use crate::support::{Player, TestApp, database};

/// The time of a seat's last shot, in seconds since the test began.
async fn last_shot_s(player: &Player, id: &str, seat: u8) -> i64 {
    let reports = player.get(&format!("/v1/matches/{id}/reports?limit=1000")).await.expect(200);
    let reports = reports["items"].as_array().unwrap().clone();
    let fired = reports.iter().rfind(|report| report["type"] == "fired" && report["seat"] == seat).unwrap();
    let at: Vec<i64> = fired["at"].as_str().unwrap()[11..19].split(':').map(|part| part.parse().unwrap()).collect();
    at[0] * 3600 + at[1] * 60 + at[2] - (7 * 3600 + 30 * 60)
}

#[actix_web::test]
async fn an_order_waits_as_long_as_its_owner_asked() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let put = anna.tries_orders(&id, chain(&["A10", "B10", "C10"]), (100, 200)).await.expect(200);
    assert_eq!((&put["due_at"], &put["delay"]["max_s"]), (&anna.orders(&id).await["due_at"], &json!(200)));
    let mut waited = Vec::new();
    let mut since = 0;
    for yours in ["J1", "I1", "H1"] {
        app.passes_s(1).await;
        let due = anna.orders(&id).await["due_at"].clone();
        assert!(due.is_string());
        while ben.sees(&id).await["to_act"] == json!([0]) {
            assert_eq!(anna.orders(&id).await["due_at"], due, "nothing that is said or looked at changes it");
            app.passes_s(5).await;
        }
        let at = last_shot_s(&anna, &id, 0).await;
        waited.push(at - since);
        app.passes_s(1000).await;
        ben.fires(&id, &[yours]).await;
        since = at + 1000;
    }
    assert!(waited.iter().all(|waited| (100..=205).contains(waited)), "{waited:?}");
    assert!(waited.iter().any(|other| *other != waited[0]), "drawn anew for each turn: {waited:?}");
}

#[actix_web::test]
async fn an_order_that_waits_for_long_still_comes_before_the_deadline() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(60).await;
    anna.tries_orders(&id, chain(&["A10", "B10"]), (100_000, 200_000)).await.expect(200);
    for (mine, yours) in [("A10", "J1"), ("B10", "I1")] {
        let mut waited = 0;
        while ben.sees(&id).await["to_act"] == json!([0]) {
            app.passes_s(1).await;
            waited += 1;
        }
        assert!((27..=55).contains(&waited), "{waited}");
        assert_eq!(anna.shots_of(&id, 0).await.last().unwrap(), mine);
        ben.fires(&id, &[yours]).await;
    }
}

#[actix_web::test]
async fn orders_that_were_missed_do_not_all_come_at_once() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..4 {
        let id = anna.challenges_and_meets(&ben, json!({})).await;
        anna.tries_orders(&id, json!([{ "then": { "action": { "type": "deploy-auto" } } }]), (60, 3600))
            .await
            .expect(200);
        ids.push(id);
    }
    // No job runs for half a day.
    app.passes_unseen_s(43_200);
    let mut came = Vec::new();
    for second in (0..=600).step_by(5) {
        app.executes_orders().await.unwrap();
        let mut deployed = 0;
        for id in &ids {
            deployed += usize::from(anna.orders(id).await["orders"] == json!([]));
        }
        came.resize(deployed, second);
        if deployed == ids.len() {
            break;
        }
        app.passes_unseen_s(5);
    }
    assert_eq!(came.len(), 4, "all within ten minutes");
    assert!(came[0] < came[3], "{came:?}");
}

#[actix_web::test]
async fn the_owners_own_move_goes_before() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    anna.tries_orders(&id, chain(&["A10"]), (500, 500)).await.expect(200);
    app.passes_s(400).await;
    anna.fires(&id, &["J1"]).await;
    app.passes_s(400).await;
    ben.fires(&id, &["J1"]).await;
    app.passes_s(499).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["J1"], "it waits from the beginning of this turn on");
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["J1", "A10"]);
}

#[actix_web::test]
async fn an_order_can_be_thought_better_of() {
    let app = TestApp::start().await;
    let (anna, _, id) = app.battle(86_400).await;
    app.passes_s(5000).await;
    anna.tries_orders(&id, chain(&["A10"]), (60, 60)).await.expect(200);
    app.passes_s(59).await;
    anna.tries_orders(&id, chain(&["B10"]), (60, 60)).await.expect(200);
    app.passes_s(59).await;
    assert!(anna.shots_of(&id, 0).await.is_empty());
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["B10"]);
}

#[actix_web::test]
async fn further_steps_of_a_turn_follow_soon() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.long_table(json!({ "variant": "depths", "first": "creator" })).await;
    for player in [&anna, &ben] {
        player.acts(&id, json!({ "type": "deploy-auto" })).await.expect(200);
    }
    let order = |action: Value| json!({ "then": { "action": action } });
    let ship = anna.example(&id).await.unwrap();
    let list = json!([order(ship), order(json!({ "type": "end-turn" }))]);
    anna.tries_orders(&id, list, (3000, 3000)).await.expect(200);
    app.passes_s(2999).await;
    assert!(anna.hears_of_orders().await.is_empty());
    app.passes_s(1).await;
    assert_eq!(anna.hears_of_orders().await.len(), 1);
    app.passes_s(4).await;
    assert_eq!(anna.hears_of_orders().await.len(), 1);
    for _ in 0..56 {
        app.passes_s(1).await;
    }
    assert_eq!(anna.hears_of_orders().await.last().unwrap(), &("executed".to_owned(), json!("end-turn")));
    assert_eq!(anna.sees(&id).await["to_act"], json!([1]));
}

#[actix_web::test]
async fn two_nodes_at_once_carry_an_order_out_once() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let mine = ["A10", "B10", "C10", "D10", "E10", "A9", "B9", "C9"];
    anna.orders_to(&id, chain(&mine)).await;
    for (round, yours) in ["J1", "J2", "J3", "J4", "J5", "I1", "I2", "I3"].into_iter().enumerate() {
        app.passes_unseen_s(1);
        let (here, there) = join(app.executes_orders(), other.executes_orders()).await;
        here.and(there).unwrap();
        assert_eq!(anna.shots_of(&id, 0).await, mine[..=round]);
        assert_eq!(anna.orders(&id).await["revision"], round + 2);
        ben.at(&other).fires(&id, &[yours]).await;
    }
    assert_eq!(anna.hears_of_orders().await.len(), mine.len());
}

#[actix_web::test]
async fn an_edit_and_its_order_at_once_end_with_one_of_them() {
    let app = TestApp::start().await;
    let other = app.another_node().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let columns = ["10", "9", "8", "7", "6"];
    let (mut edited, mut fired) = (0, 0);
    for column in columns {
        for (row, answer) in [("A", "J"), ("B", "I"), ("C", "H"), ("D", "G")] {
            let (cell, late) = (format!("{row}{column}"), format!("{answer}{column}"));
            let revision = anna.orders_to(&id, json!([fire(&cell)])).await["revision"].as_u64().unwrap();
            app.passes_unseen_s(1);
            let put = json!({ "revision": revision, "orders": [], "delay": { "min_s": 0, "max_s": 0 } });
            let edit = async {
                tokio::time::sleep(std::time::Duration::from_millis((edited + fired) % 10)).await;
                anna.at(&other).request("PUT", &path(&id), Some(put)).await
            };
            let carry_out = app.executes_orders();
            let (answer, done) = match edited + fired {
                0 => (edit.await, carry_out.await),
                1 => carry_out.then(|done| async move { (edit.await, done) }).await,
                _ => join(edit, carry_out).await,
            };
            done.unwrap();
            let shot = anna.shots_of(&id, 0).await.contains(&cell);
            match answer.status {
                200 => edited += 1,
                409 => fired += 1,
                _ => panic!("{}", answer.text()),
            }
            assert_eq!(shot, answer.status == 409, "{cell}: {}", answer.text());
            app.passes_s(1).await;
            assert_eq!(anna.orders(&id).await["orders"], json!([]));
            if !shot {
                anna.fires(&id, &[&cell]).await;
            }
            ben.fires(&id, &[&late]).await;
        }
    }
    assert!(edited > 0 && fired > 0, "{edited} edited, {fired} fired");
    assert_eq!(edited + fired, 20);
    assert_eq!(anna.shots_of(&id, 0).await.len(), 20);
}

/// Within this second the node can write moves, but no list, as if it died in between.
async fn passes_a_second_and_dies(app: &TestApp) {
    let deny = "CREATE FUNCTION deny() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the node is dead'; END $$; \
        CREATE TRIGGER deny BEFORE UPDATE OF revision ON standing_orders FOR EACH ROW EXECUTE FUNCTION deny()";
    database::execute(&app.database, deny).await;
    app.passes_s(1).await;
    database::execute(&app.database, "DROP TRIGGER deny ON standing_orders").await;
}

#[actix_web::test]
async fn an_order_that_ends_the_match_is_told_of_though_its_node_died() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let theirs = cells(SOUTH_EAST);
    let (last, before) = theirs.split_last().unwrap();
    for cell in before {
        anna.fires(&id, &[cell]).await;
        ben.fires(&id, &[cell]).await;
    }
    anna.orders_to(&id, chain(&[last])).await;
    passes_a_second_and_dies(&app).await;
    assert_eq!(anna.sees(&id).await["status"], "finished");
    assert!(anna.hears_of_orders().await.is_empty());
    let other = app.another_node().await;
    other.passes_s(1).await;
    assert_eq!(anna.hears_of_orders().await, told(&[("executed", last)]));
    other.passes_s(1).await;
    database::execute(&app.database, "SELECT 1 / (count(*) = 0)::int FROM standing_orders").await;
}

#[actix_web::test]
async fn a_move_is_known_again_when_its_key_is_forgotten() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(1_000_000).await;
    anna.orders_to(&id, chain(&["A10", "B10"])).await;
    passes_a_second_and_dies(&app).await;
    app.passes_unseen_s(25 * 3600);
    broadside::jobs::clean_up(&app.app).await.unwrap();
    app.passes_s(1).await;
    assert_eq!(anna.hears_of_orders().await, told(&[("executed", "A10")]));
    ben.fires(&id, &["J1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "B10"]);
}

#[actix_web::test]
async fn a_list_of_which_nothing_applies_rests_until_there_is_more_to_be_told() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let hit = json!({ "type": "reported", "report": { "type": "fired", "seat": 1, "shots": [{ "answer": "hit" }] } });
    let order = json!({ "when": [hit], "then": { "action": { "type": "fire", "cells": ["A10"] } }, "repeat": true });
    anna.orders_to(&id, json!([order])).await;
    for _ in 0..3 {
        app.passes_s(1).await;
    }
    let list = anna.orders(&id).await;
    assert_eq!(
        (&list["revision"], &list["due_at"]),
        (&json!(1), &Value::Null),
        "it is not carried out again and again"
    );
    assert!(anna.hears_of_orders().await.is_empty());
    anna.fires(&id, &["J1"]).await;
    ben.fires(&id, &["A1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["J1", "A10"]);
}

#[actix_web::test]
async fn lists_that_fail_keep_nobody_else_waiting_for_ever() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    for _ in 0..2 {
        anna.challenges_and_meets(&ben, json!({})).await;
    }
    anna.tries_orders(&id, chain(&["A10"]), (5, 5)).await.expect(200);
    app.passes_s(1).await;
    // More than one round handles, and older.
    let damaged = "INSERT INTO standing_orders (match_id, seat, account_id, share_owner, revision, orders, has_orders, edited_at, edited_revision, executing_seq) \
        SELECT match_id, seat, gen_random_uuid(), gen_random_uuid(), 1, '\"damaged\"', true, 'epoch', 1, 1 FROM match_heads, generate_series(10, 255) AS seat";
    database::execute(&app.database, damaged).await;
    let mut rounds = 0;
    while anna.shots_of(&id, 0).await.is_empty() {
        rounds += 1;
        assert!(rounds < 40, "the list has never been looked at");
        app.passes_s(5).await;
    }
}

/// Sends a list without a delay.
async fn orders_as_usual(player: &Player, id: &str, orders: Value) {
    let revision = player.orders(id).await["revision"].clone();
    player.request("PUT", &path(id), Some(json!({ "revision": revision, "orders": orders }))).await.expect(200);
}

#[actix_web::test]
async fn the_usual_delay_spares_a_bank() {
    let app = TestApp::start().await;
    let bank = json!({ "kind": "bank", "initial_s": 7200, "increment_s": 10, "cap_s": 7200 });
    let (anna, ben, id) = app.long_table(json!({ "clock": bank })).await;
    anna.deploys(&id, NORTH_WEST).await;
    ben.deploys(&id, SOUTH_EAST).await;
    for second in 1..=6 {
        orders_as_usual(&anna, &id, json!([fire(&format!("A{second}"))])).await;
        app.passes_s(1).await;
        let due = anna.orders(&id).await["due_at"].as_str().unwrap().to_owned();
        assert!(due.as_str() < "2026-11-21T07:36:06", "a twentieth of two hours after the edit: {due}");
    }
}

#[actix_web::test]
async fn an_order_does_not_come_while_everybody_knows_that_its_owner_sleeps() {
    let app = TestApp::start().await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    // It is half past seven.
    anna.lives_by(json!({ "night": { "start": "07:31", "end": "17:30" } })).await;
    let id = anna.plays(&ben, json!({ "clock": { "kind": "per-move", "move_s": 2 * 86_400 } })).await;
    orders_as_usual(&anna, &id, chain(&["A10"])).await;
    app.passes_s(1).await;
    let due = anna.orders(&id).await["due_at"].as_str().unwrap().to_owned();
    assert!(("2026-11-21T17:31:00.000Z"..="2026-11-21T18:30:00.000Z").contains(&due.as_str()), "{due}");
    // A delay that the owner has chosen is kept as it is.
    anna.tries_orders(&id, chain(&["A10"]), (60, 60)).await.expect(200);
    app.passes_s(1).await;
    assert_eq!(anna.orders(&id).await["due_at"], "2026-11-21T07:31:01.000Z");
    app.passes_s(60).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
}

#[actix_web::test]
async fn a_node_that_dies_between_the_move_and_the_list_is_made_up_for() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    let mut tree = fire("A10");
    tree["then"]["next"] = chain(&["B10"]);
    anna.orders_to(&id, json!([tree])).await;
    passes_a_second_and_dies(&app).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"], "the move is there");
    assert_eq!(anna.orders(&id).await["revision"], 1, "and the list doesn't know");
    anna.tries_orders(&id, json!([]), (0, 0)).await.problem(409, "concurrent-action");
    anna.request("DELETE", &path(&id), None).await.problem(409, "concurrent-action");
    // It is her turn again before any job runs.
    ben.fires(&id, &["J1"]).await;
    let other = app.another_node().await;
    other.executes_orders().await.unwrap();
    let list = anna.orders(&id).await;
    assert_eq!((&list["revision"], list["orders"].as_array().unwrap().len()), (&json!(2), 1));
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"]);
    other.passes_s(1).await;
    other.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "B10"]);
    assert_eq!(anna.hears_of_orders().await, told(&[("executed", "A10"), ("executed", "B10")]));
}

#[actix_web::test]
async fn a_node_that_dies_before_the_move_is_made_up_for() {
    let app = TestApp::start().await;
    let (anna, ben, id) = app.battle(86_400).await;
    anna.orders_to(&id, chain(&["A10", "B10"])).await;
    let begun = "UPDATE standing_orders AS s SET executing_seq = 1 + h.seq FROM (SELECT match_id, seq FROM match_heads OFFSET 0) AS h WHERE h.match_id = s.match_id";
    database::execute(&app.database, begun).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10"], "whoever finds the note makes the move");
    // The owner plays by hand before any job notices: her move stands, and the list is unchanged.
    ben.fires(&id, &["J1"]).await;
    database::execute(&app.database, begun).await;
    anna.fires(&id, &["C10"]).await;
    app.passes_s(1).await;
    ben.fires(&id, &["I1"]).await;
    app.passes_s(1).await;
    assert_eq!(anna.shots_of(&id, 0).await, ["A10", "C10", "B10"]);
    assert_eq!(anna.orders(&id).await["orders"], json!([]));
}

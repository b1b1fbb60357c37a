//! Fairness of standing orders: many orders of a few accounts delay nobody else's. Near deadlines come first, owners
//! take turns, and two orders of one owner are a second apart.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;

use broadside::standing_orders::rounds::{self, Lane, Seen};
use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::guests::guest;
use crate::support::orders::{chain, fire, path};
use crate::support::{Player, TestApp, plain};

/// Assumed duration of an execution in milliseconds: a slow machine under load.
const ORDER_MS: i64 = 125;

#[derive(QueryableByName)]
struct Total {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// The number of log entries of all matches.
async fn entries(connection: &mut AsyncPgConnection) -> i64 {
    let sql = "SELECT coalesce(sum(seq), 0)::bigint AS total FROM match_heads";
    diesel::sql_query(sql).get_result::<Total>(connection).await.unwrap().total
}

fn deploys() -> Value {
    json!({ "then": { "action": { "type": "deploy-auto" } } })
}

/// Sixty simple orders: the fleet, and a shot at each cell.
fn sixty() -> Value {
    let cells = ('A'..='J').flat_map(|row| (1..=10).map(move |column| fire(&format!("{row}{column}"))));
    std::iter::once(deploys()).chain(cells).take(60).collect()
}

/// Both play the match by orders without delay.
async fn play_by_orders(one: &Player, other: &Player, move_s: u32) {
    let clock = json!({ "kind": "per-move", "move_s": move_s });
    let id = one.challenges_and_meets(other, json!({ "clock": clock, "rated": false })).await;
    for player in [one, other] {
        player.tries_orders(&id, sixty(), (0, 0)).await.expect(200);
    }
}

#[actix_web::test]
async fn orders_of_eight_guests_make_nobody_elses_too_late() {
    let app = TestApp::start().await;
    let mut guests = Vec::new();
    for number in 0..8 {
        guests.push(guest(&app, &format!("guest{number}")).await);
    }
    for pair in guests.chunks(2) {
        // Some of them are always near their deadline.
        for move_s in std::iter::repeat_n(86_400, 22).chain([5; 6]) {
            play_by_orders(&pair[0], &pair[1], move_s).await;
        }
    }
    let (anna, ben, id) = app.battle(20).await;
    anna.tries_orders(&id, chain(&["A10", "B10", "C10", "D10", "E10"]), (14, 17)).await.expect(200);
    let mut connection = AsyncPgConnection::establish(&app.database).await.unwrap();
    for (turn, yours) in ["J1", "J2", "J3", "J4", "J5"].into_iter().enumerate() {
        while anna.shots_of(&id, 0).await.len() == turn {
            for lane in [Lane::NearDeadline, Lane::Others] {
                let before = entries(&mut connection).await;
                rounds::batch(&app.app.matches, lane, &mut Seen::default()).await.unwrap();
                let executed = entries(&mut connection).await - before;
                app.clock.fetch_add((executed * ORDER_MS).max(250), Ordering::SeqCst);
            }
            app.beats().await;
            let view = ben.sees(&id).await;
            assert_eq!(view["status"], "playing", "anna has lost on time in turn {turn}: {}", view["result"]);
        }
        ben.fires(&id, &[yours]).await;
    }
}

/// Matches in which Anna has to place her fleet, with an order for it.
async fn orders_in(app: &TestApp, anna: &Player, matches: usize) -> Vec<String> {
    let ben = app.player(&format!("ben-of-{}", anna.name)).await;
    let mut ids = Vec::new();
    for _ in 0..matches {
        let id = anna.challenges_and_meets(&ben, json!({ "rated": false })).await;
        anna.orders_to(&id, json!([deploys()])).await;
        ids.push(id);
    }
    ids
}

/// The number of these matches with an executed order.
async fn executed(player: &Player, ids: &[String]) -> usize {
    let mut done = 0;
    for id in ids {
        done += usize::from(player.orders(id).await["orders"] == json!([]));
    }
    done
}

#[actix_web::test]
async fn two_orders_of_one_owner_come_a_second_apart() {
    let app = TestApp::start().await;
    let (anna, cleo) = (app.lasting_player("anna").await, app.lasting_player("cleo").await);
    let (annas, cleos) = (orders_in(&app, &anna, 3).await, orders_in(&app, &cleo, 1).await);
    for second in 1..=3 {
        app.passes_s(1).await;
        assert_eq!(executed(&anna, &annas).await, second);
        assert_eq!(executed(&cleo, &cleos).await, 1, "another owner waits for nobody");
    }
}

#[actix_web::test]
async fn guests_of_one_address_take_one_turn_together() {
    let app = TestApp::start().await;
    let far = SocketAddr::from((Ipv4Addr::new(198, 51, 100, 7), 40_000));
    let mut ids = Vec::new();
    let guests = [guest(&app, "gus").await, guest(&app, "gil").await, guest(&app, "gwen").await];
    let dora = app.player("dora").await;
    for (number, guest) in guests.iter().enumerate() {
        let id = guest.challenges_and_meets(&dora, json!({ "rated": false })).await;
        let list = json!({ "revision": 0, "orders": [deploys()], "delay": { "min_s": 0, "max_s": 0 } });
        let put = guest.signed(plain("PUT", &path(&id), Some(list)));
        let answer = if number == 2 { app.send_from(far, put).await } else { app.send(put).await };
        answer.expect(200);
        ids.push(id);
    }
    app.passes_s(1).await;
    assert_eq!(executed(&guests[2], &ids[2..]).await, 1, "another address waits for nobody");
    let together = async || executed(&guests[0], &ids[..1]).await + executed(&guests[1], &ids[1..2]).await;
    assert_eq!(together().await, 1);
    app.passes_s(1).await;
    assert_eq!(together().await, 2);
}

//! Nobody else can tell whether a seat has standing orders: two worlds, in one of which Ben gives orders and in the other plays the same moves by hand at the same
//! moments, give everybody else the same bytes; while the orders wait, when they have been carried out, and when his time runs out.
//!
//! Both worlds run from one seed, and Ben sends as many requests in both: nothing but the orders differs. Not even a commitment does.

use broadside_rules::{Variant, variants};
use serde_json::{Value, json};

use crate::secrecy::{OF_THE_MATCH, feed_of, look_around, readable};
use crate::support::{Answer, Player, Setup, TestApp, seven_people};

/// How Ben plays.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Orders,
    Hand,
    /// By hand, a second later: to see that the comparison would see it.
    HandLater,
}

/// How many of his moves are compared.
const MOVES: usize = 4;
/// How long an order waits.
const WAIT_S: u32 = 60;

/// Ben sends the list if he plays by orders, and an empty one if he doesn't.
async fn says(ben: &Player, id: &str, way: Way, orders: Value) {
    let orders = if way == Way::Orders { orders } else { json!([]) };
    ben.tries_orders(id, orders, (WAIT_S, WAIT_S)).await.expect(200);
}

/// Ben makes one move, and everybody looks around before it and after it.
async fn moves(world: &World<'_>, way: Way, action: Value, all: bool, seen: &mut Vec<(String, Answer)>) {
    let World { app, ben, id, .. } = world;
    // What waits behind it is there, too, in secret: an order that follows, and one that never comes.
    let never = json!({ "when": [{ "type": "told", "report": { "type": "draw-accepted" } }], "then": { "action": action }, "repeat": true });
    says(ben, id, way, json!([never, { "then": { "action": action, "next": [never] } }])).await;
    app.passes_s(i64::from(WAIT_S) / 2).await;
    world.look_around(seen, all).await;
    if way == Way::Orders {
        // As many requests as by hand.
        ben.get("/v1/turns").await.expect(200);
        app.passes_s(i64::from(WAIT_S) / 2).await;
    } else {
        app.passes_s(i64::from(WAIT_S) / 2 + i64::from(way == Way::HandLater)).await;
        ben.acts(id, action).await.expect(200);
    }
    world.look_around(seen, all).await;
}

struct World<'a> {
    app: &'a TestApp,
    ben: &'a Player,
    id: &'a str,
    lookers: Vec<&'a Player>,
    reads: &'a [String],
}

impl World<'_> {
    async fn look_around(&self, seen: &mut Vec<(String, Answer)>, all: bool) {
        let reads = if all { self.reads } else { &self.reads[..OF_THE_MATCH] };
        look_around(seen, seen.len(), self.app, &self.lookers, reads).await;
    }
}

/// All that everybody but Ben gets to read.
async fn transcript(variant: &Variant, way: Way) -> Vec<(String, Answer)> {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let (people, zoe) = (seven_people(&app).await, app.lasting_player("zoe").await);
    let (least, most) = variant.seats();
    let players: Vec<&Player> = people.iter().take(usize::from((least + 1).min(most))).collect();
    let terms = json!({ "variant": variant.id });
    let id = players[0].sits_down_with(&players[1..], terms, &[]).await;
    let mine = players[0].get("/v1/challenges?mine=true").await.expect(200);
    let reads =
        readable(&app, &id, mine["items"][0]["id"].as_str().unwrap(), variant.id, &feed_of(&app, players[0]).await)
            .await;
    let lookers = players.iter().copied().filter(|player| player.name != "ben").chain([&zoe]).collect();
    let world = World { app: &app, ben: players[1], id: &id, lookers, reads: &reads };

    let mut seen = Vec::new();
    let mut moved = 0;
    while moved < MOVES {
        for player in &players {
            let Some(example) = player.example(&id).await else { continue };
            if player.name == "ben" {
                moves(&world, way, example, moved == 1, &mut seen).await;
                moved += 1;
            } else {
                player.acts(&id, example).await.expect(200);
            }
        }
    }
    // His time runs out, with orders on file that nothing asks for.
    while world.ben.example(&id).await.is_none() {
        for player in players.iter().filter(|player| player.name != "ben") {
            if let Some(example) = player.example(&id).await {
                player.acts(&id, example).await.expect(200);
            }
        }
    }
    says(world.ben, &id, way, json!([{ "then": { "action": { "type": "deploy", "auto": true } } }])).await;
    app.passes_s(86_399).await;
    world.look_around(&mut seen, false).await;
    app.passes_s(1).await;
    world.look_around(&mut seen, true).await;
    seen
}

fn difference(one: Vec<(String, Answer)>, two: Vec<(String, Answer)>) -> Option<String> {
    let unlike = (one.len() != two.len()).then(|| format!("{} answers and {}", one.len(), two.len()));
    let found = one.into_iter().zip(two).find(|((_, one), (_, two))| one != two).map(|((what, one), (_, two))| {
        format!(
            "{what}\n{} {:?}\n{}\n{} {:?}\n{}",
            one.status,
            one.headers,
            one.text(),
            two.status,
            two.headers,
            two.text()
        )
    });
    found.or(unlike)
}

#[actix_web::test]
async fn orders_look_like_moves_by_hand() {
    for variant in variants() {
        let (orders, hand) = (transcript(variant, Way::Orders).await, transcript(variant, Way::Hand).await);
        if let Some(difference) = difference(orders, hand) {
            panic!("{}: {difference}", variant.id);
        }
    }
}

#[actix_web::test]
async fn a_move_that_comes_a_second_later_would_be_seen() {
    let variant = &variants()[0];
    let (hand, later) = (transcript(variant, Way::Hand).await, transcript(variant, Way::HandLater).await);
    assert!(difference(hand, later).is_some());
}

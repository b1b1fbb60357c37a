//! Secrecy of standing orders: Ben gives orders in one world and plays the same moves by hand at the same moments in
//! the other. Everybody else gets the same bytes in both, also in answers to their own moves: while the orders wait,
//! after they were executed, used up or dropped, and when the owner's time runs out.
//!
//! Both worlds run from one seed, and Ben sends the same number of requests: only the orders differ, not even a
//! commitment does.

use broadside_rules::{Variant, variants};
use serde_json::{Value, json};

use crate::readable::{OF_THE_MATCH, readable};
use crate::secrecy::{first_unlike, look_around, try_out};
use crate::support::{Answer, Player, Setup, TestApp, feed_of, seven_people};

/// Ben's way to play.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Orders,
    Hand,
    /// By hand, a second later: proves that the comparison detects it.
    HandLater,
}

/// Number of Ben's moves compared.
const MOVES: usize = 4;
/// Delay of an order, in seconds.
const WAIT_S: u32 = 60;

/// Ben sends the list when playing by standing orders, and an empty one otherwise.
async fn says(ben: &Player, id: &str, way: Way, orders: Value) {
    let orders = if way == Way::Orders { orders } else { json!([]) };
    ben.tries_orders(id, orders, (WAIT_S, WAIT_S)).await.expect(200);
}

/// Ben makes one move; everybody reads before and after it.
async fn moves(
    world: &World<'_>,
    way: Way,
    action: Value,
    wrong: Option<Value>,
    all: bool,
    seen: &mut Vec<(String, Answer)>,
) {
    let World { app, ben, id, .. } = world;
    // The list also holds a hidden next order, one that never applies, and one that is used up.
    let when = json!([{ "type": "reported", "report": { "type": "draw-accepted" } }]);
    let never = json!({ "when": when, "then": { "action": action }, "repeat": true });
    let spent = json!({ "when": when, "then": { "action": action } });
    let first = wrong.as_ref().unwrap_or(&action);
    says(ben, id, way, json!([never, spent, { "then": { "action": first, "next": [never] } }])).await;
    app.passes_s(i64::from(WAIT_S) / 2).await;
    world.look_around(seen, all).await;
    if way == Way::Orders && wrong.is_none() {
        // The same number of requests as by hand.
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
        if all {
            try_out(seen, seen.len(), self.lookers[0], self.id).await;
        }
    }
}

impl Player {
    /// The rules refuse an action in the current state. Nothing is played.
    async fn is_refused(&self, id: &str, action: &Value) -> bool {
        let path = format!("/v1/matches/{id}/actions?dry_run=true");
        self.post(&path, json!({ "action": action })).await.status == 422
    }

    /// Makes a move; every byte of its answer is compared.
    async fn acts_in_sight(&self, id: &str, action: Value, seen: &mut Vec<(String, Answer)>) {
        let what = format!("{} plays {action}", self.name);
        let answer = self.acts(id, action).await;
        answer.expect(200);
        seen.push((what, answer));
    }
}

/// Everything that everybody but Ben reads, and Ben as well if Ben `is_spied` upon.
async fn transcript(variant: &Variant, way: Way, is_spied: bool) -> Vec<(String, Answer)> {
    let app = TestApp::with(Setup { seed: Some(5), ..Setup::default() }).await;
    let (people, zoe) = (seven_people(&app).await, app.lasting_player("zoe").await);
    let (least, most) = variant.seats();
    let players: Vec<&Player> = people.iter().take(usize::from((least + 1).min(most))).collect();
    let terms = json!({ "variant": variant.id });
    let id = players[0].sits_down_with(&players[1..], terms, &[]).await;
    let mine = players[0].get("/v1/challenges?mine=true").await.expect(200);
    let reads =
        readable(&app, &id, mine["items"][0]["id"].as_str().unwrap(), variant.id, &feed_of(players[0]).await).await;
    let lookers = players.iter().copied().filter(|player| is_spied || player.name != "ben").chain([&zoe]).collect();
    let world = World { app: &app, ben: players[1], id: &id, lookers, reads: &reads };

    let mut seen = Vec::new();
    let (mut moved, mut last) = (0, json!({}));
    while moved < MOVES {
        for player in &players {
            let Some(example) = player.example(&id).await else { continue };
            if player.name == "ben" {
                // Where Ben can't repeat the action, an order for it is dropped, and Ben plays by hand.
                let can_be_wrong = moved == 3 && last["type"] == example["type"];
                let wrong = (can_be_wrong && player.is_refused(&id, &last).await).then_some(last);
                assert!(moved != 3 || variant.id != "classic" || wrong.is_some());
                last = example.clone();
                moves(&world, way, example, wrong, moved == 1, &mut seen).await;
                moved += 1;
            } else {
                player.acts_in_sight(&id, example, &mut seen).await;
            }
        }
    }
    // Ben's time runs out, with orders that never apply.
    while world.ben.example(&id).await.is_none() {
        for player in players.iter().filter(|player| player.name != "ben") {
            if let Some(example) = player.example(&id).await {
                player.acts_in_sight(&id, example, &mut seen).await;
            }
        }
    }
    says(world.ben, &id, way, json!([{ "then": { "action": { "type": "deploy-auto" } } }])).await;
    app.passes_s(86_399).await;
    world.look_around(&mut seen, false).await;
    app.passes_s(1).await;
    world.look_around(&mut seen, true).await;
    let heard: Vec<String> = world.ben.hears_of_orders().await.into_iter().map(|(what, _)| what).collect();
    let has = |what: &str| heard.iter().any(|heard| heard == what);
    assert!(way != Way::Orders || has("executed") && has("conditions-not-met"), "{}: {heard:?}", variant.id);
    let codes = heard.iter().filter(|what| !["executed", "conditions-not-met"].contains(&what.as_str()));
    assert!(way != Way::Orders || variant.id != "classic" || codes.count() == 1, "one was dropped: {heard:?}");
    seen
}

#[actix_web::test]
async fn orders_look_like_moves_by_hand() {
    for variant in variants() {
        let (orders, hand) =
            (transcript(variant, Way::Orders, false).await, transcript(variant, Way::Hand, false).await);
        if let Some(difference) = first_unlike(orders, hand) {
            panic!("{}: {difference}", variant.id);
        }
    }
}

#[actix_web::test]
async fn a_move_that_comes_a_second_later_would_be_seen() {
    let variant = &variants()[0];
    let (hand, later) = (transcript(variant, Way::Hand, false).await, transcript(variant, Way::HandLater, false).await);
    assert!(first_unlike(hand, later).is_some());
}

#[actix_web::test]
async fn what_ben_alone_may_read_would_be_seen() {
    let variant = &variants()[0];
    let (orders, hand) = (transcript(variant, Way::Orders, true).await, transcript(variant, Way::Hand, true).await);
    let found = first_unlike(orders, hand).expect("Ben's own list differs");
    assert!(found.contains("ben reads") && found.contains("standing"), "{found}");
}

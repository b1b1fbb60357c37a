//! The game of several navies on one sea: the worked cases, the laws over random matches (a second umpire, written from the sheet,
//! says what every viewer must be told), every refusal, and who is out when.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

#[path = "salvos/judge.rs"]
mod judge;

use broadside_rules::{Clock, Report, RuleSet, Seat, SeatSet, Setup, Status, Variant};
use judge::{Umpire, label, place, text, towards};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice, shown};

fn variant() -> &'static Variant {
    Variant::find("salvos").expect("the variant")
}

fn rules(changes: &Value) -> RuleSet {
    RuleSet::customised(variant(), changes).expect("a rule set")
}

/// A match of these nations, under these rules and this clock.
fn open_with(nations: &[&str], changes: &Value, clock: Clock, seed: u64) -> Game {
    let mut setup = Setup::new(rules(changes), clock);
    setup.seats = nations.len() as u8;
    for (wish, nation) in setup.wishes.iter_mut().zip(nations) {
        *wish = setup.rules.wishes().iter().position(|name| name == nation).map(|number| number as u8);
    }
    Game::open(setup, dice(seed))
}

fn open(nations: &[&str]) -> Game {
    open_with(nations, &json!({}), Clock::none(), 1)
}

/// Places ships where they are named, and the other ships of the fleet on the last cells of its own, out of the way.
fn deploy(game: &mut Game, seat: u8, named: &[(&str, &str)]) {
    let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
    let cells: Vec<String> = told[0]["cells"].as_array().expect("cells").iter().map(text).collect();
    let mut rest = cells.iter().rev().filter(|cell| named.iter().all(|(_, at)| at != cell));
    let ships = told[0]["ships"].as_array().expect("ships").iter().map(|ship| text(&ship["ship"]));
    let at = |ship: String| {
        let cell = named.iter().find(|(id, _)| *id == ship).map(|(_, cell)| (*cell).to_owned());
        json!({"ship": ship, "cell": cell.unwrap_or_else(|| rest.next().expect("a cell").clone())})
    };
    let ships: Vec<Value> = ships.map(at).collect();
    game.play(Seat(seat), &json!({"type": "deploy", "ships": ships})).expect("a legal deployment");
}

fn aim(game: &mut Game, seat: u8, ship: &str, cell: &str) {
    game.play(Seat(seat), &json!({"type": "opening-shot", "ship": ship, "cell": cell})).expect("a legal shot");
}

fn fire(ship: &str, cells: &[&str]) -> Value {
    json!({"order": "fire", "ship": ship, "cells": cells})
}

fn go(ship: &str, steps: &[&str]) -> Value {
    json!({"order": "move", "ship": ship, "steps": steps})
}

fn order(game: &mut Game, seat: u8, orders: &[Value]) {
    game.play(Seat(seat), &json!({"type": "orders", "orders": orders})).expect("legal orders");
}

/// Why this is refused: every fault, with its place. Nothing has changed.
fn refused(game: &mut Game, seat: u8, action: &Value) -> Vec<(String, &'static str)> {
    let seen = |game: &Game| game.views.iter().map(shown).collect::<Vec<_>>();
    let before = seen(game);
    let illegal = game.play(Seat(seat), action).expect_err("refused");
    assert_eq!(seen(game), before, "a refusal changes nothing");
    assert!(broadside_rules::illegal::find(illegal.code).is_some(), "{} is not explained", illegal.code);
    if illegal.faults.is_empty() {
        return vec![(String::new(), illegal.code)];
    }
    illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

fn orders(orders: &[Value]) -> Value {
    json!({"type": "orders", "orders": orders})
}

fn at(pointer: &str, code: &'static str) -> (String, &'static str) {
    (pointer.into(), code)
}

/// The last report of this type to a viewer.
fn last(game: &Game, viewer: usize, kind: &str) -> Value {
    let told = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    told.into_iter().find(|report| report["type"] == kind).expect("a report")
}

/// The ships that the last orders were posted to have hit, and those sunk.
fn posted(game: &Game) -> (Vec<String>, Vec<String>) {
    let told = last(game, game.views.len() - 1, "ordered");
    let of = |list: &str| {
        let orders = told["orders"].as_array().expect("orders").iter();
        orders
            .flat_map(|order| order[list].as_array().cloned().unwrap_or_default())
            .map(|ship| text(&ship["ship"]))
            .collect()
    };
    (of("hit"), of("sunk"))
}

/// A ship as a viewer sees it.
fn ship(game: &Game, viewer: usize, id: &str) -> Value {
    let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    seas[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["id"] == id).expect("a ship").clone()
}

fn armour(game: &Game, viewer: usize, id: &str) -> Value {
    let ship = ship(game, viewer, id);
    ship["stats"].as_array().expect("stats").iter().find(|stat| stat["name"] == "armour").expect("armour")["value"]
        .clone()
}

/// American against German, with the ships named where they are named; Iowa and Bismarck have fired at open water.
fn battle(american: &[(&str, &str)], german: &[(&str, &str)]) -> Game {
    let mut game = open(&["american", "german"]);
    deploy(&mut game, 0, american);
    deploy(&mut game, 1, german);
    for (seat, id) in [(0, "iowa"), (1, "bismarck")] {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        let choice =
            told[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["ship"] == id).expect("a ship");
        let free = |cell: &&Value| !american.iter().chain(german).any(|(_, at)| **cell == *at);
        let target = choice["targets"].as_array().expect("targets").iter().find(free).expect("water").clone();
        aim(&mut game, seat, id, &text(&target));
    }
    game
}

#[test]
fn a_carrier_fires_at_exactly_three_all_round() {
    let mut game = battle(&[("enterprise", "E5"), ("iowa", "A1")], &[("bismarck", "J9")]);
    for cell in ["B5", "H8", "E2", "B2", "H2", "B8"] {
        let told = serde_json::to_value(game.view(Seat(0)).decisions(EXAMPLE_SEED)).expect("JSON");
        let choice = told[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["ship"] == "enterprise");
        assert!(choice.expect("a ship")["targets"].as_array().expect("targets").contains(&json!(cell)), "{cell}");
    }
    for cell in ["E4", "D5", "C5", "E5", "A5", "E9"] {
        let told = refused(&mut game, 0, &orders(&[fire("enterprise", &[cell])]));
        assert_eq!(told, [at("/orders/0/cells/0", "out-of-range")], "{cell}");
    }
    order(&mut game, 0, &[fire("enterprise", &["B5", "H8"])]);
}

#[test]
fn a_spread_salvo_touches_a_submarine_only_when_a_destroyer_fires_it() {
    // Both fire at D4 and D5; the submarine is on D5.
    let fleet = [("iowa", "C5"), ("fletcher", "D4")];
    let mut game = battle(&fleet, &[("u-47", "D5"), ("bismarck", "J9")]);
    order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
    assert_eq!(posted(&game), (vec![], vec![]));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["C4", "D5"])]);
    assert_eq!(posted(&game), (vec!["u-47".into()], vec!["u-47".into()]));

    // The same spread salvo hits a destroyer twice, and three shots on the one cell sink the submarine.
    let mut game = battle(&fleet, &[("z23", "D5"), ("bismarck", "J9")]);
    order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
    assert_eq!(posted(&game), (vec!["z23".into()], vec!["z23".into()]));
    for cells in [&["D5", "D5", "D5"][..], &["D5"]] {
        let mut game = battle(&fleet, &[("u-47", "D5"), ("bismarck", "J9")]);
        order(&mut game, 0, &[fire("iowa", cells)]);
        assert_eq!(posted(&game).1, ["u-47"], "{cells:?}");
    }
}

#[test]
fn steps_cost_one_straight_and_two_diagonal() {
    let mut game = battle(&[("fletcher", "E5"), ("iowa", "A1"), ("gato", "A3")], &[("bismarck", "J9")]);
    let costly = at("/orders/0/steps", "path-costs-too-much");
    assert_eq!(refused(&mut game, 0, &orders(&[go("fletcher", &["NE", "NE"])])), [costly.clone()]);
    assert_eq!(refused(&mut game, 0, &orders(&[go("iowa", &["S", "S"])])), [costly.clone()]);
    assert_eq!(refused(&mut game, 0, &orders(&[go("gato", &["S", "SE"])])), [costly]);
    order(&mut game, 0, &[go("fletcher", &["N", "NE"]), go("iowa", &["SE"])]);
    assert_eq!(ship(&game, 0, "fletcher")["cells"], json!(["C6"]));
    assert_eq!(ship(&game, 0, "iowa")["cells"], json!(["B2"]));
    // The others are told the steps and no more.
    let told = last(&game, 1, "ordered");
    assert_eq!(
        told["orders"][0],
        json!({"order": "move", "ship": "fletcher", "steps": ["N", "NE"], "to": null, "blocked_at": null})
    );
    assert_eq!(ship(&game, 1, "fletcher")["cells"], Value::Null);
}

#[test]
fn a_fleet_whose_only_detected_ship_is_sunk_has_one_order_to_fire() {
    let mut game = open(&["american", "german"]);
    deploy(&mut game, 0, &[("gato", "D4"), ("iowa", "A1")]);
    deploy(&mut game, 1, &[("bismarck", "D5")]);
    // Gato opens fire and is sunk in the same turn; it has still fired.
    aim(&mut game, 0, "gato", "D5");
    aim(&mut game, 1, "bismarck", "D4");
    let told = last(&game, 2, "opened");
    assert_eq!(told["salvos"][0]["hit"], json!([{"ship": "bismarck", "seat": 1}]));
    assert_eq!(told["salvos"][1]["sunk"], json!([{"ship": "gato", "seat": 0}]));
    assert_eq!(armour(&game, 1, "bismarck"), json!(3));
    assert_eq!(armour(&game, 0, "bismarck"), Value::Null);
    assert_eq!(refused(&mut game, 0, &orders(&[go("iowa", &["S"])])), [at("/orders/0/order", "not-detected")]);
    assert_eq!(
        refused(&mut game, 0, &orders(&[fire("iowa", &["A2"]), fire("fletcher", &["A2"])]))[0],
        at("/orders", "not-detected")
    );
    let decision = serde_json::to_value(game.view(Seat(0)).decisions(EXAMPLE_SEED)).expect("JSON");
    assert_eq!(decision[0]["most_orders"], 1);
    assert!(decision[0]["ships"].as_array().expect("ships").iter().all(|ship| ship["moves"] == json!([])));
    order(&mut game, 0, &[fire("iowa", &["A2"])]);
    order(&mut game, 1, &[]);
    // Iowa has fired and is afloat: all may be ordered again.
    order(&mut game, 0, &[go("iowa", &["S"])]);
}

#[test]
fn what_stops_a_ship_is_known_to_its_owner_alone() {
    let mut game = battle(&[("fletcher", "D4"), ("gato", "D2"), ("iowa", "A1")], &[("z23", "B5"), ("bismarck", "J9")]);
    // One step north-east, then Z23. Gato comes to where Fletcher was.
    order(&mut game, 0, &[go("fletcher", &["NE", "N"]), go("gato", &["E", "E"])]);
    let own = last(&game, 0, "ordered");
    assert_eq!(
        own["orders"][0],
        json!({"order": "move", "ship": "fletcher", "steps": ["NE"], "to": "C5", "blocked_at": "B5"})
    );
    assert_eq!(own["orders"][1]["to"], "D4", "Fletcher had left D4");
    for viewer in [1, 2] {
        let told = last(&game, viewer, "ordered");
        assert_eq!(told["orders"][0]["steps"], json!(["NE"]));
        assert_eq!(told["orders"][0]["blocked_at"], Value::Null);
    }
    let marks = serde_json::to_value(game.views[0].seas()).expect("JSON")[0]["marks"].clone();
    assert!(marks.as_array().expect("marks").contains(&json!({"cell": "B5", "kind": "sighted"})), "{marks}");
    order(&mut game, 1, &[]);
    // No step at all: nothing is posted, or everybody would know that a cell beside it is taken.
    order(&mut game, 0, &[go("fletcher", &["N"])]);
    assert_eq!(last(&game, 0, "ordered")["orders"][0]["steps"], json!([]));
    assert_eq!(last(&game, 1, "ordered")["orders"], json!([]));
    assert_eq!(last(&game, 2, "ordered")["orders"], json!([]));
}

#[test]
fn an_own_ship_that_was_stopped_stops_the_next_and_takes_no_harm() {
    let mut game =
        battle(&[("fletcher", "C3"), ("laffey", "C1"), ("iowa", "D4")], &[("z23", "B3"), ("bismarck", "J9")]);
    // Judged as if Fletcher made room, the orders are legal; it is stopped at once, and all that relied on it is a result.
    order(&mut game, 0, &[go("fletcher", &["N"]), fire("iowa", &["C3", "C3", "C3"]), go("laffey", &["E", "E"])]);
    let told = last(&game, 0, "ordered");
    assert_eq!(told["orders"][0]["blocked_at"], "B3");
    assert_eq!(
        (told["orders"][2]["steps"].clone(), told["orders"][2]["blocked_at"].clone()),
        (json!(["E"]), json!("C3"))
    );
    assert_eq!(told["orders"][1]["hit"], json!([]));
    assert_eq!(armour(&game, 0, "fletcher"), json!(3));
    // Its own ship is no enemy that was found.
    let marks = serde_json::to_value(game.views[0].seas()).expect("JSON")[0]["marks"].clone();
    assert!(!marks.as_array().expect("marks").iter().any(|mark| mark["cell"] == "C3" && mark["kind"] == "sighted"));
}

#[test]
fn the_cells_and_the_number_of_hits_stay_secret() {
    // In one world Bismarck is hit once, on C4, in the other twice, on D5: nobody but its owner can tell.
    let worlds = ["C4", "D5"].map(|cell| {
        let mut game = open(&["american", "german"]);
        deploy(&mut game, 0, &[("iowa", "C5")]);
        deploy(&mut game, 1, &[("bismarck", cell), ("z23", "A2")]);
        aim(&mut game, 0, "iowa", "B4");
        aim(&mut game, 1, "z23", "A3");
        order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
        assert_eq!(posted(&game), (vec!["bismarck".into()], vec![]));
        game
    });
    let [once, twice] = &worlds;
    assert_eq!((armour(once, 1, "bismarck"), armour(twice, 1, "bismarck")), (json!(4), json!(3)));
    assert_eq!(
        last(once, 1, "ordered")["orders"][0]["own_hits"],
        json!([{"ship": "bismarck", "cell": "C4", "points": 1}])
    );
    for viewer in [0, 2] {
        assert_eq!(shown(&once.views[viewer]), shown(&twice.views[viewer]));
        let told = |game: &Game| {
            let all = serde_json::to_value(&game.reports[viewer]).expect("JSON");
            let open = all.as_array().expect("reports").iter().filter(|report| report["type"] != "sealed");
            open.cloned().collect::<Vec<_>>()
        };
        assert_eq!(told(once), told(twice));
    }
}

#[test]
fn ships_hit_are_named_in_the_order_of_the_roster() {
    // Z23 comes after Bismarck in the roster, whichever is hit first.
    for cells in [["C4", "D5"], ["D5", "C4"]] {
        let mut game = battle(&[("fletcher", "D4"), ("iowa", "A1")], &[("z23", "C4"), ("bismarck", "D5")]);
        order(&mut game, 0, &[fire("fletcher", &cells)]);
        assert_eq!(posted(&game).0, ["bismarck", "z23"]);
    }
}

#[test]
fn marks_tell_what_the_newest_salvo_told() {
    let mut game = battle(&[("iowa", "C5"), ("fletcher", "D4")], &[("z23", "D5"), ("bismarck", "J9")]);
    let mark = |game: &Game, cell: &str| {
        let seas = serde_json::to_value(game.views[2].seas()).expect("JSON");
        seas[0]["marks"].as_array().expect("marks").iter().find(|mark| mark["cell"] == cell).cloned()
    };
    let of = |kind: &str| Some(json!(kind));
    let kind = |game: &Game, cell: &str| mark(game, cell).map(|mark| mark["kind"].clone());
    order(&mut game, 0, &[fire("iowa", &["D5", "C4"])]);
    assert_eq!((kind(&game, "D5"), kind(&game, "C4")), (of("tried"), of("tried")));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["D5"])]);
    assert_eq!(mark(&game, "D5"), Some(json!({"cell": "D5", "kind": "sunk", "class": "destroyer"})));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["D5"])]);
    assert_eq!(kind(&game, "D5"), of("miss"));
}

#[test]
fn every_wrong_deployment_is_refused_with_all_its_faults() {
    let mut game = open(&["american", "german"]);
    let ships = |changes: &[(usize, Value)]| {
        let cells = ["A1", "A3", "A5", "A7", "A9", "B2", "B4"];
        let ids = ["enterprise", "saratoga", "yorktown", "iowa", "fletcher", "laffey", "gato"];
        let mut ships: Vec<Value> =
            ids.iter().zip(cells).map(|(ship, cell)| json!({"ship": ship, "cell": cell})).collect();
        for (at, ship) in changes {
            ships[*at] = ship.clone();
        }
        json!({"type": "deploy", "ships": ships})
    };
    let wrong = ships(&[
        (0, json!({"ship": "enterprise", "cell": "A2"})),
        (1, json!({"ship": "iowa", "cell": "A5"})),
        (3, json!({"ship": "bismarck", "cell": "C1"})),
        (4, json!({"ship": "iowa", "cell": "C3"})),
    ]);
    assert_eq!(
        refused(&mut game, 0, &wrong),
        [
            at("/ships/0/cell", "not-your-cell"),
            at("/ships/2/cell", "cell-taken"),
            at("/ships/3/ship", "ship-not-yours"),
            at("/ships/4/ship", "ship-repeated"),
            at("/ships", "ship-missing"),
        ]
    );
    for (changed, place, code) in [
        (json!({"ship": "hood", "cell": "A1"}), "/ships/0/ship", "ship-unknown"),
        (json!({"ship": "enterprise", "cell": "K1"}), "/ships/0/cell", "unknown-cell"),
        (json!({"ship": "enterprise", "cell": "A01"}), "/ships/0/cell", "unknown-cell"),
        (json!({"ship": "enterprise"}), "/ships/0/cell", "missing-field"),
        (json!({"ship": "enterprise", "cell": 3}), "/ships/0/cell", "unknown-cell"),
        (json!({"ship": 3, "cell": "A1"}), "/ships/0/ship", "wrong-type"),
        (json!({"ship": "enterprise", "cell": "A1", "x": 1}), "/ships/0/x", "unknown-field"),
        (json!(7), "/ships/0", "wrong-type"),
    ] {
        assert_eq!(refused(&mut game, 0, &ships(&[(0, changed.clone())])), [at(place, code)], "{changed}");
    }
    let many = json!({"type": "deploy", "ships": vec![json!({}); 65]});
    assert_eq!(refused(&mut game, 0, &many), [at("/ships", "out-of-bounds")]);
    game.play(Seat(0), &ships(&[])).expect("legal");
    assert_eq!(refused(&mut game, 0, &ships(&[])), [at("", "already-deployed")]);
    assert_eq!(refused(&mut game, 0, &orders(&[])), [at("", "wrong-phase")]);
    let shot = json!({"type": "opening-shot", "ship": "iowa", "cell": "A8"});
    assert_eq!(refused(&mut game, 0, &shot), [at("", "wrong-phase")]);
}

#[test]
fn every_wrong_opening_is_refused() {
    let mut game = open(&["american", "german"]);
    deploy(&mut game, 0, &[("iowa", "D4"), ("gato", "D6"), ("enterprise", "G5")]);
    deploy(&mut game, 1, &[("bismarck", "D5")]);
    let shot = |ship: &str, cell: &str| json!({"type": "opening-shot", "ship": ship, "cell": cell});
    for (ship, cell, place, code) in [
        ("iowa", "D6", "/cell", "out-of-range"),
        ("gato", "D6", "/cell", "own-ship-there"),
        ("enterprise", "D4", "/cell", "own-ship-there"),
        ("enterprise", "F4", "/cell", "out-of-range"),
        ("bismarck", "D4", "/ship", "ship-not-yours"),
        ("hood", "D4", "/ship", "ship-unknown"),
        ("iowa", "Z9", "/cell", "unknown-cell"),
    ] {
        assert_eq!(refused(&mut game, 0, &shot(ship, cell)), [at(place, code)], "{ship} {cell}");
    }
    assert_eq!(refused(&mut game, 0, &orders(&[])), [at("", "wrong-phase")]);
    aim(&mut game, 0, "iowa", "D5");
    assert_eq!(refused(&mut game, 0, &shot("iowa", "D5")), [at("", "not-your-turn")]);
    assert_eq!(last(&game, 1, "aimed")["ship"], Value::Null, "it is secret until all have aimed");
    assert_eq!(last(&game, 0, "aimed")["cell"], "D5");
    aim(&mut game, 1, "bismarck", "D4");
    assert_eq!(refused(&mut game, 0, &shot("iowa", "D5")), [at("", "wrong-phase")]);
}

#[test]
fn every_wrong_order_is_refused_with_all_its_faults() {
    let mut game = battle(
        &[("iowa", "A1"), ("fletcher", "D4"), ("laffey", "D6"), ("gato", "E5"), ("enterprise", "A3")],
        &[("z23", "D5"), ("bismarck", "J9")],
    );
    assert_eq!(refused(&mut game, 1, &orders(&[])), [at("", "not-your-turn")]);
    order(&mut game, 0, &[]);
    order(&mut game, 1, &[fire("z23", &["E5", "E5"])]);
    assert_eq!(posted(&game).1, ["gato"]);
    for (wrong, expected) in [
        (vec![fire("gato", &["D5"])], vec![at("/orders/0/ship", "ship-sunk")]),
        (vec![go("z23", &["N"])], vec![at("/orders/0/ship", "ship-not-yours")]),
        (vec![go("yamato", &["N"])], vec![at("/orders/0/ship", "ship-not-yours")]),
        (vec![go("hood", &["N"])], vec![at("/orders/0/ship", "ship-unknown")]),
        (vec![go("fletcher", &["N"]), fire("fletcher", &["D5"])], vec![at("/orders/1/ship", "ship-ordered-twice")]),
        (vec![fire("fletcher", &["D5", "D5", "D5"])], vec![at("/orders/0/cells", "too-many-shots")]),
        (vec![fire("fletcher", &[])], vec![at("/orders/0/cells", "wrong-salvo-size")]),
        (vec![fire("fletcher", &["D4"])], vec![at("/orders/0/cells/0", "own-ship-there")]),
        (vec![fire("fletcher", &["D5", "D6"])], vec![at("/orders/0/cells/1", "out-of-range")]),
        (vec![go("laffey", &["W", "W"]), fire("fletcher", &["D5"])], vec![at("/orders/0/steps/1", "path-blocked")]),
        (vec![go("laffey", &["W"]), fire("fletcher", &["D5"])], vec![at("/orders/1/cells/0", "own-ship-there")]),
        (vec![go("iowa", &["N"])], vec![at("/orders/0/steps/0", "path-leaves-sea")]),
        (vec![go("enterprise", &["N", "N"])], vec![at("/orders/0/steps/0", "path-leaves-sea")]),
        (vec![go("fletcher", &[])], vec![at("/orders/0/steps", "path-broken")]),
        (vec![go("fletcher", &["UP"])], vec![at("/orders/0/steps/0", "unknown-value")]),
        (vec![json!({"order": "dive", "ship": "gato"})], vec![at("/orders/0/order", "unknown-value")]),
        (
            vec![json!({"order": "move", "ship": "gato", "cells": []})],
            vec![at("/orders/0/cells", "unknown-field"), at("/orders/0/steps", "missing-field")],
        ),
        (
            vec![fire("gato", &["D5"]), go("iowa", &["W"]), fire("laffey", &["A9"])],
            vec![
                at("/orders/0/ship", "ship-sunk"),
                at("/orders/1/steps/0", "path-leaves-sea"),
                at("/orders/2/cells/0", "out-of-range"),
            ],
        ),
    ] {
        assert_eq!(refused(&mut game, 0, &orders(&wrong)), expected, "{wrong:?}");
    }
    let many = orders(&vec![fire("fletcher", &["D5"]); 8]);
    assert_eq!(refused(&mut game, 0, &many)[0], at("/orders", "too-many-orders"));
    // In the order in which they make room, the same moves are legal.
    order(&mut game, 0, &[go("fletcher", &["N", "N", "N"]), go("laffey", &["N", "W", "W"])]);
}

#[test]
fn every_seat_has_an_equal_share_of_every_part_of_the_sea() {
    for seats in 2..=7u8 {
        let board = rules(&json!({})).board(seats);
        let cells = &board.seas[0].cells;
        assert_eq!(cells.len(), 50 * usize::from(seats));
        let share = |part: &dyn Fn(i32, i32) -> bool| -> Vec<usize> {
            let of = |seat: u8| {
                let own = cells.iter().filter(|cell| cell.seat == Some(Seat(seat)));
                own.filter(|cell| part(i32::from(cell.row), i32::from(cell.column))).count()
            };
            (0..seats).map(of).collect()
        };
        let spread = |counts: &[usize]| counts.iter().max().expect("seats") - counts.iter().min().expect("seats");
        assert_eq!(share(&|_, _| true), vec![50; usize::from(seats)]);
        for row in 0..i32::from(seats) * 5 {
            assert!(spread(&share(&|r, _| r == row)) <= 1, "{seats} seats, row {row}");
        }
        for column in 0..10 {
            assert_eq!(spread(&share(&|_, c| c == column)), 0, "{seats} seats, column {column}");
        }
        let (middle, far) = (i32::from(seats) * 5 / 2, i32::from(seats) * 5 - i32::from(seats) * 5 / 2);
        for (down, right) in [(0, 0), (0, 5), (far, 0), (far, 5)] {
            let counts = share(&|r, c| (down..down + middle).contains(&r) && (right..right + 5).contains(&c));
            assert!(spread(&counts) <= 2, "{seats} seats, the quarter at {down}, {right}: {counts:?}");
        }
        let edge = share(&|r, c| r == 0 || c == 0 || c == 9 || r + 1 == i32::from(seats) * 5);
        assert!(spread(&edge) <= 2, "{seats} seats: {edge:?}");
        // Two cells of one seat side by side would make a strip of its own.
        for cell in cells {
            let beside = |other: &&broadside_rules::card::CellCard| {
                cell.row.abs_diff(other.row) + cell.column.abs_diff(other.column) == 1 && cell.seat == other.seat
            };
            assert_eq!(cells.iter().filter(beside).count(), 0, "{seats} seats, {}", cell.label);
        }
    }
}

#[test]
fn bands_are_drawn_and_public() {
    let changes = json!({"deployment": "bands"});
    assert!(rules(&changes).board(3).seas[0].cells.iter().all(|cell| cell.seat.is_none()), "not before they are drawn");
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let mut game = open_with(&["american", "german", "french"], &changes, Clock::none(), seed);
        let told = last(&game, 3, "bands-drawn")["bands"].clone();
        orders.insert(told.to_string());
        for view in &game.views {
            for cell in &view.board().seas[0].cells {
                assert_eq!(json!(cell.seat), told[usize::from(cell.row / 5)]);
            }
        }
        for seat in 0..3 {
            let decision = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
            assert_eq!(decision[0]["cells"].as_array().expect("cells").len(), 50);
            game.play(Seat(seat), &json!({"type": "deploy", "auto": true})).expect("legal");
        }
    }
    assert_eq!(orders.len(), 6, "every order of the bands comes up");
}

#[test]
fn nations_are_wished_for_or_drawn_and_play_in_order() {
    let game = open(&["soviet", "american", "french"]);
    let names: Vec<&str> = game.spectator().seats().iter().map(|seat| seat.name).collect();
    assert_eq!(names, ["soviet", "american", "french"]);
    assert_eq!(last(&game, 3, "started")["first"], 1);
    // One wish among five: the others get the rest, no two the same.
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..30 {
        let mut setup = Setup::new(rules(&json!({})), Clock::none());
        setup.seats = 5;
        setup.wishes[3] = Some(2);
        let game = Game::open(setup, dice(seed));
        let mut names: Vec<&str> = game.spectator().seats().iter().map(|seat| seat.name).collect();
        assert_eq!(names[3], "german");
        seen.extend(names.clone());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 5);
    }
    assert_eq!(seen.len(), 7, "every nation is drawn at times");
}

#[test]
fn rule_sets_are_bounded() {
    let refused = |changes: Value| -> Vec<(String, &'static str)> {
        let faults = RuleSet::customised(variant(), &changes).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    };
    for rounds in [10, 200] {
        rules(&json!({"rounds": rounds}));
    }
    for rounds in [json!(9), json!(201), json!(-1), json!(10.5)] {
        assert_eq!(refused(json!({"rounds": rounds})), [at("/rounds", "out-of-bounds")]);
    }
    assert_eq!(
        refused(json!({"fleets": {}, "deployment": "anywhere", "moves_posted": 1, "rounds": "x", "family": "depths"})),
        [
            at("/fleets", "unknown-field"),
            at("/family", "unknown-value"),
            at("/deployment", "unknown-value"),
            at("/moves_posted", "wrong-type"),
            at("/rounds", "wrong-type"),
        ]
    );
    assert_eq!(refused(json!(3)), [at("", "wrong-type")]);
}

fn seat_set(seats: &[u8]) -> SeatSet {
    seats.iter().map(|seat| Seat(*seat)).collect()
}

fn all_deploy(game: &mut Game) {
    for seat in 0..game.setup.seats {
        deploy(game, seat, &[]);
    }
}

fn places(game: &Game) -> Vec<(u8, u8)> {
    game.battle.outcome().expect("over").places.iter().map(|place| (place.seat.0, place.place)).collect()
}

#[test]
fn who_leaves_is_out_and_the_others_play_on() {
    let resign = json!({"type": "resign"});
    // In the deployment: the last missing fleet is his.
    let mut game = open(&["american", "german", "french"]);
    deploy(&mut game, 0, &[]);
    deploy(&mut game, 2, &[]);
    game.play(Seat(1), &resign).expect("legal");
    assert_eq!((game.battle.status(), game.battle.to_act()), (Status::Playing, seat_set(&[0, 2])));
    assert_eq!(last(&game, 3, "left")["seats"], json!([1]));
    // In the opening: his was the last missing shot, and the opening is carried out.
    let target = |game: &Game, seat: u8| {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        told[0]["example"].clone()
    };
    let shot = target(&game, 0);
    game.play(Seat(0), &shot).expect("legal");
    game.play(Seat(2), &resign).expect("legal");
    assert_eq!(places(&game), [(0, 1), (2, 2), (1, 3)], "one is left, and wins");
    assert_eq!(game.battle.outcome().map(|outcome| outcome.winner), Some(Some(Seat(0))));

    let mut game = open(&["american", "german", "french"]);
    all_deploy(&mut game);
    for seat in [0, 2] {
        let shot = target(&game, seat);
        game.play(Seat(seat), &shot).expect("legal");
    }
    game.play(Seat(1), &resign).expect("legal");
    let salvos = last(&game, 3, "opened")["salvos"].clone();
    assert_eq!(salvos.as_array().expect("salvos").iter().map(|salvo| &salvo["seat"]).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(game.battle.to_act(), seat_set(&[0]));
    let told = refused(&mut game, 1, &resign);
    assert_eq!(told, [at("", "seat-out")]);
    // In a turn of his own, and out of turn.
    order(&mut game, 0, &[]);
    assert_eq!(game.battle.to_act(), seat_set(&[2]));
    game.play(Seat(2), &resign).expect("legal");
    assert_eq!(places(&game), [(0, 1), (2, 2), (1, 3)]);
    assert!(game.replayed().views == game.views);
}

#[test]
fn his_own_aimed_shot_leaves_with_him() {
    let mut game = open(&["american", "german", "french"]);
    all_deploy(&mut game);
    let shot = |game: &Game, seat: u8| {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        told[0]["example"].clone()
    };
    let first = shot(&game, 0);
    game.play(Seat(0), &first).expect("legal");
    game.play(Seat(0), &json!({"type": "resign"})).expect("legal");
    assert_eq!(game.battle.to_act(), seat_set(&[1, 2]), "the others aim on");
    for seat in [2, 1] {
        let aimed = shot(&game, seat);
        game.play(Seat(seat), &aimed).expect("legal");
    }
    let salvos = last(&game, 3, "opened")["salvos"].clone();
    assert_eq!(salvos.as_array().expect("salvos").iter().map(|salvo| &salvo["seat"]).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(game.battle.to_act(), seat_set(&[1]), "the first nation that still plays");
}

#[test]
fn who_runs_out_of_time_together_shares_a_place() {
    let clock = Clock::parse(&json!({"kind": "per-move", "move_s": 60, "deploy_s": 600})).expect("a clock");
    let late = |game: &mut Game| {
        game.now = game.battle.deadline().expect("a deadline");
        game.expire()
    };
    let mut game = open_with(&["american", "british", "german", "japanese", "french"], &json!({}), clock, 3);
    for seat in [1, 3, 4] {
        deploy(&mut game, seat, &[]);
    }
    assert!(!late(&mut game).is_empty());
    assert_eq!(last(&game, 5, "left")["seats"], json!([0, 2]));
    assert_eq!(game.battle.to_act(), seat_set(&[1, 3, 4]));
    // Two give up one after the other, in one pause: they share nothing.
    game.play(Seat(3), &json!({"type": "resign"})).expect("legal");
    game.play(Seat(4), &json!({"type": "resign"})).expect("legal");
    assert_eq!(places(&game), [(1, 1), (4, 2), (3, 3), (0, 4), (2, 4)]);
    assert!(game.replayed().views == game.views);

    // Nobody aims: called off. One does: the others are out, and it wins.
    let mut game = open_with(&["american", "british", "german"], &json!({}), clock, 3);
    all_deploy(&mut game);
    late(&mut game);
    assert_eq!(game.battle.status(), Status::Aborted);
    let mut game = open_with(&["american", "british", "german"], &json!({}), clock, 3);
    all_deploy(&mut game);
    let told = serde_json::to_value(game.view(Seat(2)).decisions(EXAMPLE_SEED)).expect("JSON");
    game.play(Seat(2), &told[0]["example"]).expect("legal");
    late(&mut game);
    assert_eq!(places(&game), [(2, 1), (0, 2), (1, 2)]);
    assert_eq!(json!(game.battle.outcome().expect("over").reason), json!("time"));
}

#[test]
fn whoever_leaves_in_the_last_turn_of_the_last_round_ends_the_match() {
    let mut game = open_with(&["american", "british", "german"], &json!({"rounds": 10}), Clock::none(), 1);
    for (seat, ship, cell) in [(0, "iowa", "A4"), (1, "warspite", "A5"), (2, "bismarck", "A9")] {
        deploy(&mut game, seat, &[(ship, cell)]);
    }
    // The two fleets are worth the same armour, so Warspite takes three points off Iowa; the others fire at open water.
    for (seat, ship, cell) in [(2, "bismarck", "A10"), (0, "iowa", "A3"), (1, "warspite", "A4")] {
        aim(&mut game, seat, ship, cell);
    }
    assert_eq!(armour(&game, 0, "iowa"), json!(3));
    // The opening was the first round.
    for turn in 0..26 {
        assert_eq!(game.battle.to_act(), seat_set(&[turn % 3]));
        order(&mut game, turn % 3, &[]);
    }
    game.play(Seat(2), &json!({"type": "resign"})).expect("legal");
    let outcome = game.battle.outcome().expect("the rounds are over");
    assert_eq!(json!(outcome.reason), json!("limit"));
    assert_eq!(outcome.place_of(Seat(2)), Some(3));
    assert_eq!(outcome.winner, Some(Seat(1)), "the British have more armour than the Americans, as many ships");
}

/// The reports of the family, without their numbers and times; what the table adds is left out.
fn told(reports: &[Report]) -> Vec<Value> {
    let all = serde_json::to_value(reports).expect("JSON");
    let mut told: Vec<Value> = all.as_array().expect("reports").clone();
    let table = ["sealed", "resigned", "finished", "revealed"];
    told.retain(|report| !table.iter().any(|kind| report["type"] == *kind));
    for report in &mut told {
        let fields = report.as_object_mut().expect("an object");
        fields.remove("number");
        fields.remove("at");
    }
    told
}

/// A match by examples, watched by the second umpire for every viewer.
struct Watched {
    game: Game,
    umpires: Vec<Umpire>,
    /// The seat whose turn it must be, once the opening is over.
    turn: Option<usize>,
}

impl Watched {
    fn open(seats: u8, changes: &Value, seed: u64) -> Self {
        let mut setup = Setup::new(rules(changes), Clock::none());
        setup.seats = seats;
        let game = Game::open(setup, dice(seed));
        let umpires = vec![Umpire::new(game.spectator()); game.views.len()];
        Self { game, umpires, turn: None }
    }

    fn umpire(&self) -> &Umpire {
        self.umpires.last().expect("an umpire")
    }

    fn after(&self, seat: usize) -> Option<usize> {
        let order = self.umpire().order();
        let at = order.iter().position(|other| *other == seat)?;
        let playing = self.umpire().playing();
        (1..=order.len()).map(|step| order[(at + step) % order.len()]).find(|seat| playing.contains(seat))
    }

    fn step(&mut self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        let before: Vec<usize> = self.game.reports.iter().map(Vec::len).collect();
        self.choices_are_complete(seat, action)?;
        self.game.play(seat, action).expect("legal");
        let leaves = action["type"] == "resign";
        for (viewer, umpire) in self.umpires.iter_mut().enumerate() {
            let due = match leaves {
                // Where a match ends by it, at the last turn of all, nobody needs to be told that ships leave the sea.
                true => {
                    let told = umpire.leave(&[seat.index()], viewer);
                    if self.game.battle.status().is_over() { Vec::new() } else { told }
                }
                false => umpire.follow(seat.index(), action, viewer),
            };
            prop_assert_eq!(told(&self.game.reports[viewer][before[viewer]..]), due, "viewer {}, {}", viewer, action);
        }
        let opened = told(&self.game.reports[0][before[0]..]).iter().any(|report| report["type"] == "opened");
        if opened {
            let playing = self.umpire().playing();
            self.turn = self.umpire().order().into_iter().find(|seat| playing.contains(seat));
        } else if self.turn == Some(seat.index()) {
            self.turn = self.after(seat.index());
        }
        self.views_agree()
    }

    /// Everybody sees his own ships where they are, and of the others what is public.
    fn views_agree(&self) -> Result<(), TestCaseError> {
        if self.game.battle.status().is_over() {
            return Ok(());
        }
        if let Some(turn) = self.turn {
            prop_assert_eq!(self.game.battle.to_act(), seat_set(&[turn as u8]), "in the order of the nations");
        }
        for (viewer, view) in self.game.views.iter().enumerate() {
            prop_assert_eq!(view.to_act(), self.game.battle.to_act());
            let seas = serde_json::to_value(view.seas()).expect("JSON");
            let shown = seas[0]["ships"].as_array().expect("ships");
            prop_assert_eq!(shown.len(), self.umpire().ships.len());
            for (shown, ship) in shown.iter().zip(&self.umpire().ships) {
                prop_assert_eq!(&shown["id"], &json!(ship.id));
                let own = ship.seat == viewer;
                let cells = ship.place.filter(|_| own).map(|place| vec![label(place)]);
                prop_assert_eq!(&shown["cells"], &json!(cells), "{}", ship.id);
                prop_assert_eq!(shown["traits"] == json!(["detected"]), ship.fired);
                let armour = shown["stats"].as_array().expect("stats").iter().find(|stat| stat["name"] == "armour");
                let due = if own && ship.place.is_some() { json!(ship.armour) } else { Value::Null };
                let told = &armour.expect("armour")["value"];
                prop_assert!(
                    *told == due || ship.armour <= 0 && *told == 0 || ship.place.is_none(),
                    "{} {}",
                    ship.id,
                    told
                );
            }
        }
        Ok(())
    }

    /// What the decision lists for a ship is all that it may do, and nothing that it may not.
    fn choices_are_complete(&self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        if action["type"] != "orders" {
            return Ok(());
        }
        let umpire = self.umpire();
        let decision = serde_json::to_value(self.game.view(seat).decisions(EXAMPLE_SEED)).expect("JSON")[0].clone();
        let detected = umpire.detected(seat.index());
        for choice in decision["ships"].as_array().expect("ships") {
            let ship = &umpire.ships[umpire.ship(&choice["ship"])];
            let from = ship.place.expect("afloat");
            let own = |place: judge::Place| {
                umpire.ships.iter().any(|other| other.seat == seat.index() && other.place == Some(place))
            };
            let on_sea = |(row, column): judge::Place| (0..umpire.rows).contains(&row) && (0..10).contains(&column);
            let all = || (0..umpire.rows).flat_map(|row| (0..10).map(move |column| (row, column)));
            let distance = |to: judge::Place| i64::from((to.0 - from.0).abs().max((to.1 - from.1).abs()));
            let reach = |to: &judge::Place| (ship.range.0..=ship.range.1).contains(&distance(*to)) && !own(*to);
            let targets: Vec<String> = all().filter(reach).map(label).collect();
            prop_assert_eq!(&choice["targets"], &json!(targets), "{}", ship.id);
            // Every move listed is a path over free cells within the speed; a spread of points reaches no other cell.
            let mut reached = Vec::new();
            let mut edge = vec![(from, ship.speed)];
            while let Some((at, left)) = edge.pop() {
                for step in ["N", "NE", "E", "SE", "S", "SW", "W", "NW"] {
                    let (down, right) = towards(step);
                    let next = (at.0 + down, at.1 + right);
                    let cost = if ship.speed > 1 && step.len() == 2 { 2 } else { 1 };
                    if cost <= left && on_sea(next) && !own(next) {
                        reached.push(label(next));
                        edge.push((next, left - cost));
                    }
                }
            }
            reached.sort();
            reached.dedup();
            let mut listed: Vec<String> =
                choice["moves"].as_array().expect("moves").iter().map(|way| text(&way["cell"])).collect();
            listed.sort();
            prop_assert_eq!(listed, if detected { reached } else { Vec::new() }, "{} {}", ship.id, label(from));
            for way in choice["moves"].as_array().expect("moves") {
                let mut at = from;
                for step in way["steps"].as_array().expect("steps") {
                    let (down, right) = towards(&text(step));
                    at = (at.0 + down, at.1 + right);
                    prop_assert!(on_sea(at) && !own(at));
                }
                prop_assert_eq!(place(&text(&way["cell"])), at);
            }
        }
        Ok(())
    }

    fn end(&self, rounds: usize) -> Result<(), TestCaseError> {
        let outcome = self.game.battle.outcome().expect("over");
        let umpire = self.umpire();
        let due = umpire.places();
        for place in &outcome.places {
            prop_assert_eq!(place.place, due[place.seat.index()], "{:?} {:?}", outcome, due);
        }
        prop_assert!(outcome.places.is_sorted_by_key(|place| place.place), "best first");
        let reason = text(&json!(outcome.reason));
        prop_assert_eq!(reason == "limit", umpire.playing().len() > 1, "{}", rounds);
        // Everything is laid open, the same for all.
        let seas: Vec<Value> = self.game.views.iter().map(|view| json!(view.seas())).collect();
        prop_assert!(seas.iter().all(|sea| *sea == seas[0]));
        let bared = last(&self.game, 0, "revealed");
        for ship in bared["fleets"]
            .as_array()
            .expect("fleets")
            .iter()
            .flat_map(|fleet| fleet["ships"].as_array().expect("ships"))
        {
            let truth = &umpire.ships[umpire.ship(&ship["ship"])];
            prop_assert_eq!(&ship["armour"], &json!(truth.armour.max(0)));
            if let Some(place) = truth.place {
                prop_assert_eq!(&ship["last_cell"], &json!(label(place)));
            }
        }
        let turns = bared["turns"].as_array().expect("turns").len();
        let ordered = |report: &&Report| ["ordered", "opened"].iter().any(|kind| json!(report)["type"] == *kind);
        prop_assert_eq!(turns, self.game.reports[0].iter().filter(ordered).count());
        prop_assert!(self.game.replayed().views == self.game.views);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn everybody_is_told_what_the_sheet_says(
        seats in 2u8..=7,
        seed in any::<u64>(),
        rounds in 10usize..24,
        posted in prop::sample::select(vec!["steps", "ship", "nothing"]),
        bands: bool,
        leavers in 0u32..3,
    ) {
        let changes = json!({
            "rounds": rounds, "moves_posted": posted, "deployment": if bands { "bands" } else { "interleaved" },
        });
        let mut watched = Watched::open(seats, &changes, seed);
        let mut dice = dice(seed ^ 1);
        let mut actions = 0;
        while let Some((seat, decision)) = watched.game.required() {
            let action = if leavers > 0 && dice.below(40) < leavers {
                json!({"type": "resign"})
            } else {
                json!(decision.example())
            };
            watched.step(seat, &action)?;
            actions += 1;
            prop_assert!(actions <= usize::from(seats) * (rounds + 1), "the match ends");
        }
        watched.end(rounds)?;
    }
}

//! Refusals in the game of several navies: every fault has its code and its place, all are named at once, and nothing
//! changes.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

#[path = "salvos/hands.rs"]
mod hands;

use broadside_rules::{RuleSet, Seat};
use hands::*;
use serde_json::{Value, json};

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
        json!({"type": "salvos-deploy", "ships": ships})
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
            at("/ships/3/ship", "not-your-ship"),
            at("/ships/4/ship", "duplicate-ship"),
            at("/ships", "ship-missing"),
        ]
    );
    for (changed, place, code) in [
        (json!({"ship": "hood", "cell": "A1"}), "/ships/0/ship", "unknown-ship"),
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
    let many = json!({"type": "salvos-deploy", "ships": vec![json!({}); 65]});
    assert_eq!(refused(&mut game, 0, &many), [at("/ships", "out-of-range")]);
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
        ("iowa", "D6", "/cell", "target-out-of-range"),
        ("gato", "D6", "/cell", "target-is-own-ship"),
        ("enterprise", "D4", "/cell", "target-is-own-ship"),
        ("enterprise", "F4", "/cell", "target-out-of-range"),
        ("bismarck", "D4", "/ship", "not-your-ship"),
        ("hood", "D4", "/ship", "unknown-ship"),
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
        (vec![go("z23", &["N"])], vec![at("/orders/0/ship", "not-your-ship")]),
        (vec![go("yamato", &["N"])], vec![at("/orders/0/ship", "not-your-ship")]),
        (vec![go("hood", &["N"])], vec![at("/orders/0/ship", "unknown-ship")]),
        (vec![go("fletcher", &["N"]), fire("fletcher", &["D5"])], vec![at("/orders/1/ship", "duplicate-order")]),
        (vec![fire("fletcher", &["D5", "D5", "D5"])], vec![at("/orders/0/cells", "too-many-shots")]),
        (vec![fire("fletcher", &[])], vec![at("/orders/0/cells", "wrong-salvo-size")]),
        (vec![fire("fletcher", &["D4"])], vec![at("/orders/0/cells/0", "target-is-own-ship")]),
        (vec![fire("fletcher", &["D5", "D6"])], vec![at("/orders/0/cells/1", "target-out-of-range")]),
        (vec![go("laffey", &["W", "W"]), fire("fletcher", &["D5"])], vec![at("/orders/0/steps/1", "path-blocked")]),
        (vec![go("laffey", &["W"]), fire("fletcher", &["D5"])], vec![at("/orders/1/cells/0", "target-is-own-ship")]),
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
                at("/orders/2/cells/0", "target-out-of-range"),
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
fn rule_sets_are_bounded() {
    let refused = |changes: Value| -> Vec<(String, &'static str)> {
        let faults = RuleSet::customised(variant(), &changes).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    };
    for rounds in [10, 200] {
        rules(&json!({"rounds": rounds}));
    }
    for rounds in [json!(9), json!(201), json!(-1), json!(10.5)] {
        assert_eq!(refused(json!({"rounds": rounds})), [at("/rounds", "out-of-range")]);
    }
    assert_eq!(
        refused(json!({"flags": {}, "deployment": "anywhere", "moves_posted": 1, "rounds": "x", "family": "depths"})),
        [
            at("/flags", "unknown-field"),
            at("/family", "unknown-value"),
            at("/deployment", "unknown-value"),
            at("/moves_posted", "wrong-type"),
            at("/rounds", "wrong-type"),
        ]
    );
    assert_eq!(refused(json!(3)), [at("", "wrong-type")]);
}

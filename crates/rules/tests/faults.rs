//! Wrong rule sets, clocks and actions: every fault is named at its place, and no bytes or JSON break anything.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Action, Clock, Entry, RuleSet, Setup, Variant, View, variants};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Game, VIEWERS, play_out, shown};

/// Checks that these changes of the classic game are refused for exactly these faults.
fn is(changes: Value, expected: &[(&str, &str)]) {
    let base = Variant::find("classic").expect("a variant");
    let faults = RuleSet::customised(base, &changes).expect_err("refused");
    let found: Vec<(&str, &str)> = faults.iter().map(|fault| (fault.pointer.as_str(), fault.code)).collect();
    assert_eq!(found, expected, "{changes}");
}

#[test]
fn a_wrong_rule_set_names_every_fault() {
    is(
        json!({"board": {"rows": 4, "columns": 27, "labels": "runes"}, "colour": 1, "salvo": {"size": 0}, "names_hit": 1}),
        &[
            ("/colour", "unknown-field"),
            ("/board/rows", "out-of-range"),
            ("/board/columns", "out-of-range"),
            ("/board/labels", "unknown-value"),
            ("/salvo/size", "out-of-range"),
            ("/names_hit", "wrong-type"),
        ],
    );
    is(json!({"sinking": false}), &[("/victory", "conflicting-fields"), ("/names_sunk", "conflicting-fields")]);
    is(json!({"report": "tally", "names_hit": true, "names_sunk": false}), &[("/names_hit", "conflicting-fields")]);
    is(json!({"announces_sunk": true}), &[("/announces_sunk", "conflicting-fields")]);
    is(
        json!({"names_sunk": false, "announces_sunk": true, "names_hit": true, "report": "per-salvo"}),
        &[("/announces_sunk", "conflicting-fields"), ("/names_hit", "conflicting-fields")],
    );
    is(
        json!({"names_sunk": false, "announces_sunk": true, "sinking": false, "victory": {"kind": "hits", "hits": 3}}),
        &[("/announces_sunk", "conflicting-fields")],
    );
    is(json!({"report": "tally", "sighting": "all"}), &[("/sighting", "conflicting-fields")]);
    is(json!({"victory": {"kind": "hits", "hits": 18}}), &[("/victory/hits", "conflicting-fields")]);
    is(json!({"victory": {"kind": "fleet", "hits": 3}}), &[("/victory/hits", "unknown-field")]);
    is(json!([]), &[("", "wrong-type")]);
}

#[test]
fn a_wrong_salvo_names_every_fault() {
    is(json!({"salvo": {"size": 27}}), &[("/salvo/size", "out-of-range")]);
    is(json!({"salvo": {"shots": "per-ship", "shrinks": "per-own-loss"}}), &[("/salvo/shrinks", "conflicting-fields")]);
    is(
        json!({"salvo": {"shots": "per-cell"}, "sinking": false, "names_sunk": false, "victory": {"kind": "hits", "hits": 3}}),
        &[("/salvo/shots", "conflicting-fields")],
    );
    is(
        json!({"salvo": {"shots": "per-whole-cell"}, "relocation": "after-hit"}),
        &[("/salvo/shots", "conflicting-fields")],
    );
    is(json!({"salvo": {"extra": "at-once"}, "turn": "while-hitting"}), &[("/salvo/extra", "conflicting-fields")]);
    is(json!({"report": "per-salvo", "clue": "distance-king"}), &[("/clue", "conflicting-fields")]);
    is(
        json!({"fleet": [{"class": "a", "name": "A", "length": 1, "count": 1, "shots": 3}]}),
        &[("/fleet/0/shots", "conflicting-fields")],
    );
    is(json!({"relocation_range": 2}), &[("/relocation_range", "conflicting-fields")]);
    is(json!({"relocation": "after-hit", "relocation_ships": 0}), &[("/relocation_ships", "out-of-range")]);
}

#[test]
fn a_wrong_fleet_names_every_fault() {
    is(json!({"fleet": []}), &[("/fleet", "out-of-range")]);
    is(
        json!({"fleet": [{"class": "Big Ship", "name": "", "length": 7, "count": 0, "x": 1}, {"class": "a", "name": "A", "length": 1}]}),
        &[
            ("/fleet/0/x", "unknown-field"),
            ("/fleet/0/class", "out-of-range"),
            ("/fleet/0/name", "out-of-range"),
            ("/fleet/0/length", "out-of-range"),
            ("/fleet/0/count", "out-of-range"),
            ("/fleet/1/count", "missing-field"),
        ],
    );
    let class = |id: &str, length: u8, count: u8| json!({"class": id, "name": id, "length": length, "count": count});
    is(json!({"fleet": [class("a", 1, 10), class("a", 1, 1)]}), &[("/fleet/1/class", "duplicate-class")]);
    is(json!({"fleet": [class("a", 1, 2), class("a-2", 1, 1)]}), &[("/fleet/1/class", "duplicate-class")]);
    is(json!({"fleet": [class("a", 1, 10), class("b", 1, 10), class("c", 1, 7)]}), &[("/fleet", "too-many-ships")]);
    is(json!({"fleet": [class("a", 6, 7)]}), &[("/fleet", "fleet-too-large")]);
    // 40 cells of 100 are allowed; ten ships of four with no contact do not find room on 7 × 15.
    assert!(
        RuleSet::customised(Variant::find("classic").expect("a variant"), &json!({"fleet": [class("a", 4, 10)]}))
            .is_ok()
    );
    is(
        json!({"board": {"rows": 5, "columns": 5}, "contact": "forbidden", "fleet": [class("a", 1, 10)]}),
        &[("", "no-legal-deployment")],
    );
    // Exactly nine single cells fit apart on 5 × 5: a search must find it.
    let full = json!({"board": {"rows": 5, "columns": 5}, "contact": "forbidden", "fleet": [class("a", 1, 9)]});
    let rules = RuleSet::customised(Variant::find("classic").expect("a variant"), &full).expect("it can be placed");
    play_out(Game::with(rules, Clock::none(), 1), 10);
    // A ship of six cannot lie on 5 × 5 at all.
    is(json!({"board": {"rows": 5, "columns": 5}, "fleet": [class("a", 6, 1)]}), &[("", "no-legal-deployment")]);
}

#[test]
fn a_wrong_clock_names_every_fault() {
    let refused = |clock: Value| {
        let faults = Clock::parse(&clock).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let at = |pointer: &str, code: &'static str| (pointer.to_owned(), code);
    assert_eq!(
        refused(json!({"kind": "per-move", "move_s": 4, "x": 1})),
        [at("/x", "unknown-field"), at("/move_s", "out-of-range")]
    );
    assert_eq!(
        refused(json!({"kind": "bank", "increment_s": 1_209_601})),
        [at("/initial_s", "missing-field"), at("/increment_s", "out-of-range"), at("/cap_s", "missing-field"),]
    );
    assert_eq!(
        refused(json!({"kind": "bank", "initial_s": 60, "increment_s": 0, "cap_s": 59})),
        [at("/cap_s", "conflicting-fields")]
    );
    assert_eq!(refused(json!({"kind": "hourglass"})), [at("/kind", "unknown-value")]);
    assert_eq!(refused(json!({})), [at("/kind", "missing-field")]);
    assert_eq!(refused(json!(5)), [at("", "wrong-type")]);
    for clock in [
        json!({"kind": "per-move", "move_s": 5, "deploy_s": 1_209_600}),
        json!({"kind": "bank", "initial_s": 1_209_600, "increment_s": 0, "cap_s": 1_209_600, "deploy_s": 5}),
        json!({"kind": "none"}),
    ] {
        let parsed = Clock::parse(&clock).expect("a clock");
        assert_eq!(serde_json::to_value(parsed).expect("JSON"), clock);
    }
}

#[test]
fn a_wrong_action_names_every_fault() {
    let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), Clock::none());
    let refused = |action: Value| {
        let illegal = Action::parse(&setup, &action).expect_err("refused");
        assert_eq!(illegal.code, illegal.faults[0].code);
        illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let at = |pointer: &str, code: &'static str| (pointer.to_owned(), code);
    assert_eq!(
        refused(json!({"type": "fire", "cells": ["a1", "2a", "K1", "A01", "A11", 3], "cel/ls": 1})),
        [
            at("/cel~1ls", "unknown-field"),
            at("/cells/1", "unknown-cell"),
            at("/cells/2", "unknown-cell"),
            at("/cells/3", "unknown-cell"),
            at("/cells/4", "unknown-cell"),
            at("/cells/5", "unknown-cell"),
        ]
    );
    assert_eq!(refused(json!({"type": "charge"})), [at("/type", "unknown-action")]);
    assert_eq!(
        refused(json!({"type": "relocate", "ships": []})),
        [at("/type", "unknown-action")],
        "ships do not move in this game"
    );
    assert_eq!(refused(json!({"type": "resign", "why": ""})), [at("/why", "unknown-field")]);
    assert_eq!(refused(json!({"type": "deploy"})), [at("/ships", "missing-field")]);
    assert_eq!(refused(json!({"type": "deploy-auto", "ships": []})), [at("/ships", "unknown-field")]);
    assert_eq!(
        refused(json!({"type": "salvos-deploy", "ships": []})),
        [at("/type", "unknown-action")],
        "another family's"
    );
    assert_eq!(
        refused(json!({"type": "deploy", "ships": [{"ship": "yacht", "cells": ["A1"]}, {"ship": "carrier"}, 7]})),
        [at("/ships/0/ship", "unknown-ship"), at("/ships/1/cells", "missing-field"), at("/ships/2", "wrong-type"),]
    );
    assert_eq!(refused(json!({})), [at("/type", "missing-field")]);
    assert_eq!(refused(json!("fire")), [at("", "wrong-type")]);
}

#[test]
fn every_code_is_explained_once() {
    let codes: Vec<_> = broadside_rules::illegal::codes().collect();
    for (index, entry) in codes.iter().enumerate() {
        assert!(codes[..index].iter().all(|other| other.code != entry.code), "{} is listed twice", entry.code);
        assert!([entry.title, entry.meaning, entry.what_to_do].iter().flatten().all(|text| !text.is_empty()));
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Ja-z0-9-]{0,12}".prop_map(Value::from),
        prop_oneof![Just("fire"), Just("deploy"), Just("relocate"), Just("per-move"), Just("bank"), Just("carrier")]
            .prop_map(Value::from),
        prop::sample::select(vec!["orders", "opening-shot", "move", "iowa", "NE", "A1", "AA1", "interleaved"])
            .prop_map(Value::from),
        prop::sample::select(vec!["move", "charge", "torpedo", "end-turn", "heavy", "row-1", "14@200", "14", "port"])
            .prop_map(Value::from),
    ];
    let keys = prop_oneof![
        Just("type".to_owned()),
        Just("cells".to_owned()),
        Just("ships".to_owned()),
        Just("ship".to_owned()),
        Just("auto".to_owned()),
        Just("kind".to_owned()),
        Just("board".to_owned()),
        Just("orders".to_owned()),
        Just("order".to_owned()),
        Just("steps".to_owned()),
        Just("cell".to_owned()),
        Just("deployment".to_owned()),
        Just("rounds".to_owned()),
        Just("submarines".to_owned()),
        Just("mine".to_owned()),
        Just("path".to_owned()),
        Just("depth".to_owned()),
        Just("target".to_owned()),
        Just("line".to_owned()),
        Just("arrows".to_owned()),
        Just("torpedo_hits".to_owned()),
        Just("fleet".to_owned()),
        Just("victory".to_owned()),
        Just("move_s".to_owned()),
        "[a-z_/~]{0,8}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(keys.clone(), inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_panic_the_log(bytes in prop::collection::vec(any::<u8>(), 0..80), version in 0u8..3) {
        let mut headed = vec![version];
        headed.extend(&bytes);
        for bytes in [&bytes, &headed] {
            if let Ok(entry) = Entry::from_bytes(bytes) {
                prop_assert_eq!(Entry::from_bytes(&entry.to_bytes()), Ok(entry));
            }
        }
    }

    #[test]
    fn damaged_entries_panic_nothing(seed in 0u64..40, at in 0usize..400, flip in 1u8.., family in 0usize..3) {
        let mut game = Game::of(["admiralty", "depths", "salvos"][family], seed % 4);
        for _ in 0..seed {
            let Some((seat, decision)) = game.required() else { break };
            game.act(seat, &decision.example()).expect("legal");
        }
        // Damage one byte of each entry, and fold the readable and fitting rest: nothing may panic.
        let mut battle = broadside_rules::Battle::new(game.setup.clone());
        let mut views = VIEWERS.map(|viewer| View::new(&game.setup, viewer));
        for bytes in &game.log {
            let mut bytes = bytes.clone();
            let length = bytes.len();
            bytes[at % length] ^= flip;
            let Ok(entry) = Entry::from_bytes(&bytes) else { continue };
            for event in entry.events.iter().filter(|event| event.fits(&game.setup)) {
                battle.apply(event, entry.at);
                for (view, viewer) in views.iter_mut().zip(VIEWERS) {
                    if let Some(report) = broadside_rules::disclose(&game.setup, event, viewer) {
                        view.learn(&report, entry.at);
                    }
                    shown(view);
                }
            }
        }
    }

    #[test]
    fn no_json_panics_a_parser(value in json_value()) {
        for variant in variants() {
            let setup = Setup::new(variant.rule_set(), Clock::none());
            if let Err(illegal) = Action::parse(&setup, &value) {
                prop_assert!(broadside_rules::illegal::find(illegal.code).is_some(), "{} is not explained", illegal.code);
            }
            if let Err(faults) = RuleSet::customised(variant, &value) {
                prop_assert!(!faults.is_empty());
                for fault in faults {
                    prop_assert!(broadside_rules::illegal::find(fault.code).is_some(), "{} is not explained", fault.code);
                }
            }
        }
        if let Err(faults) = Clock::parse(&value) {
            prop_assert!(faults.iter().all(|fault| broadside_rules::illegal::find(fault.code).is_some()));
        }
    }
}

//! Patterns of reports: those that fit, and those that never can.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Clock, Setup, pattern, variants};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use support::{Game, dice};

fn fits(wanted: &Value, report: &Value) -> bool {
    pattern::fits(wanted.as_object().expect("an object"), report)
}

/// D4 hit, E5 missed.
fn fired() -> Value {
    json!({ "type": "fired", "number": 7, "seat": 0, "hits": null, "shots": [
        { "cell": "D4", "answer": "hit", "class": null }, { "cell": "E5", "answer": "miss", "class": null },
    ]})
}

#[test]
fn a_report_fits_what_says_less_and_nothing_else() {
    for pattern in [
        json!({}),
        json!({ "type": "fired" }),
        json!({ "seat": 0, "hits": null }),
        json!({ "shots": [] }),
        json!({ "shots": [{ "cell": "D4", "answer": "hit" }] }),
        json!({ "shots": [{ "answer": "miss" }, { "cell": "D4" }] }),
    ] {
        assert!(fits(&pattern, &fired()), "{pattern}");
    }
    for pattern in [
        json!({ "type": "opened" }),
        json!({ "seat": 1 }),
        json!({ "next": null }),
        json!({ "hits": 0 }),
        json!({ "shots": { "cell": "D4" } }),
        json!({ "shots": [{ "cell": "D4", "answer": "miss" }] }),
        json!({ "shots": [{ "answer": "sunk" }] }),
    ] {
        assert!(!fits(&pattern, &fired()), "{pattern}");
    }
    assert!(!fits(&json!({}), &json!("no object")));
}

#[cfg(feature = "schema")]
#[test]
fn cells_get_their_own_names() {
    let setup = Setup::new(broadside_rules::Variant::find("classic").expect("a variant").rule_set(), Clock::none());
    let mut wanted = json!({ "type": "fired", "shots": [{ "cell": "b7" }, { "cell": "J10" }] });
    let faults = pattern::Shapes::of(&setup).faults(wanted.as_object_mut().expect("an object"));
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(wanted, json!({ "type": "fired", "shots": [{ "cell": "B7" }, { "cell": "J10" }] }));
}

#[cfg(feature = "schema")]
fn faults(variant: &str, wanted: &Value) -> Vec<(String, &'static str)> {
    let setup = Setup::new(broadside_rules::Variant::find(variant).expect("a variant").rule_set(), Clock::none());
    let faults = pattern::Shapes::of(&setup).faults(&mut wanted.as_object().expect("an object").clone());
    faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

#[cfg(feature = "schema")]
#[test]
fn what_could_never_fit_is_named() {
    let wrong =
        json!({ "type": "fired", "seats": 0, "seat": "0", "shots": [{ "cell": "K11", "answer": "hitt", "depth": 1 }] });
    let mut named = faults("classic", &wrong);
    named.sort();
    let expected = [
        ("/seat", "wrong-type"),
        ("/seats", "unknown-field"),
        ("/shots/0/answer", "unknown-value"),
        ("/shots/0/cell", "unknown-cell"),
        ("/shots/0/depth", "unknown-field"),
    ];
    assert_eq!(named, expected.map(|(pointer, code)| (pointer.to_owned(), code)));
    assert_eq!(faults("classic", &json!({ "seat": 0 })), [("/type".to_owned(), "missing-field")]);
    let unprintable = json!({ "type": "fired", "a\u{7}/": [{ "b": "\0" }] });
    let expected = [("/a\u{7}~1", "invalid-value"), ("/a\u{7}~1/0/b", "invalid-value")];
    assert_eq!(faults("classic", &unprintable), expected.map(|(pointer, code)| (pointer.to_owned(), code)));
    // Another family's.
    assert_eq!(faults("classic", &json!({ "type": "charged" })), [("/type".to_owned(), "unknown-value")]);
    assert_eq!(faults("depths", &json!({ "type": "charged", "cell": "14@200", "answer": "near", "near": 2 })), []);
    let order = json!({ "type": "ordered", "orders": [{ "order": "move", "blocked_at": null }] });
    assert_eq!(faults("salvos", &order), []);
    let order = json!({ "type": "ordered", "orders": [{ "order": "fire", "steps": ["N"] }] });
    assert_eq!(faults("salvos", &order), [("/orders/0/steps".to_owned(), "unknown-field")]);
    // Table reports exist in every family.
    for variant in variants() {
        assert_eq!(faults(variant.id, &json!({ "type": "draw-offered", "seat": 1 })), []);
    }
}

/// A report without some of its fields and elements, chosen by `keeps`.
fn part(value: &Value, keeps: &mut impl FnMut() -> bool) -> Value {
    match value {
        Value::Object(fields) => {
            let kept =
                fields.iter().filter(|(name, _)| *name == "type" || *name == "order" || keeps()).collect::<Vec<_>>();
            kept.into_iter().map(|(name, value)| (name.clone(), part(value, keeps))).collect::<Map<_, _>>().into()
        }
        Value::Array(list) => {
            let kept = list.iter().rev().filter(|_| keeps()).collect::<Vec<_>>();
            kept.into_iter().map(|value| part(value, keeps)).collect()
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every part of every report of every variant is a pattern that this report fits, and that is found possible.
    #[test]
    fn every_report_fits_its_parts(seed in any::<u64>(), keeps in prop::collection::vec(any::<bool>(), 64)) {
        let all = variants();
        let variant = &all[usize::try_from(seed % all.len() as u64).expect("an index")];
        let mut game = Game::open(Setup::new(variant.rule_set(), Clock::none()), dice(seed));
        // Some matches are played to their end: the reveal there is a report, too.
        for _ in 0..if seed % 4 == 0 { 400 } else { 40 } {
            let Some((seat, decision)) = game.required() else { break };
            game.act(seat, &decision.example()).expect("an example is legal");
        }
        let mut keeps = keeps.iter().copied().cycle();
        for report in game.reports.iter().flatten() {
            let report = serde_json::to_value(report).expect("JSON");
            let part = part(&report, &mut || keeps.next().unwrap_or(true));
            prop_assert!(fits(&part, &report), "{part} of {report}");
            #[cfg(feature = "schema")]
            {
                let faults = pattern::Shapes::of(&game.setup).faults(&mut part.as_object().expect("an object").clone());
                prop_assert!(faults.is_empty(), "{part}: {faults:?}");
            }
        }
    }
}

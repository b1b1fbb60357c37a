//! The speed of placing and checking fleets, alone on one core: the decision to place one (with the possible cells of
//! each ship, and a whole legal example), the check of a sent deployment, the check of the rule set itself, and the
//! opening of a match; and the longest times for rule sets made to be hard.
//!
//! `cargo bench -p broadside-rules --bench placing`
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and starts programs")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark may stop")]

use std::{hint::black_box, time::Instant};

use broadside_rules::{Battle, Chance, Clock, RuleSet, Seat, Setup, Time, Variant, View, Viewer, disclose, legal};
use serde_json::{Value, json};

const AT: Time = Time(1_763_700_000_000);

fn class(class: &str, rows: &[&str], count: u32) -> Value {
    let length: usize = rows.iter().map(|row| row.matches('x').count()).sum();
    json!({"class": class, "name": class, "length": length, "count": count, "shape": rows, "mirroring": true})
}

/// Valid rule sets made to be hard: fleets with no or hardly any room.
fn hostile() -> Vec<(&'static str, Value)> {
    let large = json!({"rows": 26, "columns": 26, "labels": "row-letter"});
    let crab = ["x.xx", "xxx.", ".xxx"];
    let crabs = json!([class("one", &crab, 10), class("two", &crab, 10), class("six", &crab, 6)]);
    let handicap = |seat: u32| json!({"seat": seat, "fleet": [{"class": "one", "count": 5 + seat}]});
    let handicaps: Vec<Value> = (0..6).map(handicap).collect();
    let islands = json!({"cells": [], "drawn": 18, "size": 9, "contact": "forbidden"});
    let kinds: Vec<Value> = (0..26u32)
        .map(|n| {
            let row = |at: u32| (0..5).map(|bit| if n >> (bit + at) & 1 == 1 { 'x' } else { '.' }).collect::<String>();
            let rows = ["xxxxx".to_owned(), row(0).replacen('.', "x", 1), "x....".to_owned()];
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            class(&format!("kind-{n}"), &rows, 1)
        })
        .collect();
    let lines = json!([{"class": "line", "name": "Line", "length": 6, "count": 10}]);
    vec![
        ("26 crabs, apart", json!({"board": large, "fleet": crabs, "contact": "forbidden"})),
        ("the same, end on", json!({"board": large, "fleet": crabs, "contact": "forbidden", "border": "end-on"})),
        (
            "26 and fewer crabs, six fleets",
            json!({"board": large, "fleet": crabs, "contact": "forbidden", "handicaps": handicaps,
                "seats": {"min": 6, "max": 6}}),
        ),
        ("26 shapes, apart", json!({"board": large, "fleet": kinds, "contact": "forbidden"})),
        (
            "16 crabs, 18 islands",
            json!({"board": large, "fleet": [class("a", &crab, 10), class("b", &crab, 6)], "contact": "forbidden",
                "islands": islands}),
        ),
        (
            "10 lines, 13 × 13, end on",
            json!({"board": {"rows": 13, "columns": 13, "labels": "row-letter"}, "fleet": lines,
                "contact": "forbidden", "border": "end-on"}),
        ),
    ]
}

/// Lines, and shapes with eight ways, on boards small and large.
fn cases() -> Vec<(&'static str, Value)> {
    let large = json!({"rows": 26, "columns": 26, "labels": "row-letter"});
    let hooks = json!([
        class("snake", &["xxxxx.", "....xx", ".....x"], 6),
        class("hook", &["x...", "x...", "xxxx"], 10),
        class("corner", &["x.", "xx"], 10),
    ]);
    let lines = json!([
        {"class": "carrier", "name": "Carrier", "length": 6, "count": 8},
        {"class": "cruiser", "name": "Cruiser", "length": 4, "count": 9},
        {"class": "boat", "name": "Boat", "length": 2, "count": 9},
    ]);
    let islands = json!({"cells": [], "drawn": 12, "size": 6, "contact": "forbidden"});
    let crowded =
        json!([class("ring", &["xxxx", "x..x", "x..x", "xxxx"], 6), class("hook", &["x...", "x...", "xxxx"], 10)]);
    vec![
        ("classic 10 × 10", json!({})),
        ("26 lines, 26 × 26, apart", json!({"board": large, "fleet": lines, "contact": "forbidden"})),
        ("26 hooks, 26 × 26, apart", json!({"board": large, "fleet": hooks, "contact": "forbidden"})),
        (
            "the same, end on, 12 islands",
            json!({"board": large, "fleet": hooks, "contact": "forbidden", "border": "end-on", "islands": islands}),
        ),
        (
            "16 rings and hooks, 20 × 20",
            json!({"board": {"rows": 20, "columns": 20, "labels": "row-letter"},
            "fleet": crowded, "contact": "corners"}),
        ),
    ]
}

/// Mean microseconds of a round.
fn mean_us(rounds: u32, mut work: impl FnMut(u32)) -> f64 {
    let begin = Instant::now();
    (0..rounds).for_each(&mut work);
    begin.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
}

fn main() {
    println!("{:<32} {:>14} {:>14} {:>14}", "fleet and board", "decision µs", "check µs", "rule set µs");
    for (name, changes) in cases() {
        let base = Variant::find("classic").expect("the classic game");
        let rules = RuleSet::customised(base, &changes).expect("a legal rule set");
        let setup = Setup::new(rules, Clock::none());
        let chance = Chance::new(&[7; 32], &[]);
        let mut view = View::new(&setup, Viewer::Seat(Seat(0)));
        for event in &Battle::open(&setup, &chance) {
            let report = disclose(&setup, event, Viewer::Seat(Seat(0))).expect("a report");
            view.learn(&report, AT);
        }
        let decision = mean_us(200, |round| {
            let mut seed = [0; 32];
            seed[..4].copy_from_slice(&round.to_be_bytes());
            black_box(view.decisions(seed));
        });
        let deployment = view.decisions([3; 32])[0].example();
        let check = mean_us(2000, |_| assert!(legal(&view, black_box(&deployment)).is_ok()));
        let whole = mean_us(20, |_| assert!(RuleSet::customised(base, black_box(&changes)).is_ok()));
        println!("{name:<32} {decision:>14.0} {check:>14.1} {whole:>14.0}");
    }
    println!("\n{:<32} {:>14} {:>14} {:>14}", "hard to place", "found", "rule set µs", "opening µs");
    for (name, changes) in hostile() {
        let base = Variant::find("classic").expect("the classic game");
        let found = RuleSet::customised(base, &changes);
        let whole = mean_us(20, |_| drop(black_box(RuleSet::customised(base, black_box(&changes)))));
        let opening = found.as_ref().map_or(0.0, |rules| {
            let setup = Setup::new(rules.clone(), Clock::none());
            mean_us(20, |round| {
                black_box(Battle::open(&setup, &Chance::new(&[round as u8; 32], &[])));
            })
        });
        println!("{name:<32} {:>14} {whole:>14.0} {opening:>14.0}", found.is_ok());
    }
}

//! How fast fleets are placed and checked, alone on one core: the decision to place one (with the cells that each ship
//! may use, and a whole legal example), the check of a deployment that was sent, and the check of the rule set itself.
//!
//! `cargo bench -p broadside-rules --bench placing`
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and starts programs")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark may stop")]

use std::{hint::black_box, time::Instant};

use broadside_rules::{Battle, Chance, Clock, RuleSet, Seat, Setup, Time, Variant, View, Viewer, disclose, legal};
use serde_json::{Value, json};

const AT: Time = Time(1_763_700_000_000);

/// Lines, and shapes that lie in eight ways, on boards small and large.
fn cases() -> Vec<(&'static str, Value)> {
    let hook = |class: &str, rows: &[&str], count: u32| {
        let length: usize = rows.iter().map(|row| row.matches('x').count()).sum();
        json!({"class": class, "name": class, "length": length, "count": count, "shape": rows, "mirroring": true})
    };
    let large = json!({"rows": 26, "columns": 26, "labels": "row-letter"});
    let hooks = json!([
        hook("snake", &["xxxxx.", "....xx", ".....x"], 6),
        hook("hook", &["x...", "x...", "xxxx"], 10),
        hook("corner", &["x.", "xx"], 10),
    ]);
    let lines = json!([
        {"class": "carrier", "name": "Carrier", "length": 6, "count": 8},
        {"class": "cruiser", "name": "Cruiser", "length": 4, "count": 9},
        {"class": "boat", "name": "Boat", "length": 2, "count": 9},
    ]);
    let islands = json!({"cells": [], "drawn": 12, "size": 6, "contact": "forbidden"});
    let crowded =
        json!([hook("ring", &["xxxx", "x..x", "x..x", "xxxx"], 6), hook("hook", &["x...", "x...", "xxxx"], 10)]);
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

/// Mean microseconds of so many rounds.
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
}

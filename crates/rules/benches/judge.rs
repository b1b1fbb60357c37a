//! How fast the rules are, alone on one core: moves judged (legality asked, decided, applied) per second, the same with
//! disclosure to three views, and the time to build and serialise a whole view.
//!
//! `cargo bench -p broadside-rules`
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark may stop")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use broadside_rules::{
    Action, Battle, Clock, Dice, Entry, Seat, Setup, Time, Variant, View, Viewer, disclose, legal, variants,
};

const VIEWERS: [Viewer; 3] = [Viewer::Seat(Seat(0)), Viewer::Seat(Seat(1)), Viewer::Spectator];
const AT: Time = Time(1_763_700_000_000);

/// A whole match by examples: what was played.
struct Played {
    setup: Setup,
    opened: Vec<broadside_rules::Event>,
    moves: Vec<(Seat, Action)>,
}

fn play(variant: &Variant, seed: u8) -> Played {
    let setup = Setup::new(variant.rule_set(), Clock::per_move(60));
    let mut dice = Dice::from_seed([seed; 32]);
    let opened = Battle::open(&setup, AT, &mut dice);
    let (mut battle, mut views) = start(&setup, &opened);
    let mut moves = Vec::new();
    while let Some(seat) = battle.to_act().iter().next() {
        let action = views[seat.index()].decisions([seed; 32])[0].example();
        for event in battle.decide(seat, &action, AT, &mut dice) {
            battle.apply(&event, AT);
            learn(&setup, &event, &mut views);
        }
        moves.push((seat, action));
    }
    Played { setup, opened, moves }
}

fn start(setup: &Setup, opened: &[broadside_rules::Event]) -> (Battle, [View; 3]) {
    let mut battle = Battle::new(setup.clone());
    let mut views = VIEWERS.map(|viewer| View::new(setup, viewer));
    for event in opened {
        battle.apply(event, AT);
        learn(setup, event, &mut views);
    }
    (battle, views)
}

fn learn(setup: &Setup, event: &broadside_rules::Event, views: &mut [View; 3]) {
    for (view, viewer) in views.iter_mut().zip(VIEWERS) {
        if let Some(report) = disclose(setup, event, viewer) {
            view.learn(&report, AT);
        }
    }
}

/// Plays the moves again and adds up the time that the judging takes, and the time of disclosing and learning.
fn judge(played: &Played, views: &mut Duration) -> Duration {
    let (mut battle, mut known) = start(&played.setup, &played.opened);
    let mut dice = Dice::from_seed([0; 32]);
    let mut judging = Duration::ZERO;
    for (seat, action) in &played.moves {
        let begin = Instant::now();
        assert!(legal(&known[seat.index()], action).is_ok());
        let events = battle.decide(*seat, action, AT, &mut dice);
        for event in &events {
            battle.apply(event, AT);
        }
        judging += begin.elapsed();
        let begin = Instant::now();
        for event in &events {
            learn(&played.setup, event, &mut known);
        }
        *views += begin.elapsed();
    }
    judging
}

/// What reading the clock twice costs, which is part of every move measured above.
fn overhead() -> Duration {
    let begin = Instant::now();
    for _ in 0..100_000 {
        black_box(Instant::now().elapsed());
    }
    begin.elapsed() / 100_000
}

fn view_times(variant: &Variant) -> (f64, usize, f64) {
    // In the middle of a match, the sea half known.
    let setup = Setup::new(variant.rule_set(), Clock::per_move(60));
    let mut dice = Dice::from_seed([7; 32]);
    let opened = Battle::open(&setup, AT, &mut dice);
    let (mut battle, mut views) = start(&setup, &opened);
    let half = play(variant, 7).moves.len() / 2;
    for _ in 0..half {
        let seat = battle.to_act().iter().next().expect("not over");
        let action = views[seat.index()].decisions([7; 32])[0].example();
        for event in battle.decide(seat, &action, AT, &mut dice) {
            battle.apply(&event, AT);
            learn(&setup, &event, &mut views);
        }
    }
    let seat = battle.to_act().iter().next().expect("not over");
    let view = &views[seat.index()];
    let mut bytes = Vec::with_capacity(1 << 16);
    let rounds = 5000;
    let begin = Instant::now();
    for _ in 0..rounds {
        bytes.clear();
        serde_json::to_writer(&mut bytes, &(view.seats(), view.seas(), view.decisions([1; 32]))).expect("JSON");
        black_box(&bytes);
    }
    let whole = begin.elapsed().as_secs_f64() / f64::from(rounds) * 1e6;
    let begin = Instant::now();
    for _ in 0..rounds {
        black_box(view.seas());
    }
    (whole, bytes.len(), begin.elapsed().as_secs_f64() / f64::from(rounds) * 1e6)
}

fn main() {
    let overhead = overhead();
    println!(
        "{:<16} {:>14} {:>16} {:>10} {:>12} {:>10} {:>10}",
        "variant", "moves/s judged", "with three views", "bytes/move", "view+JSON µs", "JSON bytes", "seas µs"
    );
    for variant in variants() {
        let games: Vec<Played> = (0..20).map(|seed| play(variant, seed)).collect();
        let (mut judging, mut viewing, mut moves) = (Duration::ZERO, Duration::ZERO, 0u32);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(1) {
            for played in &games {
                judging += judge(played, &mut viewing);
                moves += played.moves.len() as u32;
            }
        }
        let judged = judging.saturating_sub(overhead * moves).as_secs_f64();
        let viewed = viewing.saturating_sub(overhead * moves).as_secs_f64();
        let bytes = bytes_per_move(&games[0]);
        let (whole, size, seas) = view_times(variant);
        let rate = |seconds: f64| f64::from(moves) / seconds;
        println!(
            "{:<16} {:>14.0} {:>16.0} {:>10.1} {:>12.1} {:>10} {:>10.1}",
            variant.id,
            rate(judged),
            rate(judged + viewed),
            bytes,
            whole,
            size,
            seas
        );
    }
}

fn bytes_per_move(played: &Played) -> f64 {
    let (mut battle, _) = start(&played.setup, &played.opened);
    let mut dice = Dice::from_seed([0; 32]);
    let mut bytes = 0;
    for (seat, action) in &played.moves {
        let events = battle.decide(*seat, action, AT, &mut dice);
        events.iter().for_each(|event| battle.apply(event, AT));
        bytes += Entry { at: AT, seat: Some(*seat), events }.to_bytes().len();
    }
    bytes as f64 / played.moves.len() as f64
}

//! The speed of the rules, alone on one core: moves judged (legality checked, decided, applied) per second, the same
//! with disclosure to every view, the size of a stored match, and the time to build and serialize a whole view.
//!
//! `cargo bench -p broadside-rules --bench judge`; with `-- classic` only variants whose ids begin so.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and starts programs")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark may stop")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use broadside_rules::{
    Action, Battle, Chance, Clock, Dice, Entry, Event, Seat, Setup, Time, Variant, View, Viewer, disclose, legal,
    variants,
};

const AT: Time = Time(1_763_700_000_000);

/// A match in progress: the truth, and every view.
struct Table {
    setup: Setup,
    battle: Battle,
    views: Vec<View>,
}

impl Table {
    fn new(setup: &Setup, opened: &[Event]) -> Self {
        let viewers = (0..setup.seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator]);
        let views = viewers.map(|viewer| View::new(setup, viewer)).collect();
        let mut table = Self { setup: setup.clone(), battle: Battle::new(setup.clone()), views };
        table.take(opened);
        table
    }

    fn take(&mut self, events: &[Event]) {
        for event in events {
            self.battle.apply(event, AT);
        }
        self.learn(events);
    }

    fn learn(&mut self, events: &[Event]) {
        for event in events {
            for view in &mut self.views {
                if let Some(report) = disclose(&self.setup, event, view.viewer()) {
                    view.learn(&report, AT);
                }
            }
        }
    }
}

/// A whole match by examples, with its actions.
struct Played {
    setup: Setup,
    chance: Chance,
    opened: Vec<Event>,
    moves: Vec<(Seat, Action)>,
}

impl Played {
    fn play(variant: &Variant, seats: u8, seed: u8) -> Self {
        let mut setup = Setup::new(variant.rule_set(), Clock::per_move(60));
        setup.seats = seats;
        let chance = Chance::new(&[seed; 32], &[]);
        let opened = Battle::open(&setup, &chance);
        let mut table = Table::new(&setup, &opened);
        let mut dice = Dice::from_seed([seed; 32]);
        let mut moves = Vec::new();
        while let Some(seat) = table.battle.to_act().iter().next() {
            let action = table.views[seat.index()].decisions([seed; 32])[0].example();
            table.take(&table.battle.decide(seat, &action, &mut dice, &chance));
            moves.push((seat, action));
        }
        Self { setup, chance, opened, moves }
    }

    /// Plays this many moves again.
    fn until(&self, moves: usize) -> Table {
        let mut table = Table::new(&self.setup, &self.opened);
        let mut dice = Dice::from_seed([0; 32]);
        for (seat, action) in &self.moves[..moves] {
            table.take(&table.battle.decide(*seat, action, &mut dice, &self.chance));
        }
        table
    }

    /// Plays the moves again and sums up the time of judging, and of disclosing and learning.
    fn judge(&self, viewing: &mut Duration) -> Duration {
        let mut table = Table::new(&self.setup, &self.opened);
        let mut dice = Dice::from_seed([0; 32]);
        let mut judging = Duration::ZERO;
        for (seat, action) in &self.moves {
            let begin = Instant::now();
            assert!(legal(&table.views[seat.index()], action).is_ok());
            let events = table.battle.decide(*seat, action, &mut dice, &self.chance);
            for event in &events {
                table.battle.apply(event, AT);
            }
            judging += begin.elapsed();
            let begin = Instant::now();
            table.learn(&events);
            *viewing += begin.elapsed();
        }
        judging
    }

    /// Bytes of the whole log.
    fn bytes(&self) -> usize {
        let mut battle = Table::new(&self.setup, &self.opened).battle;
        let mut dice = Dice::from_seed([0; 32]);
        let mut bytes = Entry { at: AT, seat: None, events: self.opened.clone() }.to_bytes().len();
        for (seat, action) in &self.moves {
            let events = battle.decide(*seat, action, &mut dice, &self.chance);
            events.iter().for_each(|event| battle.apply(event, AT));
            bytes += Entry { at: AT, seat: Some(*seat), events }.to_bytes().len();
        }
        bytes
    }
}

/// The cost of reading the clock twice, included in every move measured above.
fn overhead() -> Duration {
    let begin = Instant::now();
    for _ in 0..100_000 {
        black_box(Instant::now().elapsed());
    }
    begin.elapsed() / 100_000
}

/// Microseconds to build and serialize the view of the acting seat in the middle of a match, and its bytes.
fn view_time(played: &Played) -> (f64, usize) {
    const ROUNDS: u32 = 5000;
    let table = played.until(played.moves.len() / 2);
    let seat = table.battle.to_act().iter().next().expect("not over");
    let view = &table.views[seat.index()];
    let mut bytes = Vec::with_capacity(1 << 16);
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        bytes.clear();
        serde_json::to_writer(&mut bytes, &(view.seats(), view.seas(), view.decisions([1; 32]))).expect("JSON");
        black_box(&bytes);
    }
    (begin.elapsed().as_secs_f64() / f64::from(ROUNDS) * 1e6, bytes.len())
}

fn main() {
    let overhead = overhead();
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    println!(
        "{:<16} {:>5} {:>14} {:>14} {:>11} {:>11} {:>13} {:>10}",
        "variant",
        "seats",
        "moves/s judged",
        "with all views",
        "moves/match",
        "bytes/match",
        "view+JSON µs",
        "JSON bytes"
    );
    for variant in variants().iter().filter(|variant| variant.id.starts_with(&wanted)) {
        let (least, most) = variant.rule_set().seats();
        let seats = if least == most { vec![least] } else { vec![least, most] };
        for seats in seats {
            line(variant, seats, overhead);
        }
    }
}

fn line(variant: &Variant, seats: u8, overhead: Duration) {
    const GAMES: u8 = 20;
    let games: Vec<Played> = (0..GAMES).map(|seed| Played::play(variant, seats, seed)).collect();
    let (mut judging, mut viewing, mut moves) = (Duration::ZERO, Duration::ZERO, 0_u32);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        for played in &games {
            judging += played.judge(&mut viewing);
            moves += played.moves.len() as u32;
        }
    }
    let judged = judging.saturating_sub(overhead * moves).as_secs_f64();
    let viewed = viewing.saturating_sub(overhead * moves).as_secs_f64();
    let (view_us, json_bytes) = view_time(&games[7]);
    let mean = |sum: usize| sum / usize::from(GAMES);
    println!(
        "{:<16} {:>5} {:>14.0} {:>14.0} {:>11} {:>11} {:>13.1} {:>10}",
        variant.id,
        seats,
        f64::from(moves) / judged,
        f64::from(moves) / (judged + viewed),
        mean(games.iter().map(|played| played.moves.len()).sum()),
        mean(games.iter().map(Played::bytes).sum()),
        view_us,
        json_bytes
    );
}

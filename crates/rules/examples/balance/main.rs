//! How even the fleets of the navies on one sea are: thousands of matches between players who all play alike, for every
//! pairing of nations and for matches of three, five and seven. Nothing is left to anything but the seed, so a table
//! can be made again.
//!
//! `cargo run --release -p broadside-rules --example balance -- [--matches N] [--seed N] [--variant ID]`
//!
//! `cargo run --release -p broadside-rules --example balance -- --first-player [--matches N] [--seed N]`
//!
//! The first prints, as Markdown, each nation's wins as a multiple of its fair share (one match in two, three, five,
//! seven); a win that is shared counts in parts. How the players play is in `player.rs`. The second prints, for each
//! duel with guns, how often who fires first wins; its players are in `gunner.rs`.
#![allow(clippy::print_stderr, reason = "an example prints")]
#![allow(clippy::disallowed_methods, reason = "an example measures time and starts programs")]
#![allow(clippy::print_stdout, reason = "a tool prints")]
#![allow(clippy::unreachable, clippy::expect_used, reason = "a tool may stop")]
mod first;
mod gunner;
mod player;

use std::{
    env,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use broadside_rules::{
    Battle, Chance, Clock, Dice, Outcome, Report, Seat, Setup, Status, Time, Variant, View, Viewer, disclose,
};
use player::Player;

/// How far from its fair share a nation may be.
const EVEN: std::ops::RangeInclusive<f64> = 0.75..=1.25;
const AT: Time = Time(0);

struct Options {
    variant: &'static Variant,
    /// Matches for each pairing, and a fair number for each size of match.
    matches: usize,
    seed: u64,
    /// Measure the edge of the first player instead.
    first_player: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        variant: Variant::find("salvos").ok_or("the variant is gone")?,
        matches: 2000,
        seed: 1,
        first_player: false,
    };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--first-player" {
            options.first_player = true;
            continue;
        }
        let value = words.next().ok_or(format!("{word} wants a value"))?;
        let number = || value.parse().map_err(|_| format!("{value} is no number"));
        match word.as_str() {
            "--matches" => options.matches = number()? as usize,
            "--seed" => options.seed = number()?,
            "--variant" => options.variant = Variant::find(&value).ok_or(format!("no variant {value}"))?,
            _ => return Err(format!("{word} is not known; there are --matches, --seed, --variant, --first-player")),
        }
    }
    Ok(options)
}

/// Plays one match of these nations; the result by seat.
fn play(variant: &Variant, nations: &[u8], seed: u64) -> Outcome {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let mut dice = Dice::from_seed(bytes);
    let mut setup = Setup::new(variant.rule_set(), Clock::none());
    setup.seats = nations.len() as u8;
    for (wish, nation) in setup.preferences.iter_mut().zip(nations) {
        *wish = Some(*nation);
    }
    let chance = Chance::new(&dice.bytes(), &[]);
    let mut battle = Battle::new(setup.clone());
    let viewers = (0..setup.seats).map(|seat| Viewer::Seat(Seat(seat)));
    let mut views: Vec<View> = viewers.map(|viewer| View::new(&setup, viewer)).collect();
    let mut players: Vec<Player> = (0..setup.seats).map(|seat| Player::new(Seat(seat))).collect();
    let mut events = Battle::open(&setup, &chance);
    loop {
        for event in &events {
            battle.apply(event, AT);
            for (view, player) in views.iter_mut().zip(&mut players) {
                if let Some(report) = disclose(&setup, event, view.viewer()) {
                    view.learn(&report, AT);
                    if let Report::Family(report) = &report {
                        player.hear(view, report);
                    }
                }
            }
        }
        if battle.status() == Status::Finished {
            return battle.outcome().expect("a finished match has a result").clone();
        }
        let seat = battle.to_act().iter().next().expect("somebody must act");
        let action = players[seat.index()].choose(&views[seat.index()], &mut dice);
        events = battle.decide(seat, &action, &mut dice, &chance);
        assert!(!events.is_empty(), "a legal action brings something about");
    }
}

/// Every way to choose so many of the nations.
fn choices(of: u8, seats: usize) -> Vec<Vec<u8>> {
    (0_u32..1 << of)
        .filter(|set| set.count_ones() as usize == seats)
        .map(|set| (0..of).filter(|nation| set >> nation & 1 == 1).collect())
        .collect()
}

/// A match, divided so that up to seven can share a win in whole parts.
const PARTS: u64 = 420;

/// Wins of a nation and its fair share of them, in parts of a match.
#[derive(Clone, Copy, Default)]
struct Tally {
    won: u64,
    fair: u64,
}

/// Plays `matches` matches of every choice of nations, on all cores; the tally by nation, and how many ended by the
/// limit.
fn season(options: &Options, nations: u8, seats: usize, matches: usize) -> (Vec<Tally>, f64) {
    let fields = choices(nations, seats);
    let next = AtomicUsize::new(0);
    let total = fields.len() * matches;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<(Vec<Tally>, usize)> = thread::scope(|scope| {
        let work = || {
            let (mut tally, mut limit) = (vec![Tally::default(); usize::from(nations)], 0);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= total {
                    return (tally, limit);
                }
                // The nations take the seats in another order each time: a seat's own cells lie a little differently.
                let mut field = fields[number % fields.len()].clone();
                let turn = number / fields.len() % field.len();
                field.rotate_left(turn);
                let seed = options.seed << 40 | (seats as u64) << 36 | number as u64;
                let outcome = play(options.variant, &field, seed);
                limit += usize::from(outcome.reason.word() == "limit");
                let first: Vec<_> = outcome.places.iter().filter(|place| place.place == 1).collect();
                for place in &first {
                    tally[usize::from(field[place.seat.index()])].won += PARTS / first.len() as u64;
                }
                field.iter().for_each(|nation| tally[usize::from(*nation)].fair += PARTS / seats as u64);
            }
        };
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|worker| worker.join().expect("a worker")).collect()
    });
    let mut sum = vec![Tally::default(); usize::from(nations)];
    let mut limit = 0;
    for (tally, by_limit) in parts {
        limit += by_limit;
        for (sum, part) in sum.iter_mut().zip(tally) {
            sum.won += part.won;
            sum.fair += part.fair;
        }
    }
    (sum, limit as f64 / total as f64)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    if options.first_player {
        first::table(options.matches, options.seed);
        return ExitCode::SUCCESS;
    }
    let names = options.variant.rule_set().seat_names();
    let nations = names.len() as u8;
    // The fewer ways to choose the nations, the more matches of each.
    let sizes = [(2, 1), (3, 1), (5, 1), (7, 5)];
    let seasons: Vec<(usize, usize, Vec<Tally>, f64)> = sizes
        .into_iter()
        .map(|(seats, times)| {
            let (tally, limit) = season(&options, nations, seats, options.matches * times);
            (seats, choices(nations, seats).len() * options.matches * times, tally, limit)
        })
        .collect();
    println!(
        "| nation | {} |",
        seasons.iter().map(|(seats, ..)| format!("{seats} seats")).collect::<Vec<_>>().join(" | ")
    );
    println!("|---|{}", "---|".repeat(seasons.len()));
    let mut even = true;
    for (nation, name) in names.iter().enumerate() {
        let shares = seasons.iter().map(|(_, _, tally, _)| tally[nation].won as f64 / tally[nation].fair as f64);
        even &= shares.clone().all(|share| EVEN.contains(&share));
        println!("| {name} | {} |", shares.map(|share| format!("{share:.2}")).collect::<Vec<_>>().join(" | "));
    }
    let played = seasons.iter().map(|(_, played, ..)| played.to_string()).collect::<Vec<_>>().join(" | ");
    println!("| *matches* | {played} |");
    let limits = seasons.iter().map(|(.., limit)| format!("{:.0} %", limit * 100.0)).collect::<Vec<_>>().join(" | ");
    println!("| *ended by the limit* | {limits} |");
    println!("\n{}", if even { "Every share is between 0.75 and 1.25." } else { "Some share is out of bounds." });
    if even { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

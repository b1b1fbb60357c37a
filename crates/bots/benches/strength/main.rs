//! The strength of the players: matches in memory, of each variant and at each level. Everything but the times depends
//! on the seed alone.
//!
//! `cargo bench -p broadside-bots --bench strength -- --games 2000 --seed 1`
//!
//! `--variant ID` and `--level NAME` (of a player), as often as needed; `--only sinking`, `--only winning`; `--ratings`
//! lets each player meet each other; `--hits` measures suspicions of honest players, and `--cheats` the delay for one
//! who sees a ship; `--mixes` measures the time for an answer in random rule sets; `--threads N`.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and reads its arguments")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(dead_code, reason = "the random rule sets are those of the rules' own tests, and not all are used here")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop")]

#[path = "../../tests/hands/mod.rs"]
mod hands;
mod hits;
mod mixes;
#[path = "../../../rules/tests/support/navies.rs"]
mod navies;
#[path = "../../../rules/tests/support/random.rs"]
mod random;
mod ratings;
#[path = "../../../rules/tests/support/shapes.rs"]
mod shapes;
mod watch;

use std::{
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use broadside_balance::{Hand, Lot, play, simple};
use broadside_bots::Level;
use broadside_rules::{Clock, RuleSet, Seat, Setup, Variant, variants};
use hands::Ours;
use watch::{Lamb, Shared, Watched, Watching};

/// The kind of player.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    Level(Level),
    Simple,
    Ruleless,
}

impl Who {
    fn hand(self, rules: &RuleSet, seat: Seat, seed: u64) -> Box<dyn Hand> {
        match self {
            Self::Level(level) => Box::new(Ours::new(rules, level, seed)),
            Self::Simple => simple(rules, seat),
            Self::Ruleless => Box::new(Lot),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Level(level) => level.name(),
            Self::Simple => "simple",
            Self::Ruleless => "rule-less",
        }
    }
}

/// The pairing of a match, against an opponent or nobody, and its counts.
#[derive(Clone, Copy)]
struct Game {
    who: Who,
    against: Option<Who>,
}

#[derive(Default)]
struct Sum {
    played: f64,
    won: f64,
    shots: f64,
    squares: f64,
    turns: f64,
    times: Vec<Duration>,
}

impl Game {
    fn play(self, rules: &RuleSet, seed: u64, number: usize) -> (f64, Watched) {
        let mut setup = Setup::new(rules.clone(), Clock::none());
        setup.seats = rules.seats().0;
        let seed = seed << 32 | number as u64;
        let nations = rules.seat_names().len().max(1);
        if !rules.seat_names().is_empty() {
            // Every pair of nations in turn, each from both seats.
            let pairs: Vec<(usize, usize)> =
                (0..nations).flat_map(|a| (0..nations).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
            let (a, b) = pairs[number / 2 % pairs.len()];
            setup.preferences[0] = Some(a as u8);
            setup.preferences[1] = Some(b as u8);
        }
        let watched = Shared::default();
        let ours = Seat((number % 2) as u8);
        let seated = |seat: Seat| -> Box<dyn Hand> {
            if seat == ours {
                let hand = self.who.hand(rules, seat, seed);
                return Box::new(Watching { seat, hand, watched: watched.clone() });
            }
            match self.against {
                Some(who) => who.hand(rules, seat, seed ^ 0x5555_5555),
                None => Box::new(Lamb { prey: watched.clone() }),
            }
        };
        let played = play(&setup, seed, &seated).expect("every answer is legal");
        let best: Vec<Seat> =
            played.outcome.places.iter().filter(|place| place.place == 1).map(|place| place.seat).collect();
        let won = if best.contains(&ours) { 1.0 / best.len() as f64 } else { 0.0 };
        let watched = watched.borrow().clone();
        (won, watched)
    }

    /// Plays the matches with these numbers.
    fn season(self, rules: &RuleSet, options: &Options, numbers: Range<usize>) -> Sum {
        let (next, sum) = (AtomicUsize::new(numbers.start), Mutex::new(Sum::default()));
        thread::scope(|scope| {
            for _ in 0..options.threads {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= numbers.end {
                            return;
                        }
                        let (won, watched) = self.play(rules, options.seed, number);
                        sum.lock().unwrap().add(won, watched);
                    }
                });
            }
        });
        sum.into_inner().unwrap()
    }
}

impl Sum {
    fn add(&mut self, won: f64, watched: Watched) {
        self.played += 1.0;
        self.won += won;
        let shots = f64::from(watched.shots);
        self.shots += shots;
        self.squares += shots * shots;
        self.turns += f64::from(watched.turns);
        self.times.extend(watched.times);
    }

    /// The mean with its 95 % error.
    fn shots(&self) -> String {
        let mean = self.shots / self.played;
        let spread = (self.squares / self.played - mean * mean).max(0.0);
        format!("{mean:.2} ± {:.2}", 1.96 * (spread / self.played).sqrt())
    }

    fn wins(&self) -> String {
        share(self.won, self.played)
    }

    /// The median, 99th percentile and maximum time of an answer, in milliseconds.
    fn times(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
        let shown = [50, 99, 100].map(|percent| at(percent).map_or(0.0, |time| time.as_secs_f64() * 1000.0));
        shown.map(|time| format!("{time:.1}")).join(" | ")
    }
}

/// A share with its 95 % interval (Wilson, 1927).
fn share(won: f64, played: f64) -> String {
    const Z: f64 = 1.96;
    let share = won / played;
    let middle = (share + Z * Z / (2.0 * played)) / (1.0 + Z * Z / played);
    let spread = Z * (share * (1.0 - share) / played + Z * Z / (4.0 * played * played)).sqrt() / (1.0 + Z * Z / played);
    let shown = [share, middle - spread, middle + spread];
    let [share, least, most] = shown.map(|share| (share * 100.0).clamp(0.0, 100.0));
    format!("{share:.1} % ({least:.1} to {most:.1})")
}

/// The options of a measurement.
pub struct Options {
    games: usize,
    seed: u64,
    threads: usize,
    variants: Vec<String>,
    levels: Vec<String>,
    only: Option<String>,
}

fn options() -> Options {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options { games: 200, seed: 1, threads, variants: Vec::new(), levels: Vec::new(), only: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().expect("a value");
        match name.as_str() {
            "--games" => options.games = value().parse().expect("a number of matches"),
            "--seed" => options.seed = value().parse().expect("a seed"),
            "--threads" => options.threads = value().parse().expect("a number of threads"),
            "--variant" => options.variants.push(value()),
            "--level" => options.levels.push(value()),
            "--only" => options.only = Some(value()),
            "--ratings" => options.only = Some("ratings".to_owned()),
            "--hits" => options.only = Some("hits".to_owned()),
            "--cheats" => options.only = Some("cheats".to_owned()),
            "--mixes" => options.only = Some("mixes".to_owned()),
            _ => {}
        }
    }
    options
}

/// Measures the shots needed to sink a fleet that does not fight back.
fn sinking(options: &Options, variant: &Variant, rules: &RuleSet, players: &[Who]) {
    for who in players.iter().copied() {
        let sum = Game { who, against: None }.season(rules, options, 0..options.games);
        println!(
            "| {} | {} | {} | {} | {:.1} | {} |",
            variant.id,
            who.name(),
            sum.played,
            sum.shots(),
            sum.turns / sum.played,
            sum.times()
        );
    }
}

/// Measures the matches won.
fn winning(options: &Options, variant: &Variant, rules: &RuleSet, players: &[Who]) {
    for who in players.iter().filter(|who| matches!(who, Who::Level(_))) {
        for against in [Who::Simple, Who::Ruleless] {
            if against == Who::Ruleless && matches!(rules, RuleSet::Depths(_)) {
                continue;
            }
            let sum = Game { who: *who, against: Some(against) }.season(rules, options, 0..options.games);
            let (id, who, against, played, won) = (variant.id, who.name(), against.name(), sum.played, sum.wins());
            println!("| {id} | {who} | {against} | {played} | {won} | {} |", sum.times());
        }
    }
}

fn main() {
    let options = options();
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|other| other == name);
    let variants = variants().iter().filter(|variant| wanted(&options.variants, variant.id));
    let players = Level::ALL.into_iter().map(Who::Level).chain([Who::Simple, Who::Ruleless]);
    let players: Vec<Who> = players.filter(|who| wanted(&options.levels, who.name())).collect();
    let part = |part: &str, always: bool| options.only.as_deref().map_or(always, |only| only == part);
    println!("seed {}, {} threads", options.seed, options.threads);
    let chosen: Vec<&Variant> = variants.collect();
    if part("sinking", true) {
        println!("\n| variant | player | fleets | shots | turns | ms, p50 | p99 | most |\n|{}", "---|".repeat(8));
        for variant in chosen.iter().filter(|variant| matches!(variant.rule_set(), RuleSet::Gunnery(_))) {
            sinking(&options, variant, &variant.rule_set(), &players);
        }
    }
    if part("winning", true) {
        println!("\n| variant | player | against | matches | won | ms, p50 | p99 | most |\n|{}", "---|".repeat(8));
        for variant in &chosen {
            winning(&options, variant, &variant.rule_set(), &players);
        }
    }
    if part("hits", false) || part("cheats", false) {
        let kinds = if part("hits", false) { &[hits::Kind::Honest][..] } else { &hits::Kind::CHEATS };
        println!(
            "\n| variant | player | matches | ms | hits / chance | most evidence | reached 10, 100, 1000 | suspected | after |"
        );
        println!("|{}", "---|".repeat(9));
        for variant in &chosen {
            for level in Level::ALL.into_iter().filter(|level| wanted(&options.levels, level.name())) {
                for kind in kinds.iter().copied() {
                    hits::suspects(variant, &variant.rule_set(), level, kind, &options);
                }
            }
        }
    }
    if part("mixes", false) {
        mixes::times(&options);
    }
    if part("ratings", false) {
        let rated: Vec<Who> = players.iter().copied().filter(|who| *who != Who::Ruleless).collect();
        let names: Vec<_> = rated.iter().map(|who| who.name()).collect();
        println!("\n| variant | player | rating | against {} | matches of a pair |", names.join(" | "));
        println!("|{}", "---|".repeat(rated.len() + 4));
        for variant in &chosen {
            ratings::rate(variant.id, &variant.rule_set(), &rated, &options);
        }
    }
}

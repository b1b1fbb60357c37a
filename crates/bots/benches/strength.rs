//! How well the players play: matches in memory, of each variant and at each level. Nothing is left to anything but the
//! seed, except for the times.
//!
//! `cargo bench -p broadside-bots --bench strength -- --games 2000 --seed 1`
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time and reads its arguments")]
#![allow(clippy::print_stdout, reason = "a benchmark prints")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark may stop")]

#[path = "../tests/hands/mod.rs"]
mod hands;

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use broadside_balance::{Hand, Lot, play, simple};
use broadside_bots::Level;
use broadside_rules::{
    Action, Clock, Decision, Dice, RuleSet, Seat, Setup, Variant, View,
    families::{
        self,
        gunnery::{
            action::Action as GunneryAction,
            decision::Decision as GunneryDecision,
            report::{DeployedReport, FiredReport, Report},
        },
    },
    text::Label,
    variants,
};
use hands::Ours;

/// What is measured of a seat.
#[derive(Default, Clone)]
struct Watched {
    shots: u32,
    turns: u32,
    fleet: Vec<Label>,
    answers: u32,
    time: Duration,
    slowest: Duration,
}

type Shared = Rc<RefCell<Watched>>;

/// A player who is watched.
struct Watching {
    seat: Seat,
    hand: Box<dyn Hand>,
    watched: Shared,
}

impl Hand for Watching {
    fn hear(&mut self, view: &View, report: &families::Report) {
        let mut watched = self.watched.borrow_mut();
        match report {
            families::Report::Gunnery(Report::Deployed(DeployedReport { seat, ships: Some(ships), .. }))
                if *seat == self.seat =>
            {
                watched.fleet = ships.iter().flat_map(|ship| ship.cells.clone()).collect();
            }
            families::Report::Gunnery(Report::Fired(FiredReport { seat, shots, .. })) if *seat == self.seat => {
                watched.shots += shots.len() as u32;
                watched.turns += 1;
            }
            families::Report::Gunnery(Report::Scanned(report)) if report.seat == self.seat => watched.turns += 1,
            _ => {}
        }
        drop(watched);
        self.hand.hear(view, report);
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let begun = Instant::now();
        let action = self.hand.choose(view, dice);
        let took = begun.elapsed();
        let mut watched = self.watched.borrow_mut();
        watched.answers += 1;
        watched.time += took;
        watched.slowest = watched.slowest.max(took);
        action
    }
}

/// An enemy that harms nobody as long as it can: it fires where nothing lies.
struct Lamb {
    prey: Shared,
}

impl Hand for Lamb {
    fn hear(&mut self, _view: &View, _report: &families::Report) {}

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let decisions = view.decisions(dice.bytes());
        let fire = decisions.iter().find_map(|decision| match decision {
            Decision::Family(families::Decision::Gunnery(GunneryDecision::Fire(fire))) => Some(fire.clone()),
            _ => None,
        });
        let Some(fire) = fire else { return decisions.first().map(Decision::example) };
        let fleet = &self.prey.borrow().fleet;
        let mut targets = fire.targets.clone();
        dice.shuffle(&mut targets);
        targets.sort_by_key(|cell| fleet.contains(cell));
        targets.truncate(usize::from(fire.shots.max));
        Some(Action::Family(families::Action::Gunnery(GunneryAction::fire_at(fire.target, targets))))
    }
}

/// Who plays.
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

/// A match of one against another, or against nobody; what of it is counted.
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
    answers: u32,
    time: Duration,
    slowest: Duration,
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

    fn season(self, rules: &RuleSet, seed: u64, games: usize) -> Sum {
        let (next, sum) = (AtomicUsize::new(0), Mutex::new(Sum::default()));
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= games {
                            return;
                        }
                        let (won, watched) = self.play(rules, seed, number);
                        let mut sum = sum.lock().unwrap();
                        sum.add(won, &watched);
                    }
                });
            }
        });
        sum.into_inner().unwrap()
    }
}

impl Sum {
    fn add(&mut self, won: f64, watched: &Watched) {
        self.played += 1.0;
        self.won += won;
        let shots = f64::from(watched.shots);
        self.shots += shots;
        self.squares += shots * shots;
        self.turns += f64::from(watched.turns);
        self.answers += watched.answers;
        self.time += watched.time;
        self.slowest = self.slowest.max(watched.slowest);
    }

    /// The mean with the error that 95 % of such samples keep to.
    fn shots(&self) -> String {
        let mean = self.shots / self.played;
        let spread = (self.squares / self.played - mean * mean).max(0.0);
        format!("{mean:.2} ± {:.2}", 1.96 * (spread / self.played).sqrt())
    }

    fn wins(&self) -> String {
        let share = self.won / self.played;
        format!("{:.1} % ± {:.1}", share * 100.0, 196.0 * (share * (1.0 - share) / self.played).sqrt())
    }

    fn times(&self) -> String {
        let mean = self.time.as_secs_f64() * 1000.0 / f64::from(self.answers.max(1));
        format!("{mean:.1} | {:.0}", self.slowest.as_secs_f64() * 1000.0)
    }
}

struct Options {
    games: usize,
    seed: u64,
    variants: Vec<String>,
    levels: Vec<String>,
    only: Option<String>,
}

fn options() -> Options {
    let mut options = Options { games: 200, seed: 1, variants: Vec::new(), levels: Vec::new(), only: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().expect("a value");
        match name.as_str() {
            "--games" => options.games = value().parse().expect("a number of matches"),
            "--seed" => options.seed = value().parse().expect("a seed"),
            "--variant" => options.variants.push(value()),
            "--level" => options.levels.push(value()),
            "--only" => options.only = Some(value()),
            _ => {}
        }
    }
    options
}

/// Shots that it takes to sink a fleet which does not fight back.
fn sinking(options: &Options, variant: &Variant, rules: &RuleSet, levels: &[Who]) {
    for who in levels.iter().copied().chain([Who::Simple, Who::Ruleless]) {
        let sum = Game { who, against: None }.season(rules, options.seed, options.games);
        println!(
            "| {} | {} | {} | {:.1} | {} |",
            variant.id,
            who.name(),
            sum.shots(),
            sum.turns / sum.played,
            sum.times()
        );
    }
}

/// Matches won.
fn winning(options: &Options, variant: &Variant, rules: &RuleSet, levels: &[Who]) {
    for who in levels {
        for against in [Who::Simple, Who::Ruleless] {
            if against == Who::Ruleless && matches!(rules, RuleSet::Depths(_)) {
                continue;
            }
            let sum = Game { who: *who, against: Some(against) }.season(rules, options.seed, options.games);
            println!("| {} | {} | {} | {} | {} |", variant.id, who.name(), against.name(), sum.wins(), sum.times());
        }
    }
}

fn main() {
    let options = options();
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|other| other == name);
    let variants = variants().iter().filter(|variant| wanted(&options.variants, variant.id));
    let levels: Vec<Who> =
        Level::ALL.into_iter().filter(|level| wanted(&options.levels, level.name())).map(Who::Level).collect();
    let parts = |part: &str| options.only.as_deref().is_none_or(|only| only == part);
    println!("{} matches each, seed {}", options.games, options.seed);
    let chosen: Vec<&Variant> = variants.collect();
    if parts("sinking") {
        println!("\n| variant | player | shots | turns | ms | most ms |\n|---|---|---|---|---|---|");
        for variant in chosen.iter().filter(|variant| matches!(variant.rule_set(), RuleSet::Gunnery(_))) {
            sinking(&options, variant, &variant.rule_set(), &levels);
        }
    }
    if parts("winning") {
        println!("\n| variant | player | against | won | ms | most ms |\n|---|---|---|---|---|---|");
        for variant in &chosen {
            winning(&options, variant, &variant.rule_set(), &levels);
        }
    }
}

//! Under all rules, an answer is a legal action, the same view gets the same answer, and the players have the expected
//! strength. Ignorance of hidden pieces needs no test: a player has no other arguments than a rule set, a view and its
//! viewer's reports, so equal arguments give equal answers.
//!
//! `BROADSIDE_CASES` sets the number of rule sets of `gunnery` (default 24); the other families have a fourth of it.
#![allow(clippy::disallowed_methods, reason = "a test reads how much it is to do")]
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used, reason = "a test may stop")]
#![allow(dead_code, reason = "the random rule sets are those of the rules' own tests, and not all are used here")]

mod hands;
#[path = "../../rules/tests/support/navies.rs"]
mod navies;
#[path = "../../rules/tests/support/random.rs"]
mod random;
#[path = "../../rules/tests/support/shapes.rs"]
mod shapes;

use std::{cell::RefCell, rc::Rc};

use broadside_balance::{Hand, play, simple};
use broadside_bots::{Bot, Level};
use broadside_rules::{Action, Clock, Dice, RuleSet, Seat, Setup, Variant, View, families, variants};
use hands::{Ours, told};
use serde_json::{Value, json, to_value};

fn cases() -> u64 {
    std::env::var("BROADSIDE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(24)
}

fn dice(seed: u64) -> Dice {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    Dice::from_seed(bytes)
}

/// A whole match between our players, a level for each seat.
fn play_among_ours(rules: &RuleSet, seats: u8, seed: u64) {
    let mut setup = Setup::new(rules.clone(), Clock::none());
    setup.seats = seats;
    let level = |seat: Seat| Level::ALL[(seat.index() + seed as usize) % Level::ALL.len()];
    let hand = |seat: Seat| Box::new(Ours::new(rules, level(seat), seed)) as Box<dyn Hand>;
    let played = play(&setup, seed, &hand);
    assert!(played.is_some(), "seed {seed}: {}", to_value(rules).unwrap());
}

fn seats_of(rules: &RuleSet, dice: &mut Dice) -> u8 {
    let (least, most) = rules.seats();
    least + dice.below(u32::from(most - least) + 1) as u8
}

#[test]
fn every_answer_is_legal_in_any_mix_of_gunnery() {
    let mut played = 0;
    for seed in 0..cases() {
        let mut dice = dice(seed);
        let Ok(rules) = random::customised(&random::random_changes(&mut dice)) else { continue };
        let seats = seats_of(&rules, &mut dice);
        play_among_ours(&rules, seats, seed);
        played += 1;
    }
    assert!(played * 3 > cases(), "most hold together");
}

#[test]
fn every_answer_is_legal_in_any_mix_of_the_other_families() {
    for random in [random::random_depths as fn(&mut Dice) -> RuleSet, navies::random_salvos] {
        for seed in 0..cases().div_ceil(4) {
            let mut dice = dice(seed);
            let rules = random(&mut dice);
            let seats = seats_of(&rules, &mut dice);
            play_among_ours(&rules, seats, seed);
        }
    }
}

#[test]
fn every_variant_is_played_to_its_end() {
    for variant in variants() {
        play_among_ours(&variant.rule_set(), variant.seats().0, 2);
    }
}

/// The views and reports shown to a player.
type Shown = Rc<RefCell<Vec<(Value, Vec<Value>)>>>;

/// Keeps the views and reports of a player by lot.
struct Keeping {
    reports: Vec<Value>,
    shown: Shown,
}

impl Hand for Keeping {
    fn hear(&mut self, _view: &View, report: &families::Report) {
        self.reports.push(to_value(report).unwrap());
    }

    fn choose(&mut self, view: &View, dice: &mut Dice) -> Option<Action> {
        let seed = dice.bytes();
        self.shown.borrow_mut().push((told(view, seed), self.reports.clone()));
        view.decisions(seed).first().map(|decision| decision.example())
    }
}

/// The views and reports of the first seat in a match by lot.
fn shown(variant: &str) -> Vec<(Value, Vec<Value>)> {
    let rules = Variant::find(variant).unwrap().rule_set();
    let shown = Shown::default();
    let keeping = |_| Box::new(Keeping { reports: Vec::new(), shown: shown.clone() }) as Box<dyn Hand>;
    play(&Setup::new(rules, Clock::none()), 4, &keeping).unwrap();
    shown.take()
}

#[test]
fn the_same_view_gets_the_same_answer() {
    for variant in ["classic", "paper", "admiralty", "depths", "salvos"] {
        let rules = to_value(Variant::find(variant).unwrap().rule_set()).unwrap();
        let positions = shown(variant);
        for level in Level::ALL {
            let [one, same, other] = [7, 7, 8].map(|seed| Bot::new(&rules, level, seed).unwrap());
            let mut differs = false;
            for (view, reports) in positions.iter().step_by(positions.len().div_ceil(12)) {
                let answer = one.choose(view, reports).unwrap();
                assert!(answer.is_some());
                assert_eq!(answer, same.choose(view, reports).unwrap(), "{variant}");
                differs |= answer != other.choose(view, reports).unwrap();
            }
            let by_example = level == Level::Easy && matches!(variant, "depths" | "salvos");
            assert!(differs || by_example, "{variant}: chance is the seed's");
        }
    }
}

#[test]
fn nothing_is_answered_where_nothing_is_asked() {
    let rules = to_value(Variant::find("classic").unwrap().rule_set()).unwrap();
    let bot = Bot::new(&rules, Level::Strong, 1).unwrap();
    let idle = json!({"viewer": {"seat": 0}, "version": 3, "seas": [], "decisions": []});
    assert_eq!(bot.choose(&idle, &[]).unwrap(), None);
    assert!(bot.choose(&json!({}), &[]).is_err(), "that is no view");
    assert!(Bot::new(&json!({"family": "chess"}), Level::Easy, 1).is_err());
}

/// The number of matches that a level wins against another player.
fn won(variant: &str, level: Level, matches: u64, against: &dyn Fn(&RuleSet, Seat) -> Box<dyn Hand>) -> f64 {
    let rules = Variant::find(variant).unwrap().rule_set();
    let mut won = 0.0;
    for number in 0..matches {
        let ours = Seat((number % 2) as u8);
        let hand = |seat: Seat| -> Box<dyn Hand> {
            if seat == ours { Box::new(Ours::new(&rules, level, number)) } else { against(&rules, seat) }
        };
        let outcome = play(&Setup::new(rules.clone(), Clock::none()), number, &hand).unwrap().outcome;
        let best: Vec<Seat> = outcome.places.iter().filter(|place| place.place == 1).map(|place| place.seat).collect();
        won += if best.contains(&ours) { 1.0 / best.len() as f64 } else { 0.0 };
    }
    won
}

#[test]
fn the_strong_player_beats_the_simple_ones() {
    // The true shares are in docs/bots.md; with these seeds it is always the same matches.
    for (variant, least) in [("classic", 12.0), ("depths", 17.0), ("salvos", 17.0)] {
        let won = won(variant, Level::Strong, 20, &simple);
        assert!(won >= least, "{variant}: {won} of 20");
    }
}

#[test]
fn each_level_beats_the_one_below() {
    // The true shares are in docs/bots.md; so few matches only show that none is far from them.
    for variant in ["classic", "depths", "salvos"] {
        for [lower, higher] in [[Level::Easy, Level::Normal], [Level::Normal, Level::Strong]] {
            let against = |rules: &RuleSet, _: Seat| Box::new(Ours::new(rules, lower, 5)) as Box<dyn Hand>;
            let won = won(variant, higher, 60, &against);
            assert!(won > 30.0, "{variant}: {} wins {won} of 60 against {}", higher.name(), lower.name());
        }
    }
}

#[test]
fn the_normal_player_keeps_to_all_that_is_told() {
    // Tallies alone, with fixed and with moving ships; a radar. One answer in five is by lot, so where the simple
    // player uses all information as well, it is the better one.
    for (variant, matches, least) in [("officers", 40, 10.0), ("admiralty", 40, 17.0), ("classic-radar", 20, 16.0)] {
        let won = won(variant, Level::Normal, matches, &simple);
        assert!(won >= least, "{variant}: {won} of {matches}");
    }
}

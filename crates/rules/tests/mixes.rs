//! All laws over random mixes of all parameters: a rule set is refused with reasons, or it can be deployed and played
//! to its end. Every example on the way is legal and reads back as sent; battle, views and bytes are the fold of the
//! log; public reports verify as a record; and after the end everybody sees everything.
//!
//! `BROADSIDE_CASES` sets the number of rule sets of `gunnery` (default 300); the other families have a tenth of it.
#![allow(clippy::disallowed_methods, reason = "a test measures time and starts programs")]
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
mod support;

#[cfg(feature = "proof")]
#[path = "record/hands.rs"]
mod hands;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use broadside_rules::{Clock, Dice, Fault, RuleSet, Setup, illegal};
use serde_json::Value;
use support::{Game, customised, dice, play_to_the_end, random_changes, random_depths, random_salvos};

fn cases() -> u64 {
    std::env::var("BROADSIDE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

fn first_case() -> u64 {
    std::env::var("BROADSIDE_FIRST_CASE").ok().and_then(|first| first.parse().ok()).unwrap_or(0)
}

#[derive(Default, Debug)]
struct Tally {
    played: u64,
    actions: u64,
    refused: u64,
    /// The number of refusals for each code.
    reasons: BTreeMap<&'static str, u64>,
    /// The number of played rule sets with each parameter.
    parameters: BTreeMap<String, u64>,
    failed: Vec<String>,
}

impl Tally {
    fn take(&mut self, seed: u64, made: Result<RuleSet, Vec<Fault>>, dice: &mut Dice) {
        let rules = match made {
            Ok(rules) => rules,
            Err(faults) => {
                assert!(!faults.is_empty(), "refused with reasons");
                for fault in &faults {
                    assert!(illegal::find(fault.code).is_some() && !fault.detail.is_empty(), "{fault:?}");
                    *self.reasons.entry(fault.code).or_default() += 1;
                }
                self.refused += 1;
                return;
            }
        };
        let told = serde_json::to_value(&rules).expect("JSON");
        let (least, most) = rules.seats();
        let seats = least + dice.below(u32::from(most - least) + 1) as u8;
        match catch_unwind(AssertUnwindSafe(|| play(rules, seats, seed))) {
            Ok(actions) => {
                self.played += 1;
                self.actions += actions as u64;
            }
            Err(_) => self.failed.push(format!("seed {seed}, {seats} seats: {told}")),
        }
        for (name, value) in told.as_object().expect("an object") {
            let value = if value.is_object() || value.is_array() { Value::from("some") } else { value.clone() };
            *self.parameters.entry(format!("{name} {value}")).or_default() += 1;
        }
    }
}

/// Plays a match to its end; returns the number of its actions.
fn play(rules: RuleSet, seats: u8, seed: u64) -> usize {
    let mut setup = Setup::new(rules, Clock::none());
    setup.seats = seats;
    let mut game = Game::open(setup, dice(seed));
    let actions = play_to_the_end(&mut game, 40);
    #[cfg(feature = "proof")]
    if seed.is_multiple_of(16) {
        let record = hands::written(&hands::record(&game, broadside_rules::Viewer::Spectator));
        let verified = broadside_rules::record::verify(&record.to_string());
        assert!(verified.is_ok(), "{verified:?}");
    }
    actions
}

#[test]
fn any_mix_is_refused_with_reasons_or_played_to_its_end() {
    let (begin, mut tally) = (Instant::now(), Tally::default());
    for seed in first_case()..first_case() + cases() {
        let mut dice = dice(seed);
        let made = customised(&random_changes(&mut dice));
        tally.take(seed, made, &mut dice);
    }
    eprintln!("{} s: {tally:#?}", begin.elapsed().as_secs());
    assert!(tally.failed.is_empty(), "{} failed", tally.failed.len());
    assert!(tally.played * 3 > cases(), "most hold together");
    let seen = |parameter: &str| tally.parameters.contains_key(parameter);
    for parameter in
        ["team_seas \"common\"", "last_turn true", "turn_limit \"some\"", "handicaps \"some\"", "mines \"some\""]
    {
        assert!(cases() < 300 || seen(parameter), "{parameter} was never played");
    }
}

#[test]
fn so_is_any_mix_of_the_other_families() {
    for (family, random) in [("depths", random_depths as fn(&mut Dice) -> RuleSet), ("salvos", random_salvos)] {
        let (begin, mut tally) = (Instant::now(), Tally::default());
        for seed in first_case()..first_case() + cases().div_ceil(10) {
            let mut dice = dice(seed);
            let made = Ok(random(&mut dice));
            tally.take(seed, made, &mut dice);
        }
        eprintln!("{family}, {} s: {} played, {} actions", begin.elapsed().as_secs(), tally.played, tally.actions);
        assert!(tally.failed.is_empty(), "{:#?}", tally.failed);
    }
}

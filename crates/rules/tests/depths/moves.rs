//! Playing by hand: a match of the family `depths` in which seat 0 begins, its actions in short, and the faults of a
//! refusal.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use broadside_rules::{Clock, Event, Illegal, RuleSet, Seat, Setup, Variant};
use serde_json::{Value, json};

use crate::support::{Game, dice, shown};

pub const RED: Seat = Seat(0);
pub const YELLOW: Seat = Seat(1);
/// A deployment out of the way of a test.
pub const FAR: (&[&str], &str) = (&["31@100", "31@200", "31@300"], "32");

/// A match in which seat 0 begins, both deployed.
pub fn game(variant: &str, changes: Value, red: (&[&str], &str), yellow: (&[&str], &str)) -> Game {
    timed(variant, changes, Clock::none(), red, yellow)
}

/// The same with a clock.
pub fn timed(variant: &str, changes: Value, clock: Clock, red: (&[&str], &str), yellow: (&[&str], &str)) -> Game {
    let mut all = json!({"first": "creator"});
    all.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
    let rules = RuleSet::customised(Variant::find(variant).expect("a variant"), &all).expect("a rule set");
    let mut game = Game::open(Setup::new(rules, clock), dice(1));
    for (seat, (submarines, mine)) in [(RED, red), (YELLOW, yellow)] {
        game.play(seat, &json!({"type": "depths-deploy", "submarines": submarines, "mine": mine}))
            .expect("a legal deployment");
    }
    game
}

pub fn sail(ship: &str, path: &[&str]) -> Value {
    json!({"type": "move", "ship": ship, "path": path})
}

pub fn charge(ship: &str, depth: u32) -> Value {
    json!({"type": "charge", "ship": ship, "depth": depth})
}

pub fn torpedo(target: &str, line: &str) -> Value {
    json!({"type": "torpedo", "target": target, "line": line})
}

pub fn end() -> Value {
    json!({"type": "end-turn"})
}

/// Plays actions of a seat in a row; returns the last public report.
pub fn plays(game: &mut Game, seat: Seat, actions: &[Value]) -> Value {
    for action in actions {
        game.play(seat, action).unwrap_or_else(|illegal| panic!("{action}: {illegal:?}"));
    }
    serde_json::to_value(game.reports[2].last().expect("a report")).expect("JSON")
}

/// The faults of a refused action, each with its pointer; nothing may have changed.
pub fn refused(game: &mut Game, seat: Seat, action: &Value) -> Vec<(String, &'static str)> {
    let before: Vec<String> = game.views.iter().map(shown).collect();
    let illegal: Illegal = game.play(seat, action).map(|_: Vec<Event>| action).expect_err("refused");
    let after: Vec<String> = game.views.iter().map(shown).collect();
    assert_eq!(before, after, "{action} was refused, yet something changed");
    assert!(broadside_rules::illegal::find(illegal.code).is_some(), "{} is not explained", illegal.code);
    if illegal.faults.is_empty() {
        return vec![(String::new(), illegal.code)];
    }
    illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

pub fn is(game: &mut Game, seat: Seat, action: Value, expected: &[(&str, &str)]) {
    let found = refused(game, seat, &action);
    let found: Vec<(&str, &str)> = found.iter().map(|(at, code)| (at.as_str(), *code)).collect();
    assert_eq!(found, expected, "{action}");
}

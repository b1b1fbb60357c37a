//! The round in a view: where rules limit turns, everybody sees the same number, and it never falls.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Action, Clock, RuleSet, Seat, Variant, view_model::Round};
use serde_json::json;
use support::Game;

fn rules(variant: &str, changes: &serde_json::Value) -> RuleSet {
    RuleSet::customised(Variant::find(variant).expect("a variant"), changes).expect("a rule set")
}

/// The round of all views, checked to be the same.
fn round(game: &Game) -> Option<Round> {
    let seen: Vec<Option<Round>> = game.views.iter().map(|view| view.round()).collect();
    assert!(seen.iter().all(|round| *round == seen[0]), "{seen:?}");
    seen[0]
}

/// Plays examples to the end, and returns the rounds in order, each once.
fn rounds_of(mut game: Game) -> Vec<Round> {
    assert_eq!(round(&game), None, "nothing is counted before the fleets are placed");
    let mut seen: Vec<Round> = Vec::new();
    while let Some((seat, decision)) = game.required() {
        game.act(seat, &decision.example()).expect("legal");
        match (round(&game), seen.last()) {
            (Some(now), Some(last)) if now == *last => {}
            (Some(now), last) => {
                assert_eq!(now.number, last.map_or(1, |last| last.number + 1), "one after the other");
                seen.push(now);
            }
            (None, last) => assert_eq!(last, None, "a round that was counted stays"),
        }
    }
    assert!(game.battle.outcome().is_some());
    seen
}

#[test]
fn turns_of_a_limit_are_counted_to_the_last() {
    let limit = json!({"turn_limit": {"turns": 3, "by": "hits"}, "victory": {"kind": "fleet"}});
    let rounds = rounds_of(Game::with(rules("classic", &limit), Clock::none(), 1));
    assert_eq!(rounds, [1, 2, 3].map(|number| Round { number, max: 3 }));
}

#[test]
fn where_no_turns_are_counted_there_is_no_round() {
    assert_eq!(rounds_of(Game::of("classic", 2)), []);
}

#[test]
fn the_opening_of_the_navies_is_the_first_round() {
    let mut game = Game::with(rules("salvos", &json!({"rounds": 10})), Clock::none(), 3);
    for seat in 0..2 {
        game.act(Seat(seat), &Action::DEPLOY_AUTO).expect("legal");
    }
    assert_eq!(round(&game), Some(Round { number: 1, max: 10 }), "the opening shots are due");
    let rounds = rounds_of(Game::with(rules("salvos", &json!({"rounds": 10})), Clock::none(), 4));
    assert!(rounds.len() > 1 && rounds.iter().all(|round| round.max == 10 && round.number <= 10), "{rounds:?}");
}

#[test]
fn a_round_of_the_hunt_is_a_turn_of_each() {
    let rounds = rounds_of(Game::with(rules("depths", &json!({"turns": 50})), Clock::none(), 5));
    assert!(rounds.len() > 1 && rounds.iter().all(|round| round.max == 50 && round.number <= 50), "{rounds:?}");
}

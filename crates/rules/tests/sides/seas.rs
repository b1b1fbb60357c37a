//! Small seas in which something is left over: a sea with nothing to fire at, an ally with nothing afloat, an aim that
//! was reached by somebody who has left.
use broadside_rules::{RuleSet, Seat, Status, Variant};
use serde_json::{Value, json};

use super::{rules, support::Game, support::dice};

/// A match by these changes, with a boat of two cells in the first row of every sea of five by five.
fn begun(variant: &str, mut changes: Value) -> Game {
    changes["board"] = json!({ "rows": 5, "columns": 5 });
    changes["fleet"] = json!([{ "class": "boat", "name": "Boat", "length": 2, "count": 1 }]);
    changes["first"] = json!("creator");
    let rules = RuleSet::customised(Variant::find(variant).expect("a variant"), &changes).expect("a rule set");
    let mut game = Game::open(rules::setup(rules), dice(1));
    for seat in (0..game.setup.seats).map(Seat) {
        let boat = json!([{ "ship": "boat", "cells": ["A1", "A2"] }]);
        game.play(seat, &json!({ "type": "deploy", "ships": boat })).expect("legal");
    }
    game
}

fn fires(game: &mut Game, seat: u8, target: Option<&str>, cells: &[String]) {
    let mut action = json!({ "type": "fire", "cells": cells });
    if let Some(target) = target {
        action["target"] = json!(target);
    }
    game.play(Seat(seat), &action).expect("legal");
}

fn cells(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn with_one_sea_left_a_salvo_needs_no_target() {
    let all: Vec<String> =
        "ABCDE".chars().flat_map(|row| (1..=5).map(move |column| format!("{row}{column}"))).collect();
    let salvo = json!({ "size": 26, "shrinks": "no" });
    let mut game =
        begun("classic", json!({ "salvo": salvo, "seats": { "min": 4, "max": 4 }, "teams": 2, "turn": "alternate" }));
    // Blue has nothing left, but is not out: yellow plays.
    fires(&mut game, 0, Some("blue"), &all);
    fires(&mut game, 1, Some("red"), &all);
    // Green can fire at yellow alone.
    fires(&mut game, 2, None, &all);
    assert_eq!(game.battle.status(), Status::Finished);
}

#[test]
fn an_ally_with_nothing_afloat_still_decides_where_ships_lie() {
    let rules = json!({
        "salvo": { "size": 2, "shrinks": "no" }, "victory": { "kind": "fleet" },
        "seats": { "min": 4, "max": 4 }, "teams": 2,
    });
    let mut game = begun("admiralty", rules);
    fires(&mut game, 0, Some("blue"), &cells(&["A1", "A2"]));
    // Nobody was told of the sinking, so whoever acts next must not tell it.
    assert_eq!(game.battle.to_act().iter().collect::<Vec<_>>(), [Seat(1)]);
    game.play(Seat(1), &json!({ "type": "relocate", "ships": [] })).expect("legal");
}

#[test]
fn an_aim_that_was_reached_by_who_has_left_ends_nothing() {
    let rules = json!({
        "seats": { "min": 3, "max": 3 }, "victory": { "kind": "hits", "hits": 2 }, "turn": "while-hitting",
        "last_turn": true,
    });
    let mut game = begun("classic", rules);
    fires(&mut game, 0, Some("blue"), &cells(&["A1"]));
    fires(&mut game, 0, Some("green"), &cells(&["A1"]));
    game.play(Seat(0), &json!({ "type": "resign" })).expect("legal");
    fires(&mut game, 1, None, &cells(&["E5"]));
    fires(&mut game, 2, None, &cells(&["E5"]));
    assert_eq!(game.battle.status(), Status::Playing, "neither blue nor green has hit anything");
}

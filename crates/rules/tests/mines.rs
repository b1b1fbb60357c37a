//! Mines and minesweepers: their cost, reports and refusals.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Clock, RuleSet, Seat, Setup, Variant};
use serde_json::{Value, json};
use support::{Game, dice};

const RED: Seat = Seat(0);
const BLUE: Seat = Seat(1);

fn rules(changes: &Value) -> Result<RuleSet, Vec<(String, &'static str)>> {
    let variant = Variant::find("classic").expect("a variant");
    let told =
        |faults: Vec<broadside_rules::Fault>| faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect();
    RuleSet::customised(variant, changes).map_err(told)
}

/// A line of three and a minesweeper of two, this many shots, and mines with this effect.
fn open(effect: &str, shots: u8, mines: &[&str]) -> Game {
    let mut changes = json!({
        "first": "creator",
        "salvo": {"size": shots, "shrinks": "no"},
        "mines": {"count": mines.len(), "effect": effect},
        "fleet": [
            {"class": "cruiser", "name": "Cruiser", "length": 3, "count": 1},
            {"class": "sweeper", "name": "Sweeper", "length": 2, "count": 1, "sweeper": true},
        ],
    });
    changes["names_sunk"] = json!(true);
    let mut game = Game::open(Setup::new(rules(&changes).expect("legal rules"), Clock::none()), dice(1));
    let ships = json!([{"ship": "cruiser", "cells": ["A1", "A2", "A3"]}, {"ship": "sweeper", "cells": ["C1", "C2"]}]);
    for seat in [RED, BLUE] {
        game.play(seat, &json!({"type": "deploy", "ships": ships, "mines": mines})).expect("legal");
    }
    game
}

fn next(game: &Game) -> Vec<Seat> {
    game.battle.to_act().iter().collect()
}

fn last(game: &Game, viewer: usize, kind: &str) -> Value {
    let reports = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    reports.into_iter().find(|report| report["type"] == kind).expect("such a report")
}

fn mines_seen(game: &Game, viewer: usize, sea: usize) -> Vec<String> {
    let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    let marks = seas[sea]["marks"].as_array().expect("marks").iter().filter(|mark| mark["kind"] == "mine");
    marks.map(|mark| mark["cell"].as_str().expect("a cell").to_owned()).collect()
}

#[test]
fn rule_sets_in_which_mines_make_no_sense_are_refused() {
    let mines = json!({"count": 2, "effect": "ship"});
    let refused = |at: &str, code| Err(vec![(at.to_owned(), code)]);
    let tally = json!({"mines": mines, "report": "tally", "names_sunk": false});
    assert_eq!(rules(&tally).map(|_| ()), refused("/mines", "conflicting-fields"));
    let moving = json!({"mines": mines, "relocation": "after-salvo"});
    assert_eq!(rules(&moving).map(|_| ()), refused("/mines", "conflicting-fields"));
    let counted =
        json!({"mines": mines, "sinking": false, "names_sunk": false, "victory": {"kind": "hits", "hits": 5}});
    assert_eq!(rules(&counted).map(|_| ()), refused("/mines/effect", "conflicting-fields"));
    let fleet = json!([{"class": "boat", "name": "Boat", "length": 2, "count": 1, "sweeper": true}]);
    assert_eq!(rules(&json!({"fleet": fleet})).map(|_| ()), refused("/fleet/0/sweeper", "conflicting-fields"));
    let full = json!({"fleet": fleet, "board": {"rows": 5, "columns": 5}, "mines": {"count": 11, "effect": "turn"}});
    assert_eq!(rules(&full).map(|_| ()), refused("/mines/count", "out-of-range"));
    for (mines, at, code) in [
        (json!({"count": 0, "effect": "turn"}), "/mines/count", "out-of-range"),
        (json!({"count": 21, "effect": "turn"}), "/mines/count", "out-of-range"),
        (json!({"count": 2, "effect": "boat"}), "/mines/effect", "unknown-value"),
        (json!({"effect": "turn"}), "/mines/count", "missing-field"),
        (json!([]), "/mines", "wrong-type"),
    ] {
        assert_eq!(rules(&json!({"mines": mines})).map(|_| ()), refused(at, code), "{mines}");
    }
    let told = serde_json::to_value(rules(&json!({"mines": null})).expect("legal")).expect("JSON");
    assert!(told.get("mines").is_none() && told.get("islands").is_none(), "left out where there are none");
}

#[test]
fn a_deployment_lays_each_mine_on_open_water() {
    let mut game = open("turn", 1, &["E5"]);
    assert_eq!(mines_seen(&game, 0, 0), ["E5"], "the owner sees it");
    assert!(mines_seen(&game, 1, 0).is_empty() && mines_seen(&game, 2, 0).is_empty(), "nobody else does");
    assert_eq!(last(&game, 0, "deployed").get("mines"), None, "of the enemy's deployment nothing is told");
    game.fire(RED, &["E5"]).expect("legal");
    for viewer in 0..3 {
        assert_eq!(mines_seen(&game, viewer, 1), ["E5"], "everybody knows where it exploded");
    }
    game.play(RED, &json!({"type": "resign"})).expect("legal");
    assert_eq!(last(&game, 2, "revealed")["seas"][0]["mines"], json!(["E5"]));
    for viewer in 0..3 {
        assert_eq!(mines_seen(&game, viewer, 0), ["E5"], "after the end everybody sees all");
    }
}

#[test]
fn lost_turns_are_counted_and_cancel_out() {
    let mut game = open("turn", 1, &["E5", "E6"]);
    game.fire(RED, &["E5"]).expect("legal");
    assert_eq!(next(&game), [BLUE]);
    game.fire(BLUE, &["J1"]).expect("legal");
    assert_eq!(next(&game), [BLUE], "red is passed over");
    game.fire(BLUE, &["J2"]).expect("legal");
    assert_eq!(next(&game), [RED], "once");
    game.fire(RED, &["E6"]).expect("legal");
    game.fire(BLUE, &["E5"]).expect("legal");
    // Both have lost a turn: red's is passed over, then blue's.
    assert_eq!(next(&game), [RED]);
    game.fire(RED, &["J1"]).expect("legal");
    assert_eq!(next(&game), [BLUE]);
}

#[test]
fn two_mines_in_a_salvo_cost_two_cells() {
    let mut game = open("cell", 3, &["E5", "E6"]);
    game.fire(RED, &["E5", "A1", "E6"]).expect("legal");
    let told = last(&game, 2, "fired");
    let answers: Vec<&str> =
        told["shots"].as_array().expect("shots").iter().filter_map(|shot| shot["answer"].as_str()).collect();
    assert_eq!(answers, ["mine", "hit", "mine"]);
    let owed = json!({"cells": 2, "ships": 0, "mines": 0});
    assert_eq!(told["next"], json!({"seat": 0, "action": "give-up", "shots": null, "owed": owed}));
    let decision = serde_json::to_value(game.views[0].decisions([1; 32])).expect("JSON");
    assert_eq!(decision[0]["cells"], json!({"count": 2, "cells": ["A1", "A2", "A3", "C1", "C2"]}));
    let refused = |game: &mut Game, action: Value| game.play(RED, &action).expect_err("refused").code;
    assert_eq!(refused(&mut game, json!({"type": "give-up", "cells": ["A1"]})), "wrong-give-up");
    assert_eq!(refused(&mut game, json!({"type": "give-up", "cells": ["A1", "B1"]})), "not-yours-to-give");
    assert_eq!(refused(&mut game, json!({"type": "give-up", "cells": ["A1", "A1"]})), "duplicate-cell");
    assert_eq!(refused(&mut game, json!({"type": "give-up", "cells": ["C1", "C2"], "mines": ["E5"]})), "wrong-give-up");
    game.play(RED, &json!({"type": "give-up", "cells": ["C1", "C2"]})).expect("legal");
    let told = last(&game, 1, "gave-up");
    assert_eq!(told["shots"][0], json!({"cell": "C1", "answer": "hit", "class": null}));
    assert_eq!(told["shots"][1], json!({"cell": "C2", "answer": "sunk", "class": "sweeper"}));
    assert_eq!(next(&game), [BLUE]);
    assert_eq!(game.fire(BLUE, &["C1", "J1", "J2"]).expect_err("refused").code, "cell-already-tried");
}

#[test]
fn whoever_gives_up_the_last_ship_has_lost() {
    let mut game = open("ship", 2, &["E5", "E6"]);
    game.fire(RED, &["E5", "E6"]).expect("legal");
    game.play(RED, &json!({"type": "give-up", "ships": ["cruiser", "sweeper"]})).expect("legal");
    let outcome = game.battle.outcome().expect("over");
    assert_eq!((outcome.winner, serde_json::to_value(outcome.reason).expect("JSON")), (Some(BLUE), json!("fleet")));
}

#[test]
fn each_hit_on_a_minesweeper_costs_a_mine_while_there_is_one() {
    let mut game = open("turn", 2, &["E5"]);
    game.fire(RED, &["C1", "C2"]).expect("legal");
    let owed = &last(&game, 2, "fired")["next"]["owed"];
    assert_eq!(owed, &json!({"cells": 0, "ships": 0, "mines": 1}), "two hits, and one mine is left");
    game.play(RED, &json!({"type": "give-up", "mines": ["E5"]})).expect("legal");
    assert_eq!(mines_seen(&game, 1, 0), ["E5"], "the enemy learns where it lay");
    assert_eq!(next(&game), [BLUE]);
    game.fire(BLUE, &["A1", "C1"]).expect("legal");
    game.play(BLUE, &json!({"type": "give-up", "mines": ["E5"]})).expect("legal");
    assert_eq!(game.fire(RED, &["E5", "J1"]).expect_err("refused").code, "cell-already-tried");
    assert_eq!(game.targets(RED).len(), 100 - 2 - 1, "less what was shot at and the mine that is gone");
}

//! The family `depths`: the worked cases of its rule sheet, and every refusal with what it names. Whole games in plain text are in
//! `games/`; the laws that must hold in every game are in `depths_laws.rs`.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Clock, Event, Illegal, RuleSet, Seat, Setup, Variant};
use serde_json::{Value, json};
use support::{Game, dice, shown};

const RED: Seat = Seat(0);
const YELLOW: Seat = Seat(1);
/// A deployment that is out of the way of what a test does.
const FAR: (&[&str], &str) = (&["31@100", "31@200", "31@300"], "32");

/// A match in which seat 0 begins, both deployed.
fn game(variant: &str, changes: Value, red: (&[&str], &str), yellow: (&[&str], &str)) -> Game {
    let mut all = json!({"first": "creator"});
    all.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
    let rules = RuleSet::customised(Variant::find(variant).expect("a variant"), &all).expect("a rule set");
    let mut game = Game::open(Setup::new(rules, Clock::none()), dice(1));
    for (seat, (submarines, mine)) in [(RED, red), (YELLOW, yellow)] {
        game.play(seat, &json!({"type": "deploy", "submarines": submarines, "mine": mine}))
            .expect("a legal deployment");
    }
    game
}

fn sail(ship: &str, path: &[&str]) -> Value {
    json!({"type": "move", "ship": ship, "path": path})
}

fn charge(ship: &str, depth: u32) -> Value {
    json!({"type": "charge", "ship": ship, "depth": depth})
}

fn torpedo(target: &str, line: &str) -> Value {
    json!({"type": "torpedo", "target": target, "line": line})
}

fn end() -> Value {
    json!({"type": "end-turn"})
}

/// Plays actions of a seat in a row; the last public report.
fn plays(game: &mut Game, seat: Seat, actions: &[Value]) -> Value {
    for action in actions {
        game.play(seat, action).unwrap_or_else(|illegal| panic!("{action}: {illegal:?}"));
    }
    serde_json::to_value(game.reports[2].last().expect("a report")).expect("JSON")
}

/// The faults of an action that is refused, each with its pointer; nothing may have changed.
fn refused(game: &mut Game, seat: Seat, action: &Value) -> Vec<(String, &'static str)> {
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

fn is(game: &mut Game, seat: Seat, action: Value, expected: &[(&str, &str)]) {
    let found = refused(game, seat, &action);
    let found: Vec<(&str, &str)> = found.iter().map(|(at, code)| (at.as_str(), *code)).collect();
    assert_eq!(found, expected, "{action}");
}

/// The marks of a sea as a viewer sees them: kind and count by cell.
fn marks(game: &Game, viewer: usize, sea: usize) -> Vec<(String, String)> {
    let sea = serde_json::to_value(&game.views[viewer].seas()[sea]).expect("JSON");
    let mut marks: Vec<(String, String)> = sea["marks"]
        .as_array()
        .expect("marks")
        .iter()
        .map(|mark| {
            let kind = mark["kind"].as_str().expect("a kind");
            let count = mark["count"].as_u64().map_or(String::new(), |count| format!(" {count}"));
            (mark["cell"].as_str().expect("a cell").to_owned(), format!("{kind}{count}"))
        })
        .collect();
    marks.sort();
    marks
}

fn pegs(list: &[(&str, &[&str])]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = list
        .iter()
        .flat_map(|(kind, cells)| cells.iter().map(|cell| ((*cell).to_owned(), (*kind).to_owned())))
        .collect();
    all.sort();
    all
}

#[test]
fn a_charge_on_14_at_200() {
    let answer = |variant: &str, cell: &str| {
        let others: Vec<&str> = ["34@300", "35@300", "36@300"].into_iter().filter(|other| *other != cell).collect();
        let mut game = game(variant, json!({}), FAR, (&[cell, others[0], others[1]], "1"));
        plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), end()]);
        plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
        let told = plays(&mut game, RED, &[sail("heavy", &["15", "14"]), charge("heavy", 200)]);
        (told["answer"].as_str().expect("an answer").to_owned(), told["near"].as_u64())
    };
    for square in 1..=36 {
        for depth in [100, 200, 300] {
            let cell = format!("{square}@{depth}");
            if square == 1 {
                continue; // The mine lies there.
            }
            let expected = |variant| match (square, depth, variant) {
                (14, 200, _) => ("hit".to_owned(), None),
                (8 | 13 | 15 | 20, 200, _) | (14, 100 | 300, "depths") => ("near".to_owned(), Some(1)),
                (7 | 9 | 19 | 21, 200, "depths-blast") => ("near".to_owned(), Some(1)),
                _ => ("miss".to_owned(), None),
            };
            for variant in ["depths", "depths-blast"] {
                assert_eq!(answer(variant, &cell), expected(variant), "{variant}, {cell}");
            }
        }
    }
}

#[test]
fn edges_do_not_wrap() {
    // 6's neighbours are 5 and 12; 12 and 13 are none.
    let mut game = game("depths", json!({}), FAR, (&["5@100", "12@100", "7@100"], "1"));
    let told = plays(&mut game, RED, &[sail("heavy", &["12", "6"]), charge("heavy", 100)]);
    assert_eq!((told["answer"].as_str(), told["near"].as_u64()), (Some("near"), Some(2)));
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    is(&mut game, RED, sail("heavy", &["7"]), &[("/path/0", "path-broken")]);
    is(&mut game, RED, sail("heavy", &["12", "13"]), &[("/path/1", "path-broken")]);
}

#[test]
fn charges_run_out_and_port_fills_them() {
    let mut game = game("depths", json!({}), FAR, FAR);
    let pass = |game: &mut Game, n: usize| {
        let square = if n.is_multiple_of(2) { "12" } else { "18" };
        plays(game, YELLOW, &[sail("light", &[square]), end()]);
    };
    let charges = |game: &Game| {
        let sea = serde_json::to_value(&game.views[1].seas()[1]).expect("JSON");
        let ship =
            sea["ships"].as_array().expect("ships").iter().find(|ship| ship["id"] == "light").expect("a ship").clone();
        (
            ship["stats"][0]["value"].as_u64(),
            ship["stats"][0]["most"].as_u64(),
            ship["traits"].clone(),
            ship["cells"].clone(),
        )
    };
    assert_eq!(charges(&game), (Some(2), Some(2), json!(["in-port"]), json!(["port"])));
    plays(&mut game, RED, &[sail("light", &["12", "11"]), charge("light", 100), end()]);
    pass(&mut game, 0);
    plays(&mut game, RED, &[charge("light", 200), end()]);
    pass(&mut game, 1);
    assert_eq!(charges(&game), (Some(0), Some(2), json!([]), json!(["11"])));
    is(&mut game, RED, charge("light", 300), &[("/ship", "no-charge-left")]);
    // From 11 by 12, an arrow, into port: two squares; rearmed at once, but no charge in port.
    plays(&mut game, RED, &[sail("light", &["12", "port"])]);
    assert_eq!(charges(&game), (Some(2), Some(2), json!(["in-port"]), json!(["port"])));
    is(&mut game, RED, charge("light", 300), &[("/ship", "ship-in-port")]);
    is(&mut game, RED, sail("light", &["30"]), &[("", "already-moved")]);
    plays(&mut game, RED, &[end()]);
    pass(&mut game, 2);
    plays(&mut game, RED, &[sail("light", &["30"]), charge("light", 300)]);
    assert_eq!(charges(&game), (Some(1), Some(2), json!([]), json!(["30"])));
}

#[test]
fn a_mine_takes_who_stops_on_it() {
    let mut game = game(
        "depths",
        json!({"torpedo_hits": {"hits": 1, "of": 1}}),
        (&["6@100", "6@200", "9@300"], "36"),
        (&["1@100", "2@100", "3@100"], "14"),
    );
    plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // To pass over it does nothing.
    assert_eq!(plays(&mut game, RED, &[sail("heavy", &["15", "14", "13"])])["mine"], false);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    assert!(!marks(&game, 2, 1).iter().any(|(_, kind)| kind == "mine"), "nobody but yellow knows the mine");
    assert!(marks(&game, 1, 1).contains(&("14@100".into(), "mine".into())), "yellow does");
    assert_eq!(plays(&mut game, RED, &[sail("heavy", &["14"])])["mine"], true);
    assert!(marks(&game, 2, 1).contains(&("14@100".into(), "mine".into())), "now everybody does");
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-sunk")]);
    is(&mut game, RED, charge("medium", 100), &[("/ship", "wrong-ship")]);
    is(&mut game, YELLOW, end(), &[("", "not-your-turn")]);
    // Its side may still fire, and the mine is gone.
    assert_eq!(plays(&mut game, RED, &[torpedo("heavy", "row-2")])["hit"], true);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("medium", &["12"]), end()]);
    plays(&mut game, RED, &[sail("medium", &["18", "17", "16"]), end()]);
    plays(&mut game, YELLOW, &[sail("medium", &["11"]), end()]);
    assert_eq!(plays(&mut game, RED, &[sail("medium", &["15", "14"])])["mine"], false);
}

#[test]
fn every_wrong_deployment_is_named() {
    let rules = Variant::find("depths").expect("a variant").rule_set();
    let mut game = Game::open(Setup::new(rules, Clock::none()), dice(3));
    let deploy = |submarines: &[&str], mine: &str| json!({"type": "deploy", "submarines": submarines, "mine": mine});
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, RED, action, expected);
    no(deploy(&["1@100", "1@100", "2@100"], "3"), &[("/submarines/1", "cell-named-twice")]);
    no(deploy(&["14@300", "14@200", "2@100"], "14"), &[("/mine", "mine-under-submarine")]);
    no(deploy(&["1@100", "1@200"], "3"), &[("/submarines", "ship-missing")]);
    no(deploy(&["1@100", "1@200", "1@300", "2@100"], "3"), &[("/submarines", "out-of-bounds")]);
    no(
        deploy(&["37@100", "1@400", "1"], "0"),
        &[
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "unknown-cell"),
        ],
    );
    no(
        deploy(&["1@100", "1@100", "14@200"], "14"),
        &[("/submarines/1", "cell-named-twice"), ("/mine", "mine-under-submarine")],
    );
    no(
        deploy(&["01@100", "1@0100", "+1@100"], "3@100"),
        &[
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "unknown-cell"),
        ],
    );
    no(
        json!({"type": "deploy", "submarines": [1, null, {}], "mine": 3, "colour": "red"}),
        &[
            ("/colour", "unknown-field"),
            ("/submarines/0", "unknown-cell"),
            ("/submarines/1", "unknown-cell"),
            ("/submarines/2", "unknown-cell"),
            ("/mine", "wrong-type"),
        ],
    );
    no(json!({"type": "deploy"}), &[("/submarines", "missing-field"), ("/mine", "missing-field")]);
    no(sail("heavy", &["12"]), &[("", "wrong-phase")]);
    no(end(), &[("", "wrong-phase")]);
    game.play(RED, &deploy(&["1@100", "1@200", "1@300"], "36")).expect("one above another is allowed");
    is(&mut game, RED, deploy(&["1@100", "1@200", "1@300"], "36"), &[("", "already-deployed")]);
    is(&mut game, RED, json!({"type": "deploy", "auto": true}), &[("", "already-deployed")]);
    is(&mut game, RED, sail("heavy", &["12"]), &[("", "wrong-phase")]);
}

#[test]
fn every_wrong_move_is_named() {
    let mut game = game("depths", json!({}), FAR, FAR);
    is(&mut game, YELLOW, sail("heavy", &["12"]), &[("", "not-your-turn")]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, RED, action, expected);
    no(end(), &[("", "nothing-done")]);
    no(sail("heavy", &[]), &[("/path", "path-broken")]);
    no(sail("heavy", &["11"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["6"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["port"]), &[("/path/0", "path-broken")]);
    no(sail("heavy", &["12", "port", "24"]), &[("/path/2", "path-broken")]);
    no(sail("heavy", &["12", "12"]), &[("/path/1", "path-broken")]);
    no(sail("heavy", &["12", "11", "10", "9"]), &[("/path", "path-too-long")]);
    no(sail("heavy", &["12", "10", "9", "8"]), &[("/path", "path-too-long"), ("/path/1", "path-broken")]);
    no(
        sail("heavy", &["37", "0", "harbour"]),
        &[("/path/0", "unknown-cell"), ("/path/1", "unknown-cell"), ("/path/2", "unknown-cell")],
    );
    no(sail("heavy", &["12@100"]), &[("/path/0", "unknown-cell")]);
    no(sail("submarine-1", &["12"]), &[("/ship", "ship-unknown")]);
    no(json!({"type": "move", "ship": 1, "path": "12"}), &[("/ship", "wrong-type"), ("/path", "wrong-type")]);
    no(json!({"type": "move"}), &[("/ship", "missing-field"), ("/path", "missing-field")]);
    no(json!({"type": "sail", "ship": "heavy"}), &[("/type", "unknown-action")]);
    plays(&mut game, RED, &[sail("heavy", &["12"])]);
    is(&mut game, RED, sail("heavy", &["11"]), &[("", "already-moved")]);
    is(&mut game, RED, sail("light", &["30"]), &[("", "already-moved")]);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // Own ships are in the way, where a path ends and on the way; enemy ships sail elsewhere.
    is(&mut game, RED, sail("light", &["12"]), &[("/path/0", "path-blocked")]);
    is(&mut game, RED, sail("light", &["12", "11"]), &[("/path/0", "path-blocked")]);
    // A way may lead back to where it began.
    plays(&mut game, RED, &[sail("heavy", &["11", "12"])]);
}

#[test]
fn every_wrong_charge_and_torpedo_is_named() {
    let rules = json!({"torpedo_hits": {"hits": 0, "of": 3}});
    let mut game = game("depths", rules, FAR, (&["8@100", "10@300", "36@200"], "1"));
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-in-port")]);
    is(&mut game, RED, charge("heavy", 150), &[("/depth", "out-of-bounds")]);
    is(&mut game, RED, charge("submarine-1", 400), &[("/ship", "ship-unknown"), ("/depth", "out-of-bounds")]);
    is(&mut game, RED, json!({"type": "charge", "ship": "heavy", "depth": "100"}), &[("/depth", "wrong-type")]);
    is(&mut game, RED, torpedo("heavy", "row-6"), &[("/target", "ship-in-port")]);
    plays(&mut game, RED, &[sail("heavy", &["12", "11", "10"])]);
    is(&mut game, RED, charge("light", 100), &[("/ship", "wrong-ship")]);
    plays(&mut game, RED, &[charge("heavy", 100)]);
    is(&mut game, RED, charge("heavy", 100), &[("", "already-charged")]);
    plays(&mut game, RED, &[end()]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, YELLOW, action, expected);
    no(torpedo("heavy", "row-7"), &[("/line", "unknown-line")]);
    no(torpedo("heavy", "1-36"), &[("/line", "unknown-line")]);
    no(torpedo("heavy", "row-02"), &[("/line", "unknown-line")]);
    no(torpedo("submarine-1", "row-2"), &[("/target", "ship-unknown")]);
    // 36@200 lies in row 6, where the heavy ship is not; the ship is in neither row 3, where no submarine lies.
    no(torpedo("heavy", "row-6"), &[("/line", "not-on-line")]);
    no(torpedo("heavy", "row-3"), &[("/line", "not-on-line"), ("/line", "not-on-line")]);
    no(torpedo("medium", "row-2"), &[("/target", "ship-in-port")]);
    // Two submarines lie in row 2: each fires once, one of them stands in column 4 too.
    plays(&mut game, YELLOW, &[torpedo("heavy", "row-2")]);
    let mut no = |action: Value, expected: &[(&str, &str)]| is(&mut game, YELLOW, action, expected);
    no(torpedo("heavy", "column-4"), &[("/line", "line-changed")]);
    no(sail("heavy", &["12"]), &[("", "already-moved")]);
    no(charge("heavy", 100), &[("", "already-charged")]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "row-2")]);
    is(&mut game, YELLOW, torpedo("heavy", "row-2"), &[("/line", "no-submarine-left")]);
    plays(&mut game, YELLOW, &[end()]);
    // In the next turn they fire again, along another line if they like.
    plays(&mut game, RED, &[sail("heavy", &["11", "10"]), end()]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "column-4")]);
    is(&mut game, YELLOW, torpedo("heavy", "column-4"), &[("/line", "no-submarine-left")]);
}

#[test]
fn who_is_out_cannot_act_and_the_end_is_at_once() {
    let rules = json!({"torpedo_hits": {"hits": 1, "of": 1}});
    let mut game = game("depths", rules, FAR, (&["12@100", "18@100", "24@100"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["12"]), end()]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "column-6"), end()]);
    is(&mut game, RED, sail("heavy", &["11"]), &[("/ship", "ship-sunk")]);
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-sunk")]);
    // Where it sank is free.
    plays(&mut game, RED, &[sail("medium", &["12"]), end()]);
    is(&mut game, YELLOW, torpedo("heavy", "column-6"), &[("/target", "ship-sunk")]);
    plays(&mut game, YELLOW, &[torpedo("medium", "row-2"), end()]);
    plays(&mut game, RED, &[sail("light", &["24"]), end()]);
    let last = plays(&mut game, YELLOW, &[torpedo("light", "row-4")]);
    assert_eq!(last["type"], "revealed");
    let outcome = serde_json::to_value(game.battle.outcome()).expect("JSON");
    assert_eq!(
        outcome,
        json!({"reason": "fleet", "winner": 1, "places": [{"seat": 1, "place": 1}, {"seat": 0, "place": 2}]})
    );
    is(&mut game, YELLOW, end(), &[("", "match-over")]);
    let seas = serde_json::to_value(game.views[2].seas()).expect("JSON");
    assert_eq!(seas[1]["ships"][0]["cells"], json!(["12@100"]), "in the end everybody sees what lay there");
    assert_eq!(
        seas[1]["ships"][3],
        json!({
            "id": "heavy", "seat": 0, "class": "heavy", "name": "Heavy ship", "length": 1, "cells": [], "hits": 1, "afloat": false,
            "stats": [{"name": "charges", "value": 4, "most": 4}], "traits": [],
        })
    );
}

#[test]
fn the_limit_counts_what_is_afloat() {
    let shuttle = |game: &mut Game, seat: Seat, ship: &str, turn: usize| {
        let path = if turn.is_multiple_of(2) { ["30"] } else { ["24"] };
        plays(game, seat, &[sail(ship, &path), end()]);
    };
    // Nothing lost: a draw, and both are first.
    let mut even = game("depths", json!({"turns": 50}), FAR, FAR);
    for turn in 0..50 {
        shuttle(&mut even, RED, "light", turn);
        assert!(even.battle.outcome().is_none());
        shuttle(&mut even, YELLOW, "light", turn);
    }
    let outcome = serde_json::to_value(even.battle.outcome()).expect("JSON");
    let places = json!([{"seat": 0, "place": 1}, {"seat": 1, "place": 1}]);
    assert_eq!(outcome, json!({"reason": "limit", "winner": null, "places": places}));
    // Red has lost a ship on the mine: yellow wins.
    let mut uneven = game("depths", json!({"turns": 50}), FAR, (&["1@100", "2@100", "3@100"], "12"));
    plays(&mut uneven, RED, &[sail("heavy", &["12"]), end()]);
    shuttle(&mut uneven, YELLOW, "light", 0);
    for turn in 1..50 {
        shuttle(&mut uneven, RED, "light", turn - 1);
        shuttle(&mut uneven, YELLOW, "light", turn);
    }
    let outcome = serde_json::to_value(uneven.battle.outcome()).expect("JSON");
    assert_eq!((&outcome["reason"], &outcome["winner"]), (&json!("limit"), &json!(1)));
}

#[test]
fn the_tracking_grid_is_kept() {
    // 15@100 and 26@300 are near what red charges; 36@300 is not.
    let mut game = game("depths", json!({}), FAR, (&["15@100", "26@300", "36@300"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), charge("heavy", 100), end()]);
    let near = [("sighted 1", &["16@100"][..]), ("near", &["10@100", "15@100", "17@100", "22@100", "16@200"])];
    assert_eq!(marks(&game, 0, 1), pegs(&near));
    assert_eq!(marks(&game, 2, 1), pegs(&near), "everybody can keep it");
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // A miss: white beside it, and what was red there is white now.
    plays(&mut game, RED, &[sail("heavy", &["17"]), charge("heavy", 200), end()]);
    let missed = [
        ("sighted 1", &["16@100"][..]),
        ("near", &["10@100", "15@100", "22@100"]),
        ("miss", &["17@200"]),
        ("excluded", &["11@200", "16@200", "18@200", "23@200", "17@100", "17@300"]),
    ];
    assert_eq!(marks(&game, 0, 1), pegs(&missed));
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    // A hit: a flag, and the red pegs that this submarine accounts for are white.
    plays(&mut game, RED, &[sail("heavy", &["16", "15"]), charge("heavy", 100), end()]);
    let hit = [
        ("sighted 1", &["16@100"][..]),
        ("sunk", &["15@100"]),
        ("miss", &["17@200"]),
        ("excluded", &["10@100", "22@100", "11@200", "16@200", "18@200", "23@200", "17@100", "17@300"]),
    ];
    assert_eq!(marks(&game, 0, 1), pegs(&hit));
    // Which of the three it was, only yellow is shown.
    let afloat = |viewer: usize| {
        let sea = serde_json::to_value(&game.views[viewer].seas()[1]).expect("JSON");
        sea["ships"].as_array().expect("ships")[..3]
            .iter()
            .map(|ship| (ship["afloat"].clone(), ship["cells"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(afloat(0), [(json!(false), json!(null)), (json!(true), json!(null)), (json!(true), json!(null))]);
    assert_eq!(afloat(1)[0], (json!(false), json!(["15@100"])));
    assert_eq!(game.views[0].seas()[1].hits, 1);
}

#[test]
fn a_red_peg_stays_while_a_near_miss_stands_beside_it() {
    // 9@100 and 15@100 are both near 10@100 and 16@100, and each other.
    let mut game = game("depths", json!({}), FAR, (&["9@100", "15@100", "36@300"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["12", "11", "10"]), charge("heavy", 100), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    plays(&mut game, RED, &[sail("heavy", &["16"]), charge("heavy", 100), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    plays(&mut game, RED, &[sail("heavy", &["15"]), charge("heavy", 100), end()]);
    // 15 was what 16 told of; what 10 told of is still to be found: in 4, 9 or 11, or below 10.
    let marks = marks(&game, 0, 1);
    let of = |kind: &str| marks.iter().filter(|mark| mark.1 == kind).map(|mark| mark.0.as_str()).collect::<Vec<_>>();
    assert_eq!(of("near"), ["10@200", "11@100", "4@100", "9@100"]);
    assert_eq!(of("excluded"), ["16@200", "17@100", "22@100"]);
    assert_eq!(of("sunk"), ["15@100"]);
}

#[test]
fn a_wrong_rule_set_names_every_fault() {
    let is = |changes: Value, expected: &[(&str, &str)]| {
        let base = Variant::find("depths-blast").expect("a variant");
        let faults = RuleSet::customised(base, &changes).expect_err("refused");
        let found: Vec<(&str, &str)> = faults.iter().map(|fault| (fault.pointer.as_str(), fault.code)).collect();
        assert_eq!(found, expected, "{changes}");
    };
    is(json!([]), &[("", "wrong-type")]);
    is(
        json!({"family": "gunnery", "charge": "wide", "arrows": [6, 7, "12", 6], "lines": 1, "torpedo_hits": {"hits": 4, "of": 3},
               "turns": 49, "first": "youngest", "depth": 100}),
        &[
            ("/depth", "unknown-field"),
            ("/family", "unknown-value"),
            ("/charge", "unknown-value"),
            ("/arrows/1", "out-of-bounds"),
            ("/arrows/2", "wrong-type"),
            ("/arrows/3", "cell-named-twice"),
            ("/lines", "wrong-type"),
            ("/torpedo_hits/hits", "contradiction"),
            ("/turns", "out-of-bounds"),
            ("/first", "unknown-value"),
        ],
    );
    is(json!({"arrows": []}), &[("/arrows", "out-of-bounds")]);
    is(json!({"arrows": [6, 12, 18, 24, 30, 36, 6]}), &[("/arrows", "out-of-bounds")]);
    is(json!({"arrows": [0]}), &[("/arrows/0", "out-of-bounds")]);
    is(json!({"arrows": [42]}), &[("/arrows/0", "out-of-bounds")]);
    is(json!({"torpedo_hits": {"of": 0}}), &[("/torpedo_hits/of", "out-of-bounds")]);
    is(json!({"torpedo_hits": {"of": 37}}), &[("/torpedo_hits/of", "out-of-bounds")]);
    is(json!({"torpedo_hits": {"hits": -1}}), &[("/torpedo_hits/hits", "out-of-bounds")]);
    is(json!({"turns": 501}), &[("/turns", "out-of-bounds")]);
    for both_ends in [
        json!({"turns": 50, "arrows": [36], "torpedo_hits": {"hits": 0, "of": 1}}),
        json!({"turns": 500, "arrows": [36, 6, 12, 18, 24, 30], "torpedo_hits": {"hits": 36, "of": 36}}),
    ] {
        assert!(RuleSet::customised(Variant::find("depths").expect("a variant"), &both_ends).is_ok(), "{both_ends}");
    }
}

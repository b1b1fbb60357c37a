//! The worked cases of the rule sheets, each named after its sheet.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{Clock, Illegal, RuleSet, Seat, Setup, Variant};
use serde_json::{Value, json};
use support::{Game, VIEWERS, dice};

const RED: Seat = Seat(0);
const BLUE: Seat = Seat(1);

/// A match of a variant, with changes, in which seat 0 begins.
fn open(variant: &str, mut changes: Value) -> Game {
    changes["first"] = json!("creator");
    let rules = RuleSet::customised(Variant::find(variant).expect("a variant"), &changes).expect("legal rules");
    Game::open(Setup::new(rules, Clock::none()), dice(1))
}

fn fleet(text: &str) -> Value {
    let ship = |ship: &str| {
        let mut words = ship.split_whitespace();
        json!({"ship": words.next(), "cells": words.collect::<Vec<_>>()})
    };
    Value::from(text.split(';').map(ship).collect::<Vec<_>>())
}

fn deploy(game: &mut Game, seat: Seat, ships: &str) -> Result<(), Illegal> {
    game.play(seat, &json!({"type": "deploy", "ships": fleet(ships)})).map(|_| ())
}

fn last(game: &Game, viewer: usize, kind: &str) -> Value {
    let reports = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    reports.into_iter().find(|report| report["type"] == kind).expect("such a report")
}

/// Fires, and returns the public answers in order.
fn fire(game: &mut Game, seat: Seat, cells: &[&str]) -> Vec<String> {
    game.fire(seat, cells).expect("a legal salvo");
    let told = last(game, seat.index(), "fired");
    let word = |shot: &Value| {
        let answer = shot["answer"].as_str().unwrap_or("-");
        shot["class"].as_str().map_or(answer.into(), |class| format!("{answer} {class}"))
    };
    told["shots"].as_array().expect("shots").iter().map(word).collect()
}

fn codes(refused: Result<(), Illegal>) -> Vec<(String, &'static str)> {
    refused.expect_err("refused").faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
}

const FLEET_001: &str =
    "carrier J1 J2 J3 J4 J5; battleship D7 D8 D9 D10; cruiser B2 B3 B4; submarine H5 H6 H7; destroyer E3 E4";

#[test]
fn sheet_001_diagram_1_h10_is_a_miss() {
    let mut game = open("classic", json!({}));
    deploy(&mut game, RED, FLEET_001).expect("legal");
    deploy(&mut game, BLUE, FLEET_001).expect("legal");
    assert_eq!(fire(&mut game, RED, &["H10"]), ["miss"]);
    // Diagram 2: F8 strikes a ship, and nobody is told which.
    let mut game = open("classic", json!({}));
    deploy(&mut game, RED, FLEET_001.replace("H5 H6 H7", "F6 F7 F8").as_str()).expect("legal");
    deploy(&mut game, BLUE, FLEET_001).expect("legal");
    fire(&mut game, RED, &["H10"]);
    assert_eq!(fire(&mut game, BLUE, &["F8"]), ["hit"]);
}

#[test]
fn sheet_001_seventeen_hits_sink_the_fleet_and_not_before() {
    let mut game = open("classic", json!({"turn": "while-hitting"}));
    deploy(&mut game, RED, FLEET_001).expect("legal");
    deploy(&mut game, BLUE, FLEET_001).expect("legal");
    let cells = "J1 J2 J3 J4 J5 D7 D8 D9 D10 B2 B3 B4 H5 H6 H7 E3 E4";
    let mut sunk = Vec::new();
    for (shot, cell) in cells.split(' ').enumerate() {
        assert!(!game.battle.status().is_over(), "not over after {shot} hits");
        sunk.extend(fire(&mut game, RED, &[cell]).pop().filter(|answer| answer.starts_with("sunk")));
    }
    assert_eq!(sunk, ["sunk carrier", "sunk battleship", "sunk cruiser", "sunk submarine", "sunk destroyer"]);
    let outcome = game.battle.outcome().expect("over");
    assert_eq!((outcome.winner, serde_json::to_value(outcome.reason).expect("JSON")), (Some(RED), json!("fleet")));
}

#[test]
fn sheet_001_a_salvo_loses_a_shot_for_each_own_ship_sunk() {
    let mut game = open("classic-salvo", json!({}));
    deploy(&mut game, RED, FLEET_001).expect("legal");
    deploy(&mut game, BLUE, FLEET_001).expect("legal");
    let size = |game: &Game| game.shots(game.battle.to_act().iter().next().expect("somebody"));
    let quiet = ["A1 A2 A3 A4 A5", "A6 A7 A8 A9 A10", "B5 B6 B7 B8 B9", "C1 C2 C3 C4 C5"];
    let sinking = ["J1 J2 J3 J4 J5", "D7 D8 D9 D10 A1", "B2 B3 B4 A2 A3", "H5 H6 H7 A4 A5"];
    for (losses, (red, blue)) in sinking.iter().zip(quiet).enumerate() {
        assert_eq!(size(&game), 5, "red has lost nothing");
        fire(&mut game, RED, &red.split(' ').collect::<Vec<_>>());
        let left = 5 - losses - 1;
        assert_eq!(size(&game), left);
        let five: Vec<&str> = blue.split(' ').collect();
        assert_eq!(game.fire(BLUE, &five).expect_err("too many").code, "wrong-salvo-size");
        fire(&mut game, BLUE, &five[..left]);
    }
}

const FLEET_002: &str =
    "carrier F1 F2 F3 F4; battleship-1 B1 B2 B3 B4; battleship-2 H2 H3 H4 H5; cruiser-1 D2 D3; cruiser-2 D6 D7;
    cruiser-3 F6 F7; submarine-1 A6; submarine-2 B8; submarine-3 D9; submarine-4 J7";

#[test]
fn sheet_002_the_border_and_the_corners() {
    let mut game = open("paper", json!({}));
    // One cell on the edge is legal (B1–B4 in red's fleet), and so is a submarine on A5 (in blue's).
    let with = |from: &str, to: &str| FLEET_002.replace(from, to);
    assert_eq!(
        codes(deploy(&mut game, RED, &with("submarine-1 A6", "submarine-1 A10"))),
        [("/ships/6/cells".into(), "corner-forbidden")]
    );
    assert_eq!(
        codes(deploy(
            &mut game,
            RED,
            &with("B1 B2 B3 B4", "A3 A4 A5 A6")
                .replace("submarine-1 A6", "submarine-1 B9")
                .replace("submarine-2 B8", "submarine-2 J10")
        )),
        [("/ships/1/cells".into(), "border-forbidden"), ("/ships/7/cells".into(), "corner-forbidden")]
    );
    // Two that touch at a corner only: both are named.
    assert_eq!(
        codes(deploy(&mut game, RED, &with("submarine-2 B8", "submarine-2 B7"))),
        [("/ships/6/cells".into(), "ships-touch"), ("/ships/7/cells".into(), "ships-touch")]
    );
    deploy(&mut game, RED, FLEET_002).expect("legal");
    deploy(&mut game, BLUE, &with("B1 B2 B3 B4", "H7 H8 H9 H10").replace("submarine-1 A6", "submarine-1 A5"))
        .expect("legal");
}

#[test]
fn sheet_002_labels_are_column_then_row() {
    let mut game = open("paper", json!({}));
    deploy(&mut game, RED, FLEET_002).expect("legal");
    deploy(&mut game, BLUE, FLEET_002).expect("legal");
    // C4 is beside B4 and D6 is a cruiser; H9 is nothing.
    assert_eq!(fire(&mut game, RED, &["C4", "D6", "H9"]), ["sighted", "hit", "miss"]);
    let card = game.setup.rules.board(2);
    let cell = card.seas[0].cells.iter().find(|cell| cell.label.as_str() == "C4").expect("C4");
    assert_eq!((cell.row, cell.column), (3, 2));
}

#[test]
fn sheet_002_a_submarine_is_sunk_and_never_hit_and_sighted_by_its_sides_only() {
    let mut game = open("paper", json!({}));
    deploy(&mut game, RED, FLEET_002).expect("legal");
    deploy(&mut game, BLUE, FLEET_002).expect("legal");
    // The submarine on D9: D10 and C9 share a side, E10 a corner only.
    assert_eq!(fire(&mut game, RED, &["D10", "E10", "D9"]), ["sighted", "miss", "sunk"]);
    fire(&mut game, BLUE, &["A1", "J1", "J10"]);
    // Sunk, it is no longer sighted.
    assert_eq!(fire(&mut game, RED, &["C9", "J1", "J10"]), ["miss", "miss", "miss"]);
    // Everything around it is marked as certainly empty.
    let seas = serde_json::to_value(game.views[0].seas()).expect("JSON");
    let marks = seas[1]["marks"].as_array().expect("marks");
    let kind = |cell: &str| {
        marks.iter().find(|mark| mark["cell"] == cell).map(|mark| mark["kind"].as_str().expect("a kind").to_owned())
    };
    for (cell, expected) in
        [("D9", "sunk"), ("D10", "sighted"), ("E10", "miss"), ("C9", "miss"), ("C8", "excluded"), ("E9", "excluded")]
    {
        assert_eq!(kind(cell).as_deref(), Some(expected), "{cell}");
    }
    assert_eq!(kind("F9"), None);
}

const FLEET_003: &str =
    "carrier C2 C3 C4 C5 C6; battleship E8 F8 G8 H8; destroyer J1 J2 J3; submarine A8 A9 A10; torpedo-boat H5 I5";

#[test]
fn sheet_003_c_three_hits_on_two_ships_answer_three_and_nothing_more() {
    let mut game = open("officers", json!({}));
    deploy(&mut game, RED, FLEET_003).expect("legal");
    deploy(&mut game, BLUE, FLEET_003).expect("legal");
    game.fire(RED, &["C2", "E8", "A1", "C3", "J10"]).expect("legal");
    for viewer in [0, 2] {
        let told = last(&game, viewer, "fired");
        assert_eq!(told["hits"], 3);
        assert_eq!(told["hits_by_class"], Value::Null);
        for shot in told["shots"].as_array().expect("shots") {
            assert_eq!((&shot["answer"], &shot["class"]), (&Value::Null, &Value::Null));
        }
        let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
        assert_eq!(seas[1]["hits"], 3);
        assert!(
            seas[1]["marks"]
                .as_array()
                .expect("marks")
                .iter()
                .all(|mark| mark["kind"] == "tried" && mark.get("class").is_none())
        );
        for ship in seas[1]["ships"].as_array().expect("ships") {
            assert_eq!((&ship["cells"], &ship["hits"], &ship["afloat"]), (&Value::Null, &Value::Null, &Value::Null));
        }
    }
    // The target knows the truth.
    let seas = serde_json::to_value(game.views[1].seas()).expect("JSON");
    assert_eq!(seas[1]["ships"][0]["hits"], 2);
    assert_eq!(seas[1]["marks"].as_array().expect("marks").iter().filter(|mark| mark["kind"] == "hit").count(), 3);
}

#[test]
fn sheet_003_d_a_carrier_with_two_hits_moves_and_the_hits_stay_counted() {
    let mut game = open("admiralty", json!({}));
    deploy(&mut game, RED, FLEET_003).expect("legal");
    deploy(&mut game, BLUE, FLEET_003).expect("legal");
    game.fire(RED, &["C3", "C5", "E5", "E8", "J9"]).expect("legal");
    let relocate =
        |ships: &str| json!({"type": "relocate", "ships": if ships.is_empty() { json!([]) } else { fleet(ships) }});
    assert_eq!(game.play(RED, &relocate("")).expect_err("refused").code, "not-your-turn");
    assert_eq!(game.fire(RED, &["A1", "A2", "A3", "A4", "A5"]).expect_err("refused").code, "not-your-turn");
    assert_eq!(game.fire(BLUE, &["A1", "A2", "A3", "A4", "A5"]).expect_err("refused").code, "wrong-phase");
    let onto_tried = game.play(BLUE, &relocate("carrier C4 C5 C6 C7 C8")).expect_err("refused");
    assert_eq!(codes(Err(onto_tried)), [("/ships/0/cells/1".into(), "cell-already-tried")]);
    game.play(BLUE, &relocate("carrier B1 C1 D1 E1 F1")).expect("legal");

    // All others don't even learn that something moved.
    for viewer in [0, 2] {
        assert_eq!(last(&game, viewer, "relocated")["ships"], Value::Null);
    }
    let seas = |game: &Game, viewer: usize| serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    assert_eq!(seas(&game, 0)[1]["hits"], 3, "the hits stay in the shooter's total");
    assert_eq!(seas(&game, 1)[1]["ships"][0]["hits"], 0, "the carrier is whole again");
    assert_eq!(seas(&game, 1)[1]["ships"][1]["hits"], 1, "the battleship stayed, and keeps its hit");

    // Red hit, so it is blue's turn. Blue misses with all and fires again, once red has decided.
    assert_eq!(game.battle.to_act().iter().collect::<Vec<_>>(), [BLUE]);
    game.fire(BLUE, &["A1", "A2", "A3", "A4", "A5"]).expect("legal");
    game.play(RED, &relocate("")).expect("legal");
    assert_eq!(game.battle.to_act().iter().collect::<Vec<_>>(), [BLUE]);
    game.fire(BLUE, &["C2", "B1", "B2", "B3", "B4"]).expect("legal");
    game.play(RED, &relocate("")).expect("legal");
    // The carrier's former cells are water; and a torpedo boat hit in both cells is sunk, though unannounced.
    game.fire(RED, &["C2", "C4", "C6", "H5", "I5"]).expect("legal");
    assert_eq!(last(&game, 0, "fired")["hits"], 2);
    assert_eq!(game.play(BLUE, &relocate("torpedo-boat D9 D10")).expect_err("refused").code, "ship-sunk");
    game.play(BLUE, &relocate("")).expect("legal");
    assert_eq!(seas(&game, 0)[1]["ships"][4]["afloat"], Value::Null, "red is not told");
    assert_eq!(seas(&game, 1)[1]["ships"][4]["afloat"], false);
    assert_eq!(game.shots(BLUE), 4, "the salvo shrinks, which everybody can see");
}

/// Where a sinking is announced without its class, the shooter can't tell which ship it was.
#[test]
fn a_ship_sunk_without_a_name_is_of_unknown_class() {
    for (report, fires) in [("per-shot", ["D9", "B1"]), ("tally", ["D9", "B1"]), ("per-salvo", ["D9", "B1"])] {
        let mut game = open("paper", json!({"report": report, "sighting": "no", "salvo": {"size": 2}}));
        deploy(&mut game, RED, FLEET_002).expect("legal");
        deploy(&mut game, BLUE, FLEET_002).expect("legal");
        let afloat = |game: &Game| -> Vec<Value> {
            let seas = serde_json::to_value(game.views[0].seas()).expect("JSON");
            seas[1]["ships"].as_array().expect("ships").iter().map(|ship| ship["afloat"].clone()).collect()
        };
        assert_eq!(afloat(&game), vec![json!(true); 10], "nothing is sunk yet, and everybody knows");
        game.fire(RED, &fires).expect("legal");
        assert_eq!(afloat(&game), vec![Value::Null; 10], "{report}: the submarine could be any ship");
        let seas = serde_json::to_value(game.views[0].seas()).expect("JSON");
        assert_eq!(seas[1]["sunk"], 1);
        let told = last(&game, 0, "fired");
        assert!(!told.to_string().contains("submarine"), "{told}");
    }
    // With one class there is nothing left to guess.
    let rules = json!({"report": "tally", "names_sunk": false, "announces_sunk": true, "salvo": {"size": 2},
        "fleet": [{"class": "boat", "name": "Boat", "length": 1, "count": 3}]});
    let mut game = open("classic", rules);
    for seat in [RED, BLUE] {
        deploy(&mut game, seat, "boat-1 A1; boat-2 C1; boat-3 E1").expect("legal");
    }
    game.fire(RED, &["E1", "J10"]).expect("legal");
    let seas = serde_json::to_value(game.views[0].seas()).expect("JSON");
    let afloat: Vec<&Value> = seas[1]["ships"].as_array().expect("ships").iter().map(|ship| &ship["afloat"]).collect();
    assert_eq!(afloat, [&json!(false), &json!(true), &json!(true)], "by number, whichever it was");
}

#[test]
fn a_salvo_is_no_larger_than_the_cells_left() {
    // 25 cells, salvos of 7: three full ones, then four cells are left. Nobody hits before the last salvo.
    let rules = json!({
        "board": {"rows": 5, "columns": 5}, "salvo": {"size": 7},
        "fleet": [{"class": "boat", "name": "Boat", "length": 2, "count": 1}],
    });
    let mut game = open("classic", rules);
    for seat in [RED, BLUE] {
        deploy(&mut game, seat, "boat E4 E5").expect("legal");
    }
    let cells: Vec<String> =
        game.setup.rules.board(2).seas[0].cells.iter().map(|cell| cell.label.to_string()).collect();
    for salvo in cells.chunks(7) {
        let cells: Vec<&str> = salvo.iter().map(String::as_str).collect();
        assert_eq!(game.shots(RED), cells.len());
        assert_eq!(game.fire(RED, &cells[1..]).expect_err("too few").code, "wrong-salvo-size");
        fire(&mut game, RED, &cells);
        if game.battle.status().is_over() {
            return;
        }
        fire(&mut game, BLUE, &cells);
    }
    panic!("the last salvo wins");
}

#[test]
fn the_shot_that_wins_decides_and_the_rest_of_the_salvo_is_still_told() {
    let rules = json!({"salvo": {"size": 3}, "fleet": [{"class": "boat", "name": "Boat", "length": 1, "count": 1}]});
    let mut game = open("classic", rules);
    for seat in [RED, BLUE] {
        deploy(&mut game, seat, "boat E4").expect("legal");
    }
    assert_eq!(fire(&mut game, RED, &["E4", "A1", "A2"]), ["sunk boat", "miss", "miss"]);
    assert!(game.battle.status().is_over(), "blue gets no answering turn");
    for viewer in 0..VIEWERS.len() {
        let revealed = last(&game, viewer, "revealed");
        assert_eq!(
            revealed["seas"][1]["ships"][0],
            json!({
                "ship": "boat", "class": "boat", "first_cells": ["E4"], "last_cells": ["E4"], "hits": 1,
            })
        );
        assert_eq!(revealed["seas"][1]["shots"].as_array().map(Vec::len), Some(3));
    }
}

#[test]
fn both_ends_of_every_parameter_are_playable() {
    let ship = |length: u8, count: u8| json!([{"class": "ship", "name": "Ship", "length": length, "count": count}]);
    for changes in [
        json!({"board": {"rows": 5, "columns": 5}, "fleet": ship(1, 1)}),
        json!({"board": {"rows": 26, "columns": 26}, "fleet": ship(6, 10)}),
        json!({"board": {"rows": 5, "columns": 26, "labels": "column-letter"}, "fleet": ship(6, 1)}),
        json!({"salvo": {"size": 1}}),
        json!({"salvo": {"size": 10}}),
        json!({"victory": {"kind": "hits", "hits": 1}}),
        json!({"victory": {"kind": "hits", "hits": 17}}),
        json!({"fleet": [{"class": "a", "name": "A", "length": 1, "count": 10}, {"class": "b", "name": "B", "length": 1, "count": 10},
            {"class": "c-1", "name": "C", "length": 2, "count": 6}]}),
    ] {
        let mut game = open("classic", changes);
        while let Some((seat, decision)) = game.required() {
            game.act(seat, &decision.example()).expect("legal");
        }
        assert!(game.battle.outcome().is_some());
    }
}

//! The contents of the sea: ships of any shape, contact, islands, and their presentation.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use std::collections::BTreeSet;

use broadside_rules::{Action, Clock, RuleSet, Seat, Setup, Variant};
use serde_json::{Value, json};
use support::{Game, dice};

const RED: Seat = Seat(0);
const BLUE: Seat = Seat(1);

fn rules(changes: Value) -> Result<RuleSet, Vec<(String, &'static str)>> {
    let variant = Variant::find("classic").expect("a variant");
    let told =
        |faults: Vec<broadside_rules::Fault>| faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect();
    RuleSet::customised(variant, &changes).map_err(told)
}

fn open(mut changes: Value) -> Game {
    changes["first"] = json!("creator");
    Game::open(Setup::new(rules(changes).expect("legal rules"), Clock::none()), dice(1))
}

fn class(id: &str, shape: &[&str], more: &Value) -> Value {
    let length = shape.iter().map(|row| row.matches('x').count()).sum::<usize>();
    let mut class = json!({"class": id, "name": id, "length": length, "count": 1, "shape": shape});
    for (name, value) in more.as_object().into_iter().flatten() {
        class[name] = value.clone();
    }
    class
}

fn deploy(game: &mut Game, seat: Seat, ships: &[(&str, &str)]) -> Result<(), Vec<(String, &'static str)>> {
    let ship = |(id, cells): &(&str, &str)| json!({"ship": id, "cells": cells.split(' ').collect::<Vec<_>>()});
    let ships: Vec<Value> = ships.iter().map(ship).collect();
    let played = game.play(seat, &json!({"type": "deploy", "ships": ships}));
    played.map(|_| ()).map_err(|illegal| illegal.faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect())
}

/// The cells with a mark of this kind in the sea of blue, in red's view.
fn marks(game: &Game, kind: &str) -> BTreeSet<String> {
    let seas = serde_json::to_value(game.views[0].seas()).expect("JSON");
    let marks = seas[1]["marks"].as_array().expect("marks").iter().filter(|mark| mark["kind"] == kind);
    marks.map(|mark| mark["cell"].as_str().expect("a cell").to_owned()).collect()
}

fn set(cells: &str) -> BTreeSet<String> {
    cells.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_shape_that_is_none_is_refused_with_what_is_wrong() {
    for (shape, length, pointer, code) in [
        (json!(["xo"]), 2, "/fleet/0/shape", "out-of-range"),
        (json!([]), 1, "/fleet/0/shape", "out-of-range"),
        (json!(["x", "xx"]), 3, "/fleet/0/shape", "out-of-range"),
        (json!(["x.", ".x"]), 2, "/fleet/0/shape", "out-of-range"),
        (json!(["x.", "x."]), 2, "/fleet/0/shape", "out-of-range"),
        (json!(["xxxxx", "xxxxx", "xxxxx"]), 12, "/fleet/0/shape", "out-of-range"),
        (json!("x"), 1, "/fleet/0/shape", "wrong-type"),
        (json!(["x.", "xx"]), 4, "/fleet/0/length", "conflicting-fields"),
        (Value::Null, 7, "/fleet/0/length", "out-of-range"),
    ] {
        let fleet = json!([{"class": "ship", "name": "Ship", "length": length, "count": 1, "shape": shape}]);
        assert_eq!(rules(json!({"fleet": fleet})), Err(vec![(pointer.to_owned(), code)]), "{shape}");
    }
    // Twelve cells in a box of six are the most.
    rules(json!({"fleet": [class("ring", &["xxxx", "x..x", "x..x", "xxxx"], &json!({}))]})).expect("legal");
    let untold = json!({"fleet": [{"class": "ship", "name": "Ship", "length": 3, "count": 1}]});
    let told = serde_json::to_value(rules(untold).expect("legal")).expect("JSON");
    assert_eq!(
        told["fleet"][0],
        json!({"class": "ship", "name": "Ship", "length": 3, "count": 1}),
        "left out as before"
    );
}

#[test]
fn a_ship_lies_in_its_shape_turned_and_mirrored_as_its_class_may_be() {
    let hook = ["x.", "x.", "xx"];
    let ways: &[(&str, [bool; 3])] = &[
        ("B2 C2 D2 D3", [true, true, true]),
        // Turned by a quarter, and the mirror image.
        ("B2 B3 B4 C2", [false, true, true]),
        ("B3 C3 D3 D2", [false, false, true]),
        ("B2 B3 B4 B5", [false, false, false]),
        ("B2 B3 C3 C4", [false, false, false]),
    ];
    for (cells, may) in ways {
        let freedoms = [json!({"turning": false}), json!({}), json!({"mirroring": true})];
        for (freedom, may) in freedoms.iter().zip(may) {
            let mut game = open(json!({"fleet": [class("hook", &hook, freedom)]}));
            let expected = if *may { Ok(()) } else { Err(vec![("/ships/0/cells".to_owned(), "wrong-shape")]) };
            assert_eq!(deploy(&mut game, RED, &[("hook", cells)]), expected, "{cells} with {freedom}");
        }
    }
    // A straight line that may not be turned is horizontal.
    let line = json!([{"class": "line", "name": "Line", "length": 3, "count": 1, "turning": false}]);
    let mut game = open(json!({"fleet": line}));
    assert_eq!(
        deploy(&mut game, RED, &[("line", "A1 B1 C1")]),
        Err(vec![("/ships/0/cells".to_owned(), "wrong-shape")])
    );
    assert_eq!(deploy(&mut game, RED, &[("line", "A3 A1 A2")]), Ok(()), "in any order");
}

#[test]
fn card_and_decision_tell_how_a_ship_may_lie() {
    let game = open(json!({"fleet": [class("corner", &[".x", "xx"], &json!({}))]}));
    let told = serde_json::to_value(game.setup.rules.classes(broadside_rules::card::Language::English)).expect("JSON");
    let decision = serde_json::to_value(game.views[0].decisions([1; 32])).expect("JSON");
    let orientations = &told[0]["orientations"];
    assert_eq!(orientations, &decision[0]["ships"][0]["orientations"]);
    assert_eq!(orientations.as_array().map(Vec::len), Some(4));
    let first = json!({"cells": [{"row": 0, "column": 0}, {"row": 1, "column": -1}, {"row": 1, "column": 0}]});
    assert_eq!(orientations[0], first);
    // A client without rules can place it: any orientation, from any cell, on the offered cells.
    let offered = decision[0]["ships"][0]["cells"].as_array().expect("cells").len();
    assert_eq!(offered, 100);
}

#[test]
fn what_a_sinking_tells_of_the_cells_around_follows_from_the_law_of_contact() {
    let fleet = json!([class("corner", &["x.", "xx"], &json!({})), class("boat", &["x"], &json!({}))]);
    for (contact, around) in
        [("forbidden", "A1 A2 A3 B1 B3 B4 C1 C4 D1 D2 D3 D4"), ("corners", "A2 B1 B3 C1 C4 D2 D3"), ("allowed", "")]
    {
        let mut game = open(json!({"fleet": fleet, "contact": contact, "turn": "while-hitting"}));
        let ships = [("corner", "B2 C2 C3"), ("boat", "J10")];
        for seat in [RED, BLUE] {
            deploy(&mut game, seat, &ships).expect("legal");
        }
        for cell in ["B2", "C2", "C3"] {
            game.fire(RED, &[cell]).expect("legal");
        }
        assert_eq!(marks(&game, "excluded"), set(around), "{contact}");
        // The hits on the ship are known, too, where ships keep apart.
        let sunk = if contact == "allowed" { "C3" } else { "B2 C2 C3" };
        assert_eq!(marks(&game, "sunk"), set(sunk), "{contact}");
    }
}

#[test]
fn contact_is_refused_as_the_rules_say() {
    let fleet = json!([class("one", &["x"], &json!({})), class("other", &["x"], &json!({}))]);
    for (contact, beside, corner) in [("allowed", true, true), ("corners", false, true), ("forbidden", false, false)] {
        for (cell, may) in [("B3", beside), ("C3", corner), ("B4", true)] {
            let mut game = open(json!({"fleet": fleet, "contact": contact}));
            let refused = ["/ships/0/cells", "/ships/1/cells"].map(|at| (at.to_owned(), "ships-touch"));
            let expected = if may { Ok(()) } else { Err(refused.to_vec()) };
            assert_eq!(deploy(&mut game, RED, &[("one", "B2"), ("other", cell)]), expected, "{contact}: {cell}");
        }
    }
}

#[test]
fn islands_that_contradict_the_board_are_refused() {
    let islands = |cells: Value, drawn: u32, size: u32| {
        rules(json!({"islands": {"cells": cells, "drawn": drawn, "size": size, "contact": "allowed"}}))
    };
    let refused = |at: &str, code| Err(vec![(at.to_owned(), code)]);
    assert_eq!(islands(json!([]), 0, 1), refused("/islands", "out-of-range"));
    assert_eq!(islands(json!(["A1", "Z9"]), 0, 1), refused("/islands/cells/1", "unknown-cell"));
    assert_eq!(islands(json!(["A1", "A1"]), 0, 1), refused("/islands/cells/1", "duplicate-cell"));
    assert_eq!(islands(json!([]), 13, 2), refused("/islands", "out-of-range"));
    islands(json!(["A1"]), 12, 2).expect("a quarter of the board");
    let small = json!({"board": {"rows": 7, "columns": 7}, "islands": {
        "cells": [], "drawn": 4, "size": 3, "contact": "allowed"}});
    assert_eq!(rules(small), refused("/fleet", "fleet-too-large"), "17 cells of 37 are more than 40 %");
}

#[test]
fn islands_are_drawn_once_for_all_and_everybody_sees_them() {
    let mut seen = BTreeSet::new();
    for seed in 0..8 {
        let changes = json!({"islands": {"cells": ["A1"], "drawn": 4, "size": 3, "contact": "forbidden"}});
        let mut game = Game::open(Setup::new(rules(changes).expect("legal"), Clock::none()), dice(seed));
        let boards: Vec<Value> =
            game.views.iter().map(|view| serde_json::to_value(view.board()).expect("JSON")).collect();
        assert!(boards.iter().all(|board| *board == boards[0]), "one board for all");
        let land = |sea: &Value| -> BTreeSet<String> {
            let cells = sea["cells"].as_array().expect("cells").iter().filter(|cell| cell["feature"] == "island");
            cells.map(|cell| cell["label"].as_str().expect("a label").to_owned()).collect()
        };
        let lands: Vec<BTreeSet<String>> = boards[0]["seas"].as_array().expect("seas").iter().map(land).collect();
        assert_eq!(lands[0], lands[1]);
        assert_eq!(lands[0].len(), 13, "what is given and four of three cells");
        assert!(lands[0].contains("A1"));
        for seat in [RED, BLUE] {
            game.act(seat, &Action::DEPLOY_AUTO).expect("legal");
        }
        let (seat, decision) = game.required().expect("a salvo");
        let targets = serde_json::to_value(&decision).expect("JSON")["targets"].as_array().expect("cells").len();
        assert_eq!(targets, 87);
        let ashore = lands[0].last().expect("a cell").clone();
        assert_eq!(game.fire(seat, &[&ashore]).expect_err("refused").code, "on-island");
        seen.insert(lands[0].clone());
    }
    assert!(seen.len() > 6, "chance draws them");
}

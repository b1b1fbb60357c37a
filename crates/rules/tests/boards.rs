//! Boards that anyone can draw: every cell named in a view or a decision is on the board of the match, whose cells are
//! enough to draw it.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use std::collections::BTreeSet;

use broadside_rules::{Clock, Setup, variants};
use serde_json::Value;
use support::{EXAMPLE_SEED, Game, dice};

/// The fields of views and decisions that name cells, one or many.
const NAMING: &[&str] = &["cell", "cells", "targets", "mines", "path", "to", "from"];

/// Every cell named in a value.
fn named(value: &Value, naming: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            named(value, NAMING.contains(&name.as_str()), found);
        }),
        Value::Array(items) => items.iter().for_each(|item| named(item, naming, found)),
        Value::String(text) if naming => found.push(text.clone()),
        _ => {}
    }
}

#[test]
fn every_cell_that_is_named_is_on_the_board() {
    for variant in variants() {
        let (least, most) = variant.rule_set().seats();
        for seats in [least, most] {
            let mut setup = Setup::new(variant.rule_set(), Clock::none());
            setup.seats = seats;
            let mut game = Game::open(setup, dice(8));
            let board = serde_json::to_value(game.spectator().board()).expect("JSON");
            let seas = board["seas"].as_array().expect("seas");
            let labels: Vec<BTreeSet<String>> = seas
                .iter()
                .map(|sea| {
                    sea["cells"]
                        .as_array()
                        .expect("cells")
                        .iter()
                        .map(|cell| cell["label"].as_str().expect("a label").to_owned())
                        .collect()
                })
                .collect();
            let mut looked = 0;
            while let Some((seat, decision)) = game.required() {
                for view in &game.views {
                    let shown = serde_json::to_value(view.seas()).expect("JSON");
                    assert_eq!(shown.as_array().map(Vec::len), Some(seas.len()), "{}: one view a sea", variant.id);
                    for ((sea, card), labels) in shown.as_array().expect("seas").iter().zip(seas).zip(&labels) {
                        assert_eq!(sea["id"], card["id"]);
                        let mut cells = Vec::new();
                        named(sea, false, &mut cells);
                        looked += cells.len();
                        let strange: Vec<&String> = cells.iter().filter(|cell| !labels.contains(*cell)).collect();
                        assert!(strange.is_empty(), "{}: {strange:?} of a view", variant.id);
                    }
                    let mut cells = Vec::new();
                    named(&serde_json::to_value(view.decisions(EXAMPLE_SEED)).expect("JSON"), false, &mut cells);
                    looked += cells.len();
                    let strange: Vec<&String> =
                        cells.iter().filter(|cell| !labels.iter().any(|sea| sea.contains(*cell))).collect();
                    assert!(strange.is_empty(), "{}: {strange:?} of a decision", variant.id);
                }
                game.act(seat, &decision.example()).expect("an example is legal");
                if game.reports.iter().map(Vec::len).sum::<usize>() > 1500 {
                    break;
                }
            }
            assert!(looked > 1000, "{}: only {looked} cells were named", variant.id);
        }
    }
}

#[test]
fn no_two_cells_are_drawn_in_one_place_and_lines_run_over_cells() {
    for variant in variants() {
        let (least, most) = variant.rule_set().seats();
        for seats in least..=most {
            for sea in variant.rule_set().board(seats).seas {
                let places: BTreeSet<(&str, u8, u8)> =
                    sea.cells.iter().map(|cell| (cell.layer, cell.row, cell.column)).collect();
                let labels: BTreeSet<&str> = sea.cells.iter().map(|cell| cell.label.as_str()).collect();
                assert_eq!((places.len(), labels.len()), (sea.cells.len(), sea.cells.len()), "{}", variant.id);
                for cell in &sea.cells {
                    assert!(cell.row < sea.rows && cell.column < sea.columns, "{}: {}", variant.id, cell.label);
                    assert!(sea.layers.iter().any(|layer| layer.id == cell.layer));
                    assert!(cell.seat.is_none_or(|seat| seat.0 < seats));
                }
                for line in &sea.lines {
                    assert!(line.cells.len() > 1 && line.cells.iter().all(|cell| labels.contains(cell.as_str())));
                }
            }
        }
    }
}

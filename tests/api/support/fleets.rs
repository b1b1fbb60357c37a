//! Fleets for tests.

use serde_json::{Value, json};

/// A fleet: each ship with its cells.
pub type Fleet = [(&'static str, &'static [&'static str])];

/// Five ships in the upper left of a board whose rows are letters.
pub const NORTH_WEST: &Fleet = &[
    ("carrier", &["A1", "A2", "A3", "A4", "A5"]),
    ("battleship", &["B1", "B2", "B3", "B4"]),
    ("cruiser", &["C1", "C2", "C3"]),
    ("submarine", &["D1", "D2", "D3"]),
    ("destroyer", &["E1", "E2"]),
];

/// The same five in the lower right.
pub const SOUTH_EAST: &Fleet = &[
    ("carrier", &["J6", "J7", "J8", "J9", "J10"]),
    ("battleship", &["I7", "I8", "I9", "I10"]),
    ("cruiser", &["H8", "H9", "H10"]),
    ("submarine", &["G8", "G9", "G10"]),
    ("destroyer", &["F9", "F10"]),
];

pub fn deployment(fleet: &[(&str, &[&str])]) -> Value {
    let ships: Vec<Value> = fleet.iter().map(|(ship, cells)| json!({ "ship": ship, "cells": cells })).collect();
    json!({ "type": "deploy", "ships": ships })
}

pub fn cells(fleet: &[(&'static str, &'static [&'static str])]) -> Vec<&'static str> {
    fleet.iter().flat_map(|(_, cells)| cells.iter().copied()).collect()
}

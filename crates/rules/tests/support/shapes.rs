//! The ways of ships of a class, computed from the written rule set without the crate: sets of cells, turned and
//! mirrored in their box.
use std::collections::BTreeSet;

use broadside_rules::Dice;
use serde_json::Value;

/// Rows and columns from the upper left corner of a box.
pub type Cells = BTreeSet<(i32, i32)>;

fn moved_to_the_corner(cells: &Cells) -> Cells {
    let row = cells.iter().map(|cell| cell.0).min().expect("cells");
    let column = cells.iter().map(|cell| cell.1).min().expect("cells");
    cells.iter().map(|cell| (cell.0 - row, cell.1 - column)).collect()
}

/// Every way of a ship of this class, moved to the corner.
pub fn ways_of(class: &Value) -> BTreeSet<Cells> {
    let drawn: Cells = match class["shape"].as_array() {
        Some(rows) => {
            let row = |(at, text): (usize, &Value)| {
                let signs: Vec<char> = text.as_str().expect("a row").chars().collect();
                signs.iter().enumerate().filter(|(_, sign)| **sign == 'x').map(|(n, _)| (at as i32, n as i32)).collect()
            };
            rows.iter().enumerate().flat_map(|row_at| -> Vec<(i32, i32)> { row(row_at) }).collect()
        }
        None => (0..class["length"].as_i64().expect("a length") as i32).map(|column| (0, column)).collect(),
    };
    // A missing parameter has its former meaning: lines turn, and nothing is mirrored.
    let turning = class["turning"].as_bool().unwrap_or(true);
    let mirroring = class["mirroring"].as_bool().unwrap_or(false);
    let mut ways = BTreeSet::new();
    for mirrored in 0..=i32::from(mirroring) {
        for quarters in 0..if turning { 4 } else { 1 } {
            let lies = |&(row, column): &(i32, i32)| {
                let column = if mirrored == 1 { 5 - column } else { column };
                match quarters {
                    0 => (row, column),
                    1 => (column, 5 - row),
                    2 => (5 - row, 5 - column),
                    _ => (5 - column, row),
                }
            };
            ways.insert(moved_to_the_corner(&drawn.iter().map(lies).collect()));
        }
    }
    ways
}

pub fn may_lie(class: &Value, cells: &Cells) -> bool {
    ways_of(class).contains(&moved_to_the_corner(cells))
}

/// A random shape, as rows, and the number of its cells.
pub fn random_shape(dice: &mut Dice) -> (Vec<String>, usize) {
    let mut cells: Cells = [(0, 0)].into();
    let wanted = 2 + dice.index(7);
    while cells.len() < wanted {
        let all: Vec<(i32, i32)> = cells.iter().copied().collect();
        let from = all[dice.index(all.len())];
        let (down, right) = [(-1, 0), (0, 1), (1, 0), (0, -1)][dice.index(4)];
        let mut grown = cells.clone();
        grown.insert((from.0 + down, from.1 + right));
        let grown = moved_to_the_corner(&grown);
        if grown.iter().all(|cell| cell.0 < 6 && cell.1 < 6) {
            cells = grown;
        }
    }
    let rows = cells.iter().map(|cell| cell.0).max().expect("cells");
    let columns = cells.iter().map(|cell| cell.1).max().expect("cells");
    let row = |row| (0..=columns).map(|column| if cells.contains(&(row, column)) { 'x' } else { '.' }).collect();
    ((0..=rows).map(row).collect(), cells.len())
}

//! The tables add up, and can be reproduced.
#![allow(clippy::expect_used, reason = "a test may stop")]
use std::time::Duration;

use broadside_balance::{Effort, Table, measure};
use broadside_rules::{RuleSet, Variant};
use serde_json::json;

fn effort(games: usize) -> Effort {
    Effort { games, seed: 3, time: Duration::from_secs(600) }
}

fn rules(variant: &str, changes: serde_json::Value) -> RuleSet {
    RuleSet::customised(Variant::find(variant).expect("a variant"), &changes).expect("a rule set")
}

/// The number at the start of a cell.
fn number(cell: &str) -> f64 {
    cell.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

fn again(rules: &RuleSet, games: usize) -> Table {
    let table = measure(rules, &effort(games));
    assert_eq!(table, measure(rules, &effort(games)), "the same seed, the same table");
    assert!(table.complete);
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table}");
    table
}

#[test]
fn shares_of_nations_are_fair_in_sum() {
    let ship = |id: &str, attack: u8, armour: u8| {
        json!({"ship": id, "name": id, "class": "battleship", "attack": attack, "armour": armour, "speed": 1,
               "nearest": 0, "farthest": 1})
    };
    let strong =
        json!({"nation": "american", "ships": [ship("iowa", 9, 20), ship("ohio", 9, 20), ship("utah", 9, 20)]});
    let weak = json!({"nation": "german", "ships": [ship("bismarck", 1, 1), ship("tirpitz", 1, 1)]});
    let changes = json!({"fleets": [strong, weak], "rows_per_seat": 3, "columns": 5, "deployment": "free"});
    let table = again(&rules("salvos", changes), 4);
    assert_eq!(table.columns, ["nation", "2 seats"]);
    let [american, german] = [0, 1].map(|row: usize| number(&table.rows[row][1]));
    assert!((american + german - 2.0).abs() < 0.02, "{table}");
    assert!(american > 1.5 && !table.even, "twenty points of armour win: {table}");
    assert_eq!(table.rows[2][1], "20", "the only choice of nations is played five times as often");
}

#[test]
fn shares_by_the_order_of_play_add_up() {
    for (variant, columns) in [("sea-battle", 3), ("depths", 2)] {
        let table = again(&rules(variant, json!({})), 4);
        assert_eq!(table.columns.len(), columns, "{table}");
        for column in 1..columns {
            let sum: f64 = table.rows[..2].iter().map(|row| number(&row[column])).sum();
            assert!((sum - 100.0).abs() < 0.2, "{table}");
        }
    }
}

#[test]
fn it_stops_when_the_time_is_over() {
    let none = Effort { time: Duration::ZERO, ..effort(1000) };
    let table = measure(&rules("salvos", json!({})), &none);
    assert!(!table.complete, "{table}");
    assert_eq!(table.rows[0][1], "–");
}

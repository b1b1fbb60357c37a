//! Random rule sets, of which the property tests make games.
use broadside_rules::{Dice, RuleSet, Variant};
use serde_json::{Value, json};

use super::shapes;

/// What the shots of a salvo depend on, and the numbers that misses get: the usual ones more often.
const SHOTS: [&str; 9] = [
    "fixed",
    "fixed",
    "fixed",
    "per-ship",
    "per-class",
    "per-cell",
    "per-whole-cell",
    "longest-ship",
    "per-enemy-ship",
];
const CLUES: [&str; 9] = [
    "none",
    "none",
    "none",
    "none",
    "none",
    "neighbours-orthogonal",
    "neighbours-all",
    "distance-king",
    "distance-steps",
];

/// Random changes to a preset; whether they hold together is for the rules to say.
pub fn random_changes(dice: &mut Dice) -> Value {
    fn one<'a>(dice: &mut Dice, of: &[&'a str]) -> &'a str {
        of[dice.index(of.len())]
    }
    let mut classes: Vec<Value> = (0..1 + dice.below(5)).map(|n| random_class(dice, n)).collect();
    let islands = random_islands(dice);
    let report = one(dice, &["per-shot", "per-shot", "tally", "tally-per-ship", "per-salvo"]);
    let per_shot = report == "per-shot";
    let tally = report.starts_with("tally");
    let sinking = dice.below(3) > 0;
    let names_hit = per_shot && dice.below(2) == 0;
    let told = if sinking { one(dice, &["silent", "announced", "named"]) } else { "silent" };
    let hits = 1 + dice.below(20);
    let victory =
        if sinking && dice.below(3) > 0 { json!({"kind": "fleet"}) } else { json!({"kind": "hits", "hits": hits}) };
    let relocation = one(dice, &["no", "after-salvo", "after-hit"]);
    let mut mines = Value::Null;
    if per_shot && relocation == "no" && dice.below(2) == 0 {
        let effects: &[&str] = if sinking { &["turn", "cell", "ship"] } else { &["turn", "cell"] };
        mines = json!({"count": 1 + dice.below(4), "effect": one(dice, effects)});
        classes.iter_mut().for_each(|class| class["sweeper"] = json!(dice.below(3) == 0));
    }
    let shots = match one(dice, &SHOTS) {
        "per-whole-cell" if relocation != "no" => "fixed",
        _ if !sinking => "fixed",
        shots => shots,
    };
    let shrinks = if shots == "fixed" { one(dice, &["no", "per-own-loss"]) } else { "no" };
    let extra = if mines.is_null() { one(dice, &["none", "none", "at-once", "next-salvo"]) } else { "none" };
    if shots == "per-class" {
        classes.iter_mut().for_each(|class| class["shots"] = json!(dice.below(4)));
    }
    let limit = |dice: &mut Dice, most| {
        if relocation == "no" || dice.below(2) == 0 { Value::Null } else { json!(1 + dice.below(most)) }
    };
    let weapons = random_weapons(dice, classes.len() as u32, sinking);
    json!({
        "weapons": weapons,
        "board": {"rows": 5 + dice.below(22), "columns": 5 + dice.below(22), "labels": one(dice, &["row-letter", "column-letter"])},
        "fleet": classes,
        "contact": one(dice, &["allowed", "corners", "forbidden"]),
        "border": one(dice, &["free", "end-on"]),
        "islands": islands,
        "mines": mines,
        "salvo": {"size": 1 + dice.below(14), "shrinks": shrinks, "shots": shots, "extra": extra},
        "report": report,
        "names_hit": names_hit,
        "names_sunk": told == "named",
        "announces_sunk": told == "announced" && !names_hit,
        "clue": if per_shot { one(dice, &CLUES) } else { "none" },
        "sighting": if !tally { one(dice, &["no", "orthogonal", "all"]) } else { "no" },
        "turn": if extra == "at-once" { "alternate" } else { one(dice, &["alternate", "while-hitting", "while-missing"]) },
        "relocation": relocation,
        "relocation_ships": limit(dice, 3),
        "relocation_range": limit(dice, 6),
        "relocation_damaged": relocation == "no" || dice.below(3) > 0,
        "sinking": sinking,
        "victory": victory,
        "first": one(dice, &["random", "creator", "opponent"]),
    })
}

/// A class of lines, or of ships of some shape.
fn random_class(dice: &mut Dice, n: u32) -> Value {
    let mut class = json!({
        "class": format!("class-{}", (b'a' + n as u8) as char), "name": format!("Class {n}"),
        "length": 1 + dice.below(6), "count": 1 + dice.below(if n == 0 { 10 } else { 3 }),
    });
    if dice.below(3) == 0 {
        let (shape, length) = shapes::random_shape(dice);
        (class["shape"], class["length"]) = (json!(shape), json!(length));
    }
    if dice.below(4) == 0 {
        class["turning"] = json!(dice.below(2) == 0);
        class["mirroring"] = json!(dice.below(2) == 0);
    }
    class
}

/// No weapons, or a few, with carriers and with enemies of planes among the classes.
pub fn random_weapons(dice: &mut Dice, classes: u32, sinking: bool) -> Vec<Value> {
    let count = if dice.below(2) == 0 { 0 } else { 1 + dice.below(3) };
    let weapon = |n| {
        let effect = ["area", "line", "count", "reveal", "distance"][dice.index(5)];
        let mut weapon = json!({
            "weapon": format!("weapon-{n}"), "name": format!("Weapon {n}"), "effect": effect, "uses": 1 + dice.below(3),
        });
        let class = |dice: &mut Dice| json!(format!("class-{}", (b'a' + dice.below(classes) as u8) as char));
        match effect {
            "line" => weapon["range"] = json!(1 + dice.below(12)),
            "distance" => {}
            _ => weapon["pattern"] = json!(random_pattern(dice)),
        }
        if dice.below(3) == 0 {
            weapon["reload"] = json!(1 + dice.below(3));
        }
        if sinking && dice.below(3) == 0 {
            weapon["carrier"] = class(dice);
        }
        if matches!(effect, "count" | "reveal") && dice.below(2) == 0 {
            weapon["downed_by"] = class(dice);
        }
        weapon
    };
    (0..count).map(weapon).collect()
}

fn random_pattern(dice: &mut Dice) -> Vec<String> {
    let (rows, columns) = (1 + 2 * dice.below(3), 1 + 2 * dice.below(3));
    let mut pattern: Vec<String> =
        (0..rows).map(|_| (0..columns).map(|_| if dice.below(2) == 0 { 'x' } else { '.' }).collect()).collect();
    if pattern.iter().all(|row| !row.contains('x')) {
        pattern[0] = "x".repeat(columns as usize);
    }
    pattern
}

/// No islands, or a few, on cells that every board has.
fn random_islands(dice: &mut Dice) -> Value {
    if dice.below(3) > 0 {
        return Value::Null;
    }
    let cells: Vec<&str> = ["B2", "C4", "D3", "E5"].into_iter().filter(|_| dice.below(3) == 0).collect();
    let contact = ["allowed", "corners", "forbidden"][dice.index(3)];
    json!({"cells": cells, "drawn": dice.below(4), "size": 1 + dice.below(4), "contact": contact})
}

/// A random custom rule set that holds together, on a board of at most this many cells.
pub fn random_rules(dice: &mut Dice, most_cells: usize) -> RuleSet {
    let base = Variant::find("classic").expect("the classic game");
    loop {
        if let Ok(rules) = RuleSet::customised(base, &random_changes(dice))
            && rules.board(2).seas[0].cells.len() <= most_cells
        {
            return rules;
        }
    }
}

/// A random custom rule set of the family `depths`.
pub fn random_depths(dice: &mut Dice) -> RuleSet {
    let one = |dice: &mut Dice, of: &[&'static str]| of[dice.index(of.len())];
    // Half of them in the sea of the sheet.
    let (rows, columns) = if dice.below(2) == 0 { (6, 6) } else { (5 + dice.below(8), 5 + dice.below(3)) };
    let mut arrows: Vec<u32> = (1..=rows).map(|row| row * columns).collect();
    dice.shuffle(&mut arrows);
    arrows.truncate(1 + dice.index(rows as usize));
    let of = 1 + dice.below(36);
    let changes = json!({
        "rows": rows,
        "columns": columns,
        "charge": one(dice, &["cross", "blast"]),
        "arrows": arrows,
        "lines": one(dice, &["straight", "straight-and-diagonal"]),
        "torpedo_hits": {"hits": dice.below(of + 1), "of": of},
        "torpedoes": one(dice, &["each-submarine", "each-submarine", "one"]),
        "after_mine": one(dice, &["as-usual", "one"]),
        "without_move": one(dice, &["charge-and-torpedo", "charge-or-torpedo"]),
        "turns": 50 + dice.below(51),
        "first": one(dice, &["random", "creator", "opponent"]),
    });
    RuleSet::customised(Variant::find("depths").expect("a variant"), &changes).expect("a rule set within its bounds")
}

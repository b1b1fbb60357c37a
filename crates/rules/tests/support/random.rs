//! Random rule sets for the games of the property tests.
use broadside_rules::{Dice, Fault, RuleSet, Variant};
use serde_json::{Value, json};

use super::shapes;

/// The dependencies of a salvo's shots, and the numbers of misses: the usual ones more often.
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

fn one<'a>(dice: &mut Dice, of: &[&'a str]) -> &'a str {
    of[dice.index(of.len())]
}

/// Random changes to a preset, of all the family's parameters together; the rules decide whether they are consistent.
/// Most are: parts that are always refused are rare.
pub fn random_changes(dice: &mut Dice) -> Value {
    let mut changes = random_duel(dice);
    if dice.below(3) == 0 {
        fit(&mut changes);
        return changes;
    }
    let mut mix = random_sides(dice);
    let sinking = changes["sinking"] == true;
    let by = if sinking { one(dice, &["points", "ships", "hits"]) } else { "hits" };
    mix["last_turn"] = json!(dice.below(3) == 0);
    mix["turn_limit"] = if dice.below(3) == 0 { json!({"turns": 1 + dice.below(20), "by": by}) } else { Value::Null };
    match dice.below(4) {
        0 if sinking => mix["victory"] = json!({"kind": "ships", "ships": 1 + dice.below(4)}),
        1 if sinking => mix["victory"] = json!({"kind": "points", "points": 1 + dice.below(12)}),
        _ => {}
    }
    for class in changes["fleet"].as_array_mut().expect("classes") {
        if dice.below(3) == 0 {
            class["points"] = json!(1 + dice.below(9));
        }
    }
    // Parameters for two seats, or without common seas; now and then in other games too.
    if dice.below(30) > 0 {
        if mix["seats"]["max"] != 2 || mix["last_turn"] == true || !mix["turn_limit"].is_null() {
            changes["mines"] = Value::Null;
            changes["fleet"]
                .as_array_mut()
                .expect("classes")
                .iter_mut()
                .for_each(|class| class["sweeper"] = json!(false));
        }
        if changes["relocation"] != "no" {
            mix["team_seas"] = json!("own");
        }
    }
    let handicaps = (0..mix["seats"]["max"].as_u64().expect("a number")).filter(|_| dice.below(4) == 0);
    let handicaps: Vec<u64> = handicaps.collect();
    let classes = changes["fleet"].as_array().expect("classes").len();
    mix["handicaps"] = handicaps.into_iter().map(|seat| random_handicap(dice, seat, classes)).collect();
    changes.as_object_mut().expect("an object").extend(mix.as_object().expect("an object").clone());
    if dice.below(20) > 0 {
        fit(&mut changes);
    }
    changes
}

/// Makes a fleet smaller until those of one sea fit the board, and limits the hits to the number of cells.
fn fit(changes: &mut Value) {
    let number = |value: &Value| value.as_u64().expect("a number");
    let board = number(&changes["board"]["rows"]) * number(&changes["board"]["columns"]);
    let islands = &changes["islands"];
    let land = islands["cells"].as_array().map_or(0, Vec::len) as u64
        + islands["drawn"].as_u64().unwrap_or(0) * islands["size"].as_u64().unwrap_or(0);
    let allies =
        if changes["team_seas"] == "common" { number(&changes["seats"]["max"]) / number(&changes["teams"]) } else { 1 };
    let most = board.saturating_sub(land) * 4 / 10 / allies;
    let fleet = changes["fleet"].as_array_mut().expect("classes");
    let taken = |class: &Value| number(&class["length"]) * number(&class["count"]);
    while fleet.iter().map(taken).sum::<u64>() > most {
        let Some(largest) = fleet.iter_mut().filter(|class| class["count"] != 1).max_by_key(|class| taken(class))
        else {
            break;
        };
        largest["count"] = json!(number(&largest["count"]) - 1);
    }
    let cells: u64 = fleet.iter().map(taken).sum();
    if let Some(hits) = changes["victory"]["hits"].as_u64() {
        changes["victory"]["hits"] = json!(hits.min(cells));
    }
}

/// The number of seats, and the teams.
fn random_sides(dice: &mut Dice) -> Value {
    let (min, max, teams) = match dice.below(8) {
        0 | 1 => (2, 2, None),
        2 | 3 => (2 + dice.below(2), 3 + dice.below(4), None),
        4 | 5 => (4, 4, Some(2)),
        6 => (6, 6, Some(2)),
        _ => (6, 6, Some(3)),
    };
    let common = teams.is_some() && dice.below(2) == 0;
    json!({
        "seats": {"min": min, "max": max},
        "teams": teams,
        "team_seas": if common { "common" } else { "own" },
    })
}

fn random_handicap(dice: &mut Dice, seat: u64, classes: usize) -> Value {
    let mut handicap = json!({ "seat": seat });
    if dice.below(2) == 0 {
        let class = format!("class-{}", (b'a' + dice.index(classes) as u8) as char);
        handicap["fleet"] = json!([{"class": class, "count": dice.below(4)}]);
    }
    if dice.below(2) == 0 {
        handicap["salvo"] = json!(1 + dice.below(6));
    }
    if dice.below(2) == 0 {
        handicap["first_turns"] = json!(dice.below(3));
    }
    handicap
}

/// A side of a board: small ones more often, as games on them are short.
fn random_length(dice: &mut Dice) -> u32 {
    if dice.below(8) == 0 { 5 + dice.below(22) } else { 5 + dice.below(6) }
}

/// Sides of a game for two on the same terms until a fleet is sunk or a number of shots have hit.
fn random_duel(dice: &mut Dice) -> Value {
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
        "board": {"rows": random_length(dice), "columns": random_length(dice), "labels": one(dice, &["row-letter", "column-letter"])},
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

/// A random consistent custom rule set for two, on a board of at most this many cells.
pub fn random_rules(dice: &mut Dice, most_cells: usize) -> RuleSet {
    loop {
        if let Ok(rules) = customised(&random_duel(dice))
            && rules.board(2).seas[0].cells.len() <= most_cells
        {
            return rules;
        }
    }
}

/// A random consistent custom rule set of any mix, after `tame` has removed the parts that a test does not know.
pub fn random_mix(dice: &mut Dice, tame: impl Fn(&mut Value)) -> RuleSet {
    loop {
        let mut changes = random_changes(dice);
        tame(&mut changes);
        if let Ok(rules) = customised(&changes) {
            return rules;
        }
    }
}

/// The classic game with these changes.
pub fn customised(changes: &Value) -> Result<RuleSet, Vec<Fault>> {
    RuleSet::customised(Variant::find("classic").expect("the classic game"), changes)
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

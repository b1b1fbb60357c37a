//! Random rule sets for two to six seats: teams, handicaps, last turns, limits, and all that can win.
use broadside_rules::{Clock, Dice, RuleSet, Setup, Variant};
use serde_json::{Value, json};

fn one(dice: &mut Dice, of: &[&'static str]) -> &'static str {
    of[dice.index(of.len())]
}

fn handicap(dice: &mut Dice, seat: u32) -> Value {
    let mut handicap = json!({ "seat": seat });
    if dice.below(2) == 0 {
        handicap["fleet"] = json!([{"class": "cutter", "count": dice.below(4)}]);
    }
    if dice.below(2) == 0 {
        handicap["salvo"] = json!(1 + dice.below(4));
    }
    if dice.below(2) == 0 {
        handicap["first_turns"] = json!(dice.below(3));
    }
    handicap
}

/// A rule set that holds together, on small seas.
pub fn random(dice: &mut Dice) -> RuleSet {
    loop {
        if let Ok(rules) = RuleSet::customised(Variant::find("classic").expect("a variant"), &changes(dice)) {
            return rules;
        }
    }
}

fn changes(dice: &mut Dice) -> Value {
    let (seats, teams) = match dice.below(7) {
        0 => (2, None),
        1 | 2 => (3 + dice.below(4), None),
        3 | 4 => (4, Some(2)),
        5 => (6, Some(2)),
        _ => (6, Some(3)),
    };
    let sinking = dice.below(4) > 0;
    let tally = dice.below(3) == 0;
    let victory = match dice.below(4) {
        0 => json!({"kind": "hits", "hits": 1 + dice.below(6)}),
        1 if sinking => json!({"kind": "ships", "ships": 1 + dice.below(3)}),
        2 if sinking => json!({"kind": "points", "points": 1 + dice.below(9)}),
        _ if sinking => json!({"kind": "fleet"}),
        _ => json!({"kind": "hits", "hits": 1 + dice.below(3)}),
    };
    let by = if sinking { one(dice, &["points", "ships", "hits"]) } else { "hits" };
    let limit = if dice.below(3) == 0 { json!({"turns": 1 + dice.below(20), "by": by}) } else { Value::Null };
    let handicaps: Vec<Value> = (0..seats)
        .filter(|_| dice.below(4) == 0)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|seat| handicap(dice, seat))
        .collect();
    let weapons = super::judge::weapons::some(dice);
    json!({
        "weapons": weapons,
        "board": {"rows": 5 + dice.below(2), "columns": 5 + dice.below(2)},
        "fleet": [
            {"class": "frigate", "name": "Frigate", "length": 3, "count": 1},
            {"class": "cutter", "name": "Cutter", "length": 1 + dice.below(2), "count": 1 + dice.below(2), "points": if dice.below(2) == 0 { json!(4) } else { Value::Null }},
        ],
        "seats": {"min": seats, "max": seats},
        "teams": teams,
        "handicaps": handicaps,
        "last_turn": dice.below(3) == 0,
        "turn_limit": limit,
        "victory": victory,
        "sinking": sinking,
        "names_sunk": sinking && !tally && dice.below(3) > 0,
        "report": if tally { "tally" } else { "per-shot" },
        "sighting": if tally { "no" } else { one(dice, &["no", "orthogonal"]) },
        "salvo": {"size": 1 + dice.below(3), "shrinks": one(dice, &["no", "per-own-loss"])},
        "turn": one(dice, &["alternate", "while-hitting", "while-missing"]),
    })
}

/// The terms of a match without clocks.
pub fn setup(rules: RuleSet) -> Setup {
    Setup::new(rules, Clock::none())
}

//! Random rule sets of the family `salvos`.
use broadside_rules::{Dice, RuleSet, Variant};
use serde_json::{Value, json};

const NATIONS: [&str; 7] = ["american", "british", "german", "japanese", "french", "italian", "soviet"];

fn one(dice: &mut Dice, of: &[&'static str]) -> &'static str {
    of[dice.index(of.len())]
}

/// Fleets of some of the nations, with ships of any figures.
fn fleets(dice: &mut Dice) -> Value {
    let mut nations: Vec<usize> = (0..NATIONS.len()).collect();
    dice.shuffle(&mut nations);
    nations.truncate(2 + dice.index(6));
    nations.sort_unstable();
    let mut ship = |nation: usize, nth: u32| {
        let nearest = dice.below(4);
        json!({
            "ship": format!("{}-{nth}", NATIONS[nation]), "name": format!("Ship {nth}"),
            "class": one(dice, &["carrier", "battleship", "destroyer", "submarine"]),
            "attack": 1 + dice.below(4), "armour": 1 + dice.below(4), "speed": dice.below(5),
            "nearest": nearest, "farthest": nearest.max(1) + dice.below(3),
        })
    };
    let fleet = |nation: usize| {
        let count = 1 + (nation as u32 * 5 + 3) % 6;
        json!({"nation": NATIONS[nation], "ships": (0..count).map(|nth| ship(nation, nth)).collect::<Vec<_>>()})
    };
    json!(nations.into_iter().map(fleet).collect::<Vec<_>>())
}

/// A random custom rule set of the family `salvos`: half of them on the sea of the preset, half with its fleets.
pub fn random_salvos(dice: &mut Dice) -> RuleSet {
    loop {
        let own_sea = dice.below(2) == 0;
        let changes = json!({
            "fleets": if dice.below(2) == 0 { fleets(dice) } else { Value::Null },
            "rows_per_seat": if own_sea { 3 + dice.below(6) } else { 5 },
            "columns": if own_sea { 5 + dice.below(16) } else { 10 },
            "deployment": one(dice, &["interleaved", "bands", "free", "free"]),
            "moves_posted": one(dice, &["steps", "ship", "nothing"]),
            "teams": match dice.below(4) { 0 => json!(2), 1 => json!(3), _ => Value::Null },
            "rounds": 10 + dice.below(14),
        });
        if let Ok(rules) = RuleSet::customised(Variant::find("salvos").expect("a variant"), &changes) {
            return rules;
        }
    }
}

//! The player of gunnery: fleets that are placed once, or moved, and shot at.
mod aim;
mod fleet;
mod known;
pub(crate) mod odds;
mod scan;
mod singly;

use broadside_rules::families::gunnery::Rules;
use serde_json::{Value, json};

use crate::{
    Level,
    luck::Luck,
    view::{View, number, texts},
};
use known::Waters;

pub(crate) fn choose(rules: &Rules, view: &View, reports: &[Value], level: Level, luck: &mut Luck) -> Option<Value> {
    if let Some(decision) = view.required("deploy").next() {
        return if level == Level::Easy { None } else { fleet::deploy(rules, decision, level, luck) };
    }
    if let Some(decision) = view.required("relocate").next() {
        return Some(relocate(view, decision));
    }
    if let Some(decision) = view.required("give-up").next() {
        return Some(give_up(rules, view, decision));
    }
    let waters = Waters::new(rules, reports);
    aim::choose(&waters, view, reports, level, luck)
}

/// A hit ship stays: its hit cells cannot be shot at again, and elsewhere it would be whole.
fn relocate(view: &View, decision: &Value) -> Value {
    let example = &decision["example"];
    let own =
        view.seas.iter().find(|sea| sea.ships.iter().any(|ship| ship.cells.is_some() && ship.seat == view.seat()));
    let struck = |ship: &str| {
        let tried = |cell: &String| {
            own.is_some_and(|sea| sea.marks.iter().any(|mark| mark.kind.is_tried() && mark.cell == *cell))
        };
        let cells = own.and_then(|sea| sea.ships.iter().find(|other| other.id == ship && other.seat == view.seat()));
        cells.and_then(|ship| ship.cells.as_ref()).is_some_and(|cells| cells.iter().any(tried))
    };
    let moves = example["ships"].as_array().into_iter().flatten();
    if moves.filter_map(|place| place["ship"].as_str()).any(struck) {
        return json!({"type": "relocate", "ships": []});
    }
    example.clone()
}

/// The least harmful payment: the ship that the enemy will sink next anyway, or else, where the fleet has to be sunk,
/// the easiest one to find.
fn give_up(rules: &Rules, view: &View, decision: &Value) -> Value {
    let mut action = decision["example"].clone();
    let own =
        view.seas.iter().find(|sea| sea.ships.iter().any(|ship| ship.cells.is_some() && ship.seat == view.seat()));
    let struck = |cells: &[String]| {
        let struck = |cell: &&String| {
            own.is_some_and(|sea| sea.marks.iter().any(|mark| mark.kind.is_struck() && mark.cell == **cell))
        };
        cells.iter().filter(struck).count()
    };
    let cells_of = |id: &str| {
        let ship = own.and_then(|sea| sea.ships.iter().find(|ship| ship.id == id && ship.seat == view.seat()));
        ship.and_then(|ship| ship.cells.clone()).unwrap_or_default()
    };
    let by_fleet = matches!(rules.victory, broadside_rules::families::gunnery::ends::Victory::Fleet(_));
    let due = |choice: &Value| usize::from(number(&choice["count"], 0));
    if let Some(choice) = decision.get("ships") {
        let mut ships: Vec<&str> = texts(&choice["ships"]).collect();
        ships.sort_by_key(|id| {
            let cells = cells_of(id);
            let (hits, length) = (struck(&cells) as isize, cells.len() as isize);
            (hits == 0, if hits > 0 || !by_fleet { length - hits } else { -length })
        });
        action["ships"] = ships.into_iter().take(due(choice)).collect();
    }
    if let Some(choice) = decision.get("cells") {
        let mut cells: Vec<&str> = texts(&choice["cells"]).collect();
        let worth = |cell: &str| {
            let ships = own.into_iter().flat_map(|sea| &sea.ships).filter_map(|ship| ship.cells.as_ref());
            let ship = ships.into_iter().find(|cells| cells.iter().any(|other| other == cell));
            ship.map_or(0, |cells| cells.len() as isize - 100 * isize::from(struck(cells) > 0))
        };
        cells.sort_by_key(|cell| worth(cell));
        action["cells"] = cells.into_iter().take(due(choice)).collect();
    }
    action
}

//! The player of the navies on one sea: ships that move, fire, and thereby give themselves away.
mod orders;
mod track;

use broadside_rules::families::salvos::Rules;
use serde_json::{Value, json};

use crate::{
    Level,
    luck::Luck,
    view::{View, texts},
};
use orders::Plan;
use track::Track;

pub(crate) fn choose(rules: &Rules, view: &View, reports: &[Value], level: Level, luck: &mut Luck) -> Option<Value> {
    if level == Level::Easy {
        return None;
    }
    if let Some(decision) = view.required("salvos-deploy").next() {
        return deploy(decision, luck);
    }
    let track = Track::new(rules, view, reports)?;
    let plan = Plan::new(&track, level == Level::Strong);
    if let Some(decision) = view.required("opening-shot").next() {
        return plan.opening(decision, luck);
    }
    view.required("orders").next().map(|decision| plan.orders(decision, luck))
}

/// A deployment with every ship on a random cell.
fn deploy(decision: &Value, luck: &mut Luck) -> Option<Value> {
    let mut cells: Vec<&str> = texts(&decision["cells"]).collect();
    luck.shuffle(&mut cells);
    let ships = decision["ships"].as_array()?;
    let mut action = decision["example"].clone();
    let place = |(ship, cell): (&Value, &str)| json!({"ship": ship["ship"], "cell": cell});
    action["ships"] = ships.iter().zip(cells.iter().copied()).map(place).collect();
    (ships.len() <= cells.len()).then_some(action)
}

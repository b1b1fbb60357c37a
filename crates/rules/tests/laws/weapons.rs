//! The laws of special weapons: their availability, reach and public reports.
use std::collections::{BTreeMap, BTreeSet};

use broadside_rules::Seat;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Watched, texts};

/// The supply of each seat's weapons, and the salvos each waits, by id.
pub type Supplies = [BTreeMap<String, (u64, u64)>; 2];

pub fn supplies(rules: &Value) -> Supplies {
    let weapons = rules["weapons"].as_array().into_iter().flatten();
    let full: BTreeMap<String, (u64, u64)> = weapons
        .map(|weapon| {
            (weapon["weapon"].as_str().expect("an id").to_owned(), (weapon["uses"].as_u64().expect("uses"), 0))
        })
        .collect();
    [full.clone(), full]
}

impl Watched {
    fn weapon(&self, id: &str) -> &Value {
        let weapons = self.rules["weapons"].as_array().expect("weapons");
        weapons.iter().find(|weapon| weapon["weapon"] == id).expect("a known weapon")
    }

    /// Has the seat a ship of this class afloat? With cells: does one lie on them?
    fn has_afloat(&self, seat: usize, class: &str, on: Option<&[String]>) -> bool {
        let of_class = |id: &String| {
            id == class || id.strip_prefix(class).is_some_and(|rest| rest.starts_with('-') && rest.len() < 4)
        };
        let sinks = self.rules["sinking"] == true;
        let ships =
            self.ships[seat].iter().filter(|(id, ship)| of_class(id) && !(sinks && ship.is_subset(&self.hit[seat])));
        let lies = |ship: &BTreeSet<String>| on.is_none_or(|cells| cells.iter().any(|cell| ship.contains(cell)));
        ships.into_iter().any(|(_, ship)| lies(ship))
    }

    /// Checks that the decisions offer the available weapons, and that the others are refused by name.
    pub fn offers(&mut self, seat: Seat) -> Result<(), TestCaseError> {
        let me = seat.index();
        let told = serde_json::to_value(self.game.view(seat).decisions([7; 32])).expect("JSON");
        let offered = told.as_array().expect("decisions").iter().filter(|decision| decision["type"] == "use-weapon");
        let offered: BTreeSet<String> =
            offered.map(|decision| decision["weapon"].as_str().expect("an id").to_owned()).collect();
        for (id, (left, wait)) in self.supplies[me].clone() {
            let weapon = self.weapon(&id).clone();
            let carried = weapon["carrier"].as_str().is_none_or(|class| self.has_afloat(me, class, None));
            let code = match (left, wait, carried) {
                (0, _, _) => Some("weapon-spent"),
                (_, 1.., _) => Some("weapon-reloading"),
                (_, _, false) => Some("carrier-lost"),
                _ => None,
            };
            let looks = !matches!(weapon["effect"].as_str(), Some("area" | "line"));
            prop_assert!(code.is_none() || !offered.contains(&id), "{} is offered, and is {:?}", id, code);
            prop_assert!(code.is_some() || !looks || offered.contains(&id), "{} is not offered", id);
            let Some(code) = code else { continue };
            let mut action = json!({"type": "use-weapon", "weapon": id, "cell": "E1"});
            if weapon["effect"] == "line" {
                action["direction"] = json!("north");
            }
            prop_assert_eq!(self.game.play(seat, &action).expect_err("refused").faults[0].code, code);
        }
        Ok(())
    }

    /// Counts a salvo or the use of a weapon: the other weapons are a step nearer to being ready.
    pub fn supplied(&mut self, seat: Seat, used: Option<(&str, bool)>) {
        let reload = used.map(|(id, _)| self.weapon(id)["reload"].as_u64().unwrap_or(0));
        let supplies = &mut self.supplies[seat.index()];
        supplies.values_mut().for_each(|supply| supply.1 = supply.1.saturating_sub(1));
        if let Some((id, lost)) = used {
            let supply = supplies.get_mut(id).expect("a known weapon");
            supply.0 = if lost { 0 } else { supply.0 - 1 };
            supply.1 = if supply.0 > 0 { reload.expect("a number") } else { 0 };
        }
    }

    pub fn supplies_are_shown(&self) -> Result<(), TestCaseError> {
        for view in &self.game.views {
            for sea in view.seas() {
                let owner = sea.owner.expect("an owner").index();
                let shown =
                    sea.supplies.iter().map(|one| (one.id.to_string(), (one.remaining.into(), one.wait.into())));
                prop_assert_eq!(shown.collect::<BTreeMap<String, (u64, u64)>>(), self.supplies[owner].clone());
            }
        }
        Ok(())
    }

    /// Uses a weapon, and checks its reach and its answer against the law.
    pub fn use_weapon(&mut self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        let target = seat.other().index();
        let id = action["weapon"].as_str().expect("an id").to_owned();
        let weapon = self.weapon(&id).clone();
        let reach = self.reach(&weapon, action);
        if matches!(weapon["effect"].as_str(), Some("area" | "line")) {
            let closed = |cell: &String| self.tried[target].contains(cell) || self.given[target].contains(cell);
            let mut cells: Vec<String> = reach.into_iter().filter(|cell| !closed(cell)).collect();
            if weapon["effect"] == "line" {
                let stops = |cell: &String| {
                    self.mines[target].contains(cell) || self.ships[target].values().any(|ship| ship.contains(cell))
                };
                let run = cells.iter().position(stops).map_or(cells.len(), |at| at + 1);
                cells.truncate(run);
            }
            prop_assert!(!cells.is_empty(), "at least one cell is new");
            self.supplied(seat, Some((&id, false)));
            self.volley(seat, action, cells.into_iter().map(Value::String).collect())?;
            let told = serde_json::to_value(self.last(2, "fired")).expect("JSON");
            prop_assert_eq!(&told["weapon"]["weapon"], &weapon["weapon"]);
            return Ok(());
        }
        self.game.play(seat, action).expect("legal");
        let told = self.last(2, "scanned");
        let downed = weapon["downed_by"].as_str().is_some_and(|class| self.has_afloat(target, class, Some(&reach)));
        self.supplied(seat, Some((&id, downed)));
        prop_assert_eq!(told["shot_down"] == true, downed);
        let all: BTreeSet<String> = self.ships[target].values().flatten().cloned().collect();
        let occupied: BTreeSet<String> = reach.into_iter().filter(|cell| all.contains(cell)).collect();
        let aim = action["cell"].as_str().expect("a cell");
        let sound: BTreeSet<String> = all.difference(&self.hit[target]).cloned().collect();
        let (count, ships) = match weapon["effect"].as_str() {
            _ if downed => (None, None),
            Some("count") => (Some(occupied.len() as u64), None),
            Some("reveal") => (None, Some(occupied)),
            _ if sound.is_empty() => (None, None),
            _ => (Some(self.steps(aim, &sound).max(1)), None),
        };
        prop_assert_eq!(told["count"].as_u64(), count);
        prop_assert_eq!(told.get("occupied").map(texts), ships);
        self.goes_on = false;
        let next = self.passed(seat);
        prop_assert_eq!(self.game.battle.to_act().iter().collect::<Vec<_>>(), [next], "it ends the turn");
        self.excluded_is_empty()
    }

    /// The last report of this type to a viewer.
    pub fn last(&self, viewer: usize, kind: &str) -> Value {
        let reports = self.game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
        reports.into_iter().find(|report| report["type"] == kind).expect("a report")
    }

    /// The cells of water in a weapon's reach, in order.
    fn reach(&self, weapon: &Value, action: &Value) -> Vec<String> {
        let board = self.game.setup.rules.board(2);
        let (cells, land) = (&board.seas[0].cells, self.land());
        let aim = cells.iter().find(|cell| action["cell"] == cell.label.as_str()).expect("a cell");
        let (row, column) = (i32::from(aim.row), i32::from(aim.column));
        let at = |(down, right): (i32, i32)| {
            let place = |cell: &&broadside_rules::card::CellCard| {
                (i32::from(cell.row), i32::from(cell.column)) == (row + down, column + right)
            };
            cells.iter().find(place).map(|cell| cell.label.to_string())
        };
        if weapon["effect"] == "line" {
            let step = match action["direction"].as_str().expect("a direction") {
                "north" => (-1, 0),
                "south" => (1, 0),
                "west" => (0, -1),
                _ => (0, 1),
            };
            let range = weapon["range"].as_i64().expect("a range") as i32;
            let way = (0..range).map_while(|n| at((step.0 * n, step.1 * n)));
            return way.take_while(|cell| !land.contains(cell)).collect();
        }
        let Some(rows) = weapon["pattern"].as_array() else { return Vec::new() };
        let mut reach = Vec::new();
        for (n, signs) in rows.iter().enumerate() {
            let signs = signs.as_str().expect("a row");
            for (m, _) in signs.chars().enumerate().filter(|(_, sign)| *sign == 'x') {
                let step = (n as i32 - rows.len() as i32 / 2, m as i32 - signs.len() as i32 / 2);
                reach.extend(at(step).filter(|cell| !land.contains(cell)));
            }
        }
        reach
    }
}

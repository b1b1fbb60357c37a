//! Special weapons of the judge of games for many: a bomb over a cross of cells, a torpedo over up to three, and a
//! sonar that counts a square.
use serde_json::{Value, json};

use super::Judge;

const CROSS: [(i32, i32); 5] = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)];

impl Judge {
    /// The sea of an action, named or implied.
    pub(super) fn sea(&self, seat: usize, action: &Value) -> usize {
        let named = action["target"].as_str();
        named.map_or_else(
            || self.targets(seat)[0],
            |name| self.names.iter().position(|other| other == name).expect("a sea"),
        )
    }

    fn at(&self, aim: &Value, (down, right): (i32, i32)) -> Option<String> {
        let (row, column) = self.place[aim.as_str().expect("a cell")];
        let at = self.place.iter().find(|(_, place)| **place == (row + down, column + right));
        at.map(|(cell, _)| cell.clone()).filter(|cell| !self.land.contains(cell))
    }

    /// The report of a weapon to each viewer, and the public consequences.
    pub fn use_weapon(&mut self, seat: usize, action: &Value) -> (Vec<Value>, Value) {
        let (sea, aim) = (self.sea(seat, action), &action["cell"]);
        let ships = |judge: &Self, cell: &String| judge.ships_in(sea).any(|(_, ship)| ship.cells.contains(cell));
        if action["weapon"] == "sonar" {
            let square = (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right)));
            let found = square.filter_map(|step| self.at(aim, step)).filter(|cell| ships(self, cell)).count();
            let before = self.out.clone();
            self.salvos -= 1;
            self.go_on();
            return (vec![json!({"count": found}); self.seats + 1], self.follows(&before));
        }
        let mut cells: Vec<String> = match action["direction"].as_str() {
            None => CROSS.iter().filter_map(|step| self.at(aim, *step)).collect(),
            Some(direction) => {
                let (down, right) = match direction {
                    "north" => (-1, 0),
                    "south" => (1, 0),
                    "east" => (0, 1),
                    _ => (0, -1),
                };
                (0..3).map_while(|n| self.at(aim, (down * n, right * n))).collect()
            }
        };
        cells.retain(|cell| !self.tried[sea].contains(cell));
        if action["weapon"] == "torpedo"
            && let Some(hit) = cells.iter().position(|cell| ships(self, cell))
        {
            cells.truncate(hit + 1);
        }
        self.volley(seat, sea, cells)
    }
}

/// Some of these weapons.
pub fn some(dice: &mut broadside_rules::Dice) -> Value {
    let all = [
        json!({"weapon": "bomb", "name": "Bomb", "effect": "area", "pattern": [".x.", "xxx", ".x."], "uses": 1}),
        json!({"weapon": "torpedo", "name": "Torpedo", "effect": "line", "range": 3, "uses": 2}),
        json!({"weapon": "sonar", "name": "Sonar", "effect": "count", "pattern": ["xxx", "xxx", "xxx"], "uses": 2}),
    ];
    all.into_iter().filter(|_| dice.below(4) == 0).collect()
}

//! The laws of mines and minesweepers: their cost, and its payment.
use broadside_rules::Seat;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Watched;

impl Watched {
    /// The seat that fires after a seat; seats that have lost a turn are passed over.
    pub fn passed(&mut self, seat: Seat) -> Seat {
        let mut next = seat.other();
        while self.lost[next.index()] > 0 {
            self.lost[next.index()] -= 1;
            next = next.other();
        }
        next
    }

    /// Checks that exactly the debt is paid, and that given cells of ships count for the enemy.
    pub fn payment(&mut self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        let me = seat.index();
        let ([cells, ships, mines], next) = self.owed.take().expect("something is owed");
        let list = |name: &str| action[name].as_array().cloned().unwrap_or_default();
        prop_assert_eq!([list("cells").len(), list("ships").len(), list("mines").len()], [cells, ships, mines]);
        let nothing = self.game.play(seat, &json!({"type": "give-up"})).expect_err("refused");
        prop_assert_eq!(nothing.code, "wrong-give-up");
        self.game.play(seat, action).expect("legal");
        let mut struck: Vec<String> = list("cells").iter().map(|cell| cell.as_str().expect("a cell").into()).collect();
        for ship in list("ships") {
            let sound = self.ships[me][ship.as_str().expect("an id")].difference(&self.hit[me]);
            let before = struck.len();
            struck.extend(sound.cloned());
            prop_assert!(struck.len() > before, "only a ship afloat can be given up");
        }
        for cell in struck {
            prop_assert!(
                self.ships[me].values().any(|ship| ship.contains(&cell)) && self.tried[me].insert(cell.clone())
            );
            self.hit[me].insert(cell);
            self.hits[me] += 1;
        }
        for mine in list("mines") {
            let cell = mine.as_str().expect("a cell").to_owned();
            prop_assert!(self.mines[me].remove(&cell), "a mine that still lay there");
            self.given[me].insert(cell);
        }
        let lost = match self.rules["victory"]["hits"].as_u64() {
            Some(enough) => self.hits[me] as u64 >= enough,
            None => self.sunk(me) == self.ships[me].len(),
        };
        prop_assert_eq!(self.game.battle.status().is_over(), lost);
        if lost {
            prop_assert_eq!(self.game.battle.outcome().expect("over").winner, Some(seat.other()));
        } else {
            prop_assert_eq!(self.game.battle.to_act().iter().collect::<Vec<_>>(), [next]);
        }
        Ok(())
    }

    /// The shooter's debt for these cells of the target's sea.
    pub fn price(&self, me: usize, target: usize, found: usize, cells: &[Value]) -> [usize; 3] {
        let effect = self.rules["mines"]["effect"].as_str().unwrap_or_default();
        let afloat = self.ships[me].values().filter(|ship| !ship.is_subset(&self.hit[me])).count();
        let sound = self.ships[me].values().flatten().filter(|cell| !self.hit[me].contains(*cell)).count();
        let classes = self.rules["fleet"].as_array().expect("classes");
        let sweeps = |id: &str| {
            let class = classes.iter().find(|class| {
                let name = class["class"].as_str().expect("an id");
                id == name || id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
            });
            class.expect("its class")["sweeper"] == true
        };
        let swept = cells.iter().filter(|cell| {
            let cell = cell.as_str().expect("a cell");
            self.ships[target].iter().any(|(id, ship)| ship.contains(cell) && sweeps(id))
        });
        [
            if effect == "cell" { found.min(sound) } else { 0 },
            if effect == "ship" { found.min(afloat) } else { 0 },
            if self.rules["mines"].is_null() { 0 } else { swept.count().min(self.mines[me].len()) },
        ]
    }
}

//! The answers to shots, and the sizes of salvos, by the second judge: written from the words of the rules.
use std::collections::BTreeMap;

use serde_json::Value;

use super::{Account, Oracle, Sea, Ship};

impl Oracle {
    pub(super) fn near_a_ship(&self, sea: &Sea, cell: usize) -> bool {
        let corners = match self.rules["sighting"].as_str() {
            Some("orthogonal") => false,
            Some("all") => true,
            _ => return false,
        };
        let adjoining = |other: &usize| {
            let ((ra, ca), (rb, cb)) = (self.place[cell], self.place[*other]);
            let (rows, columns) = ((ra - rb).abs(), (ca - cb).abs());
            if corners { rows.max(columns) == 1 } else { rows + columns == 1 }
        };
        let afloat = sea.ships.iter().filter(|ship| !self.sunk(sea, ship));
        afloat.flat_map(|ship| &ship.cells).any(adjoining)
    }

    /// The public word for a hit.
    pub(super) fn word(&self, ship: &Ship, sinks: bool) -> String {
        let rules = &self.rules;
        match (sinks && rules["names_sunk"] == true, rules["names_hit"] == true) {
            (true, _) => format!("sunk {}", ship.class),
            (false, _) if sinks && rules["announces_sunk"] == true => "sunk".to_owned(),
            (false, true) => format!("hit {}", ship.class),
            (false, false) => "hit".to_owned(),
        }
    }

    /// The answer to a salvo, from those to its shots.
    pub(super) fn answered(
        &self,
        shots: Vec<String>,
        by_class: &BTreeMap<String, u64>,
        mut sunk: Vec<String>,
    ) -> Vec<String> {
        let rules = &self.rules;
        let mut answer = match rules["report"].as_str() {
            Some("tally") => vec![format!("{} hits", by_class.values().sum::<u64>())],
            Some("tally-per-ship") => vec![format!("{by_class:?}")],
            Some("per-salvo") => {
                let words = ["sunk", "hit", "sighted", "miss"];
                let best = words.iter().find(|word| shots.iter().any(|shot| shot.split(' ').next() == Some(**word)));
                best.map(|word| (*word).to_owned()).into_iter().collect()
            }
            _ => shots,
        };
        // For the salvo as a whole: the ships that it sank, or their number; not by which shot.
        sunk.sort();
        match rules["report"].as_str() {
            Some("per-shot") => {}
            _ if rules["names_sunk"] == true => answer.push(format!("sunk {sunk:?}")),
            Some("per-salvo") => {}
            _ if rules["announces_sunk"] == true => answer.push(format!("sunk {}", sunk.len())),
            _ => {}
        }
        answer
    }

    fn class(&self, ship: &Ship) -> &Value {
        let classes = self.rules["fleet"].as_array().expect("classes");
        classes.iter().find(|class| class["class"] == ship.class.as_str()).expect("its class")
    }

    pub(super) fn points(&self, ship: &Ship) -> u64 {
        let class = self.class(ship);
        class["points"].as_u64().or(class["length"].as_u64()).expect("a number")
    }

    /// The size of a seat's salvos before hits have earned any.
    pub(super) fn size(&self, account: &Account, seat: usize) -> u64 {
        let salvo = &self.rules["salvo"];
        let handicaps = self.rules["handicaps"].as_array().into_iter().flatten();
        let mut own = handicaps.filter(|handicap| handicap["seat"] == seat).filter_map(|own| own["salvo"].as_u64());
        let size = own.next().or(salvo["size"].as_u64()).expect("a size");
        let all = |of: usize| account.seas[self.sea_of(of)].ships.iter().filter(move |ship| ship.owner == of);
        let afloat = |of: usize| all(of).filter(move |ship| !self.sunk(&account.seas[self.sea_of(of)], ship));
        let cells = || afloat(seat).flat_map(|ship| &ship.cells);
        let shots = match salvo["shots"].as_str() {
            None if salvo["shrinks"] == "per-own-loss" => {
                size.saturating_sub((all(seat).count() - afloat(seat).count()) as u64)
            }
            None => size,
            Some("per-ship") => afloat(seat).count() as u64,
            Some("per-cell") => cells().count() as u64,
            Some("per-whole-cell") => {
                let hit = &account.seas[self.sea_of(seat)].hit;
                cells().filter(|cell| !hit.contains(cell)).count() as u64
            }
            Some("longest-ship") => afloat(seat).map(|ship| ship.cells.len() as u64).max().unwrap_or(0),
            Some("per-enemy-ship") => {
                let enemies = (0..self.seats).filter(|other| self.side(*other) != self.side(seat));
                enemies.map(|enemy| afloat(enemy).count() as u64).sum()
            }
            Some(_) => afloat(seat).map(|ship| self.class(ship)["shots"].as_u64().unwrap_or(1)).sum(),
        };
        shots.min(size).max(1)
    }

    /// The number in the answer to a miss: written from the words of the rules.
    pub(super) fn clue(&self, sea: &Sea, cell: usize) -> String {
        let apart = |other: &usize| {
            let ((ra, ca), (rb, cb)) = (self.place[cell], self.place[*other]);
            ((ra - rb).abs(), (ca - cb).abs())
        };
        let all = || sea.ships.iter().flat_map(|ship| &ship.cells);
        let afloat = || sea.ships.iter().filter(|ship| !self.sunk(sea, ship)).flat_map(|ship| &ship.cells);
        let number = match self.rules["clue"].as_str() {
            Some("neighbours-orthogonal") => {
                Some(all().filter(|other| [(0, 1), (1, 0)].contains(&apart(other))).count() as i32)
            }
            Some("neighbours-all") => {
                Some(all().filter(|other| [(0, 1), (1, 0), (1, 1)].contains(&apart(other))).count() as i32)
            }
            Some("distance-king") => afloat().map(|other| apart(other).0.max(apart(other).1)).min(),
            Some("distance-steps") => afloat().map(|other| apart(other).0 + apart(other).1).min(),
            _ => None,
        };
        number.map(|number| format!(" {number}")).unwrap_or_default()
    }
}

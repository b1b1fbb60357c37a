//! The figures of the laws: sizes of salvos, numbers of misses, and distances, computed from the fleets.
use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::Watched;

impl Watched {
    /// Law 2: the number of shots of a salvo, if there are cells for them.
    pub fn size(&self, me: usize) -> usize {
        if self.goes_on {
            return self.last[me];
        }
        let salvo = &self.rules["salvo"];
        let most = salvo["size"].as_u64().expect("a size") as usize;
        let sinks = self.rules["sinking"] == true;
        let afloat = |seat: usize| -> Vec<(&String, &BTreeSet<String>)> {
            self.ships[seat].iter().filter(|ship| !(sinks && ship.1.is_subset(&self.hit[seat]))).collect()
        };
        let cells = || afloat(me).into_iter().flat_map(|ship| ship.1);
        let shots = match salvo["shots"].as_str().unwrap_or("fixed") {
            "fixed" if salvo["shrinks"] == "per-own-loss" => most.saturating_sub(self.sunk(me)),
            "fixed" => most,
            "per-ship" => afloat(me).len(),
            "per-enemy-ship" => afloat(1 - me).len(),
            "per-cell" => cells().count(),
            "per-whole-cell" => cells().filter(|cell| !self.hit[me].contains(*cell)).count(),
            "longest-ship" => afloat(me).iter().map(|ship| ship.1.len()).max().unwrap_or(0),
            _ => {
                let classes = self.game.setup.rules.classes(broadside_rules::card::Language::English);
                let shots = |id: &String| {
                    let of = classes.iter().find(|class| class.ships.iter().any(|ship| ship.as_str() == id));
                    usize::from(of.expect("its class").stats[0].max as u8)
                };
                afloat(me).iter().map(|ship| shots(ship.0)).sum()
            }
        };
        let extra = if salvo["extra"] == "next-salvo" { self.last[me] } else { 0 };
        (shots.min(most).max(1) + extra).min(26)
    }

    /// The number in the answer to a shot at this cell, in the current sea.
    pub fn clue(&self, seat: usize, cell: &String) -> Option<u64> {
        let sinks = self.rules["sinking"] == true;
        if self.ships[seat].values().any(|ship| ship.contains(cell)) {
            return None;
        }
        let all = || self.ships[seat].values().flatten();
        let afloat = self.ships[seat].values().filter(|ship| !(sinks && ship.is_subset(&self.hit[seat])));
        let afloat: BTreeSet<String> = afloat.flatten().cloned().collect();
        let king = |other: &String| self.steps(cell, &BTreeSet::from([other.clone()]));
        let sides = |other: &String| self.apart(cell, other).0 + self.apart(cell, other).1;
        match self.rules["clue"].as_str()? {
            "neighbours-orthogonal" => Some(all().filter(|other| sides(other) == 1).count() as u64),
            "neighbours-all" => Some(all().filter(|other| king(other) == 1).count() as u64),
            "distance-king" => afloat.iter().map(king).min(),
            _ => afloat.iter().map(sides).min(),
        }
    }

    pub fn excluded_is_empty(&self) -> Result<(), TestCaseError> {
        for sea in self.game.views[2].seas() {
            let owner = sea.owner.expect("an owner").index();
            for mark in sea.marks.iter().filter(|mark| serde_json::to_value(mark.kind).expect("JSON") == "excluded") {
                let cell = mark.cell.to_string();
                prop_assert!(!self.ships[owner].values().any(|ship| ship.contains(&cell)), "{} is not empty", cell);
            }
        }
        Ok(())
    }

    /// The rows and columns between two cells.
    pub fn apart(&self, a: &str, b: &str) -> (u64, u64) {
        let cells = &self.game.setup.rules.board(2).seas[0].cells;
        let place = |label: &str| {
            let cell = cells.iter().find(|cell| cell.label.as_str() == label).expect("a cell");
            (cell.row, cell.column)
        };
        let ((ra, ca), (rb, cb)) = (place(a), place(b));
        (ra.abs_diff(rb).into(), ca.abs_diff(cb).into())
    }

    /// The king's moves from a cell to the nearest of others.
    pub fn steps(&self, cell: &str, others: &BTreeSet<String>) -> u64 {
        let far = |other: &String| {
            let (rows, columns) = self.apart(cell, other);
            rows.max(columns)
        };
        others.iter().map(far).min().expect("cells")
    }
}

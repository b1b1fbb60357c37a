//! A second judge, written from the rule sheets and sharing nothing with the crate: what everybody is told of a salvo.
//! It says which two worlds a viewer cannot tell apart, so that the comparison does not rest on the code it is to test.
use std::collections::{BTreeMap, BTreeSet};

use broadside_rules::{RuleSet, Seat, card::BoardCard};
use serde_json::{Value, json};

use crate::support::shapes::ways_of;

#[path = "weapons.rs"]
mod weapons;

/// Cells by their number on the board.
pub type Cells = BTreeSet<usize>;

/// One player's doing, as a JSON action.
#[derive(Clone)]
pub struct Act {
    pub seat: Seat,
    pub action: Value,
}

#[derive(Clone)]
pub struct Ship {
    pub id: String,
    pub class: String,
    pub cells: Cells,
}

/// What everybody can know of a salvo: its answer, the sizes of salvos that follow from it, and whether it won.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Told {
    answer: Vec<String>,
    sizes: [u64; 2],
    won: bool,
    /// What the shooter owes for mines and minesweepers: cells, ships and mines.
    owed: [usize; 3],
}

/// A sea and what was done to it.
#[derive(Clone, Default)]
struct Sea {
    ships: Vec<Ship>,
    hit: Cells,
    /// Every cell that is closed to shots.
    tried: Cells,
    hits: u64,
    /// Where mines still lie.
    mines: Cells,
}

/// The two seas, and everything that was told so far.
#[derive(Clone, Default)]
pub struct Account {
    seas: [Sea; 2],
    pub told: Vec<Told>,
}

impl Account {
    /// The cells of a seat's sea that are closed to shots.
    pub fn tried(&self, seat: Seat) -> Cells {
        self.seas[seat.index()].tried.clone()
    }
}

/// The rules as data, and the board.
pub struct Oracle {
    rules: Value,
    place: Vec<(i32, i32)>,
    labels: Vec<String>,
    /// The cells that are no water.
    land: Cells,
    index: BTreeMap<String, usize>,
    pub ids: Vec<(String, String)>,
    /// Every place of a ship, by its class.
    ways: BTreeMap<String, Vec<Cells>>,
}

impl Oracle {
    /// The judge of a match with these rules, on its board.
    pub fn new(rules: &RuleSet, board: &BoardCard) -> Self {
        let cells = &board.seas[0].cells;
        let place: Vec<(i32, i32)> = cells.iter().map(|cell| (i32::from(cell.row), i32::from(cell.column))).collect();
        let labels: Vec<String> = cells.iter().map(|cell| cell.label.to_string()).collect();
        let classes = rules.classes();
        let told = serde_json::to_value(rules).expect("JSON");
        let ids =
            classes.iter().flat_map(|class| class.ships.iter().map(|ship| (ship.to_string(), class.class.to_string())));
        Self {
            index: labels.iter().cloned().zip(0..).collect(),
            ids: ids.collect(),
            ways: told["fleet"].as_array().expect("classes").iter().map(|class| ways(&place, class)).collect(),
            land: cells.iter().zip(0..).filter(|(cell, _)| cell.feature.is_some()).map(|(_, n)| n).collect(),
            rules: told,
            place,
            labels,
        }
    }

    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Every place of a ship of this ship's class.
    pub fn ways(&self, ship: &Ship) -> &[Cells] {
        &self.ways[&ship.class]
    }

    /// Could each of two ships lie wherever the other can?
    pub fn alike(&self, one: &Ship, other: &Ship) -> bool {
        self.ways(one) == self.ways(other)
    }

    /// The cells that a ship must keep off beside ships on these cells.
    pub fn zone(&self, ships: &Cells) -> Cells {
        let mut zone = ships.clone();
        if self.rules["contact"] != "allowed" {
            let corners = self.rules["contact"] == "forbidden";
            let next_to = |cell: &usize| {
                ships.iter().any(|ship| {
                    let ((ra, ca), (rb, cb)) = (self.place[*cell], self.place[*ship]);
                    let (rows, columns) = ((ra - rb).abs(), (ca - cb).abs());
                    if corners { rows.max(columns) == 1 } else { rows + columns == 1 }
                })
            };
            zone.extend((0..self.place.len()).filter(next_to));
        }
        zone
    }

    pub fn cells(&self, labels: &Value) -> Vec<usize> {
        let labels = labels.as_array().expect("cells").iter();
        labels.map(|label| self.cell(label)).collect()
    }

    fn cell(&self, label: &Value) -> usize {
        self.index[label.as_str().expect("a label")]
    }

    pub fn ships(&self, action: &Value) -> Vec<Ship> {
        let ships = action["ships"].as_array().expect("ships").iter();
        ships
            .map(|ship| {
                let id = ship["ship"].as_str().expect("an id");
                let known = self.ids.iter().find(|(known, _)| known == id);
                let (id, class) = known.expect("a known ship").clone();
                let cells = self.cells(&ship["cells"]).into_iter().collect();
                Ship { id, class, cells }
            })
            .collect()
    }

    /// The mines of a deployment, or those that are given away.
    pub fn mines(&self, action: &Value) -> Cells {
        if action["mines"].is_array() { self.cells(&action["mines"]).into_iter().collect() } else { Cells::new() }
    }

    /// The mines as they are sent.
    pub fn mined(&self, mines: &Cells) -> Value {
        mines.iter().map(|cell| self.labels[*cell].clone()).collect::<Vec<_>>().into()
    }

    pub fn deployment(&self, ships: &[Ship]) -> Value {
        let cells = |ship: &Ship| ship.cells.iter().map(|cell| self.labels[*cell].clone()).collect::<Vec<_>>();
        let ships: Vec<Value> = ships.iter().map(|ship| json!({"ship": ship.id, "cells": cells(ship)})).collect();
        json!({"type": "deploy", "ships": ships})
    }

    /// Takes one more doing into the account.
    pub fn follow(&self, account: &mut Account, act: &Act) {
        let own = &mut account.seas[act.seat.index()];
        match act.action["type"].as_str() {
            Some("deploy") => (own.ships, own.mines) = (self.ships(&act.action), self.mines(&act.action)),
            Some("give-up") => {
                let told = self.give_up(own, &act.action);
                account.told.push(told);
            }
            Some("relocate") => {
                // Moved ships are whole: their old hits are no longer on them, and no ship can come to a tried cell.
                for moved in self.ships(&act.action) {
                    let ship = own.ships.iter_mut().find(|ship| ship.id == moved.id);
                    ship.expect("a known ship").cells = moved.cells;
                }
            }
            Some("use-weapon") => {
                let told = self.use_weapon(account, act);
                account.told.push(told);
            }
            Some("fire") => {
                let cells = self.cells(&act.action["cells"]);
                let mut told = self.fire(&mut account.seas[act.seat.other().index()], &cells);
                if !told.won {
                    told.owed = self.price(account, act.seat, &cells, &told.answer);
                }
                account.told.push(told);
            }
            _ => {}
        }
    }

    /// What a salvo with these answers costs the shooter.
    fn price(&self, account: &Account, shooter: Seat, cells: &[usize], answer: &[String]) -> [usize; 3] {
        let (own, target) = (&account.seas[shooter.index()], &account.seas[shooter.other().index()]);
        let found = answer.iter().filter(|answer| *answer == "mine").count();
        let classes = self.rules["fleet"].as_array().expect("classes");
        let sweeps =
            |ship: &&Ship| classes.iter().any(|class| class["class"] == ship.class && class["sweeper"] == true);
        let sweepers: Cells = target.ships.iter().filter(sweeps).flat_map(|ship| ship.cells.iter().copied()).collect();
        let swept = cells.iter().filter(|cell| sweepers.contains(cell)).count();
        let sound = own.ships.iter().map(|ship| ship.cells.difference(&own.hit).count());
        let owes =
            |effect: &str, most: usize| if self.rules["mines"]["effect"] == effect { found.min(most) } else { 0 };
        [
            owes("cell", sound.clone().sum()),
            owes("ship", sound.filter(|sound| *sound > 0).count()),
            swept.min(own.mines.len()),
        ]
    }

    /// What is given up is struck as if the enemy had shot there; mines that are given away are gone.
    fn give_up(&self, own: &mut Sea, action: &Value) -> Told {
        let mut cells = if action["cells"].is_array() { self.cells(&action["cells"]) } else { Vec::new() };
        for id in action["ships"].as_array().into_iter().flatten() {
            let ship = own.ships.iter().find(|ship| id == &ship.id).expect("a known ship");
            cells.extend(ship.cells.difference(&own.hit));
        }
        let given = self.mines(action);
        own.mines.retain(|mine| !given.contains(mine));
        own.tried.extend(&given);
        let mut told = self.fire(own, &cells);
        told.answer.extend(cells.iter().chain(&given).map(|cell| self.labels[*cell].clone()));
        told
    }

    fn sunk(&self, sea: &Sea, ship: &Ship) -> bool {
        self.rules["sinking"] == true && ship.cells.is_subset(&sea.hit)
    }

    fn near_a_ship(&self, sea: &Sea, cell: usize) -> bool {
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

    fn fire(&self, sea: &mut Sea, cells: &[usize]) -> Told {
        let rules = &self.rules;
        let mut answer = Vec::new();
        let mut by_class: BTreeMap<String, u64> = BTreeMap::new();
        let mut sunk: Vec<String> = Vec::new();
        let mut won = false;
        for &cell in cells {
            sea.tried.insert(cell);
            let struck = sea.ships.iter().find(|ship| ship.cells.contains(&cell)).cloned();
            answer.push(match struck {
                Some(ship) => {
                    sea.hit.insert(cell);
                    sea.hits += 1;
                    *by_class.entry(ship.class.clone()).or_default() += 1;
                    let sinks = self.sunk(sea, &ship);
                    if sinks {
                        sunk.push(ship.class.clone());
                    }
                    match (sinks && rules["names_sunk"] == true, rules["names_hit"] == true) {
                        (true, _) => format!("sunk {}", ship.class),
                        (false, _) if sinks && rules["announces_sunk"] == true => "sunk".to_owned(),
                        (false, true) => format!("hit {}", ship.class),
                        (false, false) => "hit".to_owned(),
                    }
                }
                None if sea.mines.remove(&cell) => "mine".to_owned(),
                None if self.near_a_ship(sea, cell) => format!("sighted{}", self.clue(sea, cell)),
                None => format!("miss{}", self.clue(sea, cell)),
            });
            won |= match rules["victory"]["hits"].as_u64() {
                Some(enough) => sea.hits >= enough,
                None => sea.ships.iter().all(|ship| self.sunk(sea, ship)),
            };
        }
        match rules["report"].as_str() {
            Some("tally") => answer = vec![format!("{} hits", by_class.values().sum::<u64>())],
            Some("tally-per-ship") => answer = vec![format!("{by_class:?}")],
            Some("per-salvo") => {
                let words = ["sunk", "hit", "sighted", "miss"];
                let best =
                    words.iter().find(|word| answer.iter().any(|answer| answer.split(' ').next() == Some(**word)));
                answer = vec![best.map(|word| (*word).to_owned()).expect("a shot")];
            }
            _ => {}
        }
        // Of the salvo as a whole: which ships it sank, or how many; not by which shot.
        sunk.sort();
        match rules["report"].as_str() {
            Some("per-shot") => {}
            _ if rules["names_sunk"] == true => answer.push(format!("sunk {sunk:?}")),
            Some("per-salvo") => {}
            _ if rules["announces_sunk"] == true => answer.push(format!("sunk {}", sunk.len())),
            _ => {}
        }
        let earned = if rules["salvo"]["extra"].is_null() { 0 } else { by_class.values().sum::<u64>() };
        Told { answer, sizes: [self.size(sea), earned], won, owed: [0; 3] }
    }

    /// What the salvos that depend on the fleet in this sea have, be it the target's or, where enemies count, others'.
    fn size(&self, sea: &Sea) -> u64 {
        let salvo = &self.rules["salvo"];
        let size = salvo["size"].as_u64().expect("a size");
        let afloat = || sea.ships.iter().filter(|ship| !self.sunk(sea, ship));
        let cells = || afloat().flat_map(|ship| &ship.cells);
        let shots = match salvo["shots"].as_str() {
            None if salvo["shrinks"] == "per-own-loss" => {
                size.saturating_sub((sea.ships.len() - afloat().count()) as u64)
            }
            None => size,
            Some("per-ship" | "per-enemy-ship") => afloat().count() as u64,
            Some("per-cell") => cells().count() as u64,
            Some("per-whole-cell") => cells().filter(|cell| !sea.hit.contains(*cell)).count() as u64,
            Some("longest-ship") => afloat().map(|ship| ship.cells.len() as u64).max().unwrap_or(0),
            Some(_) => {
                let classes = self.rules["fleet"].as_array().expect("classes");
                let of = |ship: &Ship| {
                    let class = classes.iter().find(|class| class["class"] == ship.class.as_str()).expect("its class");
                    class["shots"].as_u64().unwrap_or(1)
                };
                afloat().map(of).sum()
            }
        };
        shots.min(size).max(1)
    }

    /// The number that a miss is answered with: written out of the words of the rules.
    fn clue(&self, sea: &Sea, cell: usize) -> String {
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

/// Every place of a ship of the class, in a fixed order.
fn ways(place: &[(i32, i32)], class: &Value) -> (String, Vec<Cells>) {
    let ways = ways_of(class);
    let mut lie = Vec::new();
    for (row, column) in place {
        for way in &ways {
            let cell = |(down, right): &(i32, i32)| place.iter().position(|at| *at == (row + down, column + right));
            lie.extend(way.iter().map(cell).collect::<Option<Cells>>());
        }
    }
    (class["class"].as_str().expect("an id").to_owned(), lie)
}

//! A second judge, written from the rule sheets and sharing nothing with the crate: the public reports of salvos. It
//! tells which two worlds a viewer cannot tell apart, so that the comparison does not rest on the tested code.
use std::collections::{BTreeMap, BTreeSet};

use broadside_rules::{Dice, Seat, Setup, View};
use serde_json::{Value, json};

use crate::support::shapes::ways_of;

#[path = "answers.rs"]
mod answers;
#[path = "weapons.rs"]
mod weapons;

/// Cells by their number on the board.
pub type Cells = BTreeSet<usize>;

/// One player's act, as a JSON action.
#[derive(Clone)]
pub struct Act {
    pub seat: Seat,
    pub action: Value,
}

#[derive(Clone)]
pub struct Ship {
    pub id: String,
    pub class: String,
    owner: usize,
    pub cells: Cells,
}

/// The public facts of a salvo: its answer, and the causes of the match's course.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Told {
    answer: Vec<String>,
    /// The number of hits, where they earn shots.
    earned: u64,
    /// The size of each seat's salvos.
    sizes: Vec<u64>,
    /// Is any ship of each seat afloat?
    afloat: Vec<bool>,
    /// Has each side scored enough to win?
    won: Vec<bool>,
    /// The shooter's debt for mines and minesweepers: cells, ships and mines.
    owed: [usize; 3],
}

/// A sea and its history.
#[derive(Clone, Default)]
struct Sea {
    ships: Vec<Ship>,
    hit: Cells,
    /// Every cell that is closed to shots.
    tried: Cells,
    /// The cells of remaining mines.
    mines: Cells,
}

/// The seas by number, and all reports so far.
#[derive(Clone)]
pub struct Account {
    seas: Vec<Sea>,
    /// The hits, ships and points that each seat has scored.
    scores: Vec<BTreeMap<&'static str, u64>>,
    pub told: Vec<Told>,
}

/// The rules as data, and the board.
pub struct Oracle {
    rules: Value,
    pub seats: usize,
    /// The names of the seas.
    pub names: Vec<String>,
    place: Vec<(i32, i32)>,
    labels: Vec<String>,
    /// The cells of land.
    land: Cells,
    index: BTreeMap<String, usize>,
    pub ids: Vec<(String, String)>,
    /// Every place of a ship, by its class.
    ways: BTreeMap<String, Vec<Cells>>,
}

impl Oracle {
    /// The judge of a match on these terms, with a view of its beginning.
    pub fn new(setup: &Setup, seen: &View) -> Self {
        let board = seen.board();
        let cells = &board.seas[0].cells;
        let place: Vec<(i32, i32)> = cells.iter().map(|cell| (i32::from(cell.row), i32::from(cell.column))).collect();
        let labels: Vec<String> = cells.iter().map(|cell| cell.label.to_string()).collect();
        let rules = serde_json::to_value(&*setup.rules).expect("JSON");
        let seas = seen.seas();
        let ids: BTreeSet<(String, String)> = seas
            .iter()
            .flat_map(|sea| sea.ships.iter().map(|ship| (ship.id.to_string(), ship.class.to_string())))
            .collect();
        Self {
            index: labels.iter().cloned().zip(0..).collect(),
            ids: ids.into_iter().collect(),
            ways: rules["fleet"].as_array().expect("classes").iter().map(|class| ways(&place, class)).collect(),
            land: cells.iter().zip(0..).filter(|(cell, _)| cell.feature.is_some()).map(|(_, n)| n).collect(),
            names: board.seas.iter().map(|sea| sea.id.to_owned()).collect(),
            seats: setup.seats.into(),
            rules,
            place,
            labels,
        }
    }

    /// The account before any act.
    pub fn account(&self) -> Account {
        let seas = vec![Sea::default(); self.names.len()];
        Account { seas, scores: vec![BTreeMap::new(); self.seats], told: Vec::new() }
    }

    pub fn side(&self, seat: usize) -> usize {
        self.rules["teams"].as_u64().map_or(seat, |teams| seat % teams as usize)
    }

    /// The sea of a seat's ships.
    fn sea_of(&self, seat: usize) -> usize {
        if self.rules["team_seas"] == "common" { self.side(seat) } else { seat }
    }

    /// The target sea: the named one, or the other in a match for two.
    fn target(&self, act: &Act) -> usize {
        let named = act.action["target"].as_str();
        let named = named.map(|name| self.names.iter().position(|other| other == name).expect("a sea"));
        named.unwrap_or_else(|| act.seat.other().index())
    }

    /// The cells of the sea with a seat's ships that are closed to shots.
    pub fn tried(&self, account: &Account, seat: usize) -> Cells {
        account.seas[self.sea_of(seat)].tried.clone()
    }

    /// The cells of other seats' ships in a seat's sea.
    pub fn of_others(&self, account: &Account, seat: usize) -> Cells {
        let ships = account.seas[self.sea_of(seat)].ships.iter();
        ships.filter(|ship| ship.owner != seat).flat_map(|ship| ship.cells.iter().copied()).collect()
    }

    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Every place of a ship of this ship's class.
    pub fn ways(&self, ship: &Ship) -> &[Cells] {
        &self.ways[&ship.class]
    }

    /// Have two ships the same possible places?
    pub fn alike(&self, one: &Ship, other: &Ship) -> bool {
        self.ways(one) == self.ways(other)
    }

    /// The cells closed by ships on these cells.
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

    pub fn ships(&self, seat: Seat, action: &Value) -> Vec<Ship> {
        let ships = action["ships"].as_array().expect("ships").iter();
        ships
            .map(|ship| {
                let id = ship["ship"].as_str().expect("an id");
                let known = self.ids.iter().find(|(known, _)| known == id);
                let (id, class) = known.expect("a known ship").clone();
                let cells = self.cells(&ship["cells"]).into_iter().collect();
                Ship { id, class, owner: seat.index(), cells }
            })
            .collect()
    }

    /// The mines of a deployment or a payment.
    pub fn mines(&self, action: &Value) -> Cells {
        if action["mines"].is_array() { self.cells(&action["mines"]).into_iter().collect() } else { Cells::new() }
    }

    /// The mines in their sent form.
    pub fn mined(&self, mines: &Cells) -> Value {
        mines.iter().map(|cell| self.labels[*cell].clone()).collect::<Vec<_>>().into()
    }

    /// A ship of this id at a random place, in its sent form.
    pub fn somewhere(&self, id: &str, dice: &mut Dice) -> Value {
        let class = self.ids.iter().find(|(known, _)| known == id).map(|(_, class)| class.as_str());
        let way = dice.pick(&self.ways[class.expect("a known ship")]).expect("a way to lie");
        json!({"ship": id, "cells": self.mined(way)})
    }

    pub fn deployment(&self, ships: &[Ship]) -> Value {
        let cells = |ship: &Ship| ship.cells.iter().map(|cell| self.labels[*cell].clone()).collect::<Vec<_>>();
        let ships: Vec<Value> = ships.iter().map(|ship| json!({"ship": ship.id, "cells": cells(ship)})).collect();
        json!({"type": "deploy", "ships": ships})
    }

    /// Takes an act into the account.
    pub fn follow(&self, account: &mut Account, act: &Act) {
        let seat = act.seat.index();
        let own = &mut account.seas[self.sea_of(seat)];
        let told = match act.action["type"].as_str() {
            Some("deploy") => {
                own.ships.extend(self.ships(act.seat, &act.action));
                own.mines = self.mines(&act.action);
                return;
            }
            Some("relocate") => {
                // Moved ships are whole: their old hits are no longer on them, and no ship can come to a tried cell.
                for moved in self.ships(act.seat, &act.action) {
                    let ship = own.ships.iter_mut().find(|ship| ship.owner == seat && ship.id == moved.id);
                    ship.expect("a known ship").cells = moved.cells;
                }
                return;
            }
            Some("resign") => {
                // A seat that leaves takes its ships along.
                own.ships.retain(|ship| ship.owner != seat);
                Told { answer: vec![format!("{seat} has left")], ..self.course(account) }
            }
            Some("give-up") => self.give_up(account, act),
            Some("use-weapon") => self.use_weapon(account, act),
            Some("fire") => {
                let cells = self.cells(&act.action["cells"]);
                let told = self.fire(account, seat, self.target(act), &cells);
                Told { owed: self.price(account, act.seat, &cells, &told.answer), ..told }
            }
            _ => return,
        };
        account.told.push(told);
    }

    /// The causes of the match's course.
    fn course(&self, account: &Account) -> Told {
        let ships = |seat: usize| {
            let sea = &account.seas[self.sea_of(seat)];
            sea.ships.iter().filter(move |ship| ship.owner == seat && !self.sunk(sea, ship))
        };
        let victory = &self.rules["victory"];
        let won = |side: usize| {
            ["hits", "ships", "points"].into_iter().any(|what| {
                let score = |seat: usize| account.scores[seat].get(what).copied().unwrap_or_default();
                let of_side = (0..self.seats).filter(|seat| self.side(*seat) == side);
                victory[what].as_u64().is_some_and(|enough| of_side.map(score).sum::<u64>() >= enough)
            })
        };
        Told {
            sizes: (0..self.seats).map(|seat| self.size(account, seat)).collect(),
            afloat: (0..self.seats).map(|seat| ships(seat).next().is_some()).collect(),
            won: (0..self.seats).map(won).collect(),
            ..Told::default()
        }
    }

    /// The shooter's cost of a salvo with these answers.
    fn price(&self, account: &Account, shooter: Seat, cells: &[usize], answer: &[String]) -> [usize; 3] {
        if self.rules["mines"].is_null() {
            return [0; 3];
        }
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

    /// Given cells are struck as if the enemy had shot there; given mines are gone.
    fn give_up(&self, account: &mut Account, act: &Act) -> Told {
        let own = &mut account.seas[act.seat.index()];
        let mut cells = if act.action["cells"].is_array() { self.cells(&act.action["cells"]) } else { Vec::new() };
        for id in act.action["ships"].as_array().into_iter().flatten() {
            let ship = own.ships.iter().find(|ship| id == &ship.id).expect("a known ship");
            cells.extend(ship.cells.difference(&own.hit));
        }
        let given = self.mines(&act.action);
        own.mines.retain(|mine| !given.contains(mine));
        own.tried.extend(&given);
        let mut told = self.fire(account, act.seat.other().index(), act.seat.index(), &cells);
        told.answer.extend(cells.iter().chain(&given).map(|cell| self.labels[*cell].clone()));
        told
    }

    fn sunk(&self, sea: &Sea, ship: &Ship) -> bool {
        self.rules["sinking"] == true && ship.cells.is_subset(&sea.hit)
    }

    fn fire(&self, account: &mut Account, shooter: usize, target: usize, cells: &[usize]) -> Told {
        let (sea, score) = (&mut account.seas[target], &mut account.scores[shooter]);
        let mut answer = Vec::new();
        let mut by_class: BTreeMap<String, u64> = BTreeMap::new();
        let mut sunk: Vec<String> = Vec::new();
        for &cell in cells {
            sea.tried.insert(cell);
            let struck = sea.ships.iter().find(|ship| ship.cells.contains(&cell)).cloned();
            answer.push(match struck {
                Some(ship) => {
                    sea.hit.insert(cell);
                    *score.entry("hits").or_default() += 1;
                    *by_class.entry(ship.class.clone()).or_default() += 1;
                    let sinks = self.sunk(sea, &ship);
                    if sinks {
                        *score.entry("ships").or_default() += 1;
                        *score.entry("points").or_default() += self.points(&ship);
                        sunk.push(ship.class.clone());
                    }
                    self.word(&ship, sinks)
                }
                None if sea.mines.remove(&cell) => "mine".to_owned(),
                None if self.near_a_ship(sea, cell) => format!("sighted{}", self.clue(sea, cell)),
                None => format!("miss{}", self.clue(sea, cell)),
            });
        }
        let earned = if self.rules["salvo"]["extra"].is_null() { 0 } else { by_class.values().sum::<u64>() };
        Told { answer: self.answered(answer, &by_class, sunk), earned, ..self.course(account) }
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

//! A second umpire, written from rule sheet 004 and sharing nothing with the crate but the public figures of the ships:
//! it takes the orders and gives the expected reports to each viewer. It does not check legality.
#![allow(dead_code, reason = "each test binary uses its own part of this")]
use broadside_rules::View;
use serde_json::{Value, json};

/// Row and column, from 0.
pub type Place = (i32, i32);

#[derive(Clone, Debug)]
pub struct Ship {
    pub id: String,
    pub seat: usize,
    pub class: String,
    pub attack: i64,
    pub armour: i64,
    pub speed: i64,
    pub range: (i64, i64),
    /// `None` before its deployment and once it has left the sea.
    pub place: Option<Place>,
    pub fired: bool,
}

#[derive(Clone)]
pub struct Umpire {
    /// All ships, nation by nation in the order of play.
    pub ships: Vec<Ship>,
    pub rows: i32,
    pub columns: i32,
    pub seats: usize,
    teams: Option<usize>,
    /// May fleets be placed anywhere, with those that met not yet parted?
    unsettled: bool,
    posted: String,
    aims: Vec<Option<(usize, Place)>>,
    out: Vec<bool>,
    opened: bool,
    /// The groups of seats that went out together, in order.
    pub gone: Vec<Vec<usize>>,
    /// The number of moves stopped by an enemy, and by a ship of the same side.
    pub stopped: [usize; 2],
}

/// `AB7` is row 27, column 6.
pub fn place(label: &str) -> Place {
    let letters = label.bytes().take_while(u8::is_ascii_uppercase).count();
    let row = label[..letters].bytes().fold(0, |row, letter| row * 26 + i32::from(letter - b'A') + 1) - 1;
    (row, label[letters..].parse::<i32>().expect("a number") - 1)
}

pub fn label((row, column): Place) -> String {
    let letter = |n: i32| char::from(b'A' + n as u8);
    match row {
        0..26 => format!("{}{}", letter(row), column + 1),
        _ => format!("{}{}{}", letter(row / 26 - 1), letter(row % 26), column + 1),
    }
}

pub fn towards(step: &str) -> Place {
    let down = i32::from(step.contains('S')) - i32::from(step.contains('N'));
    (down, i32::from(step.contains('E')) - i32::from(step.contains('W')))
}

impl Umpire {
    /// The umpire of a match that has just begun, as a spectator sees it.
    pub fn new(spectator: &View) -> Self {
        let rules = serde_json::to_value(&*spectator.setup().rules).expect("JSON");
        let seas = serde_json::to_value(spectator.seas()).expect("JSON");
        let ship = |told: &Value| {
            let stats = told["stats"].as_array().expect("stats");
            let stat = |name: &str| {
                stats.iter().find(|stat| stat["name"] == name).expect("a figure")["max"].as_i64().expect("a number")
            };
            Ship {
                id: text(&told["id"]),
                seat: told["seat"].as_u64().expect("a seat") as usize,
                class: text(&told["class"]),
                attack: stat("attack"),
                armour: stat("armour"),
                speed: stat("speed"),
                range: (stat("min-range"), stat("max-range")),
                place: None,
                fired: false,
            }
        };
        let seats = usize::from(spectator.setup().seats);
        Self {
            ships: seas[0]["ships"].as_array().expect("ships").iter().map(ship).collect(),
            // A rule missing in a rule set has its former meaning.
            rows: rules["rows_per_seat"].as_i64().unwrap_or(5) as i32 * seats as i32,
            columns: rules["columns"].as_i64().unwrap_or(10) as i32,
            seats,
            teams: rules["teams"].as_u64().map(|teams| teams as usize),
            unsettled: rules["deployment"] == "free",
            posted: text(&rules["moves_posted"]),
            aims: vec![None; seats],
            out: vec![false; seats],
            opened: false,
            gone: Vec::new(),
            stopped: [0; 2],
        }
    }

    pub fn ship(&self, id: &Value) -> usize {
        self.ships.iter().position(|ship| *id == ship.id.as_str()).expect("a ship of the match")
    }

    pub fn on(&self, place: Place) -> Option<usize> {
        self.ships.iter().position(|ship| ship.place == Some(place))
    }

    /// Do these play together? A spectator plays with nobody.
    pub fn allied(&self, one: usize, other: usize) -> bool {
        let team = |seat: usize| self.teams.map_or(seat, |teams| seat % teams);
        one < self.seats && other < self.seats && team(one) == team(other)
    }

    /// Do at least two sides still play?
    pub fn contested(&self) -> bool {
        let playing = self.playing();
        playing.iter().any(|seat| !self.allied(*seat, playing[0]))
    }

    /// The seats in the order of play.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.ships.iter().map(|ship| ship.seat).collect();
        order.dedup();
        order
    }

    fn afloat(&self, seat: usize) -> bool {
        self.ships.iter().any(|ship| ship.seat == seat && ship.place.is_some())
    }

    pub fn playing(&self) -> Vec<usize> {
        (0..self.seats).filter(|seat| !self.out[*seat] && (self.afloat(*seat) || !self.opened)).collect()
    }

    /// Has the seat a ship afloat that has fired?
    pub fn detected(&self, seat: usize) -> bool {
        self.ships.iter().any(|ship| ship.seat == seat && ship.place.is_some() && ship.fired)
    }

    /// Armour left and ships afloat.
    pub fn score(&self, seat: usize) -> (i64, usize) {
        let afloat = self.ships.iter().filter(|ship| ship.seat == seat && ship.place.is_some());
        afloat.fold((0, 0), |(armour, ships), ship| (armour + ship.armour, ships + 1))
    }

    /// Seats newly out go out together.
    fn bury(&mut self) {
        let out = |seat: &usize| !self.playing().contains(seat) && !self.gone.iter().any(|gone| gone.contains(seat));
        let gone: Vec<usize> = (0..self.seats).filter(out).collect();
        if !gone.is_empty() {
            self.gone.push(gone);
        }
    }

    /// The places of all seats, with those that still play ranked by their scores. Allies share theirs: they play while
    /// one of them does, with the scores of all; and they are gone when the last of them is.
    pub fn places(&self) -> Vec<u8> {
        let playing = self.playing();
        let standing = |seat: usize| {
            let team: Vec<usize> = (0..self.seats).filter(|other| self.allied(seat, *other)).collect();
            let scores = team.iter().filter(|ally| playing.contains(ally)).map(|ally| self.score(*ally));
            match scores.reduce(|a, b| (a.0 + b.0, a.1 + b.1)) {
                Some(score) => (self.gone.len() + 1, score),
                None => {
                    let at = |ally: &usize| self.gone.iter().position(|gone| gone.contains(ally)).expect("gone");
                    (team.iter().map(at).max().expect("a seat"), (0, 0))
                }
            }
        };
        let place = |seat: usize| (0..self.seats).filter(|other| standing(*other) > standing(seat)).count();
        (0..self.seats).map(|seat| place(seat) as u8 + 1).collect()
    }

    /// Parts the fleets placed anywhere: of ships on one cell, the first in the order of play stays, and the others go,
    /// one after another, to the nearest free cell, the first such row by row. The owner and the owner's allies are
    /// told.
    fn settle(&mut self, viewer: usize) -> Option<Value> {
        let deployed = self.playing().iter().all(|seat| self.afloat(*seat));
        if !self.unsettled || !deployed {
            return None;
        }
        self.unsettled = false;
        let first = |ship: usize| self.ships.iter().position(|other| other.place == self.ships[ship].place);
        let met: Vec<usize> = (0..self.ships.len())
            .filter(|ship| self.ships[*ship].place.is_some() && first(*ship) != Some(*ship))
            .collect();
        let mut moved = Vec::new();
        for ship in met {
            let (row, column) = self.ships[ship].place.expect("a place");
            let cells = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
            let free = cells.filter(|cell| self.on(*cell).is_none());
            let to = free.min_by_key(|cell| (cell.0 - row).abs().max((cell.1 - column).abs())).expect("room");
            self.ships[ship].place = Some(to);
            if self.allied(self.ships[ship].seat, viewer) {
                moved.push(json!({"ship": self.ships[ship].id, "cell": label(to)}));
            }
        }
        Some(json!({"type": "fleets-settled", "ships": moved}))
    }

    /// Applies an action; returns the viewer's expected reports, without numbers and times.
    pub fn follow(&mut self, seat: usize, action: &Value, viewer: usize) -> Vec<Value> {
        let own = self.allied(seat, viewer);
        match action["type"].as_str().expect("a type") {
            "salvos-deploy" => {
                for told in action["ships"].as_array().expect("ships") {
                    let ship = self.ship(&told["ship"]);
                    self.ships[ship].place = Some(place(&text(&told["cell"])));
                }
                let fleet = self.ships.iter().filter(|ship| ship.seat == seat);
                let places: Vec<Value> =
                    fleet.map(|ship| json!({"ship": ship.id, "cell": label(ship.place.expect("a place"))})).collect();
                let mut told = vec![json!({"type": "salvos-deployed", "seat": seat, "ships": own.then_some(places)})];
                told.extend(self.settle(viewer));
                told
            }
            "opening-shot" => {
                let (ship, cell) = (&action["ship"], &action["cell"]);
                self.aims[seat] = Some((self.ship(ship), place(&text(cell))));
                let hidden = &Value::Null;
                let told = if own { (ship, cell) } else { (hidden, hidden) };
                let mut told = vec![json!({"type": "aimed", "seat": seat, "ship": told.0, "cell": told.1})];
                told.extend(self.open(viewer));
                told
            }
            "orders" => {
                let orders = action["orders"].as_array().expect("orders").clone();
                let told: Vec<Value> = orders.iter().filter_map(|order| self.order_of(seat, order, viewer)).collect();
                vec![json!({"type": "ordered", "seat": seat, "orders": told})]
            }
            other => panic!("the umpire does not know {other}"),
        }
    }

    pub fn leave(&mut self, seats: &[usize], viewer: usize) -> Vec<Value> {
        for seat in seats {
            self.out[*seat] = true;
            self.ships.iter_mut().filter(|ship| ship.seat == *seat).for_each(|ship| ship.place = None);
        }
        self.bury();
        if !self.contested() {
            return Vec::new();
        }
        let mut told = vec![json!({"type": "left", "seats": seats})];
        told.extend(self.settle(viewer));
        told.extend(self.open(viewer));
        told
    }

    /// The opening, once all have aimed: hits are computed before any losses.
    fn open(&mut self, viewer: usize) -> Option<Value> {
        let deployed = self.playing().iter().all(|seat| self.afloat(*seat));
        if self.opened || !deployed || self.playing().iter().any(|seat| self.aims[*seat].is_none()) {
            return None;
        }
        let aims: Vec<(usize, Place)> =
            self.order().into_iter().filter(|seat| !self.out[*seat]).filter_map(|seat| self.aims[seat]).collect();
        let target = |(by, place): &(usize, Place)| {
            self.on(*place).filter(|ship| !self.allied(self.ships[*ship].seat, self.ships[*by].seat))
        };
        let struck: Vec<Option<usize>> = aims.iter().map(target).collect();
        let shots = |ship: usize| -> i64 {
            let at_it = aims.iter().zip(&struck).filter(|(_, struck)| **struck == Some(ship));
            at_it.map(|((by, _), _)| self.ships[*by].attack).sum()
        };
        let sunk: Vec<bool> =
            struck.iter().map(|ship| ship.is_some_and(|ship| shots(ship) >= self.ships[ship].armour)).collect();
        let salvos: Vec<Value> = aims
            .iter()
            .zip(struck.iter().zip(&sunk))
            .map(|((by, place), (struck, sunk))| {
                let own = struck.filter(|ship| self.allied(self.ships[*ship].seat, viewer));
                json!({
                    "seat": self.ships[*by].seat, "ship": self.ships[*by].id, "cell": label(*place),
                    "hit": struck.map(|ship| self.named(ship)).into_iter().collect::<Vec<_>>(),
                    "sunk": struck.filter(|_| *sunk).map(|ship| self.named(ship)).into_iter().collect::<Vec<_>>(),
                    "own_hits": own.map(|ship| json!({
                        "ship": self.ships[ship].id, "cell": label(*place),
                        "points": self.ships[*by].attack.min(self.ships[ship].armour),
                    })).into_iter().collect::<Vec<_>>(),
                })
            })
            .collect();
        for ((by, _), struck) in aims.iter().zip(struck) {
            self.ships[*by].fired = true;
            if let Some(ship) = struck {
                self.ships[ship].armour -= self.ships[*by].attack;
            }
        }
        self.ships.iter_mut().filter(|ship| ship.armour <= 0).for_each(|ship| ship.place = None);
        self.opened = true;
        self.bury();
        Some(json!({"type": "opened", "salvos": salvos}))
    }

    fn named(&self, ship: usize) -> Value {
        json!({"ship": self.ships[ship].id, "seat": self.ships[ship].seat})
    }

    fn order_of(&mut self, seat: usize, order: &Value, viewer: usize) -> Option<Value> {
        let ship = self.ship(&order["ship"]);
        if order["order"] == "fire" {
            return Some(self.fire(ship, order, viewer));
        }
        let steps: Vec<&str> = order["steps"].as_array().expect("steps").iter().filter_map(Value::as_str).collect();
        let (made, blocked) = self.go(ship, &steps);
        let own = self.allied(seat, viewer);
        if !own && (made == 0 || self.posted == "nothing") {
            return None;
        }
        let to = self.ships[ship].place.map(label);
        Some(json!({
            "order": "move", "ship": order["ship"],
            "steps": (own || self.posted == "steps").then(|| steps[..made].to_vec()),
            "to": to.filter(|_| own), "blocked_at": blocked.map(label).filter(|_| own),
        }))
    }

    fn go(&mut self, ship: usize, steps: &[&str]) -> (usize, Option<Place>) {
        for (made, step) in steps.iter().enumerate() {
            let (row, column) = self.ships[ship].place.expect("afloat");
            let (down, right) = towards(step);
            let next = (row + down, column + right);
            if let Some(other) = self.on(next) {
                self.stopped[usize::from(self.allied(self.ships[other].seat, self.ships[ship].seat))] += 1;
                return (made, Some(next));
            }
            self.ships[ship].place = Some(next);
        }
        (steps.len(), None)
    }

    fn fire(&mut self, by: usize, order: &Value, viewer: usize) -> Value {
        let cells: Vec<Place> =
            order["cells"].as_array().expect("cells").iter().map(|cell| place(&text(cell))).collect();
        let direct = cells.iter().all(|cell| *cell == cells[0]);
        // By ship: the cells and the number of hits, and whether it sank.
        let mut hits: Vec<(usize, Place, i64, bool)> = Vec::new();
        for cell in &cells {
            let Some(ship) = self.on(*cell).filter(|ship| !self.allied(self.ships[*ship].seat, self.ships[by].seat))
            else {
                continue;
            };
            if self.ships[ship].class == "submarine" && !direct && self.ships[by].class != "destroyer" {
                continue;
            }
            self.ships[ship].armour -= 1;
            let sunk = self.ships[ship].armour == 0;
            if sunk {
                self.ships[ship].place = None;
            }
            match hits.iter_mut().find(|hit| hit.0 == ship) {
                Some(hit) => (hit.2, hit.3) = (hit.2 + 1, sunk),
                None => hits.push((ship, *cell, 1, sunk)),
            }
        }
        self.ships[by].fired = true;
        self.bury();
        hits.sort_by_key(|hit| hit.0);
        let own = hits.iter().filter(|hit| self.allied(self.ships[hit.0].seat, viewer));
        json!({
            "order": "fire", "ship": order["ship"], "cells": order["cells"],
            "hit": hits.iter().map(|hit| self.named(hit.0)).collect::<Vec<_>>(),
            "sunk": hits.iter().filter(|hit| hit.3).map(|hit| self.named(hit.0)).collect::<Vec<_>>(),
            "own_hits": own
                .map(|hit| json!({"ship": self.ships[hit.0].id, "cell": label(hit.1), "points": hit.2}))
                .collect::<Vec<_>>(),
        })
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").into()
}

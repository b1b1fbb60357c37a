//! The worlds of the family `salvos`. Exchanged are the places of the others' ships, and with them obstacles, hit
//! cells, numbers of hits and the armour left; aims while not all have aimed; and orders of which nothing is posted.
//! All of the viewer's reports stay the same, which the second umpire checks.
use broadside_rules::{Action, Dice, Seat, Setup, legal};
use serde_json::{Value, json};

use super::{
    Coverage, compare,
    umpire::{Umpire, label, place, text},
};
use crate::support::{Game, dice};

/// The number of compared actions of a match: later ones are no different in kind.
const MOST_STEPS: usize = 40;
const STEPS: [&str; 8] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

#[derive(Clone)]
struct Act {
    seat: usize,
    action: Value,
}

struct World {
    game: Game,
    acts: Vec<Act>,
    umpire: Umpire,
}

/// The ways in which the compared worlds differed.
#[derive(Default, Clone, Copy, Debug)]
pub struct Differed {
    pub places: usize,
    pub armour: usize,
    pub aims: usize,
    pub orders: usize,
    pub stops: usize,
}

impl Differed {
    pub fn add(&mut self, other: &Self) {
        self.places += other.places;
        self.armour += other.armour;
        self.aims += other.aims;
        self.orders += other.orders;
        self.stops += other.stops;
    }
}

pub struct Swap {
    setup: Setup,
    seed: u64,
    viewer: usize,
    dice: Dice,
    truth: World,
    /// The viewer's reports, action by action, by the second umpire.
    told: Vec<Vec<Value>>,
    /// A world that the viewer cannot tell from the true one, and the number of its compared reports.
    twin: Option<(World, usize)>,
    coverage: Coverage,
    pub differed: Differed,
}

impl World {
    fn open(setup: &Setup, seed: u64) -> Self {
        let game = super::opened(setup, seed);
        Self { umpire: Umpire::new(game.spectator()), acts: Vec::new(), game }
    }

    /// Plays an action, if it is legal; returns the viewer's reports.
    fn play(&mut self, act: &Act, viewer: usize) -> Option<Vec<Value>> {
        let action = Action::parse(&self.game.setup, &act.action).ok()?;
        legal(self.game.view(Seat(act.seat as u8)), &action).ok()?;
        self.game.act(Seat(act.seat as u8), &action).ok()?;
        self.acts.push(act.clone());
        Some(self.umpire.follow(act.seat, &act.action, viewer))
    }
}

impl Swap {
    pub fn new(setup: &Setup, viewer: usize, seed: u64) -> Self {
        Self {
            setup: setup.clone(),
            seed,
            viewer,
            dice: dice(seed ^ 0xabcd),
            truth: World::open(setup, seed),
            told: Vec::new(),
            twin: None,
            coverage: Coverage::default(),
            differed: Differed::default(),
        }
    }

    /// Plays the match, comparing at every step; the error is the first visible difference.
    pub fn run(&mut self) -> Result<Coverage, String> {
        while let Some((seat, decision)) = self.truth.game.required() {
            let action = serde_json::to_value(decision.example()).expect("JSON");
            let act = self.quieter(Act { seat: seat.index(), action });
            let told = self.truth.play(&act, self.viewer).ok_or_else(|| format!("{} is refused", act.action))?;
            if self.truth.game.battle.status().is_over() || self.coverage.steps == MOST_STEPS {
                break;
            }
            self.told.push(told);
            self.coverage.steps += 1;
            self.follow(&act);
            // Any other world will do, preferably one with ships elsewhere.
            if !self.is_deep() {
                let found = self.find_twin().map(|twin| (twin, 0));
                let deep = found.as_ref().is_some_and(|(twin, _)| elsewhere(&self.truth, twin));
                if deep || self.twin.is_none() {
                    self.twin = found;
                }
            }
            if let Some((twin, compared)) = &mut self.twin {
                let wrong = wrong_actions(&self.truth, self.seed, self.coverage.steps);
                compare(self.viewer, &self.truth.game, &twin.game, *compared, &wrong)?;
                *compared = twin.game.reports[self.viewer].len();
                self.coverage.compared += 1;
                let differs = self.differs();
                self.coverage.deeply += usize::from(differs);
            }
        }
        Ok(self.coverage)
    }

    /// The example without some of its orders: a player who always fires tells their cells, and nothing is left to
    /// hide.
    fn quieter(&mut self, act: Act) -> Act {
        let mut own = act.clone();
        let Some(orders) = own.action["orders"].as_array_mut() else { return act };
        let dice = &mut self.dice;
        orders.retain(|order| dice.below(4) < if order["order"] == "move" { 3 } else { 1 });
        let action = Action::parse(&self.setup, &own.action).expect("an action");
        if legal(self.truth.game.view(Seat(own.seat as u8)), &action).is_ok() { own } else { act }
    }

    fn is_deep(&self) -> bool {
        self.twin.as_ref().is_some_and(|(twin, _)| elsewhere(&self.truth, twin))
    }

    fn hides(&self, seat: usize) -> bool {
        !self.truth.umpire.allied(seat, self.viewer)
    }

    /// Counts the differences of the two worlds; returns whether ships are elsewhere.
    fn differs(&mut self) -> bool {
        let Some((twin, _)) = &self.twin else { return false };
        let pairs = || self.truth.umpire.ships.iter().zip(&twin.umpire.ships);
        let places = elsewhere(&self.truth, twin);
        let differing = |kind: &str| {
            let acts = self.truth.acts.iter().zip(&twin.acts);
            acts.into_iter().any(|(a, b)| a.action["type"] == kind && a.action != b.action)
        };
        self.differed.places += usize::from(places);
        self.differed.armour += usize::from(pairs().any(|(a, b)| a.place.is_some() && a.armour != b.armour));
        self.differed.aims += usize::from(differing("opening-shot"));
        self.differed.orders += usize::from(differing("orders"));
        self.differed.stops += usize::from(self.truth.umpire.stopped != twin.umpire.stopped);
        places
    }

    /// Makes the same step in the twin world, with its own hidden choices, and drops it when the rules tell the two
    /// apart.
    fn follow(&mut self, act: &Act) {
        let Some((mut twin, compared)) = self.twin.take() else { return };
        let last = self.told.last().expect("a step").clone();
        let mut choices = vec![act.clone()];
        if self.hides(act.seat) {
            let mut own = act.clone();
            self.vary(&twin.umpire, &mut own);
            choices.insert(0, own);
        }
        for own in choices {
            let as_told =
                possible(&twin.umpire, &own) && twin.umpire.clone().follow(own.seat, &own.action, self.viewer) == last;
            if as_told && twin.play(&own, self.viewer).is_some() {
                self.twin = Some((twin, compared));
                return;
            }
        }
    }

    /// Searches for another world that the viewer cannot tell from the true one.
    fn find_twin(&mut self) -> Option<World> {
        const TRIES: usize = 30;
        let before = World::open(&self.setup, self.seed);
        for _ in 0..TRIES {
            let mut acts = self.truth.acts.clone();
            let hidden: Vec<usize> = (0..acts.len()).filter(|at| self.hides(acts[*at].seat)).collect();
            for _ in 0..1 + self.dice.below(2) {
                // Deployments above all: most of the rest depends on them.
                let deployments = hidden.len().min(self.setup.seats.into());
                let range = if self.dice.below(3) > 0 { &hidden[..deployments] } else { &hidden[..] };
                if let Some(at) = self.dice.pick(range).copied() {
                    let umpire = self.truth.umpire.clone();
                    self.vary(&umpire, &mut acts[at]);
                }
            }
            if acts.iter().zip(&self.truth.acts).all(|(a, b)| a.action == b.action) {
                continue;
            }
            let mut umpire = before.umpire.clone();
            let alike = acts.iter().zip(&self.told).all(|(act, told)| {
                possible(&umpire, act) && umpire.follow(act.seat, &act.action, self.viewer) == *told
            });
            if !alike {
                continue;
            }
            // The reports are the same: play it, unless a choice in it is not legal.
            let mut twin = World::open(&self.setup, self.seed);
            if acts.iter().all(|act| twin.play(act, self.viewer).is_some()) {
                return Some(twin);
            }
        }
        None
    }

    /// Changes a secret in an action: a ship's place, an aim, or an order to move.
    fn vary(&mut self, umpire: &Umpire, act: &mut Act) {
        let dice = &mut self.dice;
        match act.action["type"].as_str() {
            Some("salvos-deploy") => {
                let ships = act.action["ships"].as_array_mut().expect("ships");
                let (one, other) = (dice.index(ships.len()), dice.index(ships.len()));
                if dice.below(3) == 0 && one != other {
                    let cell = ships[one]["cell"].clone();
                    ships[one]["cell"] = std::mem::replace(&mut ships[other]["cell"], cell);
                } else {
                    let (row, column) = place(&text(&ships[one]["cell"]));
                    let mut near = |at: i32| at + dice.below(5) as i32 - 2;
                    let near = (near(row), near(column));
                    let anywhere = (dice.below(umpire.rows as u32) as i32, dice.below(umpire.columns as u32) as i32);
                    let to = if dice.below(2) == 0 { near } else { anywhere };
                    if (0..umpire.rows).contains(&to.0) && (0..umpire.columns).contains(&to.1) {
                        ships[one]["cell"] = json!(label(to));
                    }
                }
            }
            Some("opening-shot") => {
                let own: Vec<&str> =
                    umpire.ships.iter().filter(|ship| ship.seat == act.seat).map(|ship| ship.id.as_str()).collect();
                act.action["ship"] = json!(dice.pick(&own).expect("ships"));
                let ship = umpire.ship(&act.action["ship"]);
                let far = umpire.ships[ship].range.1 as i32;
                let near = |dice: &mut Dice| dice.below(2 * far as u32 + 1) as i32 - far;
                if let Some((row, column)) = umpire.ships[ship].place {
                    let to = (row + near(dice), column + near(dice));
                    if (0..umpire.rows).contains(&to.0) && (0..umpire.columns).contains(&to.1) {
                        act.action["cell"] = json!(label(to));
                    }
                }
            }
            Some("orders") => vary_orders(umpire, act, dice),
            _ => {}
        }
    }
}

/// Are ships elsewhere in these worlds?
fn elsewhere(a: &World, b: &World) -> bool {
    a.umpire.ships.iter().zip(&b.umpire.ships).any(|(a, b)| a.place != b.place)
}

/// Drops an order to move, changes its steps, or adds one for a ship without an order.
fn vary_orders(umpire: &Umpire, act: &mut Act, dice: &mut Dice) {
    let orders = act.action["orders"].as_array_mut().expect("orders");
    let moves: Vec<usize> = (0..orders.len()).filter(|at| orders[*at]["order"] == "move").collect();
    let mut steps = |most: usize| -> Vec<&str> { (0..1 + dice.index(most)).map(|_| STEPS[dice.index(8)]).collect() };
    let some = steps(2);
    let longer = steps(1);
    let chosen = dice.pick(&moves).copied();
    match (dice.below(4), chosen) {
        (0, Some(at)) => {
            orders.remove(at);
        }
        (1, Some(at)) => orders[at]["steps"] = json!(some),
        (2, Some(at)) => orders[at]["steps"].as_array_mut().expect("steps").extend(longer.into_iter().map(Value::from)),
        _ => {
            let idle = |ship: &&super::umpire::Ship| {
                ship.seat == act.seat
                    && ship.place.is_some()
                    && !orders.iter().any(|order| order["ship"] == ship.id.as_str())
            };
            let idle: Vec<&str> = umpire.ships.iter().filter(idle).map(|ship| ship.id.as_str()).collect();
            if let Some(ship) = dice.pick(&idle) {
                orders.push(json!({"order": "move", "ship": ship, "steps": some}));
            }
        }
    }
}

/// Can the second umpire carry it out at all: are its ships afloat, and do moves stay on the sea?
fn possible(umpire: &Umpire, act: &Act) -> bool {
    let orders = act.action["orders"].as_array().into_iter().flatten();
    let mut orders = orders.map(|order| (umpire.ships[umpire.ship(&order["ship"])].place, order));
    orders.all(|(place, order)| {
        let Some(mut at) = place else { return false };
        order["steps"].as_array().into_iter().flatten().all(|step| {
            let (down, right) = super::umpire::towards(&text(step));
            at = (at.0 + down, at.1 + right);
            (0..umpire.rows).contains(&at.0) && (0..umpire.columns).contains(&at.1)
        })
    })
}

/// Actions of which most are wrong: ships, cells and steps at random, in and out of turn.
fn wrong_actions(world: &World, seed: u64, step: usize) -> Vec<Value> {
    let mut dice = dice(seed.wrapping_mul(31).wrapping_add(step as u64));
    let ships = &world.umpire.ships;
    let rows = world.umpire.rows as u32;
    let mut wrong = vec![
        json!({"type": "deploy-auto"}),
        json!({"type": "orders", "orders": []}),
        json!({"type": "accept-draw"}),
        json!({"type": "offer-draw"}),
        json!({"type": "abort"}),
        json!({"type": "resign"}),
        json!({"type": "fire", "cells": ["A1"]}),
    ];
    for _ in 0..4 {
        let ship = &ships[dice.index(ships.len())].id;
        let mut cell = || label((dice.below(rows) as i32, dice.below(world.umpire.columns as u32) as i32));
        let cells = [cell(), cell()];
        let steps: Vec<&str> = (0..1 + dice.below(3)).map(|_| STEPS[dice.index(8)]).collect();
        wrong.extend([
            json!({"type": "salvos-deploy", "ships": [{"ship": ship, "cell": cells[0]}]}),
            json!({"type": "opening-shot", "ship": ship, "cell": cells[1]}),
            json!({"type": "orders", "orders": [
                {"order": "fire", "ship": ship, "cells": cells}, {"order": "move", "ship": ship, "steps": steps},
            ]}),
            json!({"type": "orders", "orders": [{"order": "move", "ship": ship, "steps": steps}]}),
        ]);
    }
    wrong
}

//! Orders: for each ship the worth of its fire, of the information it gives away, and of better positions.
use broadside_rules::grid::{Cell, CellSet};
use serde_json::{Value, json};

use super::track::{Track, Vessel, beside, self_seen, shift, shifted};
use crate::{
    luck::Luck,
    view::{number, texts},
};

/// The present worth of a hit in the next turn.
const NEXT: f32 = 0.35;
/// The worth of coming near, in hits.
const NEAR: f32 = 0.1;
/// The weight of an enemy hit against one of ours.
const CARE: f32 = 1.0;

/// The conclusions from the knowledge, before any order.
pub(super) struct Plan<'t> {
    track: &'t Track,
    care: f32,
    /// By cell, the worth of a shot of a salvo at this cell alone, by any ship.
    direct: Vec<f32>,
    /// By cell, the number of enemy shots that could come to it.
    menace: Vec<f32>,
}

/// An option of a ship.
struct Choice {
    /// The worth beyond doing nothing.
    worth: f32,
    fire: Vec<Cell>,
    order: Value,
    to: Option<Cell>,
}

impl<'t> Plan<'t> {
    pub(super) fn new(track: &'t Track, careful: bool) -> Self {
        let board = track.board;
        let enemies = || track.vessels.iter().filter(|vessel| !vessel.own);
        let touched = |cell: Cell| enemies().filter(move |enemy| enemy.armour > 0 && enemy.cells.contains(cell));
        let direct =
            |cell: Cell| touched(cell).map(|enemy| Self::point(enemy) / f32::from(enemy.cells.len())).sum::<f32>();
        let shots = |enemy: &Vessel, at: Cell| {
            let (nearest, farthest) = enemy.range;
            let reach = |cell: &Cell| (nearest..=farthest).contains(&track.apart(*cell, at));
            let share = enemy.cells.iter().filter(reach).count() as f32 / f32::from(enemy.cells.len().max(1));
            f32::from(enemy.attack) * share
        };
        // Both are needed again and again, so they are computed once.
        let menace = |at: Cell| enemies().map(|enemy| shots(enemy, at)).sum::<f32>();
        Self {
            track,
            care: if careful { CARE } else { 0.0 },
            direct: board.iter().map(direct).collect(),
            menace: if careful { board.iter().map(menace).collect() } else { Vec::new() },
        }
    }

    /// The opening shot: all at one cell.
    pub(super) fn opening(&self, decision: &Value, luck: &mut Luck) -> Option<Value> {
        let board = self.track.board;
        let none = vec![0_u16; usize::from(board.cells())];
        let mut best: (f32, Option<(Value, Cell)>) = (f32::MIN, None);
        for choice in decision["ships"].as_array()? {
            let Some(vessel) = self.vessel(&choice["ship"]) else { continue };
            let shots = usize::from(number(&choice["shots"]["max"], 1));
            let mut targets: Vec<Cell> = texts(&choice["targets"]).filter_map(|label| board.parse(label)).collect();
            luck.shuffle(&mut targets);
            for cell in targets {
                let cells = vec![cell; shots];
                let worth = self.hits(vessel, &cells, &none) - self.given_away(vessel, &cells);
                if worth > best.0 {
                    best = (worth, Some((choice["ship"].clone(), cell)));
                }
            }
        }
        let (ship, cell) = best.1?;
        Some(json!({"type": "opening-shot", "ship": ship, "cell": board.label(cell)}))
    }

    /// The orders of a turn: ship after ship takes its best option, the best first; fire comes before moves.
    pub(super) fn orders(&self, decision: &Value, luck: &mut Luck) -> Value {
        let board = self.track.board;
        let most = usize::from(number(&decision["max_orders"], 1));
        let mut fired = vec![0_u16; usize::from(board.cells())];
        let mut ships: Vec<&Value> = decision["ships"].as_array().into_iter().flatten().collect();
        luck.shuffle(&mut ships);
        let mut taken: CellSet = self.track.vessels.iter().filter_map(|vessel| vessel.at).collect();
        let (mut fires, mut moves) = (Vec::new(), Vec::new());
        while fires.len() + moves.len() < most && !ships.is_empty() {
            let choices = ships.iter().enumerate();
            let choices = choices.filter_map(|(at, ship)| Some((at, self.best(ship, &fired, &taken, luck)?)));
            let best = choices.max_by(|a, b| a.1.worth.total_cmp(&b.1.worth));
            let Some((at, choice)) = best.filter(|(_, choice)| choice.worth > 0.0) else { break };
            let ship = ships.swap_remove(at);
            match choice.to {
                None => {
                    choice.fire.iter().for_each(|cell| fired[cell.index()] += 1);
                    fires.push(choice.order);
                }
                Some(to) => {
                    if let Some(from) = ship["cell"].as_str().and_then(|label| board.parse(label)) {
                        taken.remove(from);
                    }
                    taken.insert(to);
                    moves.push(choice.order);
                }
            }
        }
        fires.extend(moves);
        json!({"type": "orders", "orders": fires})
    }

    fn vessel(&self, id: &Value) -> Option<&Vessel> {
        self.track.vessels.iter().find(|vessel| *id == vessel.id.as_str())
    }

    fn best(&self, ship: &Value, fired: &[u16], taken: &CellSet, luck: &mut Luck) -> Option<Choice> {
        let board = self.track.board;
        let vessel = self.vessel(&ship["ship"])?;
        let at = vessel.at?;
        let shots = usize::from(number(&ship["shots"]["max"], 1));
        let mut targets: Vec<Cell> = texts(&ship["targets"]).filter_map(|label| board.parse(label)).collect();
        luck.shuffle(&mut targets);
        let stays = self.exposed(vessel, at, &vessel.cells);
        let mut best: Option<Choice> = None;
        let mut take = |choice: Choice| {
            if best.as_ref().is_none_or(|best| choice.worth > best.worth) {
                best = Some(choice);
            }
        };
        for cells in self.salvos(vessel, &targets, shots, fired) {
            let worth = self.hits(vessel, &cells, fired) - self.given_away(vessel, &cells);
            let labels: Vec<_> = cells.iter().map(|cell| board.label(*cell)).collect();
            let order = json!({"order": "fire", "ship": ship["ship"], "cells": labels});
            take(Choice { worth, fire: cells, order, to: None });
        }
        let here = self.promise(vessel, at, shots);
        for way in ship["moves"].as_array().into_iter().flatten() {
            let Some(to) = way["cell"].as_str().and_then(|label| board.parse(label)) else { continue };
            let path = path(self.track, at, &way["steps"]);
            if path.iter().any(|cell| *cell != at && taken.contains(*cell)) {
                continue;
            }
            let seen = shifted(board, &vessel.cells, &way["steps"]);
            let there = self.promise(vessel, to, shots);
            let worth = NEXT * (there - here) + stays - self.exposed(vessel, to, &seen);
            let order = json!({"order": "move", "ship": ship["ship"], "steps": way["steps"]});
            take(Choice { worth, fire: Vec::new(), order, to: Some(to) });
        }
        best
    }

    /// Candidate salvos: all shots at one cell, for each cell; and the best cells one by one.
    fn salvos(&self, vessel: &Vessel, targets: &[Cell], shots: usize, fired: &[u16]) -> Vec<Vec<Cell>> {
        let mut salvos: Vec<Vec<Cell>> = targets.iter().map(|cell| vec![*cell; shots]).collect();
        let mut rated: Vec<(f32, Cell)> =
            targets.iter().map(|cell| (self.hit(vessel, *cell, fired[cell.index()], false), *cell)).collect();
        rated.sort_by(|a, b| b.0.total_cmp(&a.0));
        salvos.push(rated.iter().take(shots).map(|(_, cell)| *cell).collect());
        salvos.retain(|salvo| !salvo.is_empty());
        salvos
    }

    /// The worth of each point of a ship's armour: ships that sink soon, or fire much, are worth more.
    fn point(vessel: &Vessel) -> f32 {
        (1.0 + f32::from(vessel.attack)) / f32::from(vessel.armour.max(1))
    }

    /// The worth of one more shot at a cell after earlier ones.
    fn hit(&self, by: &Vessel, cell: Cell, before: u16, direct: bool) -> f32 {
        let enemies = self.track.vessels.iter().filter(|vessel| !vessel.own && vessel.armour > before);
        let touched =
            enemies.filter(|vessel| vessel.cells.contains(cell) && (!vessel.submarine || direct || by.destroyer));
        touched.map(|vessel| Self::point(vessel) / f32::from(vessel.cells.len())).sum()
    }

    fn hits(&self, by: &Vessel, cells: &[Cell], fired: &[u16]) -> f32 {
        let direct = cells.iter().all(|cell| Some(cell) == cells.first());
        let worth = |(nth, cell): (usize, &Cell)| {
            let before = cells[..nth].iter().filter(|other| *other == cell).count() as u16;
            self.hit(by, *cell, fired[cell.index()] + before, direct)
        };
        cells.iter().enumerate().map(worth).sum()
    }

    /// The cost of the public information on the ship's position.
    fn given_away(&self, vessel: &Vessel, cells: &[Cell]) -> f32 {
        let Some(at) = vessel.at else { return 0.0 };
        let seen = self_seen(self.track.board, vessel, &cells.iter().copied().collect());
        self.exposed(vessel, at, &seen) - self.exposed(vessel, at, &vessel.cells)
    }

    /// The cost of the enemy's next salvos to a ship here, which by the enemy's knowledge may be on all of its possible
    /// cells.
    fn exposed(&self, vessel: &Vessel, at: Cell, seen: &CellSet) -> f32 {
        if self.care == 0.0 {
            return 0.0;
        }
        let hits = self.menace[at.index()] / f32::from(seen.len().max(1));
        self.care * hits.min(f32::from(vessel.armour)) * Self::point(vessel)
    }

    /// The ship's possible hits from a cell in the turn after, and its nearness to enemies.
    fn promise(&self, vessel: &Vessel, from: Cell, shots: usize) -> f32 {
        let board = self.track.board;
        let (nearest, farthest) = vessel.range;
        let (mut best, mut near) = (0.0_f32, 0.0);
        for cell in board.iter() {
            let apart = self.track.apart(from, cell);
            let worth = self.direct[cell.index()];
            if (nearest..=farthest).contains(&apart) && cell != from {
                best = best.max(worth);
            }
            let far = f32::from(apart) + 1.0;
            near += worth / (far * far);
        }
        best * shots as f32 + NEAR * near
    }
}

/// The cells that a path leads over.
fn path(track: &Track, from: Cell, steps: &Value) -> Vec<Cell> {
    let mut at = from;
    let mut cells = Vec::new();
    for step in texts(steps) {
        let (down, right) = shift(step);
        let Some(next) = beside(track.board, at, down, right) else { break };
        at = next;
        cells.push(next);
    }
    cells
}

//! The worlds of the family `depths`: the submarines and the mine of the others are exchanged, and with them the firing
//! submarine and the pieces under a ship. All reports stay the same, which the second judge checks.
use broadside_rules::{Dice, Seat, Setup};
use serde_json::{Value, json};

use super::{Coverage, compare, judge};
use crate::support::{Game, dice};
use judge::{Deployment, Sheet};

pub struct Swap {
    setup: Setup,
    sheet: Sheet,
    seed: u64,
    viewer: usize,
    dice: Dice,
    truth: Game,
    acts: Vec<(Seat, Value)>,
    /// The reports to a spectator.
    told: Vec<Value>,
    /// A world that the viewer cannot tell from the true one, its hidden pieces, and the number of compared reports.
    twin: Option<(Game, [Option<Deployment>; 2], usize)>,
    coverage: Coverage,
}

impl Swap {
    pub fn new(setup: &Setup, viewer: usize, seed: u64) -> Self {
        let rules = serde_json::to_value(&*setup.rules).expect("JSON");
        Self {
            setup: setup.clone(),
            sheet: Sheet::of(&rules),
            seed,
            viewer,
            dice: dice(seed ^ 0xabcd),
            truth: super::opened(setup, seed),
            acts: Vec::new(),
            told: Vec::new(),
            twin: None,
            coverage: Coverage::default(),
        }
    }

    /// Plays the match to its end, comparing at every step; the error is the first visible difference.
    pub fn run(mut self) -> Result<Coverage, String> {
        while let Some((seat, decision)) = self.truth.required() {
            let action = serde_json::to_value(decision.example()).expect("JSON");
            self.truth.play(seat, &action).map_err(|illegal| format!("{action} is refused: {illegal:?}"))?;
            if self.truth.battle.status().is_over() {
                break;
            }
            self.acts.push((seat, action));
            let public = self.truth.reports.last().expect("a spectator");
            let new = public[self.told.len()..].iter().map(|report| serde_json::to_value(report).expect("JSON"));
            self.told.extend(new);
            self.coverage.steps += 1;
            self.follow()?;
            if self.twin.is_none() {
                self.twin = self.find_twin();
            }
            if let Some((twin, hidden, compared)) = &mut self.twin {
                let wrong = wrong_actions(&self.sheet, self.seed, self.coverage.steps);
                compare(self.viewer, &self.truth, twin, *compared, &wrong)?;
                *compared = twin.reports[self.viewer].len();
                self.coverage.compared += 1;
                let truly = [Seat(0), Seat(1)].map(|seat| deployed(&self.sheet, &self.acts, seat));
                let submarines =
                    |hidden: &[Option<Deployment>; 2]| hidden.clone().map(|hidden| hidden.map(|all| all.submarines));
                self.coverage.deeply += usize::from(submarines(hidden) != submarines(&truly));
            }
        }
        Ok(self.coverage)
    }

    fn is_hidden(&self, seat: Seat) -> bool {
        seat.index() != self.viewer
    }

    /// Would the public reports be the same in the world with these hidden pieces?
    fn is_alike(&self, hidden: &[Option<Deployment>; 2]) -> bool {
        [Seat(0), Seat(1)].into_iter().all(|seat| {
            let Some(hidden) = &hidden[seat.index()] else { return true };
            hidden.is_legal()
                && judge::would_be_told(&self.sheet, hidden, &judge::steps(&self.sheet, seat, &self.told)).is_ok()
        })
    }

    /// The action in a world with these hidden pieces.
    fn own(&self, (seat, action): &(Seat, Value), hidden: &[Option<Deployment>; 2]) -> Value {
        match &hidden[seat.index()] {
            Some(hidden) if action["type"] == "depths-deploy" => hidden.action(&self.sheet),
            _ => action.clone(),
        }
    }

    /// Makes the last step in the twin world too, and drops it when the rules tell the two apart.
    fn follow(&mut self) -> Result<(), String> {
        let Some((mut twin, mut hidden, compared)) = self.twin.take() else { return Ok(()) };
        let last = self.acts.last().expect("a step");
        if last.1["type"] == "depths-deploy" {
            let mut own = Deployment::of(&self.sheet, &last.1);
            while self.is_hidden(last.0) && (own == Deployment::of(&self.sheet, &last.1) || !own.is_legal()) {
                own = own.varied(&self.sheet, &mut self.dice);
            }
            hidden[last.0.index()] = Some(own);
        }
        if self.is_alike(&hidden) {
            let action = self.own(last, &hidden);
            let played = twin.play(last.0, &action);
            played.map_err(|illegal| format!("{action} is refused in the twin world: {illegal:?}"))?;
            self.twin = Some((twin, hidden, compared));
        }
        Ok(())
    }

    /// Searches for another world that the viewer cannot tell from the true one; preferably one with other submarines.
    fn find_twin(&mut self) -> Option<(Game, [Option<Deployment>; 2], usize)> {
        const TRIES: usize = 60;
        let truly = [Seat(0), Seat(1)].map(|seat| deployed(&self.sheet, &self.acts, seat));
        let mut found = None;
        for _ in 0..TRIES {
            let mut hidden = truly.clone();
            for seat in [Seat(0), Seat(1)].into_iter().filter(|seat| seat.index() != self.viewer) {
                let own = &mut hidden[seat.index()];
                *own = own.as_ref().map(|own| own.varied(&self.sheet, &mut self.dice));
            }
            if hidden == truly || !self.is_alike(&hidden) {
                continue;
            }
            let deep = hidden
                .iter()
                .flatten()
                .map(|own| &own.submarines)
                .ne(truly.iter().flatten().map(|own| &own.submarines));
            if deep || found.is_none() {
                found = Some(hidden);
            }
            if deep {
                break;
            }
        }
        let hidden = found?;
        let mut twin = super::opened(&self.setup, self.seed);
        for act in &self.acts {
            twin.play(act.0, &self.own(act, &hidden)).expect("what was told is the same, so it is legal");
        }
        Some((twin, hidden, 0))
    }
}

fn deployed(sheet: &Sheet, acts: &[(Seat, Value)], seat: Seat) -> Option<Deployment> {
    let found = acts.iter().find(|(by, action)| *by == seat && action["type"] == "depths-deploy");
    found.map(|(_, action)| Deployment::of(sheet, action))
}

/// Actions of which most are wrong: paths, depths, lines and ships at random, in and out of turn.
fn wrong_actions(sheet: &Sheet, seed: u64, step: usize) -> Vec<Value> {
    let mut dice = dice(seed.wrapping_mul(31).wrapping_add(step as u64));
    let ships = ["heavy", "medium", "light", "submarine-1"];
    let squares = (sheet.rows * sheet.columns) as usize;
    let mut some = |n: usize| dice.index(n);
    let mut wrong = vec![
        json!({"type": "deploy-auto"}),
        json!({"type": "depths-deploy", "submarines": ["1@100", "2@100", "3@100"], "mine": "1"}),
        json!({"type": "end-turn"}),
        json!({"type": "accept-draw"}),
        json!({"type": "offer-draw"}),
        json!({"type": "abort"}),
        json!({"type": "fire", "cells": ["A1"]}),
    ];
    for _ in 0..3 {
        let path: Vec<String> = (0..some(5)).map(|_| format!("{}", 1 + some(squares))).collect();
        let line = if some(2) == 0 { "row" } else { "column" };
        wrong.extend([
            json!({"type": "move", "ship": ships[some(4)], "path": path}),
            json!({"type": "charge", "ship": ships[some(4)], "depth": 100 * (1 + some(4))}),
            json!({"type": "torpedo", "target": ships[some(4)], "line": format!("{line}-{}", 1 + some(8))}),
        ]);
    }
    wrong
}

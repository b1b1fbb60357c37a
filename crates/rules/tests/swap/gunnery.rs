//! The worlds of the family `gunnery`, for any number of seats: the places and moves of ships that the viewer does not
//! see, and the cells of mines, are exchanged. All reports stay the same, which the second judge checks.
use broadside_rules::{Dice, Seat, Setup};
use serde_json::{Value, json};

use super::{
    Coverage, compare,
    oracle::{Account, Act, Cells, Oracle, Ship},
};
use crate::support::{EXAMPLE_SEED, Game, dice};

/// A match and the second judge's account of it.
struct World {
    game: Game,
    acts: Vec<Act>,
    account: Account,
    /// The number of compared reports of each viewer.
    compared: Vec<usize>,
}

pub struct Swap {
    setup: Setup,
    oracle: Oracle,
    seed: u64,
    viewer: usize,
    /// The number of steps between comparisons: a large match shows more at once.
    stride: usize,
    dice: Dice,
    truth: World,
    /// A world that the viewer cannot tell from the true one, while one is known.
    twin: Option<World>,
    coverage: Coverage,
}

impl World {
    fn open(setup: &Setup, seed: u64) -> (Self, Oracle) {
        let game = super::opened(setup, seed);
        let oracle = Oracle::new(setup, game.spectator());
        let compared = vec![0; game.views.len()];
        (Self { game, acts: Vec::new(), account: oracle.account(), compared }, oracle)
    }

    fn play(&mut self, oracle: &Oracle, act: &Act) -> Result<(), String> {
        let played = self.game.play(act.seat, &act.action);
        played.map_err(|illegal| format!("{} is refused: {illegal:?}", act.action))?;
        oracle.follow(&mut self.account, act);
        self.acts.push(act.clone());
        Ok(())
    }

    /// An example of a required decision of a seat, drawn by these dice.
    fn example(&self, seat: Seat, dice: &mut Dice) -> Option<Value> {
        let mut seed = EXAMPLE_SEED;
        seed[..4].copy_from_slice(&dice.below(u32::MAX).to_be_bytes());
        let decisions = self.game.view(seat).decisions(seed);
        let required: Vec<_> = decisions.iter().filter(|decision| decision.required()).collect();
        dice.pick(&required).map(|decision| serde_json::to_value(decision.example()).expect("JSON"))
    }
}

impl Swap {
    pub fn new(setup: &Setup, viewer: usize, seed: u64) -> Self {
        let (truth, oracle) = World::open(setup, seed);
        let stride = 1 + oracle.labels().len() * oracle.seats / 400;
        Self {
            setup: setup.clone(),
            oracle,
            seed,
            viewer,
            stride,
            dice: dice(seed ^ 0xabcd),
            truth,
            twin: None,
            coverage: Coverage::default(),
        }
    }

    /// Is the fleet of this seat hidden from the viewer?
    fn is_hidden(&self, seat: Seat) -> bool {
        self.viewer == self.oracle.seats || self.oracle.side(seat.index()) != self.oracle.side(self.viewer)
    }

    /// Plays the match to its end, comparing at every step; the error is the first visible difference.
    pub fn run(mut self) -> Result<Coverage, String> {
        while let Some(act) = self.next() {
            self.truth.play(&self.oracle, &act)?;
            if self.truth.game.battle.status().is_over() {
                break;
            }
            self.coverage.steps += 1;
            self.follow(&act)?;
            if self.twin.is_none() {
                self.twin = self.find_twin();
            }
            if self.coverage.steps.is_multiple_of(self.stride)
                && let Some(mut twin) = self.twin.take()
            {
                self.compare(&mut twin)?;
                self.twin = Some(twin);
            }
        }
        Ok(self.coverage)
    }

    /// The next act: an example of a seat that must act; among many, a seat leaves now and then.
    fn next(&mut self) -> Option<Act> {
        let to_act: Vec<Seat> = self.truth.game.battle.to_act().iter().collect();
        let seat = *self.dice.pick(&to_act)?;
        if self.oracle.seats > 2 && self.dice.below(60) == 0 {
            return Some(Act { seat, action: json!({"type": "resign"}) });
        }
        Some(Act { seat, action: self.truth.example(seat, &mut self.dice).expect("a decision to make") })
    }

    /// Compares the viewer's answers in both worlds, and those of another viewer who cannot tell them apart either.
    fn compare(&mut self, twin: &mut World) -> Result<(), String> {
        let differing: Vec<usize> = self.truth.acts.iter().zip(&twin.acts).filter_map(differs).collect();
        let sides: Vec<usize> = differing.iter().map(|seat| self.oracle.side(*seat)).collect();
        let seats = self.oracle.seats;
        let blind = (0..=seats).filter(|viewer| *viewer == seats || !sides.contains(&self.oracle.side(*viewer)));
        // (Of two, each viewer has runs of its own.)
        let others: Vec<usize> = blind.filter(|viewer| seats > 2 && *viewer != self.viewer).collect();
        let wrong = self.wrong_actions();
        for viewer in [self.viewer].into_iter().chain(self.dice.pick(&others).copied()) {
            compare(viewer, &self.truth.game, &twin.game, twin.compared[viewer], &wrong)?;
            twin.compared[viewer] = twin.game.reports[viewer].len();
            self.coverage.others += usize::from(viewer != self.viewer && viewer != seats);
        }
        self.coverage.compared += 1;
        self.coverage.deeply += 1;
        Ok(())
    }

    /// Makes the same step in the twin world, with its own hidden choices, and drops it when the rules tell the two
    /// apart.
    fn follow(&mut self, act: &Act) -> Result<(), String> {
        let Some(mut twin) = self.twin.take() else { return Ok(()) };
        let hidden = self.is_hidden(act.seat);
        let kind = act.action["type"].as_str().unwrap_or_default();
        if hidden && kind == "give-up" {
            // Payments are public, and have other cells in the twin.
            return Ok(());
        }
        let mut choices = vec![act.clone()];
        if hidden && matches!(kind, "deploy" | "relocate") {
            let action = twin.example(act.seat, &mut self.dice).ok_or("the twin has nothing to decide")?;
            choices.push(Act { action, ..act.clone() });
            if self.oracle.seats == 2 || self.dice.below(2) == 0 {
                choices.reverse();
            }
        }
        let mut played = Ok(());
        for own in &choices {
            played = twin.play(&self.oracle, own);
            if played.is_ok() {
                break;
            }
        }
        match played {
            // In the twin its carrier is sunk: its use tells the worlds apart.
            Err(_) if hidden && kind == "use-weapon" => {}
            Err(told) => return Err(told),
            Ok(()) if twin.account.told.last() == self.truth.account.told.last() => self.twin = Some(twin),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Searches for another world that the viewer cannot tell from the true one.
    fn find_twin(&mut self) -> Option<World> {
        const TRIES: usize = 12;
        let hidden: Vec<Seat> =
            (0..self.oracle.seats).map(|seat| Seat(seat as u8)).filter(|seat| self.is_hidden(*seat)).collect();
        for _ in 0..TRIES {
            let mut acts = self.truth.acts.clone();
            // Of many fleets at times only some are elsewhere, so that others cannot tell the worlds apart either.
            let some = |dice: &mut Dice| hidden.len() < 3 || dice.below(2) == 0;
            let changed: Vec<bool> =
                hidden.iter().map(|seat| some(&mut self.dice) && self.vary(&mut acts, *seat)).collect();
            if !changed.contains(&true) {
                continue;
            }
            let mut account = self.oracle.account();
            let mut told = self.truth.account.told.iter();
            let alike = acts.iter().all(|act| {
                let before = account.told.len();
                self.oracle.follow(&mut account, act);
                account.told[before..].iter().all(|said| told.next() == Some(said))
            });
            if !alike {
                continue;
            }
            // The reports are the same: play it, unless a choice in it is not legal.
            let (mut twin, _) = World::open(&self.setup, self.seed);
            if acts.iter().all(|act| twin.play(&self.oracle, act).is_ok()) {
                return Some(twin);
            }
        }
        None
    }

    /// Moves some ships of a hidden fleet so that the same of their cells were shot at. Returns whether anything
    /// changed.
    fn vary(&mut self, acts: &mut [Act], seat: Seat) -> bool {
        let of = |act: &&Act, kind: &str| act.seat == seat && act.action["type"] == kind;
        let Some(at) = acts.iter().position(|act| of(&act, "deploy")) else { return false };
        let moves = acts.iter().filter(|act| of(act, "relocate"));
        let mut moved: Vec<String> =
            moves.flat_map(|act| self.oracle.ships(seat, &act.action)).map(|ship| ship.id).collect();
        // Payments are known, like shots.
        let tried = self.oracle.tried(&self.truth.account, seat.index());
        for act in acts.iter().filter(|act| of(act, "give-up")) {
            let ships = act.action["ships"].as_array().into_iter().flatten();
            moved.extend(ships.map(|id| id.as_str().expect("an id").to_owned()));
        }
        let mut mines = self.oracle.mines(&acts[at].action);
        let laid = mines.clone();
        let mut fleet = self.oracle.ships(seat, &acts[at].action);
        let before: Vec<Cells> = fleet.iter().map(|ship| ship.cells.clone()).collect();
        let still: Vec<usize> = (0..fleet.len()).filter(|ship| !moved.contains(&fleet[*ship].id)).collect();
        for _ in 0..1 + self.dice.below(4) {
            self.put_elsewhere(&mut fleet, seat, &still, &tried, &mines);
        }
        // A mine not found may lie on any other untried cell.
        let hidden: Vec<usize> = mines.difference(&tried).copied().collect();
        if let Some(mine) = self.dice.pick(&hidden) {
            let ships: Cells = fleet.iter().flat_map(|ship| ship.cells.iter().copied()).collect();
            let open = |cell: &usize| ![&ships, &tried, &mines].iter().any(|taken| taken.contains(cell));
            let open: Vec<usize> = (0..self.oracle.labels().len()).filter(open).collect();
            if let Some(cell) = self.dice.pick(&open) {
                mines.remove(mine);
                mines.insert(*cell);
            }
        }
        acts[at].action = self.oracle.deployment(&fleet);
        if !mines.is_empty() {
            acts[at].action["mines"] = self.oracle.mined(&mines);
        }
        mines != laid || !fleet.iter().map(|ship| &ship.cells).eq(before.iter())
    }

    /// Moves one of the ships that have never moved, or swaps two.
    fn put_elsewhere(&mut self, fleet: &mut [Ship], seat: Seat, still: &[usize], tried: &Cells, mines: &Cells) {
        let (Some(&one), Some(&other)) = (self.dice.pick(still), self.dice.pick(still)) else { return };
        if self.dice.below(3) == 0 && self.oracle.alike(&fleet[one], &fleet[other]) {
            // Two ships with the same ways swap places.
            let cells = fleet[one].cells.clone();
            fleet[one].cells = std::mem::replace(&mut fleet[other].cells, cells);
            return;
        }
        let hit: Cells = fleet[one].cells.intersection(tried).copied().collect();
        let others = fleet.iter().enumerate().filter(|(ship, _)| *ship != one);
        let mut taken: Cells = others.flat_map(|(_, ship)| &ship.cells).copied().collect();
        taken.extend(self.oracle.of_others(&self.truth.account, seat.index()));
        let mut taken = self.oracle.zone(&taken);
        taken.extend(mines);
        let open = |way: &&Cells| way.is_disjoint(&taken) && way.intersection(tried).eq(hit.iter());
        let ways: Vec<&Cells> = self.oracle.ways(&fleet[one]).iter().filter(open).collect();
        if let Some(way) = self.dice.pick(&ways) {
            fleet[one].cells = (*way).clone();
        }
    }

    /// The size of the next salvo, by the last public report; 1 when none is due.
    fn salvo(&self) -> u32 {
        let last = self.truth.game.reports.last().and_then(|told| {
            told.iter().rev().find_map(|report| {
                let told = serde_json::to_value(report).expect("JSON");
                told["next"]["shots"].as_u64()
            })
        });
        last.map_or(1, |shots| shots as u32)
    }

    /// Mostly wrong actions: cells at random (tried or not), wrong sizes, ships, seas and times; and some that a player
    /// with the turn may well send.
    fn wrong_actions(&self) -> Vec<Value> {
        let mut dice = dice(self.seed.wrapping_mul(31).wrapping_add(self.coverage.steps as u64));
        let labels = self.oracle.labels();
        let (ship, _) = &self.oracle.ids[self.coverage.steps % self.oracle.ids.len()];
        let place = self.oracle.somewhere(ship, &mut dice);
        let mut cells = |n: u32| -> Vec<&String> { (0..n).map(|_| &labels[dice.index(labels.len())]).collect() };
        let salvo = self.salvo();
        let rules = serde_json::to_value(&*self.setup.rules).expect("JSON");
        let weapons = rules["weapons"].as_array().into_iter().flatten();
        let uses: Vec<Value> = weapons
            .flat_map(|weapon| {
                let blind = json!({"type": "use-weapon", "weapon": weapon["weapon"], "cell": cells(1)[0]});
                let mut along = blind.clone();
                along["direction"] = json!("west");
                [blind, along]
            })
            .collect();
        let mut wrong = vec![
            json!({"type": "fire", "cells": cells(salvo)}),
            json!({"type": "fire", "cells": cells(salvo)}),
            json!({"type": "fire", "cells": cells(salvo + 1)}),
            json!({"type": "fire", "cells": [labels[0], labels[0]]}),
            json!({"type": "fire", "cells": []}),
            json!({"type": "fire", "cells": ["Z99"]}),
            json!({"type": "deploy", "ships": [{"ship": ship, "cells": cells(2)}]}),
            json!({"type": "deploy", "ships": [place]}),
            json!({"type": "deploy-auto"}),
            json!({"type": "relocate", "ships": [{"ship": ship, "cells": cells(3)}]}),
            json!({"type": "relocate", "ships": [place]}),
            json!({"type": "relocate", "ships": []}),
            json!({"type": "give-up"}),
            json!({"type": "give-up", "cells": cells(1)}),
            json!({"type": "give-up", "ships": [ship]}),
            json!({"type": "give-up", "mines": cells(1)}),
            json!({"type": "accept-draw"}),
            json!({"type": "offer-draw"}),
            json!({"type": "abort"}),
            json!({"type": "resign"}),
            json!({"type": "torpedo"}),
        ];
        wrong.extend(uses);
        if self.oracle.seats > 2 {
            let sea = dice.pick(&self.oracle.names).expect("a sea");
            let aimed = |action: &&Value| matches!(action["type"].as_str(), Some("fire" | "use-weapon"));
            let at_it: Vec<Value> = wrong.iter().filter(aimed).cloned().collect();
            wrong.extend(at_it.into_iter().map(|mut action| {
                action["target"] = json!(sea);
                action
            }));
        }
        wrong
    }
}

/// The seat of the act, if it differs in the other world.
fn differs((one, other): (&Act, &Act)) -> Option<usize> {
    (one.action != other.action).then(|| one.seat.index())
}

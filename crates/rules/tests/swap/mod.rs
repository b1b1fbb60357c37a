//! Two worlds that differ only in what a viewer may not know, played side by side and compared byte by byte.
pub mod depths;
#[path = "../depths/judge.rs"]
pub mod judge;
pub mod leak;
pub mod oracle;
pub mod salvos;
#[path = "../salvos/judge.rs"]
pub mod umpire;

use broadside_rules::{
    Action, Clock, Dice, Entry, FamilyName, Report, Rests, RuleSet, Seat, Setup, View, Viewer, disclose, legal,
};
use leak::{Hidden, Leak};
use oracle::{Account, Act, Cells, Oracle};
use serde_json::{Value, json};
use std::cell::Cell;

use crate::support::{EXAMPLE_SEED, Game, dice, shown};

/// What a run compared.
#[derive(Default, Clone, Copy, Debug)]
pub struct Coverage {
    pub steps: usize,
    pub compared: usize,
    /// Of these, with ships or submarines that lie elsewhere (and not only a mine).
    pub deeply: usize,
}

/// Plays a match of these terms to its end with the worlds of its family.
pub fn run(setup: &Setup, viewer: usize, seed: u64) -> Result<Coverage, String> {
    match setup.rules.family() {
        FamilyName::Gunnery => Swap::new(setup, viewer, seed).run(),
        FamilyName::Depths => depths::Swap::new(setup, viewer, seed).run(),
        FamilyName::Salvos => salvos::Swap::new(setup, viewer, seed).run(),
    }
}

/// Everything that the viewer can get out of two worlds, byte by byte: reports from the one of this index on, views,
/// and the answers to these actions.
pub fn compare(viewer: usize, a: &Game, b: &Game, from: usize, wrong: &[Value]) -> Result<(), String> {
    let who = a.views[viewer].viewer();
    let same = |what: &str, a: String, b: String| {
        if a == b { Ok(()) } else { Err(format!("{what} of {:?} tells the worlds apart:\n{a}\n{b}", who)) }
    };
    let reports = |game: &Game| without_commitments(&game.reports[viewer][from..]);
    same("a report", reports(a), reports(b))?;
    let (of_a, of_b) = (Seen::of(viewer, a), Seen::of(viewer, b));
    same("the view", of_a.view(), of_b.view())?;
    same("the ETag", of_a.etag(), of_b.etag())?;
    for wrong in wrong {
        same(&format!("the answer to {wrong}"), of_a.answer(wrong), of_b.answer(wrong))?;
    }
    Ok(())
}

thread_local! {
    /// The leak that [`compare`] plants in what the viewer gets.
    static PLANTED: Cell<Option<Leak>> = const { Cell::new(None) };
}

/// As [`run`], with a leak planted in what the viewer gets.
pub fn run_with(leak: Leak, setup: &Setup, viewer: usize, seed: u64) -> Result<Coverage, String> {
    PLANTED.set(Some(leak));
    let result = run(setup, viewer, seed);
    PLANTED.set(None);
    result
}

/// What a viewer gets to see of a match, with what a planted leak makes of it.
struct Seen<'g> {
    game: &'g Game,
    viewer: usize,
    /// The last fleet that the viewer doesn't see, if a leak is planted.
    leaked: Option<(Leak, Hidden)>,
}

impl<'g> Seen<'g> {
    fn of(viewer: usize, game: &'g Game) -> Self {
        let hidden = |leak| {
            let entries = game.entries();
            let asked = entries.iter().flat_map(|entry| &entry.events).filter_map(|event| event.asked(&game.setup));
            let others = asked.filter(|(seat, _)| seat.index() != viewer);
            let sent = others.map(|(seat, action)| (seat, serde_json::to_value(&action).expect("JSON")));
            let last = sent.rev().find(|(_, action)| action["type"] == "deploy");
            last.map(|(seat, action)| (leak, Hidden::of(seat.0, &action)))
        };
        Self { game, viewer, leaked: PLANTED.get().and_then(hidden) }
    }

    fn view(&self) -> String {
        let text = shown(&self.game.views[self.viewer]);
        let Some((leak, hidden)) = &self.leaked else { return text };
        let mut told: Value = serde_json::from_str(&text).expect("JSON");
        let [table, seas, decisions] = &mut told.as_array_mut().expect("three parts")[..] else { panic!("{text}") };
        hidden.in_view(*leak, &mut table[0], seas, decisions);
        told.to_string()
    }

    fn etag(&self) -> String {
        let mut etag = self.game.views[self.viewer].version().to_string();
        self.leaked.iter().for_each(|(leak, hidden)| hidden.in_etag(*leak, &mut etag));
        etag
    }

    fn answer(&self, wrong: &Value) -> String {
        let read = Action::parse(&self.game.setup, wrong);
        let told = read.and_then(|action| legal(&self.game.views[self.viewer], &action));
        let mut told = serde_json::to_value(told.err()).expect("JSON");
        self.leaked.iter().for_each(|(leak, hidden)| hidden.in_refusal(*leak, &mut told));
        told.to_string()
    }
}

/// A match as it is played, and the second judge's account of it.
struct World {
    game: Game,
    acts: Vec<Act>,
    account: Account,
    /// How many of the viewer's reports have been compared.
    compared: usize,
}

pub struct Swap {
    setup: Setup,
    oracle: Oracle,
    seed: u64,
    viewer: usize,
    dice: Dice,
    truth: World,
    /// A world that the viewer cannot tell from the true one, while one is known.
    twin: Option<World>,
    coverage: Coverage,
}

/// The terms of a match without clocks.
pub fn setup(rules: RuleSet) -> Setup {
    Setup::new(rules, Clock::none())
}

/// A match on these terms; where they let clocks rest, its players sleep at night.
pub fn opened(setup: &Setup, seed: u64) -> Game {
    let open = if setup.clock.rests() == Rests::None { Game::open } else { Game::resting };
    open(setup.clone(), dice(seed))
}

/// Reports as text, with the commitments to others' secrets left out: they hide the secret behind a salt that nobody is
/// told. That they say nothing about it is for the tests of proof to show.
pub fn without_commitments(reports: &[Report]) -> String {
    let mut told = serde_json::to_value(reports).expect("JSON");
    for report in told.as_array_mut().expect("reports") {
        if report["type"] == "sealed" && report["salt"].is_null() {
            assert_eq!(report["commitment"].as_str().map(str::len), Some(64), "of one length, whatever it hides");
            report["commitment"] = json!("left out");
        }
    }
    told.to_string()
}

impl World {
    fn open(setup: &Setup, seed: u64) -> Self {
        let game = opened(setup, seed);
        Self { game, acts: Vec::new(), account: Account::default(), compared: 0 }
    }

    fn play(&mut self, oracle: &Oracle, act: &Act) -> Result<(), String> {
        let played = self.game.play(act.seat, &act.action);
        played.map_err(|illegal| format!("{} is refused: {illegal:?}", act.action))?;
        oracle.follow(&mut self.account, act);
        self.acts.push(act.clone());
        Ok(())
    }
}

impl Swap {
    pub fn new(setup: &Setup, viewer: usize, seed: u64) -> Self {
        let truth = World::open(setup, seed);
        Self {
            setup: setup.clone(),
            oracle: Oracle::new(&setup.rules, &truth.game.spectator().board()),
            seed,
            viewer,
            dice: dice(seed ^ 0xabcd),
            truth,
            twin: None,
            coverage: Coverage::default(),
        }
    }

    fn is_hidden(&self, seat: Seat) -> bool {
        seat.index() != self.viewer
    }

    /// Plays the match to its end, comparing at every step; the first difference that the viewer could see is the
    /// error.
    pub fn run(mut self) -> Result<Coverage, String> {
        while let Some((seat, decision)) = self.truth.game.required() {
            let action = serde_json::to_value(decision.example()).expect("JSON");
            let act = Act { seat, action };
            self.truth.play(&self.oracle, &act)?;
            if self.truth.game.battle.status().is_over() {
                break;
            }
            self.coverage.steps += 1;
            self.follow(&act)?;
            if self.twin.is_none() {
                self.twin = self.find_twin();
            }
            if let Some(mut twin) = self.twin.take() {
                compare(self.viewer, &self.truth.game, &twin.game, twin.compared, &self.wrong_actions())?;
                twin.compared = twin.game.reports[self.viewer].len();
                self.coverage.compared += 1;
                self.coverage.deeply += 1;
                self.twin = Some(twin);
            }
        }
        Ok(self.coverage)
    }

    /// Lets the twin world make the same step, its hidden choices its own, and drops it when the rules tell the two
    /// apart.
    fn follow(&mut self, act: &Act) -> Result<(), String> {
        let Some(mut twin) = self.twin.take() else { return Ok(()) };
        let mut own = act.clone();
        if self.is_hidden(act.seat) && act.action["type"] == "deploy" {
            own.action = self.other_deployment(act.seat);
        } else if self.is_hidden(act.seat) && act.action["type"] == "relocate" {
            let (_, decision) = twin.game.required().ok_or("the twin has nothing to decide")?;
            own.action = serde_json::to_value(decision.example()).expect("JSON");
        }
        if self.is_hidden(act.seat) && act.action["type"] == "give-up" {
            // What is given up is told to everybody, and lies elsewhere in the twin.
            return Ok(());
        }
        let played = twin.play(&self.oracle, &own);
        if played.is_err() && self.is_hidden(act.seat) && act.action["type"] == "use-weapon" {
            // In the twin its carrier is sunk: that it is used tells the worlds apart.
            return Ok(());
        }
        played?;
        if twin.account.told.last() == self.truth.account.told.last() {
            self.twin = Some(twin);
        }
        Ok(())
    }

    /// A deployment that has nothing to do with the true one: the example of a view that knows only that the match is
    /// open.
    fn other_deployment(&self, seat: Seat) -> Value {
        let mut view = View::new(&self.setup, Viewer::Seat(seat));
        let opened = Entry::from_bytes(&self.truth.game.log[0]).expect("reads");
        for event in &opened.events {
            let report = disclose(&self.setup, event, Viewer::Seat(seat)).expect("a report");
            view.learn(&report, opened.at);
        }
        let mut seed = EXAMPLE_SEED;
        seed[..8].copy_from_slice(&self.seed.to_be_bytes());
        serde_json::to_value(view.decisions(seed)[0].example()).expect("JSON")
    }

    /// Looks for another world that the viewer cannot tell from the true one.
    fn find_twin(&mut self) -> Option<World> {
        const TRIES: usize = 12;
        for _ in 0..TRIES {
            let mut acts = self.truth.acts.clone();
            let changed = [Seat(0), Seat(1)].map(|seat| self.is_hidden(seat) && self.vary(&mut acts, seat));
            if changed == [false, false] {
                continue;
            }
            let mut account = Account::default();
            let mut told = self.truth.account.told.iter();
            let alike = acts.iter().all(|act| {
                let before = account.told.len();
                self.oracle.follow(&mut account, act);
                account.told[before..].iter().all(|said| told.next() == Some(said))
            });
            if !alike {
                continue;
            }
            // What was told is the same: play it, unless a choice in it is not legal.
            let mut twin = World::open(&self.setup, self.seed);
            if acts.iter().all(|act| twin.play(&self.oracle, act).is_ok()) {
                return Some(twin);
            }
        }
        None
    }

    /// Puts some ships of a hidden fleet elsewhere, so that the same of their cells were shot at. Says whether anything
    /// changed.
    fn vary(&mut self, acts: &mut [Act], seat: Seat) -> bool {
        let of = |act: &&Act, by: Seat, kind: &str| act.seat == by && act.action["type"] == kind;
        let Some(at) = acts.iter().position(|act| of(&act, seat, "deploy")) else { return false };
        let moves = acts.iter().filter(|act| of(act, seat, "relocate"));
        let mut moved: Vec<String> = moves.flat_map(|act| self.oracle.ships(&act.action)).map(|ship| ship.id).collect();
        // What was given up is known, as what was shot at.
        let tried = self.truth.account.tried(seat);
        for act in acts.iter().filter(|act| of(act, seat, "give-up")) {
            let ships = act.action["ships"].as_array().into_iter().flatten();
            moved.extend(ships.map(|id| id.as_str().expect("an id").to_owned()));
        }
        let mut mines = self.oracle.mines(&acts[at].action);
        let laid = mines.clone();
        let mut fleet = self.oracle.ships(&acts[at].action);
        let before: Vec<Cells> = fleet.iter().map(|ship| ship.cells.clone()).collect();
        let still: Vec<usize> = (0..fleet.len()).filter(|ship| !moved.contains(&fleet[*ship].id)).collect();
        for _ in 0..1 + self.dice.below(4) {
            let (Some(&one), Some(&other)) = (self.dice.pick(&still), self.dice.pick(&still)) else { break };
            if self.dice.below(3) == 0 && self.oracle.alike(&fleet[one], &fleet[other]) {
                // Two ships that can lie alike change places.
                let cells = fleet[one].cells.clone();
                fleet[one].cells = std::mem::replace(&mut fleet[other].cells, cells);
                continue;
            }
            let hit: Cells = fleet[one].cells.intersection(&tried).copied().collect();
            let others = fleet.iter().enumerate().filter(|(ship, _)| *ship != one);
            let taken: Cells = others.flat_map(|(_, ship)| &ship.cells).copied().collect();
            let mut taken = self.oracle.zone(&taken);
            taken.extend(&mines);
            let open = |way: &&Cells| way.is_disjoint(&taken) && way.intersection(&tried).eq(hit.iter());
            let ways: Vec<&Cells> = self.oracle.ways(&fleet[one]).iter().filter(open).collect();
            if let Some(way) = self.dice.pick(&ways) {
                fleet[one].cells = (*way).clone();
            }
        }
        // A mine that nobody has found may lie anywhere else that nobody has tried.
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

    /// How many shots the next salvo has, as the last public report says; 1 when none is due.
    fn salvo(&self) -> u32 {
        let last = self.truth.game.reports.last().and_then(|told| {
            told.iter().rev().find_map(|report| {
                let told = serde_json::to_value(report).expect("JSON");
                told["next"]["shots"].as_u64()
            })
        });
        last.map_or(1, |shots| shots as u32)
    }

    /// Actions of which most are wrong: cells at random (tried or not), wrong sizes, wrong ships, wrong times.
    fn wrong_actions(&self) -> Vec<Value> {
        let mut dice = dice(self.seed.wrapping_mul(31).wrapping_add(self.coverage.steps as u64));
        let labels = self.oracle.labels();
        let mut cells = |n: u32| -> Vec<&String> { (0..n).map(|_| &labels[dice.index(labels.len())]).collect() };
        let salvo = self.salvo();
        let (ship, _) = &self.oracle.ids[self.coverage.steps % self.oracle.ids.len()];
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
            json!({"type": "deploy", "auto": true}),
            json!({"type": "relocate", "ships": [{"ship": ship, "cells": cells(3)}]}),
            json!({"type": "relocate", "ships": []}),
            json!({"type": "give-up"}),
            json!({"type": "give-up", "cells": cells(1)}),
            json!({"type": "give-up", "mines": cells(1)}),
            json!({"type": "accept-draw"}),
            json!({"type": "offer-draw"}),
            json!({"type": "abort"}),
            json!({"type": "resign"}),
            json!({"type": "torpedo"}),
        ];
        wrong.extend(uses);
        wrong
    }
}

//! The laws of the family as properties, over random rule sets, fleets and shots. Expected results are computed here
//! from the fleets as sent, not by the crate.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "laws/figures.rs"]
mod figures;
#[path = "laws/mines.rs"]
mod mines;
mod support;
#[path = "laws/weapons.rs"]
mod weapons;

use std::collections::{BTreeMap, BTreeSet};

use broadside_rules::{
    Action, Clock, FamilyName, RuleSet, Seat, Setup, Variant,
    grid::{Board, Cell, CellSet, Labels},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Game, dice, random_rules, shapes::may_lie};

/// A match with random rules, and the law's own bookkeeping of it.
struct Watched {
    game: Game,
    rules: Value,
    /// By seat: the place of each ship.
    ships: [BTreeMap<String, BTreeSet<String>>; 2],
    /// By seat: the cells of its sea that were shot at, and those of hits on a ship that is still there.
    tried: [BTreeSet<String>; 2],
    hit: [BTreeSet<String>; 2],
    hits: [usize; 2],
    /// By seat: the cells of its mines, those of given mines, and the number of turns it loses.
    mines: [BTreeSet<String>; 2],
    given: [BTreeSet<String>; 2],
    lost: [u32; 2],
    /// The debt (cells, ships and mines) after the last salvo, and the seat that fires after its payment.
    owed: Option<([usize; 3], Seat)>,
    /// By seat: the number of hits of its last salvo.
    last: [usize; 2],
    /// Does the turn go on with the earned shots?
    goes_on: bool,
    supplies: weapons::Supplies,
}

impl Watched {
    fn open(rules: RuleSet, seed: u64) -> Self {
        let told = serde_json::to_value(&rules).expect("JSON");
        Self {
            supplies: weapons::supplies(&told),
            rules: told,
            game: Game::open(Setup::new(rules, Clock::none()), dice(seed)),
            ships: Default::default(),
            tried: Default::default(),
            hit: Default::default(),
            hits: [0; 2],
            mines: Default::default(),
            given: Default::default(),
            lost: [0; 2],
            owed: None,
            last: [0; 2],
            goes_on: false,
        }
    }

    fn is(&self, parameter: &str, value: &str) -> bool {
        self.rules[parameter] == value
    }

    fn sunk(&self, seat: usize) -> usize {
        let sunk = self.ships[seat].values().filter(|cells| cells.is_subset(&self.hit[seat])).count();
        if self.rules["sinking"] == true { sunk } else { 0 }
    }

    /// The islands on the board of the match, the same in each sea.
    fn land(&self) -> BTreeSet<String> {
        let board = serde_json::to_value(self.game.spectator().board()).expect("JSON");
        let land = |sea: &Value| -> BTreeSet<String> {
            let cells = sea["cells"].as_array().expect("cells").iter().filter(|cell| cell["feature"] == "island");
            cells.map(|cell| cell["label"].as_str().expect("a label").to_owned()).collect()
        };
        let seas: Vec<BTreeSet<String>> = board["seas"].as_array().expect("seas").iter().map(land).collect();
        assert!(seas.iter().all(|sea| *sea == seas[0]), "one land for all seas");
        seas.into_iter().next().expect("a sea")
    }

    /// One step by example, with the laws checked around it. Returns `false` when the match is over.
    fn step(&mut self) -> Result<bool, TestCaseError> {
        let Some((seat, decision)) = self.game.required() else { return Ok(false) };
        let action = serde_json::to_value(decision.example()).expect("JSON");
        let me = seat.index();
        match action["type"].as_str().expect("a type") {
            "fire" => {
                self.offers(seat)?;
                self.salvo(seat, &action)?;
                self.supplies_are_shown()?;
            }
            "use-weapon" => {
                self.offers(seat)?;
                self.use_weapon(seat, &action)?;
                self.supplies_are_shown()?;
            }
            "give-up" => self.payment(seat, &action)?,
            "relocate" => {
                let moved = action["ships"].as_array().expect("ships").len() as u64;
                prop_assert!(self.rules["relocation_ships"].as_u64().is_none_or(|most| moved <= most));
                for ship in action["ships"].as_array().expect("ships") {
                    let cells = texts(&ship["cells"]);
                    prop_assert!(cells.is_disjoint(&self.tried[me]), "a ship moves to untried cells only");
                    let id = ship["ship"].as_str().expect("an id").to_owned();
                    let old = self.ships[me].insert(id, cells.clone()).expect("a known ship");
                    let damaged = !old.is_disjoint(&self.hit[me]);
                    prop_assert!(!damaged || self.rules["relocation_damaged"] != false, "a damaged ship stays");
                    if let Some(range) = self.rules["relocation_range"].as_u64() {
                        prop_assert!(cells.iter().all(|cell| self.steps(cell, &old) <= range), "a ship moves so far");
                    }
                    self.hit[me].retain(|cell| !old.contains(cell));
                }
                self.game.play(seat, &action).expect("legal");
                self.fleet_is_legal(me)?;
            }
            _ => {
                for ship in action["ships"].as_array().expect("ships") {
                    let id = ship["ship"].as_str().expect("an id").to_owned();
                    prop_assert!(self.ships[me].insert(id, texts(&ship["cells"])).is_none(), "every ship once");
                }
                let wanted = self.rules["mines"]["count"].as_u64().unwrap_or_default() as usize;
                if wanted > 0 {
                    let mut fewer = action.clone();
                    fewer["mines"].as_array_mut().expect("mines").pop();
                    prop_assert_eq!(self.game.play(seat, &fewer).expect_err("refused").code, "wrong-mine-count");
                    self.mines[me] = texts(&action["mines"]);
                }
                prop_assert_eq!(self.mines[me].len(), wanted);
                prop_assert!(
                    self.ships[me].values().all(|ship| ship.is_disjoint(&self.mines[me])),
                    "mines lie on water"
                );
                prop_assert!(self.land().is_disjoint(&self.mines[me]), "mines lie on water");
                self.game.play(seat, &action).expect("legal");
                self.fleet_is_legal(me)?;
            }
        }
        Ok(true)
    }

    fn salvo(&mut self, seat: Seat, action: &Value) -> Result<(), TestCaseError> {
        let (me, target) = (seat.index(), seat.other().index());
        let cells = action["cells"].as_array().expect("cells").clone();

        // Law 2: the size, less own losses where it shrinks, never below 1, never above the cells left.
        let size = self.size(me);
        let land = self.land();
        let left = self.game.setup.rules.board(2).seas[0].cells.len()
            - land.len()
            - self.tried[target].len()
            - self.given[target].len();
        prop_assert_eq!(cells.len(), size.min(left));
        prop_assert!(!cells.is_empty());

        // Never twice: a tried cell makes the salvo wrong, whatever the rest.
        if let Some(tried) = self.tried[target].first() {
            let mut again = cells.clone();
            again[0] = json!(tried);
            let refused = self.game.play(seat, &json!({"type": "fire", "cells": again})).expect_err("refused");
            prop_assert_eq!(refused.code, "cell-already-tried");
        }
        if let Some(island) = land.first() {
            let mut ashore = cells.clone();
            ashore[0] = json!(island);
            let refused = self.game.play(seat, &json!({"type": "fire", "cells": ashore})).expect_err("refused");
            prop_assert_eq!(refused.code, "on-island");
        }
        let fewer = json!({"type": "fire", "cells": &cells[1..]});
        prop_assert_eq!(self.game.play(seat, &fewer).expect_err("refused").code, "wrong-salvo-size");

        self.supplied(seat, None);
        self.volley(seat, action, cells)
    }

    /// Checks a salvo of the guns or of a weapon at these cells.
    #[expect(
        clippy::too_many_lines,
        reason = "follows one salvo through the laws in their order; a law by itself has nothing to look at"
    )]
    fn volley(&mut self, seat: Seat, action: &Value, cells: Vec<Value>) -> Result<(), TestCaseError> {
        let (me, target) = (seat.index(), seat.other().index());
        self.game.play(seat, action).expect("legal");
        // Law 3 to 5, shot by shot: the target gets the truth, everybody the report.
        let (truth, public) = (self.last(target, "fired"), self.last(2, "fired"));
        prop_assert_eq!(truth["shots"].as_array().map(Vec::len), Some(cells.len()));
        let sinking = self.rules["sinking"] == true;
        let mut won = false;
        let (mut hits_here, mut found) = (0, 0);
        for (shot, cell) in cells.iter().enumerate() {
            let cell = cell.as_str().expect("a cell").to_owned();
            prop_assert!(self.tried[target].insert(cell.clone()), "no cell twice");
            let struck = self.ships[target].iter().find(|(_, cells)| cells.contains(&cell));
            let expected = match struck {
                Some((_, ship)) => {
                    self.hit[target].insert(cell.clone());
                    self.hits[target] += 1;
                    hits_here += 1;
                    if sinking && ship.is_subset(&self.hit[target]) { vec!["sunk"] } else { vec!["hit"] }
                }
                None if self.mines[target].remove(&cell) => {
                    found += 1;
                    vec!["mine"]
                }
                None => vec!["miss", "sighted"],
            };
            let answer = truth["shots"][shot]["answer"].as_str().expect("the truth");
            prop_assert!(expected.contains(&answer), "{} is {} and not {:?}", cell, answer, expected);
            if answer == "sighted" {
                prop_assert!(!self.is("sighting", "no"));
            }
            let number = if answer == "mine" { None } else { self.clue(target, &cell) };
            prop_assert_eq!(public["shots"][shot].get("clue").and_then(Value::as_u64), number);
            prop_assert_eq!(public["shots"][shot].get("clue"), truth["shots"][shot].get("clue"));
            let said = &public["shots"][shot]["answer"];
            prop_assert_eq!(said.is_null(), !self.is("report", "per-shot"), "a tally says nothing of single shots");
            won |= match self.rules["victory"]["hits"].as_u64() {
                Some(enough) => self.hits[target] as u64 >= enough,
                None => self.sunk(target) == self.ships[target].len(),
            };
        }
        if self.is("report", "tally") {
            prop_assert_eq!(&public["hits"], hits_here);
        }
        if self.is("report", "tally-per-ship") {
            let classes = public["hits_by_class"].as_array().expect("classes");
            let sum: u64 = classes.iter().filter_map(|class| class["hits"].as_u64()).sum();
            prop_assert_eq!(sum, hits_here);
        }

        self.last[me] = hits_here as usize;
        let extra = self.rules["salvo"]["extra"].as_str();
        self.goes_on = extra == Some("at-once") && hits_here > 0;
        self.excluded_is_empty()?;

        // Victory at that instant, and the turn by the rule.
        prop_assert_eq!(self.game.battle.status().is_over(), won);
        if won {
            prop_assert_eq!(self.game.battle.outcome().expect("over").winner, Some(seat));
        } else if self.is("relocation", "no") || self.is("relocation", "after-hit") && hits_here == 0 {
            let again = match self.rules["turn"].as_str() {
                Some("while-hitting") => hits_here > 0,
                Some("while-missing") => hits_here == 0,
                _ => self.goes_on,
            };
            // A mine ends the turn, and may cost the next one; the debt is paid first.
            let next = if again && found == 0 {
                seat
            } else {
                if self.rules["mines"]["effect"] == "turn" {
                    self.lost[me] += found as u32;
                }
                self.passed(seat)
            };
            let price = self.price(me, target, found, &cells);
            let owes = price != [0; 3];
            self.owed = owes.then_some((price, next));
            let next = if owes { seat } else { next };
            prop_assert_eq!(self.game.battle.to_act().iter().collect::<Vec<_>>(), [next]);
        } else {
            let next: Vec<Seat> = self.game.battle.to_act().iter().collect();
            prop_assert_eq!(next, [seat.other()], "the target decides first");
        }
        Ok(())
    }

    /// Laws 1 and 6: of the shape of their class, apart, and within the law of the border.
    fn fleet_is_legal(&self, seat: usize) -> Result<(), TestCaseError> {
        let board = self.game.setup.rules.board(2);
        let (rows, columns) = (board.seas[0].rows, board.seas[0].columns);
        let place = |label: &String| {
            let cell = board.seas[0].cells.iter().find(|cell| cell.label.as_str() == label).expect("a cell");
            (i32::from(cell.row), i32::from(cell.column))
        };
        let ships: Vec<Vec<(i32, i32)>> =
            self.ships[seat].values().map(|cells| cells.iter().map(place).collect()).collect();
        for (id, ship) in self.ships[seat].keys().zip(&ships) {
            let classes = self.rules["fleet"].as_array().expect("classes");
            let of = |class: &&Value| {
                let name = class["class"].as_str().expect("an id");
                id == name || (1..=10).any(|n| *id == format!("{name}-{n}"))
            };
            let class = classes.iter().find(of).expect("its class");
            prop_assert!(may_lie(class, &ship.iter().copied().collect()), "{} has the shape of its class", id);
        }
        let land: Vec<(i32, i32)> = self.land().iter().map(place).collect();
        let beside_land = self.rules["islands"]["contact"].as_str().unwrap_or("allowed");
        for ship in &ships {
            prop_assert!(are_apart(ship, &land, beside_land), "off the islands");
        }
        for (index, ship) in ships.iter().enumerate() {
            if self.is("border", "end-on") {
                let edge = |cell: &&(i32, i32)| {
                    cell.0 == 0 || cell.1 == 0 || cell.0 + 1 == i32::from(rows) || cell.1 + 1 == i32::from(columns)
                };
                let corner = |cell: &(i32, i32)| {
                    (cell.0 == 0 || cell.0 + 1 == i32::from(rows)) && (cell.1 == 0 || cell.1 + 1 == i32::from(columns))
                };
                prop_assert!(ship.iter().filter(edge).count() <= 1 && !ship.iter().any(corner), "the border");
            }
            for other in &ships[index + 1..] {
                prop_assert!(are_apart(ship, other, self.rules["contact"].as_str().expect("a word")), "apart");
            }
        }
        Ok(())
    }
}

/// Do two sets of cells keep the law of contact?
fn are_apart(one: &[(i32, i32)], other: &[(i32, i32)], contact: &str) -> bool {
    one.iter().flat_map(|a| other.iter().map(move |b| ((a.0 - b.0).abs(), (a.1 - b.1).abs()))).all(|(down, across)| {
        match contact {
            "forbidden" => down > 1 || across > 1,
            "corners" => down + across > 1,
            _ => down + across > 0,
        }
    })
}

fn texts(labels: &Value) -> BTreeSet<String> {
    let labels = labels.as_array().expect("labels").iter();
    labels.map(|label| label.as_str().expect("a label").to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_laws_hold_under_random_rule_sets(seed in any::<u64>()) {
        let rules = random_rules(&mut dice(seed), 150);
        let mut watched = Watched::open(rules, seed);
        while watched.step()? {}
    }

    #[test]
    fn the_laws_hold_in_every_preset(seed in any::<u64>(), preset in any::<prop::sample::Index>()) {
        let presets: Vec<&Variant> =
            broadside_rules::variants().iter().filter(|variant| variant.family == FamilyName::Gunnery).collect();
        let variant: &Variant = presets[preset.index(presets.len())];
        let mut watched = Watched::open(variant.rule_set(), seed);
        while watched.step()? {}
    }

    #[test]
    fn what_auto_places_is_what_may_be_placed(seed in any::<u64>()) {
        let rules = random_rules(&mut dice(seed), 676);
        let mut auto = Game::with(rules.clone(), Clock::none(), seed);
        auto.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
        let told = auto.reports[0].iter().map(|report| serde_json::to_value(report).expect("JSON"));
        let placed = told.into_iter().find(|report| report["type"] == "deployed").expect("a deployment");
        // Sent by hand, it is legal too; with its ships in another order as well.
        let mut ships = placed["ships"].as_array().expect("ships").clone();
        ships.reverse();
        let mut by_hand = Game::with(rules, Clock::none(), seed);
        let mut deployment = json!({"type": "deploy", "ships": ships});
        if let Some(mines) = placed["mines"].as_array() {
            deployment["mines"] = mines.clone().into();
        }
        by_hand.play(Seat(0), &deployment).expect("legal");
        prop_assert_eq!(
            serde_json::to_value(by_hand.views[0].seas()).expect("JSON"),
            serde_json::to_value(auto.views[0].seas()).expect("JSON")
        );
    }

    #[test]
    fn names_of_cells_are_read_strictly(rows in 5u8..=26, columns in 5u8..=26, by_column: bool, text in "[A-Za-z]?[0-9]{0,3}") {
        let labels = if by_column { Labels::ColumnLetter } else { Labels::RowLetter };
        let board = Board { rows, columns, labels };
        for cell in board.iter() {
            prop_assert_eq!(board.parse(&board.label(cell)), Some(cell));
        }
        if let Some(cell) = board.parse(&text) {
            prop_assert_eq!(board.label(cell).to_string(), text, "one name for each cell");
        }
    }

    #[test]
    fn neighbours_do_not_wrap(rows in 5u8..=26, columns in 5u8..=26, cell in any::<prop::sample::Index>()) {
        let board = Board { rows, columns, labels: Labels::RowLetter };
        let cell = Cell(cell.index(usize::from(board.cells())) as u16);
        let near = |other: &Cell| {
            let (down, across) = (board.row(*other).abs_diff(board.row(cell)), board.column(*other).abs_diff(board.column(cell)));
            (down.max(across), down + across)
        };
        let all: CellSet = board.neighbours(cell).collect();
        let sides: CellSet = board.orthogonal(cell).collect();
        for other in board.iter() {
            prop_assert_eq!(all.contains(other), near(&other).0 == 1);
            prop_assert_eq!(sides.contains(other), near(&other).1 == 1);
        }
        prop_assert!(all.iter().eq(board.iter().filter(|other| all.contains(*other))), "a set is iterated in order");
    }
}

//! The laws of games for two to six seats, teams, handicaps and ends, over random rule sets: a second judge, written
//! from the prose, has the expected reports to every viewer, turns, losses of seats, and ends. (That nobody is told
//! more is checked in `secrecy.rs`.)
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
mod support;

#[path = "sides/judge.rs"]
mod judge;
#[path = "sides/seas.rs"]
mod seas;

use std::collections::BTreeSet;

use broadside_rules::{Clock, Dice, RuleSet, Seat, Setup, Variant};
use judge::Judge;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice, play_out, random_mix, same_again};

/// Rules that the judge knows, on small seas: any mix without mines and moving ships.
fn random(dice: &mut Dice) -> RuleSet {
    let mut small = || 5 + dice.below(3);
    let board = json!({"rows": small(), "columns": small(), "labels": "row-letter"});
    let weapons = judge::weapons::some(dice);
    random_mix(dice, |changes| {
        changes["board"] = board.clone();
        changes["mines"] = Value::Null;
        changes["weapons"] = weapons.clone();
        changes["relocation"] = json!("no");
        for limit in ["relocation_ships", "relocation_range"] {
            changes[limit] = Value::Null;
        }
        changes["relocation_damaged"] = json!(true);
        for class in changes["fleet"].as_array_mut().expect("classes") {
            class["sweeper"] = json!(false);
        }
    })
}

/// An act in a match: the seat and the action.
type Act = (usize, Value);

/// A match and the judge's account of it.
struct Watched {
    game: Game,
    judge: Judge,
    /// The reports to each viewer by the judge's account.
    told: Vec<Vec<Value>>,
}

impl Watched {
    fn open(rules: RuleSet, seed: u64) -> Self {
        let game = Game::open(Setup::new(rules, Clock::none()), dice(seed));
        let first = serde_json::to_value(&game.reports[0][0]).expect("JSON")["first"].as_u64().expect("a seat");
        let board = game.spectator().board();
        let judge = Judge::new(&game.setup.rules, &board, usize::from(game.setup.seats), first as usize);
        let told = vec![Vec::new(); game.views.len()];
        Self { game, judge, told }
    }

    /// Plays it in the engine; returns `false` when it is refused.
    fn play(&mut self, (seat, action): &Act) -> bool {
        self.game.play(Seat(*seat as u8), action).is_ok()
    }

    /// Plays it by the judge's account.
    fn follow(judge: &mut Judge, told: &mut [Vec<Value>], (seat, action): &Act) {
        match action["type"].as_str() {
            Some(kind @ ("fire" | "use-weapon")) => {
                let salvo = kind == "fire";
                let (answers, follows) =
                    if salvo { judge.fire(*seat, action) } else { judge.use_weapon(*seat, action) };
                for (told, mut answer) in told.iter_mut().zip(answers) {
                    answer.as_object_mut().expect("an object").extend(follows.as_object().expect("an object").clone());
                    told.push(answer);
                }
            }
            Some("resign") => {
                let follows = judge.leave(*seat);
                told.iter_mut().for_each(|told| told.extend(follows.clone()));
            }
            _ => {
                judge.deploy(*seat, action);
                for (viewer, told) in told.iter_mut().enumerate() {
                    let own = viewer < judge.seats && judge.side(viewer) == judge.side(*seat);
                    told.push(if own { action["ships"].clone() } else { Value::Null });
                }
            }
        }
    }

    /// The engine's report to a viewer in the last entry, in the judge's words.
    fn last(&self, viewer: usize, kind: &str) -> Option<Value> {
        let told = self.game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
        let report = told.into_iter().find(|report| report["type"] == kind)?;
        if kind == "deployed" {
            return Some(report["ships"].clone());
        }
        let kept =
            ["shots", "answer", "count", "hits", "hits_by_class", "sunk", "sunk_by_class", "next", "out", "round"];
        let map = report.as_object().expect("an object").iter();
        Some(Value::Object(
            map.filter(|(name, _)| kept.contains(&name.as_str())).map(|(n, v)| (n.clone(), v.clone())).collect(),
        ))
    }

    fn step(&mut self, act: &Act) -> Result<(), TestCaseError> {
        prop_assert!(self.play(act), "{:?} is refused", act);
        let before = self.told[0].len();
        Self::follow(&mut self.judge, &mut self.told, act);
        let kind = match act.1["type"].as_str() {
            Some("use-weapon") if act.1["weapon"] == "sonar" => "scanned",
            Some("fire" | "use-weapon") => "fired",
            Some("resign") => "withdrawn",
            _ => "deployed",
        };
        for (viewer, told) in self.told.iter().enumerate() {
            match told.get(before) {
                Some(told) => prop_assert_eq!(self.last(viewer, kind), Some(told.clone()), "viewer {}", viewer),
                None => prop_assert!(self.game.battle.status().is_over(), "nothing is told because it is over"),
            }
        }
        let over = self.game.battle.outcome().map(|outcome| {
            let place = |seat| u64::from(outcome.place_of(Seat(seat)).expect("a place"));
            (outcome.reason.word(), (0..self.game.setup.seats).map(place).collect::<Vec<u64>>())
        });
        prop_assert_eq!(over, self.judge.result.clone());
        let to_act: BTreeSet<usize> = self.game.battle.to_act().iter().map(Seat::index).collect();
        match self.judge.turn {
            Some(turn) => prop_assert_eq!(to_act, BTreeSet::from([turn])),
            None if self.judge.result.is_none() => prop_assert_eq!(to_act, self.judge.deploying()),
            None => prop_assert!(to_act.is_empty()),
        }
        let seas = |seat: usize| serde_json::to_string(&self.game.views[seat].seas()).expect("JSON");
        for (one, other) in [(0, 2), (1, 3), (0, 3)] {
            if other < self.judge.seats && self.judge.side(one) == self.judge.side(other) {
                prop_assert_eq!(seas(one), seas(other), "allies see what allies see");
            }
        }
        for view in &self.game.views {
            for seat in view.seats().iter().filter(|_| !view.status().is_over()) {
                let out = self.judge.out.contains(&seat.seat.index());
                prop_assert_eq!(serde_json::to_value(seat.state).expect("JSON"), if out { "out" } else { "playing" });
            }
        }
        Ok(())
    }

    /// The next act: mostly an example of one of the decisions, now and then resigning.
    fn next(&self, dice: &mut Dice) -> Option<Act> {
        let (seat, _) = self.game.required()?;
        let turn = self.judge.turn.is_some();
        if dice.below(if turn { 40 } else { 25 }) == 0 {
            let playing: Vec<usize> = (0..self.judge.seats).filter(|seat| !self.judge.out.contains(seat)).collect();
            return dice.pick(&playing).map(|seat| (*seat, json!({"type": "resign"})));
        }
        let decisions = self.game.view(seat).decisions(EXAMPLE_SEED);
        let required: Vec<_> = decisions.iter().filter(|decision| decision.required()).collect();
        let chosen = dice.pick(&required).expect("a decision");
        Some((seat.index(), serde_json::to_value(chosen.example()).expect("JSON")))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_second_judge_agrees(seed in any::<u64>()) {
        let mut dice = dice(seed);
        let mut watched = Watched::open(random(&mut dice), seed);
        let mut steps = 0;
        while let Some(act) = watched.next(&mut dice) {
            watched.step(&act)?;
            steps += 1;
            if steps % 25 == 0 {
                same_again(&watched.game);
            }
        }
        same_again(&watched.game);
        prop_assert!(watched.judge.result.is_some());
    }
}

#[test]
fn they_play_to_their_end() {
    let mut dice = dice(3);
    for seed in 0..40 {
        let rules = random(&mut dice);
        play_out(Game::with(rules, Clock::per_move(60), seed), 60);
    }
}

#[test]
fn contradictions_are_named() {
    let faults = |changes: Value| -> Vec<(String, &'static str)> {
        let read = RuleSet::customised(Variant::find("classic").expect("a variant"), &changes);
        let faults = read.err().unwrap_or_default();
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    };
    let mines = |min: u8| json!({"seats": {"min": min, "max": 3}, "mines": {"count": 2, "effect": "turn"}});
    for (changes, pointer, code) in [
        (json!({"seats": {"min": 4, "max": 3}}), "/seats/min", "conflicting-fields"),
        (json!({"seats": {"max": 7}}), "/seats/max", "out-of-range"),
        (json!({"teams": 2}), "/teams", "conflicting-fields"),
        (json!({"seats": {"min": 5, "max": 5}, "teams": 2}), "/teams", "conflicting-fields"),
        (json!({"seats": {"min": 2, "max": 4}, "teams": 2}), "/teams", "conflicting-fields"),
        (json!({"teams": 4}), "/teams", "out-of-range"),
        (json!({"team_seas": "common"}), "/team_seas", "conflicting-fields"),
        (
            json!({"seats": {"min": 4, "max": 4}, "teams": 2, "team_seas": "common", "relocation": "after-salvo"}),
            "/team_seas",
            "conflicting-fields",
        ),
        (json!({"seats": {"min": 6, "max": 6}, "teams": 2, "team_seas": "common"}), "/fleet", "fleet-too-large"),
        (
            json!({
                "seats": {"min": 4, "max": 4}, "teams": 2, "team_seas": "common",
                "fleet": [
                    {"class": "boat", "name": "Boat", "length": 1, "count": 8},
                    {"class": "raft", "name": "Raft", "length": 1, "count": 8},
                ],
            }),
            "/fleet",
            "too-many-ships",
        ),
        (mines(3), "/mines", "conflicting-fields"),
        (mines(2), "/mines", "conflicting-fields"),
        (json!({"handicaps": [{"seat": 2}]}), "/handicaps/0/seat", "conflicting-fields"),
        (json!({"handicaps": [{"seat": 0}, {"seat": 0}]}), "/handicaps/1/seat", "conflicting-fields"),
        (json!({"handicaps": [{"seat": 0, "salvo": 0}]}), "/handicaps/0/salvo", "out-of-range"),
        (
            json!({"handicaps": [{"seat": 1, "fleet": [{"class": "canoe", "count": 1}]}]}),
            "/handicaps/0/fleet/0/class",
            "unknown-value",
        ),
        (json!({"victory": {"kind": "ships", "ships": 6}}), "/victory/ships", "conflicting-fields"),
        (json!({"victory": {"kind": "points", "points": 18}}), "/victory/points", "conflicting-fields"),
        (
            json!({"victory": {"kind": "hits", "hits": 16}, "handicaps": [{"seat": 1, "fleet": [{"class": "destroyer", "count": 0}]}]}),
            "/victory/hits",
            "conflicting-fields",
        ),
        (
            json!({"sinking": false, "names_sunk": false, "victory": {"kind": "hits", "hits": 17}, "turn_limit": {"turns": 9, "by": "ships"}}),
            "/turn_limit/by",
            "conflicting-fields",
        ),
        (json!({"turn_limit": {"turns": 0, "by": "hits"}}), "/turn_limit/turns", "out-of-range"),
    ] {
        let named = faults(changes.clone());
        assert!(named.contains(&(pointer.to_owned(), code)), "{changes}: {named:?}");
    }
    assert_eq!(faults(json!({"seats": {"min": 6, "max": 6}, "teams": 3, "last_turn": true})), []);
}

#[test]
fn what_says_nothing_new_is_left_out() {
    let classic = Variant::find("classic").expect("a variant");
    let same =
        json!({"seats": {"min": 2, "max": 2}, "teams": null, "handicaps": [], "last_turn": false, "turn_limit": null});
    let rules = RuleSet::customised(classic, &same).expect("a rule set");
    assert_eq!(rules, classic.rule_set());
    let told = serde_json::to_value(&rules).expect("JSON");
    for name in ["seats", "teams", "handicaps", "last_turn", "turn_limit"] {
        assert!(told.get(name).is_none(), "{name}");
    }
    let other =
        RuleSet::customised(classic, &json!({"handicaps": [{"seat": 1, "salvo": 2}, {"seat": 0, "first_turns": 1}]}));
    let told = serde_json::to_value(other.expect("a rule set")).expect("JSON");
    assert_eq!(told["handicaps"], json!([{"seat": 0, "first_turns": 1}, {"seat": 1, "salvo": 2}]), "by seat");
}

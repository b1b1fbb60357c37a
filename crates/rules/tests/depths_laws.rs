//! The laws of the family `depths` as properties, over random rule sets and random play. Legal actions and expected
//! answers are computed here from the actions and reports, not by the crate.
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
#[path = "depths/books.rs"]
mod books;
#[path = "depths/judge.rs"]
mod judge;
mod support;

use books::Watched;
use broadside_rules::{Dice, Seat, legal};
use judge::Sheet;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice};

/// An action of any kind, of which many are wrong.
fn any_action(sheet: &Sheet, dice: &mut Dice) -> Value {
    let ships = ["heavy", "medium", "light"];
    let squares = (sheet.rows * sheet.columns) as u32;
    match dice.below(7) {
        0..3 => {
            let path: Vec<String> = (0..1 + dice.below(4))
                .map(|_| if dice.below(6) == 0 { "port".to_owned() } else { format!("{}", 1 + dice.below(squares)) })
                .collect();
            json!({"type": "move", "ship": ships[dice.index(3)], "path": path})
        }
        3 => json!({"type": "charge", "ship": ships[dice.index(3)], "depth": 100 + 100 * dice.below(3)}),
        4 => json!({"type": "torpedo", "target": ships[dice.index(3)], "line": format!("row-{}", 1 + dice.below(8))}),
        5 => {
            let line = ["1-36", "6-31", "2-7", "5-12", "25-32", "30-35", "1-25", "9-56"][dice.index(8)];
            json!({"type": "torpedo", "target": ships[dice.index(3)], "line": line})
        }
        _ => json!({"type": "end-turn"}),
    }
}

/// A short way in ignorance of obstacles: random steps of one square from the ship's place.
fn any_walk(watched: &Watched, seat: Seat, dice: &mut Dice) -> Value {
    let ids = ["heavy", "medium", "light"];
    let (id, sheet) = (ids[dice.index(3)], &watched.sheet);
    let mut at =
        watched.ships[seat.index()][id].at.unwrap_or((dice.below(sheet.rows as u32) as i32, sheet.columns - 1));
    let mut path = Vec::new();
    if watched.ships[seat.index()][id].at.is_none() {
        path.push(sheet.square_label(at));
    }
    for _ in 0..1 + dice.below(2) {
        at = (at.0 + dice.below(3) as i32 - 1, at.1 + dice.below(3) as i32 - 1);
        if !(0..sheet.rows).contains(&at.0) || at.1 < 0 {
            break;
        }
        path.push(if at.1 >= sheet.columns { "port".to_owned() } else { sheet.square_label(at) });
        if at.1 >= sheet.columns {
            break;
        }
    }
    json!({"type": "move", "ship": id, "path": path})
}

/// Every action among the choices of the seat's decisions.
fn listed(watched: &Watched, seat: Seat) -> Vec<Value> {
    let decisions = serde_json::to_value(watched.game.view(seat).decisions(EXAMPLE_SEED)).expect("JSON");
    let mut listed: Vec<Value> = Vec::new();
    for decision in decisions.as_array().expect("decisions") {
        let list = |name: &str| decision[name].as_array().cloned().unwrap_or_default();
        match decision["type"].as_str() {
            Some("move") => {
                for ship in list("ships") {
                    for way in ship["ways"].as_array().expect("ways") {
                        assert_eq!(way["path"].as_array().and_then(|path| path.last()), Some(&way["to"]));
                        listed.push(json!({"type": "move", "ship": ship["ship"], "path": way["path"]}));
                    }
                }
            }
            Some("charge") => {
                for ship in list("ships") {
                    listed.extend(
                        list("depths")
                            .iter()
                            .map(|depth| json!({"type": "charge", "ship": ship["ship"], "depth": depth})),
                    );
                }
            }
            Some("torpedo") => {
                listed.extend(
                    list("targets")
                        .iter()
                        .map(|way| json!({"type": "torpedo", "target": way["target"], "line": way["line"]})),
                );
            }
            Some("end-turn") => listed.push(json!({"type": "end-turn"})),
            _ => {}
        }
    }
    listed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_played_told_and_refused_is_what_the_sheet_says(seed in 0u64..1_000_000) {
        let mut watched = Watched::open(seed);
        let mut dice = dice(seed ^ 77);
        while let Some(seat) = watched.game.battle.to_act().iter().next() {
            for by in [seat, seat.other()] {
                for _ in 0..3 {
                    let action = if dice.below(2) == 0 { any_action(&watched.sheet, &mut dice) } else { any_walk(&watched, by, &mut dice) };
                    let told = broadside_rules::Action::parse(&watched.game.setup, &action)
                        .and_then(|action| legal(watched.game.view(by), &action));
                    prop_assert_eq!(told.is_ok(), watched.allows(by, &action), "{} by {:?}: {:?}", action, by, told);
                }
            }
            // Usually the first decision's example; now and then any other, or a random action.
            let decisions = watched.game.view(seat).decisions(EXAMPLE_SEED);
            let required: Vec<_> = decisions.iter().filter(|decision| decision.required()).collect();
            let chosen = if dice.below(4) == 0 { dice.index(required.len()) } else { 0 };
            let example = serde_json::to_value(required[chosen].example()).expect("JSON");
            let any = any_walk(&watched, seat, &mut dice);
            let action = if dice.below(5) == 0 && watched.allows(seat, &any) { any } else { example };
            prop_assert!(action["type"] == "depths-deploy" || watched.allows(seat, &action));
            watched.play(seat, &action);
            watched.check();
        }
        prop_assert!(watched.told.iter().any(|report| report["type"] == "depths-revealed"));
    }

    #[test]
    fn every_choice_of_a_decision_is_legal_and_none_is_left_out(seed in 0u64..1_000_000, steps in 0usize..60) {
        let mut watched = Watched::open(seed);
        for _ in 0..steps {
            let Some((seat, decision)) = watched.game.required() else { break };
            let action = serde_json::to_value(decision.example()).expect("JSON");
            watched.play(seat, &action);
        }
        let Some(seat) = watched.game.battle.to_act().iter().next() else { return Ok(()) };
        let listed = listed(&watched, seat);
        if watched.hidden.iter().any(Option::is_none) {
            prop_assert!(listed.is_empty());
            return Ok(());
        }
        for action in &listed {
            prop_assert!(watched.allows(seat, action), "{} is offered, but not allowed", action);
        }
        // Conversely, everything allowed is offered (of the ways to a square, one).
        let board = serde_json::to_value(watched.game.views[2].board()).expect("JSON");
        let lines = board["seas"][0]["lines"].as_array().expect("lines");
        for ship in ["heavy", "medium", "light"] {
            for depth in [100, 200, 300] {
                let action = json!({"type": "charge", "ship": ship, "depth": depth});
                prop_assert_eq!(watched.allows(seat, &action), listed.contains(&action), "{}", action);
            }
            for line in lines {
                let action = json!({"type": "torpedo", "target": ship, "line": line["id"]});
                prop_assert_eq!(watched.allows(seat, &action), listed.contains(&action), "{}", action);
            }
            let to = |action: &Value| action["path"].as_array().and_then(|path| path.last().cloned());
            let offered: Vec<Value> = listed.iter().filter(|action| action["ship"] == ship).filter_map(to).collect();
            for square in 1..=watched.sheet.rows * watched.sheet.columns {
                let single = json!({"type": "move", "ship": ship, "path": [format!("{square}")]});
                if watched.allows(seat, &single) {
                    prop_assert!(offered.contains(&json!(format!("{square}"))), "{} is left out", single);
                }
            }
        }
    }
}

#[test]
fn a_torpedo_hits_once_in_three_times() {
    let (mut hits, mut fired) = (0, 0);
    for seed in 0..150 {
        let mut game = Game::of("depths", seed);
        while let Some((seat, decision)) = game.required() {
            let decisions = serde_json::to_value(game.view(seat).decisions(EXAMPLE_SEED)).expect("JSON");
            let torpedo =
                decisions.as_array().expect("decisions").iter().find(|decision| decision["type"] == "torpedo");
            let action = torpedo.map_or_else(
                || serde_json::to_value(decision.example()).expect("JSON"),
                |torpedo| torpedo["example"].clone(),
            );
            game.play(seat, &action).expect("an example is legal");
        }
        for report in &game.reports[2] {
            let told = serde_json::to_value(report).expect("JSON");
            if told["type"] == "torpedoed" {
                fired += 1;
                hits += u32::from(told["hit"] == true);
            }
        }
    }
    let share = f64::from(hits) / f64::from(fired);
    let deviation = (2.0 / 9.0 / f64::from(fired)).sqrt();
    assert!(fired > 500 && (share - 1.0 / 3.0).abs() < 4.0 * deviation, "{hits} of {fired}");
}

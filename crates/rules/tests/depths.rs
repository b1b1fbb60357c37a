//! The worked cases of the family `depths`, from its rule sheet. Refusals are in `depths_refusals.rs`, the laws of
//! every game in `depths_laws.rs`, and whole games in plain text in `games/`.
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
#[path = "depths/moves.rs"]
mod moves;
mod support;

use broadside_rules::{Clock, RuleSet, Seat, Variant};
use moves::{FAR, RED, YELLOW, charge, end, game, is, plays, sail, timed, torpedo};
use serde_json::json;
use support::Game;

/// The marks of a sea in a viewer's view: kind and count by cell.
fn marks(game: &Game, viewer: usize, sea: usize) -> Vec<(String, String)> {
    let sea = serde_json::to_value(&game.views[viewer].seas()[sea]).expect("JSON");
    let mut marks: Vec<(String, String)> = sea["marks"]
        .as_array()
        .expect("marks")
        .iter()
        .map(|mark| {
            let kind = mark["kind"].as_str().expect("a kind");
            let count = mark["count"].as_u64().map_or(String::new(), |count| format!(" {count}"));
            (mark["cell"].as_str().expect("a cell").to_owned(), format!("{kind}{count}"))
        })
        .collect();
    marks.sort();
    marks
}

fn pegs(list: &[(&str, &[&str])]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = list
        .iter()
        .flat_map(|(kind, cells)| cells.iter().map(|cell| ((*cell).to_owned(), (*kind).to_owned())))
        .collect();
    all.sort();
    all
}

#[test]
fn a_charge_on_14_at_200() {
    let answer = |variant: &str, cell: &str| {
        let others: Vec<&str> = ["34@300", "35@300", "36@300"].into_iter().filter(|other| *other != cell).collect();
        let mut game = game(variant, json!({}), FAR, (&[cell, others[0], others[1]], "1"));
        plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), end()]);
        plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
        let told = plays(&mut game, RED, &[sail("heavy", &["15", "14"]), charge("heavy", 200)]);
        (told["answer"].as_str().expect("an answer").to_owned(), told["near"].as_u64())
    };
    for square in 1..=36 {
        for depth in [100, 200, 300] {
            let cell = format!("{square}@{depth}");
            if square == 1 {
                continue; // The mine lies there.
            }
            let expected = |variant| match (square, depth, variant) {
                (14, 200, _) => ("hit".to_owned(), None),
                (8 | 13 | 15 | 20, 200, _) | (14, 100 | 300, "depths") => ("near".to_owned(), Some(1)),
                (7 | 9 | 19 | 21, 200, "depths-blast") => ("near".to_owned(), Some(1)),
                _ => ("miss".to_owned(), None),
            };
            for variant in ["depths", "depths-blast"] {
                assert_eq!(answer(variant, &cell), expected(variant), "{variant}, {cell}");
            }
        }
    }
}

#[test]
fn edges_do_not_wrap() {
    // 6's neighbours are 5 and 12; 12 and 13 are none.
    let mut game = game("depths", json!({}), FAR, (&["5@100", "12@100", "7@100"], "1"));
    let told = plays(&mut game, RED, &[sail("heavy", &["12", "6"]), charge("heavy", 100)]);
    assert_eq!((told["answer"].as_str(), told["near"].as_u64()), (Some("near"), Some(2)));
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    is(&mut game, RED, sail("heavy", &["7"]), &[("/path/0", "path-broken")]);
    is(&mut game, RED, sail("heavy", &["12", "13"]), &[("/path/1", "path-broken")]);
}

#[test]
fn charges_run_out_and_port_fills_them() {
    let mut game = game("depths", json!({}), FAR, FAR);
    let pass = |game: &mut Game, n: usize| {
        let square = if n.is_multiple_of(2) { "12" } else { "18" };
        plays(game, YELLOW, &[sail("light", &[square]), end()]);
    };
    let charges = |game: &Game| {
        let sea = serde_json::to_value(&game.views[1].seas()[1]).expect("JSON");
        let ship =
            sea["ships"].as_array().expect("ships").iter().find(|ship| ship["id"] == "light").expect("a ship").clone();
        (
            ship["stats"][0]["value"].as_u64(),
            ship["stats"][0]["max"].as_u64(),
            ship["traits"].clone(),
            ship["cells"].clone(),
        )
    };
    assert_eq!(charges(&game), (Some(2), Some(2), json!(["in-port"]), json!(["port"])));
    plays(&mut game, RED, &[sail("light", &["12", "11"]), charge("light", 100), end()]);
    pass(&mut game, 0);
    plays(&mut game, RED, &[charge("light", 200), end()]);
    pass(&mut game, 1);
    assert_eq!(charges(&game), (Some(0), Some(2), json!([]), json!(["11"])));
    is(&mut game, RED, charge("light", 300), &[("/ship", "no-charge-left")]);
    // From 11 by 12, an arrow, into port: two squares; rearmed at once, but no charge in port.
    plays(&mut game, RED, &[sail("light", &["12", "port"])]);
    assert_eq!(charges(&game), (Some(2), Some(2), json!(["in-port"]), json!(["port"])));
    is(&mut game, RED, charge("light", 300), &[("/ship", "ship-in-port")]);
    is(&mut game, RED, sail("light", &["30"]), &[("", "already-moved")]);
    plays(&mut game, RED, &[end()]);
    pass(&mut game, 2);
    plays(&mut game, RED, &[sail("light", &["30"]), charge("light", 300)]);
    assert_eq!(charges(&game), (Some(1), Some(2), json!([]), json!(["30"])));
}

#[test]
fn a_mine_takes_who_stops_on_it() {
    let mut game = game(
        "depths",
        json!({"torpedo_hits": {"hits": 1, "of": 1}}),
        (&["6@100", "6@200", "9@300"], "36"),
        (&["1@100", "2@100", "3@100"], "14"),
    );
    plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // Passing over it has no effect.
    assert_eq!(plays(&mut game, RED, &[sail("heavy", &["15", "14", "13"])])["mine"], false);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    assert!(!marks(&game, 2, 1).iter().any(|(_, kind)| kind == "mine"), "nobody but yellow knows the mine");
    assert!(marks(&game, 1, 1).contains(&("14@100".into(), "mine".into())), "yellow does");
    assert_eq!(plays(&mut game, RED, &[sail("heavy", &["14"])])["mine"], true);
    assert!(marks(&game, 2, 1).contains(&("14@100".into(), "mine".into())), "now everybody does");
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-sunk")]);
    is(&mut game, RED, charge("medium", 100), &[("/ship", "wrong-ship")]);
    is(&mut game, YELLOW, end(), &[("", "not-your-turn")]);
    // Its side may still fire, and the mine is gone.
    assert_eq!(plays(&mut game, RED, &[torpedo("heavy", "row-2")])["hit"], true);
    plays(&mut game, RED, &[end()]);
    plays(&mut game, YELLOW, &[sail("medium", &["12"]), end()]);
    plays(&mut game, RED, &[sail("medium", &["18", "17", "16"]), end()]);
    plays(&mut game, YELLOW, &[sail("medium", &["11"]), end()]);
    assert_eq!(plays(&mut game, RED, &[sail("medium", &["15", "14"])])["mine"], false);
}

#[test]
fn one_torpedo_answers_the_mine() {
    // Three submarines of red lie in row 2, where yellow's heavy ship arrives.
    let red: (&[&str], &str) = (&["12@100", "12@200", "9@300"], "36");
    let fired = |changes: serde_json::Value| {
        let mut rules = json!({"torpedo_hits": {"hits": 0, "of": 1}});
        rules.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        let mut game = game("depths", rules, red, (&["1@100", "2@100", "3@100"], "18"));
        plays(&mut game, RED, &[sail("light", &["30"]), end()]);
        plays(&mut game, YELLOW, &[sail("heavy", &["12", "11"]), end()]);
        assert_eq!(plays(&mut game, RED, &[sail("heavy", &["18"])])["mine"], true);
        (1..).find(|_| game.play(RED, &torpedo("heavy", "row-2")).is_err()).expect("at last") - 1
    };
    assert_eq!(fired(json!({})), 1, "the mine 2: a torpedo of one submarine");
    assert_eq!(fired(json!({"after_mine": "as-usual"})), 3);
    assert_eq!(fired(json!({"after_mine": "as-usual", "torpedoes": "one"})), 1, "play 4 c");
}

#[test]
fn a_charge_or_a_torpedo_without_a_move() {
    let red: (&[&str], &str) = (&["12@100", "8@200", "9@300"], "36");
    let rules = |without_move: &str| json!({"torpedo_hits": {"hits": 0, "of": 1}, "without_move": without_move});
    let after = |without_move: &str| {
        let mut game = game("depths", rules(without_move), red, FAR);
        plays(&mut game, RED, &[sail("light", &["30"]), end()]);
        plays(&mut game, YELLOW, &[sail("heavy", &["12", "11"]), end()]);
        plays(&mut game, RED, &[charge("light", 100)]);
        game
    };
    plays(&mut after("charge-and-torpedo"), RED, &[torpedo("heavy", "row-2")]);
    let mut or = after("charge-or-torpedo");
    is(&mut or, RED, torpedo("heavy", "row-2"), &[("", "no-torpedo-left")]);
    plays(&mut or, RED, &[end()]);
    plays(&mut or, YELLOW, &[sail("light", &["30"]), end()]);
    // A move that comes back to its start is a move: then there are both.
    let both = [sail("light", &["24", "30"]), charge("light", 100), torpedo("heavy", "row-2")];
    plays(&mut or, RED, &both);
    // Torpedoes without a move are as many as ever.
    plays(&mut or, RED, &[end()]);
    plays(&mut or, YELLOW, &[sail("light", &["24"]), end()]);
    plays(&mut or, RED, &[torpedo("heavy", "row-2"), torpedo("heavy", "row-2")]);
}

#[test]
fn the_arrows_follow_the_size_of_the_sea() {
    let arrows = |changes: serde_json::Value| {
        let rules = RuleSet::customised(Variant::find("depths").expect("a variant"), &changes).expect("a rule set");
        serde_json::to_value(&rules).expect("JSON")["arrows"].clone()
    };
    assert_eq!(arrows(json!({})), json!([12, 18, 24, 30]));
    assert_eq!(arrows(json!({"rows": 6})), json!([12, 18, 24, 30]));
    assert_eq!(arrows(json!({"columns": 9})), json!([18, 27, 36, 45]));
    assert_eq!(arrows(json!({"rows": 5})), json!([6, 12, 18, 24]), "one row nearer to the top");
    assert_eq!(arrows(json!({"rows": 12, "columns": 7})), json!([35, 42, 49, 56]));
    assert_eq!(arrows(json!({"rows": 12, "columns": 7, "arrows": [84, 7]})), json!([84, 7]), "unless they are named");
}

#[test]
fn who_is_out_cannot_act_and_the_end_is_at_once() {
    let rules = json!({"torpedo_hits": {"hits": 1, "of": 1}});
    let mut game = game("depths", rules, FAR, (&["12@100", "18@100", "24@100"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["12"]), end()]);
    plays(&mut game, YELLOW, &[torpedo("heavy", "column-6"), end()]);
    is(&mut game, RED, sail("heavy", &["11"]), &[("/ship", "ship-sunk")]);
    is(&mut game, RED, charge("heavy", 100), &[("/ship", "ship-sunk")]);
    // The place of the sinking is free.
    plays(&mut game, RED, &[sail("medium", &["12"]), end()]);
    is(&mut game, YELLOW, torpedo("heavy", "column-6"), &[("/target", "ship-sunk")]);
    plays(&mut game, YELLOW, &[torpedo("medium", "row-2"), end()]);
    plays(&mut game, RED, &[sail("light", &["24"]), end()]);
    let last = plays(&mut game, YELLOW, &[torpedo("light", "row-4")]);
    assert_eq!(last["type"], "depths-revealed");
    let outcome = serde_json::to_value(game.battle.outcome()).expect("JSON");
    assert_eq!(
        outcome,
        json!({"reason": "fleet", "winner": 1, "places": [{"seat": 1, "place": 1}, {"seat": 0, "place": 2}]})
    );
    is(&mut game, YELLOW, end(), &[("", "match-over")]);
    let seas = serde_json::to_value(game.views[2].seas()).expect("JSON");
    assert_eq!(seas[1]["ships"][0]["cells"], json!(["12@100"]), "in the end everybody sees what lay there");
    assert_eq!(
        seas[1]["ships"][3],
        json!({
            "id": "heavy", "seat": 0, "class": "heavy", "name": "Heavy ship", "length": 1, "cells": [], "hits": 1, "afloat": false,
            "stats": [{"name": "charges", "value": 4, "max": 4}], "traits": [],
        })
    );
}

#[test]
fn the_limit_counts_what_is_afloat() {
    let shuttle = |game: &mut Game, seat: Seat, ship: &str, turn: usize| {
        let path = if turn.is_multiple_of(2) { ["30"] } else { ["24"] };
        plays(game, seat, &[sail(ship, &path), end()]);
    };
    // Nothing lost: a draw, and both are first.
    let mut even = game("depths", json!({"turns": 50}), FAR, FAR);
    for turn in 0..50 {
        shuttle(&mut even, RED, "light", turn);
        assert!(even.battle.outcome().is_none());
        shuttle(&mut even, YELLOW, "light", turn);
    }
    let outcome = serde_json::to_value(even.battle.outcome()).expect("JSON");
    let places = json!([{"seat": 0, "place": 1}, {"seat": 1, "place": 1}]);
    assert_eq!(outcome, json!({"reason": "limit", "winner": null, "places": places}));
    // Red has lost a ship on the mine: yellow wins.
    let mut uneven = game("depths", json!({"turns": 50}), FAR, (&["1@100", "2@100", "3@100"], "12"));
    plays(&mut uneven, RED, &[sail("heavy", &["12"]), end()]);
    shuttle(&mut uneven, YELLOW, "light", 0);
    for turn in 1..50 {
        shuttle(&mut uneven, RED, "light", turn - 1);
        shuttle(&mut uneven, YELLOW, "light", turn);
    }
    let outcome = serde_json::to_value(uneven.battle.outcome()).expect("JSON");
    assert_eq!((&outcome["reason"], &outcome["winner"]), (&json!("limit"), &json!(1)));
}

#[test]
fn two_hundred_turns_each_are_the_limit_of_the_sheets_game() {
    let mut game = game("depths", json!({}), FAR, FAR);
    for turn in 0..200 {
        for seat in [RED, YELLOW] {
            assert!(game.battle.outcome().is_none(), "turn {turn}");
            let path = if turn % 2 == 0 { ["30"] } else { ["24"] };
            plays(&mut game, seat, &[sail("light", &path), end()]);
        }
    }
    let outcome = serde_json::to_value(game.battle.outcome()).expect("JSON");
    assert_eq!((&outcome["reason"], &outcome["winner"]), (&json!("limit"), &json!(null)));
    is(&mut game, RED, sail("light", &["24"]), &[("", "match-over")]);
}

#[test]
fn the_tracking_grid_is_kept() {
    // 15@100 and 26@300 are near red's charge; 36@300 is not.
    let mut game = game("depths", json!({}), FAR, (&["15@100", "26@300", "36@300"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["18", "17", "16"]), charge("heavy", 100), end()]);
    let near = [("sighted 1", &["16@100"][..]), ("near", &["10@100", "15@100", "17@100", "22@100", "16@200"])];
    assert_eq!(marks(&game, 0, 1), pegs(&near));
    assert_eq!(marks(&game, 2, 1), pegs(&near), "everybody can keep it");
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    // A miss: white beside it, and the red pegs there are white now.
    plays(&mut game, RED, &[sail("heavy", &["17"]), charge("heavy", 200), end()]);
    let missed = [
        ("sighted 1", &["16@100"][..]),
        ("near", &["10@100", "15@100", "22@100"]),
        ("miss", &["17@200"]),
        ("excluded", &["11@200", "16@200", "18@200", "23@200", "17@100", "17@300"]),
    ];
    assert_eq!(marks(&game, 0, 1), pegs(&missed));
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    // A hit: a flag, and the red pegs that this submarine accounts for are white.
    plays(&mut game, RED, &[sail("heavy", &["16", "15"]), charge("heavy", 100), end()]);
    let hit = [
        ("sighted 1", &["16@100"][..]),
        ("sunk", &["15@100"]),
        ("miss", &["17@200"]),
        ("excluded", &["10@100", "22@100", "11@200", "16@200", "18@200", "23@200", "17@100", "17@300"]),
    ];
    assert_eq!(marks(&game, 0, 1), pegs(&hit));
    // Only yellow sees which of the three it was.
    let afloat = |viewer: usize| {
        let sea = serde_json::to_value(&game.views[viewer].seas()[1]).expect("JSON");
        sea["ships"].as_array().expect("ships")[..3]
            .iter()
            .map(|ship| (ship["afloat"].clone(), ship["cells"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(afloat(0), [(json!(false), json!(null)), (json!(true), json!(null)), (json!(true), json!(null))]);
    assert_eq!(afloat(1)[0], (json!(false), json!(["15@100"])));
    assert_eq!(game.views[0].seas()[1].hits, 1);
}

#[test]
fn a_red_peg_stays_while_a_near_miss_stands_beside_it() {
    // 9@100 and 15@100 are both near 10@100 and 16@100, and each other.
    let mut game = game("depths", json!({}), FAR, (&["9@100", "15@100", "36@300"], "1"));
    plays(&mut game, RED, &[sail("heavy", &["12", "11", "10"]), charge("heavy", 100), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["12"]), end()]);
    plays(&mut game, RED, &[sail("heavy", &["16"]), charge("heavy", 100), end()]);
    plays(&mut game, YELLOW, &[sail("heavy", &["11"]), end()]);
    plays(&mut game, RED, &[sail("heavy", &["15"]), charge("heavy", 100), end()]);
    // 16's answer told of 15; 10's is still to be found: in 4, 9 or 11, or below 10.
    let marks = marks(&game, 0, 1);
    let of = |kind: &str| marks.iter().filter(|mark| mark.1 == kind).map(|mark| mark.0.as_str()).collect::<Vec<_>>();
    assert_eq!(of("near"), ["10@200", "11@100", "4@100", "9@100"]);
    assert_eq!(of("excluded"), ["16@200", "17@100", "22@100"]);
    assert_eq!(of("sunk"), ["15@100"]);
}

#[test]
fn a_turn_of_many_steps_is_one_move_for_the_clock() {
    let clock =
        Clock::parse(&json!({"kind": "bank", "initial_s": 100, "increment_s": 10, "cap_s": 500})).expect("a clock");
    let mut game = timed("depths", json!({}), clock, FAR, FAR);
    let (began, deadline) = (game.now, game.battle.deadline());
    for step in [sail("heavy", &["18", "17"]), charge("heavy", 100)] {
        game.now = game.now.plus_s(19);
        plays(&mut game, RED, &[step]);
        assert_eq!(game.battle.deadline(), deadline, "the clock runs on");
        assert_eq!(game.spectator().deadline(), deadline);
    }
    plays(&mut game, RED, &[end()]);
    // The bank runs from the second in which the battle began.
    let used = game.now.millis_since(began) as u32 / 1000;
    let left = game.spectator().seats()[RED.index()].time_left_s.expect("a bank");
    assert_eq!(left, 100 - used + 10, "one increment for the whole turn");
}

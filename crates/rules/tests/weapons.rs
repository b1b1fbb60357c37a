//! Special weapons: their reach, reports, presentation and refusals.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{
    Action, Clock, RuleSet, Seat, Setup, Status, Variant,
    families::{
        self,
        gunnery::{
            action::Action as GunneryAction,
            using::{UseWeaponAction, UseWeaponTag},
            weapons::Direction,
        },
    },
    legal,
    text::{ClassId, Label},
};
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice};

const RED: Seat = Seat(0);
const BLUE: Seat = Seat(1);

fn rules(changes: &Value) -> Result<RuleSet, Vec<(String, &'static str)>> {
    let told =
        |faults: Vec<broadside_rules::Fault>| faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect();
    RuleSet::customised(Variant::find("classic").expect("a variant"), changes).map_err(told)
}

/// A line of three on A1 to A3 and a boat of one on C3, for each seat, with these changes.
fn open(mut changes: Value) -> Game {
    changes["first"] = json!("creator");
    changes["fleet"] = json!([
        {"class": "cruiser", "name": "Cruiser", "length": 3, "count": 1},
        {"class": "boat", "name": "Boat", "length": 1, "count": 1},
    ]);
    let mut game = Game::open(Setup::new(rules(&changes).expect("legal rules"), Clock::none()), dice(1));
    let ships = json!([{"ship": "cruiser", "cells": ["A1", "A2", "A3"]}, {"ship": "boat", "cells": ["C3"]}]);
    for seat in (0..game.setup.seats).map(Seat) {
        game.play(seat, &json!({"type": "deploy", "ships": ships})).expect("legal");
    }
    game
}

fn weapon(effect: &str, more: Value) -> Value {
    let mut weapon = json!({"weapon": effect, "name": effect, "effect": effect, "uses": 3});
    weapon.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    weapon
}

fn aim(weapon: &str, cell: &str) -> Value {
    json!({"type": "use-weapon", "weapon": weapon, "cell": cell})
}

fn line(cell: &str, direction: &str) -> Value {
    json!({"type": "use-weapon", "weapon": "line", "cell": cell, "direction": direction})
}

fn last(game: &Game, viewer: usize, kind: &str) -> Value {
    let reports = game.reports[viewer].iter().rev().map(|report| serde_json::to_value(report).expect("JSON"));
    reports.into_iter().find(|report| report["type"] == kind).expect("such a report")
}

fn struck(game: &Game) -> String {
    let told = last(game, 2, "fired");
    let shots = told["shots"].as_array().expect("shots").iter();
    shots.map(|shot| format!("{} {}", shot["cell"], shot["answer"])).collect::<Vec<_>>().join(", ").replace('"', "")
}

/// The marks of these kinds that the viewer sees in blue's sea.
fn marks(game: &Game, viewer: usize, kinds: &[&str]) -> Vec<String> {
    let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    let marks = seas[1]["marks"].as_array().expect("marks").iter();
    let of_kind = marks.filter(|mark| kinds.iter().any(|kind| mark["kind"] == *kind));
    of_kind.map(|mark| mark["cell"].as_str().expect("a cell").to_owned()).collect()
}

fn next(game: &Game) -> Vec<Seat> {
    game.battle.to_act().iter().collect()
}

fn code(game: &mut Game, seat: Seat, action: &Value) -> &'static str {
    game.play(seat, action).expect_err("refused").code
}

#[test]
fn rule_sets_in_which_weapons_make_no_sense_are_refused() {
    let refused = |weapons: Value, expected: &[(&str, &str)]| {
        let told = rules(&json!({"weapons": weapons})).expect_err("refused");
        let told: Vec<(&str, &str)> = told.iter().map(|(at, code)| (at.as_str(), *code)).collect();
        assert_eq!(told, expected, "{weapons}");
    };
    let square = json!({"pattern": ["xxx", "xxx", "xxx"]});
    refused(json!(vec![weapon("distance", json!({})); 9]), &[("/weapons", "out-of-range")]);
    refused(json!(vec![weapon("distance", json!({})); 2]), &[("/weapons/1/weapon", "duplicate-weapon")]);
    refused(json!([weapon("distance", json!({"uses": 21}))]), &[("/weapons/0/uses", "out-of-range")]);
    refused(json!([weapon("distance", json!({"reload": 21}))]), &[("/weapons/0/reload", "out-of-range")]);
    refused(json!([weapon("distance", square.clone())]), &[("/weapons/0/pattern", "unknown-field")]);
    refused(
        json!([weapon("line", square.clone())]),
        &[("/weapons/0/pattern", "unknown-field"), ("/weapons/0/range", "missing-field")],
    );
    refused(json!([weapon("line", json!({"range": 27}))]), &[("/weapons/0/range", "out-of-range")]);
    refused(json!([weapon("area", json!({}))]), &[("/weapons/0/pattern", "missing-field")]);
    for pattern in [json!([]), json!(["xx"]), json!(["x", "x"]), json!(["..."]), json!(["x", "xxx", "x"])] {
        refused(json!([weapon("area", json!({"pattern": pattern}))]), &[("/weapons/0/pattern", "out-of-range")]);
    }
    refused(json!([weapon("area", json!({"pattern": ["xxxxxxx"]}))]), &[("/weapons/0/pattern", "out-of-range")]);
    refused(json!([weapon("area", json!({"pattern": ["#"]}))]), &[("/weapons/0/pattern", "out-of-range")]);
    refused(json!([weapon("area", json!({"pattern": [1]}))]), &[("/weapons/0/pattern", "out-of-range")]);
    let downed = json!({"pattern": ["x"], "downed_by": "carrier"});
    refused(json!([weapon("area", downed)]), &[("/weapons/0/downed_by", "unknown-field")]);
    let strange = json!({"pattern": ["x"], "downed_by": "gull", "carrier": "raft"});
    refused(
        json!([weapon("count", strange)]),
        &[("/weapons/0/carrier", "unknown-value"), ("/weapons/0/downed_by", "unknown-value")],
    );
    refused(json!([weapon("shout", json!({}))]), &[("/weapons/0/effect", "unknown-value")]);
    let never_sinks = json!({
        "sinking": false, "names_sunk": false, "victory": {"kind": "hits", "hits": 5},
        "weapons": [weapon("distance", json!({"carrier": "carrier"}))],
    });
    assert_eq!(rules(&never_sinks), Err(vec![("/weapons/0/carrier".into(), "conflicting-fields")]));
    let told = serde_json::to_value(rules(&json!({"weapons": []})).expect("legal")).expect("JSON");
    assert!(told.get("weapons").is_none(), "left out where there are none");
    let plain = json!([weapon("distance", json!({"reload": 0, "carrier": null}))]);
    let told = serde_json::to_value(rules(&json!({"weapons": plain})).expect("legal")).expect("JSON");
    assert_eq!(told["weapons"], json!([weapon("distance", json!({}))]), "and so is what says nothing");
}

#[test]
fn an_area_leaves_out_what_was_tried_and_what_is_no_water() {
    let islands = json!({"cells": ["B1"], "drawn": 0, "size": 1, "contact": "allowed"});
    let mut game =
        open(json!({"islands": islands, "weapons": [weapon("area", json!({"pattern": ["xxx", "x.x", "xxx"]}))]}));
    game.fire(RED, &["A2"]).expect("legal");
    game.fire(BLUE, &["J1"]).expect("legal");
    game.play(RED, &aim("area", "B1")).expect("legal: the middle of this pattern is not fired at");
    assert_eq!(struck(&game), "A1 hit, B2 miss, C1 miss, C2 miss");
    assert_eq!(last(&game, 0, "fired")["weapon"], json!({"weapon": "area", "cell": "B1"}));
    assert_eq!(next(&game), [BLUE]);
    game.fire(BLUE, &["J2"]).expect("legal");
    assert_eq!(code(&mut game, RED, &aim("area", "B1")), "nothing-in-reach");
    let told = serde_json::to_value(game.views[0].decisions(EXAMPLE_SEED)).expect("JSON");
    let offered = told.as_array().expect("decisions").iter().find(|one| one["type"] == "use-weapon").expect("one");
    // Around A1 and B1 there is nothing new left.
    let all = ["xxxxxxxxxx"; 8].map(Value::from);
    let rows = [json!(".xxxxxxxxx"), json!(".xxxxxxxxx")].into_iter().chain(all).collect::<Value>();
    assert_eq!(offered["aims"], json!([{ "rows": rows }]));
    assert_eq!(offered["pattern"], json!(["xxx", "x.x", "xxx"]));
}

#[test]
fn a_line_stops_at_ships_islands_mines_and_the_edge() {
    let islands = json!({"cells": ["E5"], "drawn": 0, "size": 1, "contact": "allowed"});
    let torpedo = json!([weapon("line", json!({"range": 4, "uses": 9}))]);
    let mut game = open(json!({"islands": islands, "weapons": torpedo, "turn": "while-missing"}));
    for (action, expected) in [
        (line("E3", "east"), "E3 miss, E4 miss"),
        (line("B10", "north"), "B10 miss, A10 miss"),
        (line("H1", "east"), "H1 miss, H2 miss, H3 miss, H4 miss"),
        (line("E2", "east"), "E2 miss"),
    ] {
        game.play(RED, &action).expect("legal");
        assert_eq!(struck(&game), expected);
        assert_eq!(next(&game), [RED], "a miss lets red go on in this game");
    }
    assert_eq!(code(&mut game, RED, &line("E5", "east")), "nothing-in-reach");
    assert_eq!(code(&mut game, RED, &line("E4", "east")), "nothing-in-reach");
    assert_eq!(code(&mut game, RED, &aim("line", "D1")), "missing-field");
    game.play(RED, &line("D3", "north")).expect("legal");
    assert_eq!(struck(&game), "D3 miss, C3 sunk");
    assert_eq!(next(&game), [BLUE], "a hit passes the turn in this game");
    game.fire(BLUE, &["A1"]).expect("legal");
    // C3 and D3 were shot at: B3 is the third cell, A3 the fourth.
    game.play(RED, &line("D3", "north")).expect("legal");
    assert_eq!(struck(&game), "B3 miss, A3 hit");
}

#[test]
fn a_mine_stops_a_line_and_is_paid_for() {
    let mut changes =
        json!({"mines": {"count": 1, "effect": "turn"}, "weapons": [weapon("line", json!({"range": 9}))]});
    changes["first"] = json!("creator");
    changes["fleet"] = json!([{"class": "boat", "name": "Boat", "length": 1, "count": 1}]);
    let mut game = Game::open(Setup::new(rules(&changes).expect("legal rules"), Clock::none()), dice(1));
    for seat in [RED, BLUE] {
        let ships = json!([{"ship": "boat", "cells": ["J9"]}]);
        game.play(seat, &json!({"type": "deploy", "ships": ships, "mines": ["J3"]})).expect("legal");
    }
    game.play(RED, &line("J1", "east")).expect("legal");
    assert_eq!(struck(&game), "J1 miss, J2 miss, J3 mine");
    game.fire(BLUE, &["A1"]).expect("legal");
    assert_eq!(next(&game), [BLUE], "red has lost a turn");
}

#[test]
fn what_is_found_is_marked_for_everybody() {
    let weapons = json!([
        weapon("reveal", json!({"pattern": ["xxx"]})),
        weapon("count", json!({"pattern": ["xxx", "xxx", "xxx"]})),
        weapon("distance", json!({})),
    ]);
    let mut game = open(json!({"weapons": weapons, "turn": "while-missing", "first": "creator"}));
    game.play(RED, &aim("reveal", "A4")).expect("legal");
    assert_eq!(next(&game), [BLUE], "it ends the turn, though a miss would not");
    for viewer in 0..3 {
        assert_eq!(last(&game, viewer, "scanned")["occupied"], json!(["A3"]));
        assert_eq!(marks(&game, viewer, &["seen"]), ["A3"]);
        assert_eq!(marks(&game, viewer, &["excluded"]), ["A4", "A5"]);
    }
    assert_eq!(code(&mut game, BLUE, &json!({"type": "abort"})), "too-late-to-abort");
    game.play(BLUE, &aim("count", "H8")).expect("legal");
    game.play(RED, &aim("count", "B2")).expect("legal");
    assert_eq!(last(&game, 2, "scanned")["count"], 4);
    assert_eq!(marks(&game, 2, &["aimed"]), ["B2"], "a number above none says nothing of single cells");
    game.play(BLUE, &aim("distance", "A1")).expect("legal");
    assert_eq!(last(&game, 0, "scanned")["count"], 1, "the cell itself is one step away");
    game.play(RED, &aim("distance", "E5")).expect("legal");
    assert_eq!(last(&game, 2, "scanned")["count"], 2);
    let empty = marks(&game, 2, &["excluded"]);
    assert_eq!(empty, ["A4", "A5", "D4", "D5", "D6", "E4", "E5", "E6", "F4", "F5", "F6"]);
    game.fire(BLUE, &["A1"]).expect("legal");
    // A shot replaces a sighting.
    game.fire(RED, &["A3"]).expect("legal");
    assert!(marks(&game, 0, &["seen"]).is_empty());
    let supplies = &serde_json::to_value(game.views[2].seas()).expect("JSON")[0]["supplies"];
    let left: Vec<u64> =
        supplies.as_array().expect("supplies").iter().map(|one| one["remaining"].as_u64().expect("a number")).collect();
    assert_eq!(left, [2, 2, 2]);
    assert_eq!(supplies[0], json!({"seat": 0, "id": "reveal", "name": "reveal", "remaining": 2, "max": 3, "wait": 0}));
}

#[test]
fn what_was_seen_is_forgotten_when_ships_may_have_moved() {
    let weapons = json!([weapon("reveal", json!({"pattern": ["xxx"]})), weapon("distance", json!({}))]);
    let mut game = open(json!({"weapons": weapons, "relocation": "after-salvo"}));
    game.play(RED, &aim("reveal", "A4")).expect("legal");
    assert_eq!(next(&game), [BLUE], "it is no salvo: nobody moves");
    assert_eq!(code(&mut game, BLUE, &json!({"type": "relocate", "ships": []})), "wrong-phase");
    game.play(BLUE, &aim("distance", "J10")).expect("legal");
    assert_eq!(marks(&game, 2, &["seen"]), ["A3"]);
    game.fire(RED, &["J1"]).expect("legal");
    game.play(BLUE, &json!({"type": "relocate", "ships": []})).expect("legal");
    assert!(marks(&game, 2, &["seen", "excluded"]).is_empty());
}

#[test]
fn a_plane_is_shot_down_by_ships_afloat() {
    let weapons = json!([weapon("reveal", json!({"pattern": ["xxx"], "downed_by": "boat", "uses": 2}))]);
    let mut game = open(json!({"weapons": weapons}));
    game.fire(RED, &["C3"]).expect("legal");
    game.play(BLUE, &aim("reveal", "C4")).expect("legal");
    let told = last(&game, 2, "scanned");
    assert!(told["shot_down"] == true && told.get("occupied").is_none(), "{told}");
    // Blue's boat is sunk.
    game.play(RED, &aim("reveal", "C4")).expect("legal");
    assert_eq!(last(&game, 2, "scanned")["occupied"], json!(["C3"]));
    assert_eq!(code(&mut game, BLUE, &aim("reveal", "A1")), "weapon-spent");
}

#[test]
fn a_weapon_waits_and_is_lost_with_its_carrier() {
    let weapons = json!([weapon("distance", json!({"reload": 1, "carrier": "boat"}))]);
    let mut game = open(json!({"weapons": weapons}));
    game.play(RED, &aim("distance", "E5")).expect("legal");
    game.fire(BLUE, &["J1"]).expect("legal");
    let refused = game.play(RED, &aim("distance", "E5")).expect_err("refused");
    assert_eq!((refused.code, refused.faults[0].pointer.as_str()), ("weapon-reloading", "/weapon"));
    game.fire(RED, &["J1"]).expect("legal");
    game.fire(BLUE, &["J2"]).expect("legal");
    game.play(RED, &aim("distance", "E5")).expect("legal");
    game.fire(BLUE, &["C3"]).expect("legal");
    game.fire(RED, &["J2"]).expect("legal");
    game.fire(BLUE, &["J3"]).expect("legal");
    assert_eq!(code(&mut game, RED, &aim("distance", "E5")), "carrier-lost");
    let told = serde_json::to_value(game.views[0].decisions(EXAMPLE_SEED)).expect("JSON");
    assert!(told.as_array().expect("decisions").iter().all(|decision| decision["type"] != "use-weapon"));
    assert_eq!(code(&mut game, BLUE, &aim("distance", "E5")), "not-your-turn");
}

#[test]
fn a_weapon_that_looks_counts_as_a_turn_and_may_end_the_match() {
    let limit = json!({"turns": 2, "by": "hits"});
    let weapons = json!([weapon("count", json!({"pattern": ["x"]}))]);
    let mut game = open(json!({"weapons": weapons, "turn_limit": limit}));
    game.fire(RED, &["A1"]).expect("legal");
    game.play(BLUE, &aim("count", "A1")).expect("legal");
    assert_eq!(last(&game, 2, "scanned")["round"], 2);
    game.play(RED, &aim("count", "A1")).expect("legal");
    game.play(BLUE, &aim("count", "A2")).expect("legal");
    assert_eq!(last(&game, 2, "scanned")["next"], Value::Null);
    assert_eq!(game.battle.status(), Status::Finished);
    assert_eq!(game.battle.outcome().expect("over").winner, Some(RED));
}

#[test]
fn the_shots_of_an_area_earn_and_win_like_those_of_a_salvo() {
    let weapons = json!([weapon("area", json!({"pattern": ["xxx", "xxx", "xxx"]}))]);
    let mut game = open(json!({"weapons": weapons, "salvo": {"extra": "at-once"}}));
    game.play(RED, &aim("area", "A2")).expect("legal");
    assert_eq!(last(&game, 2, "fired")["next"], json!({"seat": 0, "action": "fire", "shots": 3}));
    // In place of the earned shots, too.
    game.play(RED, &aim("area", "C3")).expect("legal");
    assert_eq!(struck(&game), "B4 miss, C2 miss, C3 sunk, C4 miss, D2 miss, D3 miss, D4 miss");
    assert_eq!(game.battle.outcome().expect("over").winner, Some(RED));
}

#[test]
fn a_line_has_a_direction_and_nothing_else_has() {
    let weapons = json!([weapon("area", json!({"pattern": ["x"]})), weapon("line", json!({"range": 3}))]);
    let game = open(json!({"weapons": weapons}));
    for (weapon, direction, code) in
        [("area", Some(Direction::North), "unknown-field"), ("line", None, "missing-field")]
    {
        let action = UseWeaponAction {
            r#type: UseWeaponTag::Value,
            weapon: ClassId::new(weapon).expect("an id"),
            cell: Label::new("B2").expect("a label"),
            direction,
            target: None,
        };
        let action = Action::Family(families::Action::Gunnery(GunneryAction::UseWeapon(action)));
        let refused = legal(game.view(RED), &action).expect_err("refused");
        assert_eq!((refused.code, refused.faults[0].pointer.as_str()), (code, "/direction"), "{weapon}");
    }
}

/// Eight lines for each of six seats on the largest seas: a seat's decisions take some tens of kilobytes, from the
/// first salvo to the last.
#[test]
fn decisions_stay_small_however_many_weapons_there_are() {
    let line = |range: u32| {
        let mut line = weapon("line", json!({"range": range}));
        line["weapon"] = json!(format!("line-{range}"));
        line
    };
    let mut game = open(json!({
        "board": {"rows": 26, "columns": 26}, "seats": {"min": 6, "max": 6}, "salvo": {"size": 26, "shrinks": "no"},
        "victory": {"kind": "hits", "hits": 4}, "turn": "alternate", "weapons": (1..=8).map(line).collect::<Vec<_>>(),
    }));
    let mut sizes = Vec::new();
    let mut dice = dice(5);
    while let Some(seat) = game.battle.to_act().iter().next() {
        let told = serde_json::to_value(game.view(seat).decisions(EXAMPLE_SEED)).expect("JSON");
        sizes.push(told.to_string().len());
        let fires: Vec<&Value> =
            told.as_array().expect("decisions").iter().filter(|one| one["type"] == "fire").collect();
        // Mostly misses, so that it lasts: the ships lie in the first three rows.
        let fire = dice.pick(&fires).expect("a salvo");
        let targets = fire["targets"].as_array().expect("cells");
        let cells = &targets[targets.len().saturating_sub(26)..];
        game.play(seat, &json!({"type": "fire", "cells": cells, "target": fire["target"]})).expect("legal");
    }
    eprintln!("{} salvos, from {} bytes on, at most {:?}", sizes.len(), sizes[0], sizes.iter().max());
    assert!(sizes.iter().all(|size| *size < 150_000), "{sizes:?}");
}

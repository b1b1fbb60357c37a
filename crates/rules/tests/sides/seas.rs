//! Small seas with leftovers: a sea with nothing to fire at, an ally with nothing afloat, a victory aim reached by a
//! seat that has left.
use broadside_rules::{Clock, RuleSet, Seat, Setup, Status, Variant};
use serde_json::{Value, json};

use super::{support::Game, support::dice};

/// A match with these changes, with a boat of two cells in the first row of every sea of five by five.
fn begun(variant: &str, mut changes: Value) -> Game {
    changes["board"] = json!({ "rows": 5, "columns": 5 });
    changes["fleet"] = json!([{ "class": "boat", "name": "Boat", "length": 2, "count": 1 }]);
    changes["first"] = json!("creator");
    let rules = RuleSet::customised(Variant::find(variant).expect("a variant"), &changes).expect("a rule set");
    let mut game = Game::open(Setup::new(rules, Clock::none()), dice(1));
    for seat in (0..game.setup.seats).map(Seat) {
        let boat = json!([{ "ship": "boat", "cells": ["A1", "A2"] }]);
        game.play(seat, &json!({ "type": "deploy", "ships": boat })).expect("legal");
    }
    game
}

fn fires(game: &mut Game, seat: u8, target: Option<&str>, cells: &[String]) {
    let mut action = json!({ "type": "fire", "cells": cells });
    if let Some(target) = target {
        action["target"] = json!(target);
    }
    game.play(Seat(seat), &action).expect("legal");
}

fn cells(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn with_one_sea_left_a_salvo_needs_no_target() {
    let all: Vec<String> =
        "ABCDE".chars().flat_map(|row| (1..=5).map(move |column| format!("{row}{column}"))).collect();
    let salvo = json!({ "size": 26, "shrinks": "no" });
    let mut game =
        begun("classic", json!({ "salvo": salvo, "seats": { "min": 4, "max": 4 }, "teams": 2, "turn": "alternate" }));
    // Blue has nothing left, but is not out: yellow plays.
    fires(&mut game, 0, Some("blue"), &all);
    fires(&mut game, 1, Some("red"), &all);
    // Green can fire at yellow alone.
    fires(&mut game, 2, None, &all);
    assert_eq!(game.battle.status(), Status::Finished);
}

#[test]
fn an_ally_with_nothing_afloat_still_decides_where_ships_lie() {
    let rules = json!({
        "salvo": { "size": 2, "shrinks": "no" }, "victory": { "kind": "fleet" },
        "seats": { "min": 4, "max": 4 }, "teams": 2,
    });
    let mut game = begun("admiralty", rules);
    fires(&mut game, 0, Some("blue"), &cells(&["A1", "A2"]));
    // Nobody was told of the sinking, so the next to act must not reveal it.
    assert_eq!(game.battle.to_act().iter().collect::<Vec<_>>(), [Seat(1)]);
    game.play(Seat(1), &json!({ "type": "relocate", "ships": [] })).expect("legal");
}

#[test]
fn an_aim_that_was_reached_by_who_has_left_ends_nothing() {
    let rules = json!({
        "seats": { "min": 3, "max": 3 }, "victory": { "kind": "hits", "hits": 2 }, "turn": "while-hitting",
        "last_turn": true,
    });
    let mut game = begun("classic", rules);
    fires(&mut game, 0, Some("blue"), &cells(&["A1"]));
    fires(&mut game, 0, Some("green"), &cells(&["A1"]));
    game.play(Seat(0), &json!({ "type": "resign" })).expect("legal");
    fires(&mut game, 1, None, &cells(&["E5"]));
    fires(&mut game, 2, None, &cells(&["E5"]));
    assert_eq!(game.battle.status(), Status::Playing, "neither blue nor green has hit anything");
}

/// Two teams, each in a sea of five by five, where two crosses find room only if the first is not in the middle.
fn crosses(clock: Clock) -> Game {
    let cross = json!({ "class": "cross", "name": "Cross", "length": 5, "count": 1, "shape": [".x.", "xxx", ".x."] });
    let changes = json!({
        "board": { "rows": 5, "columns": 5 }, "fleet": [cross], "seats": { "min": 4, "max": 4 }, "teams": 2,
        "team_seas": "common", "first": "creator",
    });
    let rules = RuleSet::customised(Variant::find("classic").expect("a variant"), &changes).expect("a rule set");
    Game::open(Setup::new(rules, clock), dice(1))
}

fn cross(ship: &str, cells: &str) -> Value {
    let cells: Vec<&str> = cells.split(' ').collect();
    json!({ "type": "deploy", "ships": [{ "ship": ship, "cells": cells }] })
}

fn to_act(game: &Game) -> Vec<u8> {
    game.battle.to_act().iter().map(|seat| seat.0).collect()
}

#[test]
fn allies_place_their_fleets_one_after_another_and_leave_room() {
    let mut game = crosses(Clock::none());
    assert_eq!(to_act(&game), [0, 1], "the first of each team");
    let refused = |game: &mut Game, seat: u8, action: &Value| game.play(Seat(seat), action).expect_err("refused").code;
    let auto = json!({ "type": "deploy-auto" });
    assert_eq!(refused(&mut game, 2, &auto), "not-your-turn");
    assert_eq!(refused(&mut game, 0, &cross("cross-1", "B3 C2 C3 C4 D3")), "no-room-for-allies");
    game.play(Seat(0), &cross("cross-1", "A2 B1 B2 B3 C2")).expect("legal");
    assert_eq!(to_act(&game), [1, 2]);
    assert_eq!(refused(&mut game, 2, &cross("cross-2", "B3 C2 C3 C4 D3")), "ships-overlap");
    for (viewer, sees) in [(0, true), (1, false), (2, true), (3, false), (4, false)] {
        let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
        assert_eq!(seas.as_array().map(Vec::len), Some(2), "a sea for each team");
        assert_eq!((&seas[0]["owner"], &seas[0]["owners"]), (&json!(0), &json!([0, 2])));
        let ships = seas[0]["ships"].as_array().expect("ships").iter();
        let told: Vec<(&Value, &Value, bool)> =
            ships.map(|ship| (&ship["id"], &ship["seat"], ship["cells"].is_array())).collect();
        let (one, two) = (json!("cross-1"), json!("cross-2"));
        assert_eq!(told, [(&one, &json!(0), sees), (&two, &json!(2), false)]);
    }
    for seat in [1, 2, 3] {
        game.play(Seat(seat), &auto).expect("legal");
    }
    assert_eq!(game.battle.status(), Status::Playing);
}

#[test]
fn the_time_for_a_deployment_begins_when_it_is_due() {
    let mut game = crosses(Clock::per_move(60));
    let auto = json!({ "type": "deploy-auto" });
    assert!(game.battle.deadline_of(Seat(0)).is_some() && game.battle.deadline_of(Seat(2)).is_none());
    game.now = game.now.plus_s(30);
    game.play(Seat(0), &auto).expect("legal");
    let (second, third) = (game.battle.deadline_of(Seat(1)), game.battle.deadline_of(Seat(2)));
    assert!(second < third, "thirty seconds later");
    // The first of the other team runs out of time, and is out; the ally is next, and plays alone.
    game.now = second.expect("a deadline");
    game.expire();
    assert_eq!(to_act(&game), [2, 3]);
    game.play(Seat(2), &auto).expect("legal");
    game.play(Seat(3), &auto).expect("legal");
    assert_eq!((game.battle.status(), to_act(&game)), (Status::Playing, vec![0]));
    game.play(Seat(2), &json!({ "type": "resign" })).expect("legal");
    game.play(Seat(0), &json!({ "type": "resign" })).expect("legal");
    let revealed = serde_json::to_value(game.reports[4].last()).expect("JSON");
    let ships = |sea: usize| -> Vec<&Value> {
        revealed["seas"][sea]["ships"].as_array().expect("ships").iter().map(|ship| &ship["seat"]).collect()
    };
    assert_eq!((ships(0), ships(1)), (vec![&json!(0), &json!(2)], vec![&json!(3)]), "who placed a fleet, and whose");
}

#[test]
fn ships_that_lie_where_those_of_a_leaver_lay_are_seen_as_what_they_are() {
    let boat = json!({ "class": "boat", "name": "Boat", "length": 2, "count": 1 });
    let raft = json!({ "class": "raft", "name": "Raft", "length": 3, "count": 1 });
    let changes = json!({
        "board": { "rows": 5, "columns": 5 }, "fleet": [boat, raft], "seats": { "min": 4, "max": 4 }, "teams": 2,
        "team_seas": "common", "first": "creator",
    });
    let rules = RuleSet::customised(Variant::find("classic").expect("a variant"), &changes).expect("a rule set");
    let mut game = Game::open(Setup::new(rules, Clock::none()), dice(1));
    let fleet = |nth: u8, boat: [&str; 2], raft: [&str; 3]| {
        let ships =
            json!([{ "ship": format!("boat-{nth}"), "cells": boat }, { "ship": format!("raft-{nth}"), "cells": raft }]);
        json!({ "type": "deploy", "ships": ships })
    };
    let auto = json!({ "type": "deploy-auto" });
    game.play(Seat(0), &fleet(1, ["E1", "E2"], ["A1", "A2", "A3"])).expect("legal");
    game.play(Seat(1), &auto).expect("legal");
    game.play(Seat(0), &json!({ "type": "resign" })).expect("legal");
    game.play(Seat(2), &fleet(2, ["A1", "A2"], ["B1", "B2", "B3"])).expect("what has left is in nobody's way");
    game.play(Seat(3), &auto).expect("legal");

    for (seat, cell) in [(1, "A1"), (2, "E5"), (3, "A2")] {
        fires(&mut game, seat, None, &cells(&[cell]));
    }
    let sea = &serde_json::to_value(game.views[2].seas()).expect("JSON")[0];
    let sunk = sea["marks"].as_array().expect("marks").iter().filter(|mark| mark["kind"] == "sunk");
    assert_eq!(sunk.map(|mark| &mark["cell"]).collect::<Vec<_>>(), [&json!("A1"), &json!("A2")]);
    hits_count_for_the_ship_that_was_there(&mut game);
}

/// Boat 2 was struck where raft 1 lay before it left: its allies see it so, and after the end everybody.
fn hits_count_for_the_ship_that_was_there(game: &mut Game) {
    let hits = |game: &Game, viewer: usize| -> Vec<(String, Value)> {
        let sea = &serde_json::to_value(game.views[viewer].seas()).expect("JSON")[0];
        let ships = sea["ships"].as_array().expect("ships").iter();
        ships.map(|ship| (ship["id"].to_string().replace('"', ""), ship["hits"].clone())).collect()
    };
    let truth = |ids: [(&str, u64); 4]| ids.map(|(id, hits)| (id.to_owned(), json!(hits))).to_vec();
    let truth = truth([("boat-1", 0), ("raft-1", 0), ("boat-2", 2), ("raft-2", 0)]);
    for viewer in [0, 2] {
        assert_eq!(hits(game, viewer), truth, "viewer {viewer}");
    }
    game.play(Seat(2), &json!({ "type": "resign" })).expect("legal");
    assert_eq!(game.battle.status(), Status::Finished);
    for viewer in 0..=4 {
        assert_eq!(hits(game, viewer), truth, "viewer {viewer} after the end");
    }
}

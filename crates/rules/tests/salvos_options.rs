//! The options of the game of several navies: fleets placed anywhere, other seas, custom figures, and teams.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "salvos/hands.rs"]
mod hands;
mod support;

use broadside_rules::{Clock, RuleSet, Seat, Setup};
use hands::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice};

/// A ship of a custom fleet.
fn own(id: &str, class: &str, figures: [u8; 5]) -> Value {
    let [attack, armour, speed, nearest, farthest] = figures;
    json!({
        "ship": id, "name": id.to_uppercase(), "class": class, "attack": attack, "armour": armour, "speed": speed,
        "nearest": nearest, "farthest": farthest,
    })
}

fn small() -> Value {
    json!([
        {"nation": "british", "ships": [own("hood", "battleship", [3, 4, 1, 0, 1]), own("fort", "battleship", [2, 20, 0, 1, 3])]},
        {"nation": "french", "ships": [own("jean-bart", "battleship", [3, 4, 1, 0, 1])]},
        {"nation": "soviet", "ships": [own("k-21", "submarine", [2, 1, 2, 0, 1])]},
    ])
}

fn marked(game: &Game, viewer: usize, cell: &str) -> Option<Value> {
    let seas = serde_json::to_value(game.views[viewer].seas()).expect("JSON");
    let mark = seas[0]["marks"].as_array().expect("marks").iter().find(|mark| mark["cell"] == cell).cloned();
    mark.map(|mark| mark["kind"].clone())
}

#[test]
fn ships_that_meet_are_parted_and_only_their_side_is_told() {
    let mut game = open_with(&["american", "german"], &json!({"deployment": "free"}), Clock::none(), 1);
    deploy(&mut game, 0, &[("iowa", "A1")]);
    assert!(
        game.reports[2].iter().all(|report| json!(report)["type"] != "fleets-settled"),
        "not before all are placed"
    );
    // The other ships of either fleet go to the last cells: they meet, too.
    deploy(&mut game, 1, &[("bismarck", "A1")]);
    let told = |viewer: usize| last(&game, viewer, "fleets-settled")["ships"].clone();
    assert_eq!((told(0), told(2)), (json!([]), json!([])));
    let moved: Vec<String> = told(1)
        .as_array()
        .expect("ships")
        .iter()
        .map(|place| format!("{} {}", text(&place["ship"]), text(&place["cell"])))
        .collect();
    assert_eq!(
        moved,
        ["bismarck A2", "scharnhorst I9", "z23 I8", "karl-galster I7", "u-47 I6", "u-96 I5", "u-99 I4"],
        "the nearest free cells, the first row by row; u-552, on J4, has met nobody"
    );
    assert_eq!(ship(&game, 1, "bismarck")["cells"], json!(["A2"]));
    assert_eq!(ship(&game, 0, "iowa")["cells"], json!(["A1"]), "the nation that plays first stays");
    // The owner of a moved ship learns who is there; the other learns nothing.
    assert_eq!(marked(&game, 1, "A1"), Some(json!("sighted")));
    assert_eq!(marked(&game, 0, "A1"), None);
    aim(&mut game, 1, "bismarck", "A1");
    aim(&mut game, 0, "iowa", "A2");
    let opened = last(&game, 2, "opened");
    assert_eq!(opened["salvos"][0]["hit"], json!([{"ship": "bismarck", "seat": 1}]));
    assert_eq!(opened["salvos"][1]["hit"], json!([{"ship": "iowa", "seat": 0}]));
}

#[test]
fn whoever_leaves_while_fleets_are_placed_parts_the_others() {
    let mut game = open_with(&["american", "british", "german"], &json!({"deployment": "free"}), Clock::none(), 1);
    deploy(&mut game, 0, &[("iowa", "A1")]);
    deploy(&mut game, 2, &[("bismarck", "A1")]);
    game.play(Seat(1), &json!({"type": "resign"})).expect("resigned");
    assert_eq!(last(&game, 2, "fleets-settled")["ships"][0], json!({"ship": "bismarck", "cell": "A2"}));
    assert_eq!(game.battle.to_act(), seat_set(&[0, 2]));
}

#[test]
fn the_sea_has_the_size_of_the_rules() {
    for (seats, rows, columns) in [(2u8, 3u8, 8u8), (5, 8, 12), (7, 4, 20)] {
        let mut setup = Setup::new(rules(&json!({"rows_per_seat": rows, "columns": columns})), Clock::none());
        setup.seats = seats;
        let game = Game::open(setup, dice(1));
        let board = serde_json::to_value(game.views[0].board()).expect("JSON");
        let sea = &board["seas"][0];
        assert_eq!((&sea["rows"], &sea["columns"]), (&json!(rows * seats), &json!(columns)));
        let cells = sea["cells"].as_array().expect("cells");
        assert_eq!(cells.len(), usize::from(rows) * usize::from(seats) * usize::from(columns));
        for seat in 0..seats {
            let own = cells.iter().filter(|cell| cell["seat"] == seat).count();
            assert_eq!(own, usize::from(rows) * usize::from(columns), "an equal share for each");
        }
    }
}

#[test]
fn the_umpire_may_have_fleets_of_their_own() {
    let rules = rules(&json!({"fleets": small()}));
    assert_eq!((rules.seats(), rules.seat_names()), ((2, 3), &["british", "french", "soviet"][..]));
    let classes = serde_json::to_value(rules.classes(broadside_rules::card::Language::English)).expect("JSON");
    assert_eq!(classes.as_array().expect("classes").len(), 2, "classes that no fleet has are not listed");
    assert_eq!(classes[0]["ships"], json!(["hood", "fort", "jean-bart"]));
    assert_eq!(classes[0]["stats"][1], json!({"name": "armour", "value": null, "max": 20}), "not the same for all");
    assert_eq!(classes[1]["stats"][1], json!({"name": "armour", "value": 1, "max": 1}));
    let mut game =
        open_with(&["soviet", "british"], &json!({"fleets": small(), "deployment": "free"}), Clock::none(), 1);
    deploy(&mut game, 0, &[("k-21", "C3")]);
    deploy(&mut game, 1, &[("hood", "A1"), ("fort", "C6")]);
    aim(&mut game, 0, "k-21", "C4");
    aim(&mut game, 1, "fort", "A6");
    // The first in the list plays first, at any seat. The fort fires at one to three, and never moves.
    let decision = serde_json::to_value(game.view(Seat(1)).decisions(EXAMPLE_SEED)).expect("JSON");
    let fort = decision[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["ship"] == "fort").expect("it");
    assert_eq!((&fort["shots"]["max"], &fort["moves"]), (&json!(2), &json!([])));
    assert_eq!(refused(&mut game, 1, &orders(&[go("fort", &["N"])])), [at("/orders/0/steps", "path-costs-too-much")]);
    assert_eq!(
        refused(&mut game, 1, &orders(&[fire("fort", &["C2"])])),
        [at("/orders/0/cells/0", "target-out-of-range")]
    );
    order(&mut game, 1, &[fire("fort", &["C3", "C3"])]);
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), Some(Seat(1)));
}

#[test]
fn every_fault_of_a_fleet_is_named() {
    let faults = |changes: Value| -> Vec<(String, &'static str)> {
        let faults = RuleSet::customised(variant(), &changes).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect()
    };
    let fleet = |nation: &str, ships: Vec<Value>| json!({"nation": nation, "ships": ships});
    let plain = |id: &str| own(id, "battleship", [3, 4, 1, 0, 1]);
    let wrong = json!({
        "ship": "Hood", "name": "", "class": "frigate", "attack": 10, "armour": 0, "speed": 10, "nearest": 4,
        "farthest": 0, "guns": 3,
    });
    assert_eq!(
        faults(json!({"fleets": [fleet("german", vec![wrong]), fleet("british", vec![plain("hood"), plain("hood")])]})),
        [
            at("/fleets/0/ships/0/guns", "unknown-field"),
            at("/fleets/0/ships/0/ship", "out-of-range"),
            at("/fleets/0/ships/0/name", "out-of-range"),
            at("/fleets/0/ships/0/class", "unknown-value"),
            at("/fleets/0/ships/0/attack", "out-of-range"),
            at("/fleets/0/ships/0/armour", "out-of-range"),
            at("/fleets/0/ships/0/speed", "out-of-range"),
            at("/fleets/0/ships/0/nearest", "out-of-range"),
            at("/fleets/0/ships/0/farthest", "out-of-range"),
            at("/fleets/1/nation", "conflicting-fields"),
            at("/fleets/1/ships/1/ship", "duplicate-ship"),
        ]
    );
    let far = own("hood", "carrier", [2, 3, 2, 3, 2]);
    assert_eq!(
        faults(json!({"fleets": [fleet("british", vec![far]), fleet("dutch", Vec::new())]})),
        [
            at("/fleets/0/ships/0/nearest", "conflicting-fields"),
            at("/fleets/1/nation", "unknown-value"),
            at("/fleets/1/ships", "out-of-range"),
        ]
    );
    let many: Vec<Value> = (0..11).map(|nth| plain(&format!("ship-{nth}"))).collect();
    let two = |ships: Vec<Value>| json!([fleet("british", ships), fleet("german", vec![plain("bismarck")])]);
    assert_eq!(faults(json!({"fleets": two(many)})), [at("/fleets/0/ships", "out-of-range")]);
    assert_eq!(faults(json!({"fleets": [fleet("british", vec![plain("hood")])]})), [at("/fleets", "out-of-range")]);
    assert_eq!(faults(json!({"fleets": 3})), [at("/fleets", "wrong-type")]);
    // Room on the sea: three cells a ship.
    let six: Vec<Value> = (0..6).map(|nth| plain(&format!("ship-{nth}"))).collect();
    assert_eq!(
        faults(json!({"fleets": two(six.clone()), "rows_per_seat": 3, "columns": 5})),
        [at("/rows_per_seat", "conflicting-fields")]
    );
    rules(&json!({"fleets": two(six), "rows_per_seat": 3, "columns": 6}));
    assert_eq!(faults(json!({"rows_per_seat": 3, "columns": 7})), [at("/rows_per_seat", "conflicting-fields")]);
    assert_eq!(faults(json!({"rows_per_seat": 8, "columns": 13})), [at("/rows_per_seat", "out-of-range")]);
    assert_eq!(
        faults(json!({"rows_per_seat": 9, "columns": 4, "teams": 4})),
        [at("/rows_per_seat", "out-of-range"), at("/columns", "out-of-range"), at("/teams", "out-of-range")]
    );
    assert_eq!(faults(json!({"teams": 3, "fleets": two(vec![plain("hood")])})), [at("/teams", "conflicting-fields")]);
    assert_eq!(faults(json!({"teams": "two"})), [at("/teams", "wrong-type")]);
}

#[test]
fn allies_see_what_allies_see() {
    let nations = ["american", "british", "german", "japanese"];
    let mut game = open_with(&nations, &json!({"teams": 2}), Clock::none(), 1);
    assert_eq!(rules(&json!({"teams": 3})).seats(), (3, 7), "every team has a seat");
    all_deploy(&mut game);
    let seen = |game: &Game, viewer: usize, id: &str| !ship(game, viewer, id)["cells"].is_null();
    // Seats 0 and 2 play together, and 1 and 3. A spectator sees nobody's ships.
    for (viewer, own) in
        [(0, [true, false]), (1, [false, true]), (2, [true, false]), (3, [false, true]), (4, [false; 2])]
    {
        for (id, side) in [("iowa", 0), ("warspite", 1), ("bismarck", 0), ("yamato", 1)] {
            assert_eq!(seen(&game, viewer, id), own[side], "{viewer} {id}");
        }
    }
    let decision = serde_json::to_value(game.view(Seat(0)).decisions(EXAMPLE_SEED)).expect("JSON");
    game.play(Seat(0), &decision[0]["example"]).expect("legal");
    let ship_told = |viewer: usize| last(&game, viewer, "aimed")["ship"].clone();
    assert_eq!(ship_told(2), decision[0]["example"]["ship"], "an ally is told what is aimed");
    assert_eq!((ship_told(1), ship_told(4)), (Value::Null, Value::Null));
}

#[test]
fn allies_share_their_place() {
    let nations = ["american", "british", "german", "japanese", "french"];
    let mut game = open_with(&nations, &json!({"teams": 2}), Clock::none(), 1);
    all_deploy(&mut game);
    // Seats 0, 2 and 4 against 1 and 3. The first to leave has an ally who wins.
    for seat in [0, 1, 3] {
        assert!(!game.battle.status().is_over());
        game.play(Seat(seat), &json!({"type": "resign"})).expect("resigned");
    }
    assert_eq!(places(&game), [(0, 1), (2, 1), (4, 1), (1, 4), (3, 4)]);
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), None, "nobody has won alone");
}

//! The game of several navies on one sea: the worked cases of the sheet, the owners of cells, the order of play.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "salvos/hands.rs"]
mod hands;
mod support;

use broadside_rules::{Clock, Seat, Setup, Status};
use hands::*;
use serde_json::{Value, json};
use support::{EXAMPLE_SEED, Game, dice, shown};

#[test]
fn a_carrier_fires_at_exactly_three_all_round() {
    let mut game = battle(&[("enterprise", "E5"), ("iowa", "A1")], &[("bismarck", "J9")]);
    for cell in ["B5", "H8", "E2", "B2", "H2", "B8"] {
        let told = serde_json::to_value(game.view(Seat(0)).decisions(EXAMPLE_SEED)).expect("JSON");
        let choice = told[0]["ships"].as_array().expect("ships").iter().find(|ship| ship["ship"] == "enterprise");
        assert!(choice.expect("a ship")["targets"].as_array().expect("targets").contains(&json!(cell)), "{cell}");
    }
    for cell in ["E4", "D5", "C5", "E5", "A5", "E9"] {
        let told = refused(&mut game, 0, &orders(&[fire("enterprise", &[cell])]));
        assert_eq!(told, [at("/orders/0/cells/0", "target-out-of-range")], "{cell}");
    }
    order(&mut game, 0, &[fire("enterprise", &["B5", "H8"])]);
}

#[test]
fn a_spread_salvo_touches_a_submarine_only_when_a_destroyer_fires_it() {
    // Both fire at D4 and D5; the submarine is on D5.
    let fleet = [("iowa", "C5"), ("fletcher", "D4")];
    let mut game = battle(&fleet, &[("u-47", "D5"), ("bismarck", "J9")]);
    order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
    assert_eq!(posted(&game), (vec![], vec![]));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["C4", "D5"])]);
    assert_eq!(posted(&game), (vec!["u-47".into()], vec!["u-47".into()]));

    // The same spread salvo hits a destroyer twice, and three shots on the one cell sink the submarine.
    let mut game = battle(&fleet, &[("z23", "D5"), ("bismarck", "J9")]);
    order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
    assert_eq!(posted(&game), (vec!["z23".into()], vec!["z23".into()]));
    for cells in [&["D5", "D5", "D5"][..], &["D5"]] {
        let mut game = battle(&fleet, &[("u-47", "D5"), ("bismarck", "J9")]);
        order(&mut game, 0, &[fire("iowa", cells)]);
        assert_eq!(posted(&game).1, ["u-47"], "{cells:?}");
    }
}

#[test]
fn steps_cost_one_straight_and_two_diagonal() {
    let mut game = battle(&[("fletcher", "E5"), ("iowa", "A1"), ("gato", "A3")], &[("bismarck", "J9")]);
    let costly = [at("/orders/0/steps", "path-costs-too-much")];
    assert_eq!(refused(&mut game, 0, &orders(&[go("fletcher", &["NE", "NE"])])), costly);
    assert_eq!(refused(&mut game, 0, &orders(&[go("iowa", &["S", "S"])])), costly);
    assert_eq!(refused(&mut game, 0, &orders(&[go("gato", &["S", "SE"])])), costly);
    order(&mut game, 0, &[go("fletcher", &["N", "NE"]), go("iowa", &["SE"])]);
    assert_eq!(ship(&game, 0, "fletcher")["cells"], json!(["C6"]));
    assert_eq!(ship(&game, 0, "iowa")["cells"], json!(["B2"]));
    // The others are told the steps and no more.
    let told = last(&game, 1, "ordered");
    assert_eq!(
        told["orders"][0],
        json!({"order": "move", "ship": "fletcher", "steps": ["N", "NE"], "to": null, "blocked_at": null})
    );
    assert_eq!(ship(&game, 1, "fletcher")["cells"], Value::Null);
}

#[test]
fn a_fleet_whose_only_detected_ship_is_sunk_has_one_order_to_fire() {
    let mut game = open(&["american", "german"]);
    deploy(&mut game, 0, &[("gato", "D4"), ("iowa", "A1")]);
    deploy(&mut game, 1, &[("bismarck", "D5")]);
    // Gato opens fire and is sunk in the same turn; it has still fired.
    aim(&mut game, 0, "gato", "D5");
    aim(&mut game, 1, "bismarck", "D4");
    let told = last(&game, 2, "opened");
    assert_eq!(told["salvos"][0]["hit"], json!([{"ship": "bismarck", "seat": 1}]));
    assert_eq!(told["salvos"][1]["sunk"], json!([{"ship": "gato", "seat": 0}]));
    assert_eq!(armour(&game, 1, "bismarck"), json!(3));
    assert_eq!(armour(&game, 0, "bismarck"), Value::Null);
    assert_eq!(refused(&mut game, 0, &orders(&[go("iowa", &["S"])])), [at("/orders/0/order", "not-detected")]);
    assert_eq!(
        refused(&mut game, 0, &orders(&[fire("iowa", &["A2"]), fire("fletcher", &["A2"])]))[0],
        at("/orders", "not-detected")
    );
    let decision = serde_json::to_value(game.view(Seat(0)).decisions(EXAMPLE_SEED)).expect("JSON");
    assert_eq!(decision[0]["max_orders"], 1);
    assert!(decision[0]["ships"].as_array().expect("ships").iter().all(|ship| ship["moves"] == json!([])));
    order(&mut game, 0, &[fire("iowa", &["A2"])]);
    order(&mut game, 1, &[]);
    // Iowa has fired and is afloat: all may be ordered again.
    order(&mut game, 0, &[go("iowa", &["S"])]);
}

#[test]
fn what_stops_a_ship_is_known_to_its_owner_alone() {
    let mut game = battle(&[("fletcher", "D4"), ("gato", "D2"), ("iowa", "A1")], &[("z23", "B5"), ("bismarck", "J9")]);
    // One step north-east, then Z23. Gato comes to Fletcher's former cell.
    order(&mut game, 0, &[go("fletcher", &["NE", "N"]), go("gato", &["E", "E"])]);
    let own = last(&game, 0, "ordered");
    assert_eq!(
        own["orders"][0],
        json!({"order": "move", "ship": "fletcher", "steps": ["NE"], "to": "C5", "blocked_at": "B5"})
    );
    assert_eq!(own["orders"][1]["to"], "D4", "Fletcher had left D4");
    for viewer in [1, 2] {
        let told = last(&game, viewer, "ordered");
        assert_eq!(told["orders"][0]["steps"], json!(["NE"]));
        assert_eq!(told["orders"][0]["blocked_at"], Value::Null);
    }
    let marks = serde_json::to_value(game.views[0].seas()).expect("JSON")[0]["marks"].clone();
    assert!(marks.as_array().expect("marks").contains(&json!({"cell": "B5", "kind": "sighted"})), "{marks}");
    order(&mut game, 1, &[]);
    // No step at all: nothing is posted, or everybody would know that a cell beside it is taken.
    order(&mut game, 0, &[go("fletcher", &["N"])]);
    assert_eq!(last(&game, 0, "ordered")["orders"][0]["steps"], json!([]));
    assert_eq!(last(&game, 1, "ordered")["orders"], json!([]));
    assert_eq!(last(&game, 2, "ordered")["orders"], json!([]));
}

#[test]
fn an_own_ship_that_was_stopped_stops_the_next_and_takes_no_harm() {
    let mut game =
        battle(&[("fletcher", "C3"), ("laffey", "C1"), ("iowa", "D4")], &[("z23", "B3"), ("bismarck", "J9")]);
    // Judged as if Fletcher made room, the orders are legal; it is stopped at once, and all that relied on it is a
    // result.
    order(&mut game, 0, &[go("fletcher", &["N"]), fire("iowa", &["C3", "C3", "C3"]), go("laffey", &["E", "E"])]);
    let told = last(&game, 0, "ordered");
    assert_eq!(told["orders"][0]["blocked_at"], "B3");
    assert_eq!(
        (told["orders"][2]["steps"].clone(), told["orders"][2]["blocked_at"].clone()),
        (json!(["E"]), json!("C3"))
    );
    assert_eq!(told["orders"][1]["hit"], json!([]));
    assert_eq!(armour(&game, 0, "fletcher"), json!(3));
    // Its own ship is no found enemy.
    let marks = serde_json::to_value(game.views[0].seas()).expect("JSON")[0]["marks"].clone();
    assert!(!marks.as_array().expect("marks").iter().any(|mark| mark["cell"] == "C3" && mark["kind"] == "sighted"));
}

#[test]
fn the_cells_and_the_number_of_hits_stay_secret() {
    // In one world Bismarck is hit once, on C4, in the other twice, on D5: only its owner can tell.
    let worlds = ["C4", "D5"].map(|cell| {
        let mut game = open(&["american", "german"]);
        deploy(&mut game, 0, &[("iowa", "C5")]);
        deploy(&mut game, 1, &[("bismarck", cell), ("z23", "A2")]);
        aim(&mut game, 0, "iowa", "B4");
        aim(&mut game, 1, "z23", "A3");
        order(&mut game, 0, &[fire("iowa", &["C4", "D5", "D5"])]);
        assert_eq!(posted(&game), (vec!["bismarck".into()], vec![]));
        game
    });
    let [once, twice] = &worlds;
    assert_eq!((armour(once, 1, "bismarck"), armour(twice, 1, "bismarck")), (json!(4), json!(3)));
    assert_eq!(
        last(once, 1, "ordered")["orders"][0]["own_hits"],
        json!([{"ship": "bismarck", "cell": "C4", "points": 1}])
    );
    for viewer in [0, 2] {
        assert_eq!(shown(&once.views[viewer]), shown(&twice.views[viewer]));
        let told = |game: &Game| {
            let all = serde_json::to_value(&game.reports[viewer]).expect("JSON");
            let open = all.as_array().expect("reports").iter().filter(|report| report["type"] != "sealed");
            open.cloned().collect::<Vec<_>>()
        };
        assert_eq!(told(once), told(twice));
    }
}

#[test]
fn ships_hit_are_named_in_the_order_of_the_roster() {
    // Z23 comes after Bismarck in the roster, whichever is hit first.
    for cells in [["C4", "D5"], ["D5", "C4"]] {
        let mut game = battle(&[("fletcher", "D4"), ("iowa", "A1")], &[("z23", "C4"), ("bismarck", "D5")]);
        order(&mut game, 0, &[fire("fletcher", &cells)]);
        assert_eq!(posted(&game).0, ["bismarck", "z23"]);
    }
}

#[test]
fn marks_tell_what_the_newest_salvo_told() {
    let mut game = battle(&[("iowa", "C5"), ("fletcher", "D4")], &[("z23", "D5"), ("bismarck", "J9")]);
    let mark = |game: &Game, cell: &str| {
        let seas = serde_json::to_value(game.views[2].seas()).expect("JSON");
        seas[0]["marks"].as_array().expect("marks").iter().find(|mark| mark["cell"] == cell).cloned()
    };
    let of = |kind: &str| Some(json!(kind));
    let kind = |game: &Game, cell: &str| mark(game, cell).map(|mark| mark["kind"].clone());
    order(&mut game, 0, &[fire("iowa", &["D5", "C4"])]);
    assert_eq!((kind(&game, "D5"), kind(&game, "C4")), (of("tried"), of("tried")));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["D5"])]);
    assert_eq!(mark(&game, "D5"), Some(json!({"cell": "D5", "kind": "sunk", "class": "destroyer"})));
    order(&mut game, 1, &[]);
    order(&mut game, 0, &[fire("fletcher", &["D5"])]);
    assert_eq!(kind(&game, "D5"), of("miss"));
}

#[test]
fn every_seat_has_an_equal_share_of_every_part_of_the_sea() {
    for seats in 2..=7u8 {
        let board = rules(&json!({})).board(seats);
        let cells = &board.seas[0].cells;
        assert_eq!(cells.len(), 50 * usize::from(seats));
        let share = |part: &dyn Fn(i32, i32) -> bool| -> Vec<usize> {
            let of = |seat: u8| {
                let own = cells.iter().filter(|cell| cell.seat == Some(Seat(seat)));
                own.filter(|cell| part(i32::from(cell.row), i32::from(cell.column))).count()
            };
            (0..seats).map(of).collect()
        };
        let spread = |counts: &[usize]| counts.iter().max().expect("seats") - counts.iter().min().expect("seats");
        assert_eq!(share(&|_, _| true), vec![50; usize::from(seats)]);
        for row in 0..i32::from(seats) * 5 {
            assert!(spread(&share(&|r, _| r == row)) <= 1, "{seats} seats, row {row}");
        }
        for column in 0..10 {
            assert_eq!(spread(&share(&|_, c| c == column)), 0, "{seats} seats, column {column}");
        }
        let (middle, far) = (i32::from(seats) * 5 / 2, i32::from(seats) * 5 - i32::from(seats) * 5 / 2);
        for (down, right) in [(0, 0), (0, 5), (far, 0), (far, 5)] {
            let counts = share(&|r, c| (down..down + middle).contains(&r) && (right..right + 5).contains(&c));
            assert!(spread(&counts) <= 2, "{seats} seats, the quarter at {down}, {right}: {counts:?}");
        }
        let edge = share(&|r, c| r == 0 || c == 0 || c == 9 || r + 1 == i32::from(seats) * 5);
        assert!(spread(&edge) <= 2, "{seats} seats: {edge:?}");
        // Two adjacent cells of one seat would make a strip of its own.
        for cell in cells {
            let beside = |other: &&broadside_rules::card::CellCard| {
                cell.row.abs_diff(other.row) + cell.column.abs_diff(other.column) == 1 && cell.seat == other.seat
            };
            assert_eq!(cells.iter().filter(beside).count(), 0, "{seats} seats, {}", cell.label);
        }
    }
}

#[test]
fn bands_are_drawn_and_public() {
    let changes = json!({"deployment": "bands"});
    assert!(rules(&changes).board(3).seas[0].cells.iter().all(|cell| cell.seat.is_none()), "not before they are drawn");
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let mut game = open_with(&["american", "german", "french"], &changes, Clock::none(), seed);
        let told = last(&game, 3, "bands-drawn")["bands"].clone();
        orders.insert(told.to_string());
        for view in &game.views {
            for cell in &view.board().seas[0].cells {
                assert_eq!(json!(cell.seat), told[usize::from(cell.row / 5)]);
            }
        }
        for seat in 0..3 {
            let decision = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
            assert_eq!(decision[0]["cells"].as_array().expect("cells").len(), 50);
            game.play(Seat(seat), &json!({"type": "deploy-auto"})).expect("legal");
        }
    }
    assert_eq!(orders.len(), 6, "every order of the bands comes up");
}

#[test]
fn nations_are_wished_for_or_drawn_and_play_in_order() {
    let game = open(&["soviet", "american", "french"]);
    let names: Vec<&str> = game.spectator().seats().iter().map(|seat| seat.name).collect();
    assert_eq!(names, ["soviet", "american", "french"]);
    assert_eq!(last(&game, 3, "started")["first"], 1);
    // One preference among five: the others get the rest, no two the same.
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..30 {
        let mut setup = Setup::new(rules(&json!({})), Clock::none());
        setup.seats = 5;
        setup.preferences[3] = Some(2);
        let game = Game::open(setup, dice(seed));
        let mut names: Vec<&str> = game.spectator().seats().iter().map(|seat| seat.name).collect();
        assert_eq!(names[3], "german");
        seen.extend(names.clone());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 5);
    }
    assert_eq!(seen.len(), 7, "every nation is drawn at times");
}

#[test]
fn who_leaves_is_out_and_the_others_play_on() {
    let resign = json!({"type": "resign"});
    // In the deployment: the fleet of this seat is the last missing one.
    let mut game = open(&["american", "german", "french"]);
    deploy(&mut game, 0, &[]);
    deploy(&mut game, 2, &[]);
    game.play(Seat(1), &resign).expect("legal");
    assert_eq!((game.battle.status(), game.battle.to_act()), (Status::Playing, seat_set(&[0, 2])));
    assert_eq!(last(&game, 3, "left")["seats"], json!([1]));
    // In the opening: the shot of this seat was the last missing one, and the opening is carried out.
    let target = |game: &Game, seat: u8| {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        told[0]["example"].clone()
    };
    let shot = target(&game, 0);
    game.play(Seat(0), &shot).expect("legal");
    game.play(Seat(2), &resign).expect("legal");
    assert_eq!(places(&game), [(0, 1), (2, 2), (1, 3)], "one is left, and wins");
    assert_eq!(game.battle.outcome().map(|outcome| outcome.winner), Some(Some(Seat(0))));

    let mut game = open(&["american", "german", "french"]);
    all_deploy(&mut game);
    for seat in [0, 2] {
        let shot = target(&game, seat);
        game.play(Seat(seat), &shot).expect("legal");
    }
    game.play(Seat(1), &resign).expect("legal");
    let salvos = last(&game, 3, "opened")["salvos"].clone();
    assert_eq!(salvos.as_array().expect("salvos").iter().map(|salvo| &salvo["seat"]).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(game.battle.to_act(), seat_set(&[0]));
    let told = refused(&mut game, 1, &resign);
    assert_eq!(told, [at("", "seat-out")]);
    // In their own turn, and out of turn.
    order(&mut game, 0, &[]);
    assert_eq!(game.battle.to_act(), seat_set(&[2]));
    game.play(Seat(2), &resign).expect("legal");
    assert_eq!(places(&game), [(0, 1), (2, 2), (1, 3)]);
    assert!(game.replayed().views == game.views);
}

#[test]
fn his_own_aimed_shot_leaves_with_him() {
    let mut game = open(&["american", "german", "french"]);
    all_deploy(&mut game);
    let shot = |game: &Game, seat: u8| {
        let told = serde_json::to_value(game.view(Seat(seat)).decisions(EXAMPLE_SEED)).expect("JSON");
        told[0]["example"].clone()
    };
    let first = shot(&game, 0);
    game.play(Seat(0), &first).expect("legal");
    game.play(Seat(0), &json!({"type": "resign"})).expect("legal");
    assert_eq!(game.battle.to_act(), seat_set(&[1, 2]), "the others aim on");
    for seat in [2, 1] {
        let aimed = shot(&game, seat);
        game.play(Seat(seat), &aimed).expect("legal");
    }
    let salvos = last(&game, 3, "opened")["salvos"].clone();
    assert_eq!(salvos.as_array().expect("salvos").iter().map(|salvo| &salvo["seat"]).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(game.battle.to_act(), seat_set(&[1]), "the first nation that still plays");
}

#[test]
fn who_runs_out_of_time_together_shares_a_place() {
    let clock = Clock::parse(&json!({"kind": "per-move", "move_s": 60, "deploy_s": 600})).expect("a clock");
    let late = |game: &mut Game| {
        game.now = game.battle.deadline().expect("a deadline");
        game.expire()
    };
    let mut game = open_with(&["american", "british", "german", "japanese", "french"], &json!({}), clock, 3);
    for seat in [1, 3, 4] {
        deploy(&mut game, seat, &[]);
    }
    assert!(!late(&mut game).is_empty());
    assert_eq!(last(&game, 5, "left")["seats"], json!([0, 2]));
    assert_eq!(game.battle.to_act(), seat_set(&[1, 3, 4]));
    // Two give up one after the other, in one pause: they share nothing.
    game.play(Seat(3), &json!({"type": "resign"})).expect("legal");
    game.play(Seat(4), &json!({"type": "resign"})).expect("legal");
    assert_eq!(places(&game), [(1, 1), (4, 2), (3, 3), (0, 4), (2, 4)]);
    assert!(game.replayed().views == game.views);

    // Nobody aims: aborted. One does: the others are out, and it wins.
    let mut game = open_with(&["american", "british", "german"], &json!({}), clock, 3);
    all_deploy(&mut game);
    late(&mut game);
    assert_eq!(game.battle.status(), Status::Aborted);
    let mut game = open_with(&["american", "british", "german"], &json!({}), clock, 3);
    all_deploy(&mut game);
    let told = serde_json::to_value(game.view(Seat(2)).decisions(EXAMPLE_SEED)).expect("JSON");
    game.play(Seat(2), &told[0]["example"]).expect("legal");
    late(&mut game);
    assert_eq!(places(&game), [(2, 1), (0, 2), (1, 2)]);
    assert_eq!(json!(game.battle.outcome().expect("over").reason), json!("time"));
}

#[test]
fn whoever_leaves_in_the_last_turn_of_the_last_round_ends_the_match() {
    let mut game = open_with(&["american", "british", "german"], &json!({"rounds": 10}), Clock::none(), 1);
    for (seat, ship, cell) in [(0, "iowa", "A4"), (1, "warspite", "A5"), (2, "bismarck", "A9")] {
        deploy(&mut game, seat, &[(ship, cell)]);
    }
    // The two fleets are worth the same armour, so Warspite takes three points off Iowa; the others fire at open water.
    for (seat, ship, cell) in [(2, "bismarck", "A10"), (0, "iowa", "A3"), (1, "warspite", "A4")] {
        aim(&mut game, seat, ship, cell);
    }
    assert_eq!(armour(&game, 0, "iowa"), json!(3));
    for turn in 0..26 {
        assert_eq!(game.battle.to_act(), seat_set(&[turn % 3]));
        order(&mut game, turn % 3, &[]);
    }
    game.play(Seat(2), &json!({"type": "resign"})).expect("legal");
    let outcome = game.battle.outcome().expect("the rounds are over");
    assert_eq!(json!(outcome.reason), json!("limit"));
    assert_eq!(outcome.place_of(Seat(2)), Some(3));
    assert_eq!(outcome.winner, Some(Seat(1)), "the British have more armour than the Americans, as many ships");
}

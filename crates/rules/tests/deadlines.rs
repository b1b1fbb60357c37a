//! Matches that end at a deadline from outside, and seats that are given more time: worked cases by hand, and the
//! records.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
#[path = "record/hands.rs"]
mod records;
mod support;

use broadside_rules::{
    Action, Deadline, DeadlineRule, DownTime, Event, Seat, Status, Time, Viewer, event::TableEvent, record, variants,
};
use hands::*;
use serde_json::{Value, json};
use support::{Game, same_again};

const DAY_S: u32 = 86_400;

/// A match of classic with this many days for a move.
fn game(days: u32) -> Game {
    Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": days * DAY_S})), 5)
}

/// Ends the match now, by this rule. Returns the number of events.
fn ends_now(game: &mut Game, rule: DeadlineRule) -> usize {
    let deadline = Deadline { due_at: game.now, rule };
    let events = game.battle.end_at_deadline(deadline, game.now);
    game.takes(&events);
    events.len()
}

fn passes_h(game: &mut Game, hours: u32) {
    game.now = game.now.plus_s(hours * 3600);
}

/// Both place their fleets at once; returns the seat to fire.
fn both_place(game: &mut Game) -> Seat {
    for seat in [Seat(0), Seat(1)] {
        game.act(seat, &Action::DEPLOY_AUTO).expect("legal");
    }
    game.battle.to_act().iter().next().expect("somebody must fire")
}

fn outcome(game: &Game) -> Value {
    serde_json::to_value(game.battle.outcome()).expect("JSON")
}

fn verdict(game: &Game) -> Result<record::Verified, Vec<record::Discrepancy>> {
    record::verify(&serde_json::to_string(&records::record(game, Viewer::Spectator)).expect("JSON"))
}

#[test]
fn who_has_taken_more_than_two_thirds_of_the_time_loses() {
    let mut game = game(14);
    let first = both_place(&mut game);
    passes_h(&mut game, 48);
    let second = shoot_on(&mut game, first);
    passes_h(&mut game, 23);
    assert_eq!([first, second].map(|seat| times(&game, seat).time_taken_s / 3600), [48, 23]);
    // The other's turn doesn't help a player who has kept the match waiting.
    assert_eq!(ends_now(&mut game, DeadlineRule::ByTimeTaken), 3);
    let over = outcome(&game);
    assert_eq!((&over["reason"], &over["winner"]), (&json!("deadline"), &json!(second)));
    assert_eq!(verdict(&game).map(|verified| verified.whole), Ok(true));
    same_again(&game);

    // Two hours later it was less than two thirds.
    let mut game = crate::game(14);
    let first = both_place(&mut game);
    passes_h(&mut game, 48);
    shoot_on(&mut game, first);
    passes_h(&mut game, 25);
    ends_now(&mut game, DeadlineRule::ByTimeTaken);
    assert_eq!((&outcome(&game)["reason"], &outcome(&game)["winner"]), (&json!("deadline"), &Value::Null));
    assert_eq!(verdict(&game).map(|verified| verified.whole), Ok(true));
    same_again(&game);
}

/// The seat fires until the turn is the other's.
fn shoot_on(game: &mut Game, seat: Seat) -> Seat {
    while game.battle.to_act().contains(seat) {
        shoot(game);
    }
    seat.other()
}

#[test]
fn who_never_came_loses_and_where_nobody_came_nothing_was_played() {
    let mut one = game(14);
    one.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
    passes_h(&mut one, 100);
    assert_eq!(ends_now(&mut one, DeadlineRule::ByTimeTaken), 3);
    assert_eq!(outcome(&one)["winner"], 1);
    same_again(&one);

    let mut none = game(14);
    passes_h(&mut none, 100);
    assert_eq!(ends_now(&mut none, DeadlineRule::ByTimeTaken), 2);
    assert_eq!(none.battle.status(), Status::Aborted);
    assert_eq!(verdict(&none).map(|verified| verified.whole), Ok(false));
    same_again(&none);

    // Two who were both slow to place their fleets have both kept each other waiting.
    let mut both = game(14);
    passes_h(&mut both, 100);
    both_place(&mut both);
    passes_h(&mut both, 1);
    ends_now(&mut both, DeadlineRule::ByTimeTaken);
    assert_eq!(outcome(&both)["winner"], Value::Null);
    same_again(&both);
}

#[test]
fn time_in_which_a_clock_rests_is_taken_by_nobody() {
    let mut game = game(14);
    let first = both_place(&mut game);
    let began = game.now;
    passes_h(&mut game, 90);
    // For most of it the service was down.
    assert_eq!(game.was_down(&[DownTime { from: began.plus_s(3600), until: game.now }]), 1);
    passes_h(&mut game, 10);
    assert_eq!(times(&game, first).time_taken_s / 3600, 11);
    ends_now(&mut game, DeadlineRule::ByTimeTaken);
    assert_eq!(outcome(&game)["winner"], Value::Null);
    assert_eq!(verdict(&game).map(|verified| verified.whole), Ok(true));
    same_again(&game);

    // So is an armistice: here the one who fires had two of a hundred hours.
    let mut game = crate::game(14);
    let first = both_place(&mut game);
    passes_h(&mut game, 1);
    game.act(first.other(), &Action::CALL_ARMISTICE).expect("legal");
    passes_h(&mut game, 20);
    ends_now(&mut game, DeadlineRule::ByTimeTaken);
    assert_eq!(outcome(&game)["winner"], Value::Null);
    same_again(&game);
}

#[test]
fn by_the_other_rule_it_is_drawn_and_never_before_its_time() {
    for variant in variants() {
        let mut game = Game::with(variant.rule_set(), clock(json!({"kind": "per-move", "move_s": 600})), 5);
        records::play(&mut game, 6);
        let ahead = Deadline { due_at: game.now.plus_s(1), rule: DeadlineRule::Draw };
        assert!(game.battle.end_at_deadline(ahead, game.now).is_empty(), "{}", variant.id);
        assert_eq!(ends_now(&mut game, DeadlineRule::Draw), 3, "{}", variant.id);
        assert_eq!(outcome(&game)["reason"], "deadline");
        let still = game.battle.end_at_deadline(Deadline { due_at: game.now, ..ahead }, game.now);
        assert!(still.is_empty(), "a match ends once");
        let verified = verdict(&game);
        assert!(verified.is_ok(), "{}: {}", variant.id, verified.expect_err("wrong")[0]);
        same_again(&game);
    }
}

#[test]
fn a_server_cannot_choose_who_wins_at_a_deadline() {
    let mut game = game(14);
    let first = both_place(&mut game);
    passes_h(&mut game, 48);
    shoot_on(&mut game, first);
    passes_h(&mut game, 1);
    ends_now(&mut game, DeadlineRule::ByTimeTaken);
    let good = records::written(&records::record(&game, Viewer::Spectator));
    let last = good["log"].as_array().expect("a log").len() - 1;
    let line = good["log"][last]["deadline"].clone();
    assert_eq!(line["rule"], "by-time-taken");
    let wrong = [
        json!({ "due_at": line["due_at"], "rule": "drawn" }),
        json!({ "due_at": game.now.plus_s(1), "rule": "by-time-taken" }),
        json!({ "due_at": line["due_at"] }),
        Value::Null,
    ];
    for other in wrong {
        let mut bad = good.clone();
        bad["log"][last]["deadline"] = other.clone();
        assert!(record::verify(&bad.to_string()).is_err(), "{other}");
    }
    let mut bad = good;
    bad["log"][last]["adjudicated"] = json!({ "winner": first });
    assert!(record::verify(&bad.to_string()).is_err());
}

#[test]
fn more_time_moves_one_deadline_and_stands_in_the_record() {
    let mut game = game(1);
    let first = both_place(&mut game);
    let due = game.battle.deadline_of(first).expect("a limit");
    passes_h(&mut game, 20);
    let more = |game: &mut Game, seat: Seat, seconds: u32| {
        let events = game.battle.add_time(seat, seconds, game.now);
        game.takes(&events);
        events.len()
    };
    assert_eq!(more(&mut game, first.other(), 60), 0, "it isn't their turn");
    assert_eq!(more(&mut game, first, 0), 0);
    assert_eq!(more(&mut game, first, 14 * DAY_S), 0, "no clock has so much");
    assert_eq!(more(&mut game, first, DAY_S), 1);
    assert_eq!(game.battle.deadline_of(first), Some(due.plus_s(DAY_S)));
    passes_h(&mut game, 10);
    assert!(game.expire().is_empty());
    shoot_on(&mut game, first);
    // It was for this turn.
    let left_s = game.battle.left_ms(first.other(), game.now).expect("a limit") / 1000;
    assert!(left_s <= i64::from(DAY_S), "{left_s}");
    records::play(&mut game, usize::MAX);
    assert_eq!(verdict(&game).map(|verified| verified.whole), Ok(true));
    let record = records::record(&game, Viewer::Spectator);
    let line = record.log.iter().find_map(|line| line.time_added).expect("a line");
    assert_eq!((line.seat, line.seconds), (first, DAY_S));
    let words = record::text(&records::header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
    assert!(words.contains("gets 86400 seconds more"), "{words}");
    same_again(&game);
}

#[test]
fn a_server_cannot_give_time_to_somebody_who_does_not_wait() {
    let forced = |seat: fn(Seat) -> Seat, seconds: u32| {
        let mut game = game(1);
        let first = both_place(&mut game);
        game.now = Time(game.now.0 + 1000);
        game.force(Event::from(TableEvent::TimeAdded { seat: seat(first), seconds }));
        records::play(&mut game, usize::MAX);
        verdict(&game).is_ok()
    };
    assert!(forced(|first| first, 60), "a good one");
    assert!(!forced(Seat::other, 60));
    assert!(!forced(|first| first, 20 * DAY_S));
}

//! Seats that change hands: nothing changes in the battle, a clock gets its grace, and the record has all players.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
#[path = "record/hands.rs"]
mod records;
mod support;

use broadside_rules::{Action, Event, HandOver, HandOverDecision, Seat, Viewer, event::TableEvent, hand_over, record};
use hands::*;
use serde_json::json;
use support::{Game, same_again};

const DAY_S: u32 = hand_over::GRACE_S;

/// A match of classic in which both have placed their fleets, and the seat to fire.
fn game(move_s: u32) -> (Game, Seat) {
    let mut game = Game::with(records::rules("classic"), clock(json!({"kind": "per-move", "move_s": move_s})), 5);
    for seat in [Seat(0), Seat(1)] {
        game.act(seat, &Action::DEPLOY_AUTO).expect("legal");
    }
    let first = game.battle.to_act().iter().next().expect("somebody must fire");
    (game, first)
}

fn to(seat: Seat, number: u8) -> HandOver {
    let player = format!("0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c{number:02}");
    HandOver { seat, player, bot: false, by: HandOverDecision::Agreement }
}

fn goes_over(game: &mut Game, to: &HandOver) -> usize {
    let events = game.battle.hand_over(to, game.now);
    game.takes(&events);
    events.len()
}

fn verdict(game: &Game) -> Result<record::Verified, Vec<record::Discrepancy>> {
    record::verify(&serde_json::to_string(&records::record(game, Viewer::Spectator)).expect("JSON"))
}

#[test]
fn a_seat_goes_over_as_it_is_and_its_clock_has_a_day() {
    let (mut game, first) = game(3 * DAY_S);
    // With two days left the clock stays as it is, and so does the other seat's.
    game.now = game.now.plus_s(DAY_S);
    let due = game.battle.deadline_of(first);
    assert_eq!(goes_over(&mut game, &to(first, 1)), 1);
    assert_eq!(goes_over(&mut game, &to(first.other(), 2)), 1);
    assert_eq!((game.battle.deadline_of(first), game.battle.to_act().contains(first)), (due, true));
    // With an hour left it gets the difference to a day.
    game.now = game.now.plus_s(2 * DAY_S - 3600);
    let now = game.now;
    assert_eq!(goes_over(&mut game, &to(first, 3)), 2);
    assert_eq!(game.battle.deadline_of(first), Some(now.plus_s(DAY_S)));
    records::play(&mut game, usize::MAX);
    assert_eq!(verdict(&game).map(|verified| verified.whole), Ok(true));
    let record = records::record(&game, Viewer::Spectator);
    let lines: Vec<_> = record.log.iter().filter_map(|line| line.handed_over.as_ref()).collect();
    assert_eq!(lines, [&to(first, 1), &to(first.other(), 2), &to(first, 3)]);
    assert!(record.log.iter().all(|line| line.time_added.is_none()), "it follows from the hand-over");
    let words = record::text(&records::header(&game), &game.setup, &game.entries(), Viewer::Spectator, &[]);
    assert!(words.contains("is taken over by 0199c2a8-7d4e-7c3a-9f10-5b1e6a2d8c01, as the players agreed"), "{words}");
    same_again(&game);
}

#[test]
fn a_short_turn_is_given_anew_and_never_made_longer() {
    let (mut game, first) = game(3600);
    game.now = game.now.plus_s(3000);
    let now = game.now;
    assert_eq!(goes_over(&mut game, &to(first, 1)), 2);
    assert_eq!(game.battle.deadline_of(first), Some(now.plus_s(3600)));
}

#[test]
fn what_is_over_is_not_handed_over() {
    let (mut game, first) = game(DAY_S);
    let not_an_account = HandOver { player: "anna".to_owned(), ..to(first, 1) };
    assert!(game.battle.hand_over(&not_an_account, game.now).is_empty());
    assert!(game.battle.hand_over(&to(Seat(2), 1), game.now).is_empty());
    game.act(first, &Action::RESIGN).expect("legal");
    assert!(game.battle.hand_over(&to(first.other(), 1), game.now).is_empty());
}

#[test]
fn a_server_seats_nobody_twice_in_a_record() {
    let forced = |seats: [u8; 2], players: [u8; 2]| {
        let (mut game, _) = game(3 * DAY_S);
        for (seat, number) in seats.into_iter().zip(players) {
            let HandOver { seat, player, bot, by } = to(Seat(seat), number);
            game.force(Event::from(TableEvent::SeatHandedOver { seat, player, bot, by }));
        }
        records::play(&mut game, usize::MAX);
        verdict(&game).is_ok()
    };
    assert!(forced([0, 1], [1, 2]), "a good one");
    assert!(!forced([0, 1], [1, 1]));
    assert!(!forced([0, 0], [1, 1]));
}

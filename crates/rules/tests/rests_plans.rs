//! Plans: they are adjusted to fit, invalid ones are no plans, and the terms decide what counts.
#![allow(clippy::panic, clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
mod support;

use broadside_rules::{Action, Clock, Entry, Event, Rest, RestKind, Rests, Seat, Time, event::TableEvent};
use hands::*;
use serde_json::{Value, json};
use support::{Game, START};

/// The start, the rests and the known end of a plan among the events.
fn parts(events: &[Event]) -> Option<(Time, Vec<Rest>, Option<Time>)> {
    match events {
        [] => None,
        [Event::Table(TableEvent::RestsPlanned { from, rests, until, .. })] => Some((*from, rests.clone(), *until)),
        _ => panic!("more than a plan"),
    }
}

#[test]
fn plans_are_made_to_fit() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"}), t(3, 8, 0));
    let plan = |game: &Game, from, rests: &[Rest], until| {
        let events = game.battle.plan_rests(turn, from, rests, until, game.now);
        assert!(events.iter().all(|event| event.fits(&game.setup)));
        parts(&events)
    };
    game.now = t(3, 23, 0);
    let unsorted = [
        night(4),
        night(3),
        rest(t(4, 6, 0), t(4, 8, 0), RestKind::Night),
        rest(t(5, 0, 0), t(6, 0, 0), RestKind::DayOff),
        rest(t(9, 0, 0), t(8, 0, 0), RestKind::Vacation),
        night(20),
    ];
    let (from, rests, until) = plan(&game, t(0, 0, 0), &unsorted, Some(t(20, 23, 0))).expect("a plan");
    assert_eq!((from, until), (t(3, 23, 0), Some(t(20, 23, 0))), "not before now");
    let by_hand = [
        rest(t(3, 23, 0), t(4, 8, 0), RestKind::Night),
        rest(t(4, 22, 0), t(5, 0, 0), RestKind::Night),
        rest(t(5, 0, 0), t(6, 0, 0), RestKind::DayOff),
        rest(t(20, 22, 0), t(20, 23, 0), RestKind::Night),
    ];
    assert_eq!(rests, by_hand);
    game.plans(turn, t(0, 0, 0), &unsorted, Some(t(20, 23, 0)));
    assert_eq!(plan(&game, game.now, &unsorted, Some(t(20, 23, 0))), None, "nothing new");
    assert!(plan(&game, game.now, &unsorted, Some(t(20, 22, 59))).is_some(), "less is known");
    assert_eq!(plan(&game, t(30, 0, 0), &unsorted, Some(t(29, 0, 0))), None, "nothing is known");
}

#[test]
fn no_seat_has_more_planned_than_a_thousand_rests() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"}), t(3, 8, 0));
    game.plans(turn, game.now, &[night(3), night(4)], Some(t(5, 0, 0)));
    let plan =
        |game: &Game, from, rests: &[Rest], until| parts(&game.battle.plan_rests(turn, from, rests, until, game.now));
    let seconds: Vec<Rest> =
        (0..3000).map(|n| rest(t(5, 0, 0).plus_s(2 * n), t(5, 0, 0).plus_s(2 * n + 1), RestKind::Night)).collect();
    let (_, rests, until) = plan(&game, t(5, 0, 0), &seconds, None).expect("a plan");
    assert_eq!(
        (rests.len(), until),
        (998, Some(t(5, 0, 0).plus_s(1996))),
        "as much as a seat can have, with the two before"
    );
    game.plans(turn, t(5, 0, 0), &seconds, None);
    let (_, rests, until) = plan(&game, t(5, 0, 10), &[night(7), night(8)], None).expect("a plan");
    assert_eq!((rests.len(), until), (2, None));
    let (_, rests, until) = plan(&game, t(5, 0, 32), &seconds, None).expect("a plan");
    let stay = game.battle.planned(turn).iter().filter(|rest| rest.from < t(5, 0, 32)).count();
    // The first of the seconds has become part of the night before it.
    assert_eq!((stay + rests.len(), until), (1000, Some(t(5, 0, 0).plus_s(1998))), "with what stays");
}

#[test]
fn what_the_terms_do_not_allow_is_left_out() {
    let standard = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
    let day_off = rest(t(5, 0, 0), t(6, 0, 0), RestKind::DayOff);
    let (game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "no-days-off"}), t(3, 8, 0));
    let event = game.battle.plan_rests(turn, t(3, 8, 0), &[day_off], None, game.now);
    assert!(event.is_empty(), "days off don't count: it is the plan of a seat that never rests");
    let event: Event = TableEvent::RestsPlanned { seat: turn, from: START, rests: vec![day_off], until: None }.into();
    assert!(!event.fits(&game.setup));
    for terms in [json!({"kind": "per-move", "move_s": 86_400}), json!({"kind": "none"})] {
        let (game, turn) = battle_at(terms, t(3, 8, 0));
        assert!(game.battle.plan_rests(turn, game.now, &nights(3..9), None, game.now).is_empty());
        assert!(game.battle.plan_rests(Seat(9), game.now, &nights(3..9), None, game.now).is_empty());
    }
    let (mut game, turn) = battle_at(standard, t(3, 8, 0));
    game.act(turn, &Action::RESIGN).expect("legal");
    assert!(game.battle.plan_rests(turn, game.now, &nights(3..9), None, game.now).is_empty());
}

#[test]
fn a_damaged_plan_fits_no_log() {
    let (game, _) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"}), t(3, 8, 0));
    let fits = |seat: u8, from: Time, rests: Vec<Rest>, until: Option<Time>| {
        let event: Event = TableEvent::RestsPlanned { seat: Seat(seat), from, rests, until }.into();
        // It comes back unchanged from its bytes, fit or not.
        let entry = Entry { at: START, seat: None, events: vec![event.clone()] };
        assert_eq!(Entry::from_bytes(&entry.to_bytes()), Ok(entry));
        event.fits(&game.setup)
    };
    let good = nights(3..9);
    assert!(fits(1, t(3, 0, 0), good.clone(), None) && fits(0, t(3, 22, 0), good.clone(), Some(t(9, 7, 0))));
    assert!(!fits(2, t(3, 0, 0), good.clone(), None), "no such seat");
    assert!(!fits(0, t(3, 23, 0), good.clone(), None), "a rest before it");
    assert!(!fits(0, t(3, 0, 0), good.clone(), Some(t(9, 6, 0))), "a rest behind it");
    assert!(!fits(0, t(3, 0, 0), vec![], Some(t(3, 0, 0))), "nothing is known");
    assert!(!fits(0, t(3, 0, 0), good.iter().rev().copied().collect(), None), "not in order");
    assert!(!fits(0, t(3, 0, 0), [good.clone(), good].concat(), None), "double_round_robin");
}

#[test]
fn terms_say_what_counts() {
    let refused = |terms: Value| {
        let faults = Clock::parse(&terms).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let fault = |code| vec![("/rests".to_owned(), code)];
    assert_eq!(
        refused(json!({"kind": "per-move", "move_s": 86_399, "rests": "standard"})),
        fault("conflicting-fields")
    );
    let bank = json!({"kind": "bank", "initial_s": 60, "increment_s": 0, "cap_s": 1_000_000, "rests": "weekdays"});
    assert_eq!(refused(bank), fault("conflicting-fields"));
    assert_eq!(refused(json!({"kind": "none", "rests": "none"})), fault("unknown-field"));
    assert_eq!(refused(json!({"kind": "per-move", "move_s": 86_400, "rests": "Standard"})), fault("unknown-value"));
    let both = refused(json!({"kind": "per-move", "move_s": 1, "rests": null}));
    assert_eq!(both.iter().map(|(pointer, _)| pointer.as_str()).collect::<Vec<_>>(), ["/move_s", "/rests"]);

    // Written as read, and missing parts stay out.
    for terms in [
        json!({"kind": "per-move", "move_s": 60, "deploy_s": 60}),
        json!({"kind": "per-move", "move_s": 60, "deploy_s": 60, "rests": "none"}),
        json!({"kind": "per-move", "move_s": 86_400, "deploy_s": 60, "rests": "no-days-off"}),
        json!({"kind": "bank", "initial_s": 86_400, "increment_s": 0, "cap_s": 86_400, "deploy_s": 60, "rests": "weekdays"}),
    ] {
        assert_eq!(serde_json::to_value(clock(terms.clone())).expect("JSON"), terms);
    }
    let long = clock(json!({"kind": "per-move", "move_s": 86_400}));
    assert_eq!((long.rests(), long.with_rests_unless_said().rests()), (Rests::None, Rests::Standard));
    for said in [
        json!({"kind": "per-move", "move_s": 86_400, "rests": "none"}),
        json!({"kind": "per-move", "move_s": 86_399}),
        json!({"kind": "bank", "initial_s": 86_400, "increment_s": 0, "cap_s": 86_400, "rests": "no-days-off"}),
        json!({"kind": "none"}),
    ] {
        assert_eq!(clock(said.clone()).with_rests_unless_said(), clock(said));
    }
    let kinds = [RestKind::Night, RestKind::DayOff, RestKind::Vacation];
    let allowed = |rests: Rests| kinds.map(|kind| rests.allows(kind));
    assert_eq!(allowed(Rests::Standard), [true; 3]);
    assert_eq!(allowed(Rests::Weekdays), [true; 3]);
    assert_eq!(allowed(Rests::NoDaysOff), [true, false, false]);
    assert_eq!(allowed(Rests::None), [false; 3]);
}

//! Clocks that stand still: the arithmetic against a count of single milliseconds, worked cases by hand, and laws that hold whatever
//! is planned when.
#![allow(clippy::expect_used, reason = "a test may stop")]
mod support;

use broadside_rules::{
    Action, Battle, Clock, Entry, Event, Plan, Rest, RestKind, Rests, Seat, SeatSet, Setup, Status, Time, Variant,
    event::TableEvent,
    timetable::{SeatTimeView, SegmentKind, SegmentView},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Game, START, dice, same_again};

const HOUR_S: u32 = 3600;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A time on day `day`, where day 0 is Friday, 21 November 2025, the day on which matches begin (at 04:40 UTC).
fn t(day: i64, hour: i64, minute: i64) -> Time {
    Time(START.0.div_euclid(DAY_MS) * DAY_MS + day * DAY_MS + hour * HOUR_MS + minute * 60_000)
}

fn rest(from: Time, until: Time, kind: RestKind) -> Rest {
    Rest { from, until, kind }
}

/// The night that begins on this day at 22:00 and lasts nine hours.
fn night(day: i64) -> Rest {
    rest(t(day, 22, 0), t(day + 1, 7, 0), RestKind::Night)
}

fn nights(days: std::ops::Range<i64>) -> Vec<Rest> {
    days.map(night).collect()
}

fn clock(clock: Value) -> Clock {
    Clock::parse(&clock).expect("a clock")
}

/// A battle under way, its clock begun at `at`: and whose turn it is.
fn battle_at(terms: Value, at: Time) -> (Game, Seat) {
    let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), clock(terms));
    let mut game = Game::open(setup, dice(9));
    game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
    game.now = at;
    game.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
    let turn = game.battle.to_act().iter().next().expect("somebody");
    (game, turn)
}

fn shoot(game: &mut Game) -> Seat {
    let (seat, decision) = game.required().expect("somebody must act");
    game.act(seat, &decision.example()).expect("legal");
    seat
}

fn times(game: &Game, seat: Seat) -> SeatTimeView {
    game.spectator().times(game.now).swap_remove(seat.index())
}

/// The segments as kinds and ends, after a look that there is no gap.
fn ends(from: Time, segments: &[SegmentView]) -> Vec<(SegmentKind, Time)> {
    let mut at = from;
    for segment in segments {
        assert!(segment.from == at && segment.from < segment.until, "a gap at {at}: {segments:?}");
        at = segment.until;
    }
    segments.iter().map(|segment| (segment.kind, segment.until)).collect()
}

#[test]
fn three_days_last_a_week_with_nights_and_a_sunday() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 259_200, "rests": "standard"}), t(1, 12, 0));
    // It is Saturday noon. The night to Monday begins while it is Sunday yet.
    let mut rests = nights(0..40);
    rests.push(rest(t(2, 0, 0), t(3, 0, 0), RestKind::DayOff));
    assert_eq!(game.plans(turn, t(1, 12, 0), &rests, Some(t(40, 0, 0))), 1);
    // Saturday 10 hours; Monday to Thursday 15 each: 70; and two on Friday, from seven o'clock.
    let deadline = t(7, 9, 0);
    assert_eq!(game.battle.deadline_of(turn), Some(deadline));
    let (run, sleep) = (SegmentKind::Running, SegmentKind::Night);
    let by_hand = vec![
        (run, t(1, 22, 0)),
        (sleep, t(2, 0, 0)),
        (SegmentKind::DayOff, t(3, 0, 0)),
        (sleep, t(3, 7, 0)),
        (run, t(3, 22, 0)),
        (sleep, t(4, 7, 0)),
        (run, t(4, 22, 0)),
        (sleep, t(5, 7, 0)),
        (run, t(5, 22, 0)),
        (sleep, t(6, 7, 0)),
        (run, t(6, 22, 0)),
        (sleep, t(7, 7, 0)),
        (run, deadline),
    ];
    let time = times(&game, turn);
    assert_eq!((time.since, time.deadline), (Some(t(1, 12, 0)), Some(deadline)));
    assert_eq!(ends(t(1, 12, 0), &time.segments), by_hand);
    // On Monday at six he has what he had on Saturday evening.
    let left_h = |game: &Game, at| game.battle.left_ms(turn, at).expect("a limit") / HOUR_MS;
    assert_eq!((left_h(&game, t(1, 22, 0)), left_h(&game, t(3, 6, 0)), left_h(&game, t(3, 8, 0))), (62, 62, 61));
    assert_eq!(game.battle.reaches(turn, 62 * HOUR_MS), Some(t(1, 22, 0)));
    assert_eq!(game.battle.reaches(turn, 61 * HOUR_MS), Some(t(3, 8, 0)));
    assert_eq!(game.battle.given_ms(turn), Some(72 * HOUR_MS));
    game.now = Time(deadline.0 - 1);
    assert!(game.expire().is_empty(), "not a millisecond early");
    game.now = deadline;
    assert_eq!(game.expire().len(), 3);
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), Some(turn.other()));
    same_again(&game);
}

#[test]
fn a_vacation_counts_at_once_and_stops_counting_when_it_is_taken_back() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "weekdays"}), t(3, 8, 0));
    game.plans(turn, t(3, 8, 0), &nights(0..40), Some(t(40, 0, 0)));
    // 14 hours on Monday, 10 on Tuesday.
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 17, 0)));
    // At noon on Tuesday, five hours before the end, he leaves for a week.
    game.now = t(4, 12, 0);
    let mut rests = nights(0..40);
    rests.push(rest(t(4, 12, 0), t(11, 12, 0), RestKind::Vacation));
    assert_eq!(game.plans(turn, t(4, 12, 0), &rests, Some(t(40, 0, 0))), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(11, 17, 0)));
    let time = times(&game, turn);
    assert_eq!(time.time_left_s, Some(5 * HOUR_S));
    let tail = ends(t(3, 8, 0), &time.segments).split_off(2);
    let by_hand = [
        (SegmentKind::Running, t(4, 12, 0)),
        (SegmentKind::Vacation, t(11, 12, 0)),
        (SegmentKind::Running, t(11, 17, 0)),
    ];
    assert_eq!(tail, by_hand, "nights in a vacation are vacation");
    // Back a day earlier than he thought, at ten in the evening: the clock goes on in the morning.
    game.now = t(9, 22, 0);
    assert_eq!(game.plans(turn, t(9, 22, 0), &nights(0..40), Some(t(40, 0, 0))), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(10, 12, 0)));
    // Nothing that he plans now changes what has run, nor does it save who is late.
    game.now = t(10, 12, 0);
    let long = [rest(t(0, 0, 0), t(40, 0, 0), RestKind::Vacation)];
    assert_eq!(game.plans(turn, t(0, 0, 0), &long, None), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(10, 12, 0)));
    assert_eq!(game.expire().len(), 3);
    assert_eq!(game.plans(turn, game.now, &nights(0..50), None), 0, "the match is over");
    same_again(&game);
}

#[test]
fn an_armistice_goes_before_a_night() {
    let (mut game, turn) =
        battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "no-days-off"}), t(3, 12, 0));
    game.plans(turn, t(3, 12, 0), &nights(0..40), Some(t(40, 0, 0)));
    assert_eq!(game.battle.deadline_of(turn), Some(t(4, 21, 0)));
    // From eight in the evening until nine in the morning.
    game.now = t(3, 20, 0);
    game.act(turn.other(), &Action::CALL_ARMISTICE).expect("legal");
    assert_eq!((game.battle.deadline_of(turn), game.battle.deadline()), (None, Some(t(4, 20, 0))));
    game.now = t(4, 1, 0);
    let time = times(&game, turn);
    assert_eq!((time.running, time.since, time.time_left_s), (false, Some(t(3, 12, 0)), Some(16 * HOUR_S)));
    let next = time.if_started_now.expect("it would go on");
    assert_eq!(next.deadline, t(5, 8, 0), "15 hours today, one tomorrow");
    assert_eq!(ends(game.now, &next.segments).first(), Some(&(SegmentKind::Night, t(4, 7, 0))));
    for (seat, at) in [(Seat(0), t(4, 8, 0)), (Seat(1), t(4, 9, 0))] {
        game.now = at;
        game.act(seat, &Action::END_ARMISTICE).expect("legal");
    }
    // 16 hours are left: 13 today, and three tomorrow from seven o'clock.
    let deadline = t(5, 10, 0);
    assert_eq!(game.battle.deadline_of(turn), Some(deadline));
    let by_hand = [
        (SegmentKind::Running, t(3, 20, 0)),
        (SegmentKind::Armistice, t(4, 9, 0)),
        (SegmentKind::Running, t(4, 22, 0)),
        (SegmentKind::Night, t(5, 7, 0)),
        (SegmentKind::Running, deadline),
    ];
    assert_eq!(ends(t(3, 12, 0), &times(&game, turn).segments), by_hand);
    assert_eq!(game.battle.given_ms(turn), Some(24 * HOUR_MS), "it is the same turn");
    assert_eq!(game.battle.reaches(turn, 20 * HOUR_MS), Some(t(4, 9, 0)), "it has had less since it goes on");
    same_again(&game);
}

#[test]
fn a_bank_pays_for_running_time_only_and_gains_its_increment() {
    let bank = json!({"kind": "bank", "initial_s": 100 * HOUR_S, "increment_s": 2 * HOUR_S, "cap_s": 100 * HOUR_S,
        "rests": "standard"});
    let (mut game, turn) = battle_at(bank, t(3, 21, 0));
    for seat in [Seat(0), Seat(1)] {
        game.plans(seat, t(3, 21, 0), &nights(0..40), Some(t(40, 0, 0)));
    }
    // From nine in the evening until nine in the morning: one hour before the night, two after it.
    game.now = t(4, 9, 0);
    let own = game.view(turn).times(game.now).swap_remove(turn.index());
    assert_eq!((own.time_left_s, own.time_left_if_moved_s), (Some(97 * HOUR_S), Some(99 * HOUR_S)));
    assert_eq!(game.view(turn.other()).times(game.now)[turn.index()].time_left_if_moved_s, None, "only for one's own");
    let other = times(&game, turn.other()).if_started_now.expect("he waits");
    assert_eq!(shoot(&mut game), turn);
    assert_eq!(game.battle.left_ms(turn, t(9, 0, 0)), Some(99 * HOUR_MS), "it doesn't run now");
    assert_eq!(game.battle.deadline_of(turn.other()), Some(other.deadline), "as was said before");
    assert_eq!(times(&game, turn.other()).segments, other.segments);
    // 13 hours today, then 15 a day: 88 by Sunday evening, twelve more on Monday.
    assert_eq!(other.deadline, t(10, 19, 0));
    // The other one moves in his sleep: the day has cost him 13 hours.
    game.now = t(4, 23, 30);
    assert_eq!(shoot(&mut game), turn.other());
    assert_eq!(game.battle.left_ms(turn.other(), game.now), Some(89 * HOUR_MS));
    // And the first one, too, at once: that costs nothing.
    assert_eq!(shoot(&mut game), turn);
    assert_eq!(game.battle.left_ms(turn, game.now), Some(100 * HOUR_MS), "99 and 2, and the cap");
    same_again(&game);
}

#[test]
fn who_needs_a_longer_plan_is_named() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 259_200, "rests": "standard"}), t(3, 7, 0));
    assert_eq!(game.battle.plans_needed(), SeatSet::NONE, "a seat without a plan never rests, and that is known");
    game.plans(turn, t(3, 7, 0), &nights(0..6), Some(t(6, 7, 0)));
    // Known until Thursday at seven: three nights, 45 hours.
    assert_eq!(game.battle.plans_needed(), SeatSet::only(turn));
    assert_eq!(game.battle.deadline_of(turn), Some(t(7, 10, 0)), "as if he never slept again");
    assert_eq!(times(&game, turn).rests_known_until, Some(t(6, 7, 0)));
    game.plans(turn, t(6, 7, 0), &nights(0..8), Some(t(8, 7, 0)));
    assert_eq!(game.battle.deadline_of(turn), Some(t(7, 19, 0)));
    assert_eq!(game.battle.plans_needed(), SeatSet::NONE);
    assert_eq!(game.battle.planned(turn).len(), 5, "Monday to Friday");
    // Cut in the middle of a night, the halves are one again.
    game.plans(turn, t(8, 7, 0), &nights(0..10), Some(t(10, 1, 0)));
    game.plans(turn, t(10, 1, 0), &nights(0..20), None);
    assert_eq!(game.battle.planned(turn).iter().filter(|rest| **rest == night(9)).count(), 1);
    assert_eq!(game.battle.planned_until(turn), None);
    // Nights that are over are forgotten when his next turn begins.
    let rests = game.battle.planned(turn).len();
    game.now = t(6, 12, 0);
    shoot(&mut game);
    shoot(&mut game);
    assert_eq!(game.battle.planned(turn).len(), rests - 3);
    same_again(&game);
}

#[test]
fn the_deployment_rests_for_both() {
    let terms = clock(json!({"kind": "per-move", "move_s": 86_400, "deploy_s": HOUR_S, "rests": "standard"}));
    let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), terms);
    let mut game = Game::open(setup, dice(9));
    // It is 04:40. One of them gets up at seven, the other one at noon.
    game.plans(Seat(0), START, &nights(-1..0), None);
    game.plans(Seat(1), START, &[rest(t(0, 4, 40), t(0, 12, 0), RestKind::Vacation)], None);
    // Their plans came a second after the opening, and one more: so much has run.
    assert_eq!(game.battle.deadline_of(Seat(0)), Some(Time(t(0, 8, 0).0 - 1000)), "a second has run");
    assert_eq!(game.battle.deadline_of(Seat(1)), Some(Time(t(0, 13, 0).0 - 2000)));
    assert_eq!(game.battle.deadline(), game.battle.deadline_of(Seat(0)));
    game.now = t(0, 7, 30);
    game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
    let waits = times(&game, Seat(0)).if_started_now.expect("he waits");
    assert_eq!(waits.deadline, game.now.plus_s(86_400), "the battle gives a day");
    game.now = t(0, 13, 0);
    assert_eq!(game.expire().len(), 3);
    assert_eq!(game.battle.outcome().and_then(|outcome| outcome.winner), Some(Seat(0)));
    same_again(&game);
}

#[test]
fn a_plan_is_no_move() {
    let (mut game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"}), t(3, 8, 0));
    let versions: Vec<u32> = game.views.iter().map(|view| view.version()).collect();
    game.act(turn, &Action::OFFER_DRAW).expect("legal");
    game.plans(turn.other(), t(3, 8, 0), &nights(0..40), Some(t(40, 0, 0)));
    assert_eq!(game.battle.to_act(), SeatSet::only(turn));
    assert_eq!(game.spectator().draw_offered_by(), Some(turn));
    let grown: Vec<u32> = game.views.iter().zip(versions).map(|(view, before)| view.version() - before).collect();
    assert_eq!(grown, [2, 2, 2], "everybody is told");
    let told = serde_json::to_value(game.reports[2].last()).expect("JSON");
    assert_eq!((&told["type"], &told["seat"]), (&json!("rests-planned"), &json!(turn.other().0)));
    assert_eq!(told["rests"][0], json!({"from": t(3, 22, 0), "until": t(4, 7, 0), "kind": "night"}));
    game.act(turn.other(), &Action::ABORT).expect("a match can still be called off");
    assert_eq!(game.battle.status(), Status::Aborted);
    same_again(&game);
}

#[test]
fn plans_are_made_to_fit() {
    let standard = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
    let (mut game, turn) = battle_at(standard.clone(), t(3, 8, 0));
    let plan = |game: &Game, from, rests: &[Rest], until| {
        let events = game.battle.plan_rests(turn, from, rests, until, game.now);
        assert!(events.iter().all(|event| event.fits(&game.setup)));
        events.into_iter().next().map(|event| match event {
            Event::Table(TableEvent::RestsPlanned { from, rests, until, .. }) => (from, rests, until),
            _ => panic!("not a plan"),
        })
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

    // What the terms don't allow is left out; what nobody can plan is none.
    let (game, turn) = battle_at(json!({"kind": "per-move", "move_s": 86_400, "rests": "no-days-off"}), t(3, 8, 0));
    let event = game.battle.plan_rests(turn, t(3, 8, 0), &unsorted[3..4], None, game.now);
    assert!(event.is_empty(), "days off don't count: it is the plan of a seat that never rests");
    let event: Event =
        TableEvent::RestsPlanned { seat: turn, from: START, rests: vec![unsorted[3]], until: None }.into();
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
        // It comes back from its bytes as it was, fit or not.
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
    assert!(!fits(0, t(3, 0, 0), [good.clone(), good].concat(), None), "twice");
}

#[test]
fn terms_say_what_counts() {
    let refused = |terms: Value| {
        let faults = Clock::parse(&terms).expect_err("refused");
        faults.into_iter().map(|fault| (fault.pointer, fault.code)).collect::<Vec<_>>()
    };
    let fault = |code| vec![("/rests".to_owned(), code)];
    assert_eq!(refused(json!({"kind": "per-move", "move_s": 86_399, "rests": "standard"})), fault("contradiction"));
    let bank = json!({"kind": "bank", "initial_s": 60, "increment_s": 0, "cap_s": 1_000_000, "rests": "weekdays"});
    assert_eq!(refused(bank), fault("contradiction"));
    assert_eq!(refused(json!({"kind": "none", "rests": "none"})), fault("unknown-field"));
    assert_eq!(refused(json!({"kind": "per-move", "move_s": 86_400, "rests": "Standard"})), fault("unknown-value"));
    let both = refused(json!({"kind": "per-move", "move_s": 1, "rests": null}));
    assert_eq!(both.iter().map(|(pointer, _)| pointer.as_str()).collect::<Vec<_>>(), ["/move_s", "/rests"]);

    // Written as it was read, and what was left out stays out.
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

fn any_kind() -> impl Strategy<Value = RestKind> {
    prop_oneof![Just(RestKind::Night), Just(RestKind::DayOff), Just(RestKind::Vacation)]
}

/// Rests in any order, some of them empty or overlapping, between two times.
fn any_rests(least: i64, most: i64) -> impl Strategy<Value = Vec<Rest>> {
    let span = most - least;
    let one = (least..most, 0..span / 4 + 1, any_kind())
        .prop_map(|(from, length, kind)| rest(Time(from), Time(from + length), kind));
    proptest::collection::vec(one, 0..12)
}

/// What rests at a time, counted one by one.
fn resting(rests: &[Rest], at: i64) -> Option<RestKind> {
    rests.iter().filter(|rest| rest.from.0 <= at && at < rest.until.0).map(|rest| rest.kind).max()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn time_runs_where_nothing_rests(
        rests in any_rests(0, 120),
        [from, until] in prop::array::uniform2(-20_i64..150),
        run in 0_i64..80,
    ) {
        let plan = Plan::new(&rests, Time(-100), None);
        let runs = |from: i64, until: i64| (from..until).filter(|at| resting(&rests, *at).is_none()).count() as i64;
        prop_assert_eq!(plan.running_ms(Time(from), Time(until)), runs(from, until));
        // The first time by which so much has run, and so each is the other's inverse.
        let after = plan.after(Time(from), run);
        prop_assert!(after.0 == from || runs(from, after.0 - 1) < run);
        prop_assert_eq!(plan.running_ms(Time(from), after), run);
        prop_assert!(plan.after(Time(from), run + 1) > after);
        if until >= from {
            prop_assert!(plan.after(Time(from), runs(from, until)) <= Time(until));
            prop_assert!(plan.after(Time(until), run) >= plan.after(Time(from), run));
        }
        prop_assert_eq!(Plan::default().after(Time(from), run), Time(from + run));
        prop_assert_eq!(Plan::default().running_ms(Time(from), Time(until)), (until - from).max(0));
    }

    #[test]
    fn plans_are_in_order_and_follow_one_another(
        old in any_rests(0, 120),
        new in any_rests(0, 120),
        from in -10_i64..130,
        known in prop::option::of(0_i64..130),
    ) {
        let first = Plan::new(&old, Time(-5), None);
        let next = Plan::new(&new, Time(from), known.map(Time));
        let both = first.followed_by(Time(from), &next);
        prop_assert_eq!(both.known_until(), known.map(Time));
        prop_assert!(Plan::is_well_formed(first.rests(), Time(-5), None));
        prop_assert!(Plan::is_well_formed(both.rests(), Time(-100), None));
        prop_assert!(both.is_from(Time(from), &next));
        for at in -20..160 {
            let expected = match at {
                at if at < from => resting(&old, at),
                at if known.is_none_or(|known| at < known) => resting(&new, at),
                _ => None,
            };
            prop_assert_eq!(resting(both.rests(), at), expected, "at {}", at);
        }
    }
}

/// A day of somebody's life in a random match.
#[derive(Clone, Debug)]
enum Doing {
    Waits { minutes: i64 },
    Moves,
    Plans { seat: u8, from_h: i64, rests: Vec<Rest>, days: Option<i64> },
    CallsArmistice { seat: u8 },
    EndArmistice,
}

/// Rests of whole hours, from the beginning of the match on, over fifty days.
fn long_rests() -> impl Strategy<Value = Vec<Rest>> {
    any_rests(0, 1200).prop_map(|rests| {
        let hour = |at: Time| Time(START.0 + at.0 / 4 * HOUR_MS);
        rests.into_iter().map(|one| rest(hour(one.from), hour(one.until), one.kind)).collect()
    })
}

fn any_doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        4 => (1_i64..3000).prop_map(|minutes| Doing::Waits { minutes }),
        3 => Just(Doing::Moves),
        3 => (0_u8..2, -20_i64..60, long_rests(), prop::option::of(1_i64..30))
            .prop_map(|(seat, from_h, rests, days)| Doing::Plans { seat, from_h, rests, days }),
        1 => (0_u8..2).prop_map(|seat| Doing::CallsArmistice { seat }),
        1 => Just(Doing::EndArmistice),
    ]
}

/// Every seat's time: nothing is left over, nothing is missing.
fn times_add_up(game: &Game) -> Result<(), TestCaseError> {
    for time in game.spectator().times(game.now) {
        let seat = time.seat;
        if let (Some(since), Some(deadline)) = (time.since, time.deadline) {
            let spans = ends(since, &time.segments);
            prop_assert_eq!(spans.last().map_or(since, |(_, until)| *until), deadline);
            let running = time.segments.iter().filter(|segment| segment.kind == SegmentKind::Running);
            let run_ms: i64 = running.map(|segment| segment.until.millis_since(segment.from)).sum();
            prop_assert_eq!(Some(run_ms), game.battle.given_ms(seat), "what gives the deadline is what was given");
        }
        prop_assert_eq!(time.if_started_now.is_none(), time.running);
    }
    Ok(())
}

/// What each seat has left now.
fn left(battle: &Battle, at: Time) -> [i64; 2] {
    [Seat(0), Seat(1)].map(|seat| battle.left_ms(seat, at).expect("a limit"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn time_left_never_grows_but_by_increments(
        seed in 0_u64..1000,
        increment_h in 0_u32..6,
        doings in proptest::collection::vec(any_doing(), 1..40),
    ) {
        let bank = json!({"kind": "bank", "initial_s": 100 * HOUR_S, "increment_s": increment_h * HOUR_S,
            "cap_s": 120 * HOUR_S, "rests": "standard"});
        let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), clock(bank));
        let mut game = Game::open(setup, dice(seed));
        for seat in [Seat(0), Seat(1)] {
            game.act(seat, &Action::DEPLOY_AUTO).expect("legal");
        }
        for doing in doings {
            let (now, before) = (game.now, left(&game.battle, game.now));
            let mut may_gain = None;
            match doing.clone() {
                Doing::Waits { minutes } => game.now = now.plus_ms(minutes * 60_000),
                Doing::Moves if game.battle.status() == Status::Playing && game.battle.expire(now).is_empty() => {
                    may_gain = Some(shoot(&mut game));
                }
                Doing::Plans { seat, from_h, rests, days } => {
                    let from = now.plus_ms(from_h * HOUR_MS);
                    let until = days.map(|days| from.max(now).plus_ms(days * DAY_MS));
                    game.plans(Seat(seat), from, &rests, until);
                }
                Doing::CallsArmistice { seat } => drop(game.act(Seat(seat), &Action::CALL_ARMISTICE)),
                Doing::EndArmistice => {
                    for seat in [Seat(0), Seat(1)] {
                        drop(game.act(seat, &Action::END_ARMISTICE));
                    }
                }
                Doing::Moves => {}
            }
            // What was done, was done at `now`: nothing but a move gives time.
            let at_once = left(&game.battle, now);
            for seat in [Seat(0), Seat(1)] {
                let gain = i64::from(increment_h) * HOUR_MS * i64::from(may_gain == Some(seat));
                prop_assert!(at_once[seat.index()] <= before[seat.index()] + gain, "{doing:?}");
                prop_assert!(may_gain == Some(seat) || at_once[seat.index()] == before[seat.index()], "{doing:?}");
            }
            // And afterwards it only runs down, by no more than has passed.
            for (later, first) in left(&game.battle, game.now).into_iter().zip(at_once) {
                prop_assert!((0..=game.now.millis_since(now)).contains(&(first - later)), "{doing:?}");
            }
            times_add_up(&game)?;
            game.expire();
            if game.battle.status().is_over() {
                break;
            }
        }
        same_again(&game);
    }

    #[test]
    fn a_plan_known_by_parts_gives_the_same_deadlines(
        seed in 0_u64..1000,
        rests in [long_rests(), long_rests()],
        parts_h in proptest::collection::vec(1_i64..90, 1..8),
        waits_m in proptest::collection::vec(1_i64..1400, 1..12),
    ) {
        let terms = json!({"kind": "per-move", "move_s": 86_400, "rests": "standard"});
        let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), clock(terms));
        let mut whole = Game::open(setup.clone(), dice(seed));
        let mut parts = Game::open(setup, dice(seed));
        let mut next = parts_h.iter().cycle();
        // The same times in both, however many entries there are.
        (whole.pace_s, parts.pace_s) = (0, 0);
        parts.now = whole.now;
        for seat in [Seat(0), Seat(1)] {
            whole.plans(seat, START, &rests[seat.index()], None);
            parts.plans(seat, START, &rests[seat.index()], next.next().map(|hours| START.plus_ms(hours * HOUR_MS)));
        }
        for wait in std::iter::once(&0).chain(&waits_m) {
            for game in [&mut whole, &mut parts] {
                game.now = game.now.plus_ms(wait * 60_000);
                if game.expire().is_empty() {
                    shoot(game);
                }
            }
            while let Some(seat) = parts.battle.plans_needed().iter().next() {
                let from = parts.battle.planned_until(seat).expect("an end");
                let hours = next.next().expect("it cycles");
                parts.plans(seat, from, &rests[seat.index()], Some(from.max(parts.now).plus_ms(hours * HOUR_MS)));
            }
            prop_assert_eq!(whole.battle.deadline(), parts.battle.deadline());
            prop_assert_eq!(whole.battle.outcome(), parts.battle.outcome());
            for (one, other) in whole.spectator().times(whole.now).into_iter().zip(parts.spectator().times(parts.now)) {
                prop_assert_eq!(one.segments, other.segments);
                prop_assert_eq!(one.time_left_s, other.time_left_s);
            }
            if whole.battle.status().is_over() {
                break;
            }
        }
        same_again(&parts);
    }
}

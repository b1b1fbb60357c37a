//! Clocks that stand still: worked cases by hand.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
mod support;

use broadside_rules::{Action, RestKind, Seat, SeatSet, Setup, Status, Time, Variant, timetable::SegmentKind};
use hands::*;
use serde_json::json;
use support::{Game, START, dice, same_again};

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
    // On Monday at six they have as much as on Saturday evening.
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
    // At noon on Tuesday, five hours before the end, the player leaves for a week.
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
    // Back a day earlier than planned, at ten in the evening: the clock goes on in the morning.
    game.now = t(9, 22, 0);
    assert_eq!(game.plans(turn, t(9, 22, 0), &nights(0..40), Some(t(40, 0, 0))), 1);
    assert_eq!(game.battle.deadline_of(turn), Some(t(10, 12, 0)));
    // Later plans change no time that has run, nor do they help after the time is over.
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
    let next = time.prospect.expect("it would go on");
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
    let other = times(&game, turn.other()).prospect.expect("this seat waits");
    assert_eq!(shoot(&mut game), turn);
    assert_eq!(game.battle.left_ms(turn, t(9, 0, 0)), Some(99 * HOUR_MS), "it doesn't run now");
    assert_eq!(game.battle.deadline_of(turn.other()), Some(other.deadline), "as was said before");
    assert_eq!(times(&game, turn.other()).segments, other.segments);
    // 13 hours today, then 15 a day: 88 by Sunday evening, twelve more on Monday.
    assert_eq!(other.deadline, t(10, 19, 0));
    // The other one moves at night: the day has cost them 13 hours.
    game.now = t(4, 23, 30);
    assert_eq!(shoot(&mut game), turn.other());
    assert_eq!(game.battle.left_ms(turn.other(), game.now), Some(89 * HOUR_MS));
    // The first one moves at once, too: that costs nothing.
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
    assert_eq!(game.battle.deadline_of(turn), Some(t(7, 10, 0)), "as if there were no more nights");
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
    // Nights that are over are forgotten when the next turn of the seat begins.
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
    // Their plans came a second after the opening, and one more: that time has run.
    assert_eq!(game.battle.deadline_of(Seat(0)), Some(Time(t(0, 8, 0).0 - 1000)), "a second has run");
    assert_eq!(game.battle.deadline_of(Seat(1)), Some(Time(t(0, 13, 0).0 - 2000)));
    assert_eq!(game.battle.deadline(), game.battle.deadline_of(Seat(0)));
    game.now = t(0, 7, 30);
    game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
    let waits = times(&game, Seat(0)).prospect.expect("this seat waits");
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

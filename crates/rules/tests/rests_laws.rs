//! Laws of clocks that rest, under any plans: the arithmetic against a count of single milliseconds, and random
//! matches.
#![allow(clippy::expect_used, reason = "a test may stop")]
#[path = "rests/hands.rs"]
mod hands;
mod support;

use broadside_rules::{
    Action, Battle, Plan, Rest, RestKind, Seat, Setup, Status, Time, Variant, timetable::SegmentKind,
};
use hands::*;
use proptest::prelude::*;
use serde_json::json;
use support::{Game, START, dice, same_again};

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

/// The rest at a time, counted one by one.
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
        // The first time by which this much has run, so each is the other's inverse.
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

/// An event in the life of a player in a random match.
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
        prop_assert_eq!(time.prospect.is_none(), time.running);
    }
    Ok(())
}

/// The time left to each seat now.
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
            // The change happened at `now`: nothing but a move gives time.
            let at_once = left(&game.battle, now);
            for seat in [Seat(0), Seat(1)] {
                let gain = i64::from(increment_h) * HOUR_MS * i64::from(may_gain == Some(seat));
                prop_assert!(at_once[seat.index()] <= before[seat.index()] + gain, "{doing:?}");
                prop_assert!(may_gain == Some(seat) || at_once[seat.index()] == before[seat.index()], "{doing:?}");
            }
            // Afterwards it only runs down, by no more than has passed.
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
        // The same times in both, whatever the number of entries.
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

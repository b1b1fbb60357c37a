//! Cases that the laws provide for, though no current rule set leads to them: fleets that are sunk together.
use super::*;
use crate::families::salvos::rules::{Deployment, MovesPosted, SalvosTag};

const RULES: Rules = Rules {
    roster: 1,
    family: SalvosTag::Value,
    fleets: None,
    rows_per_seat: 5,
    columns: 10,
    teams: None,
    deployment: Deployment::Interleaved,
    moves_posted: MovesPosted::Steps,
    rounds: 60,
};

fn fleets(course: &Course, seats: &[u8]) -> Ships {
    seats.iter().flat_map(|seat| course.fleet(Seat(*seat))).collect()
}

fn places(outcome: &Outcome) -> alloc::vec::Vec<(u8, u8)> {
    outcome.places.iter().map(|place| (place.seat.0, place.place)).collect()
}

fn opening() -> Course {
    let mut course = Course::new(&RULES, 4);
    course.open(&[3, 0, 5, 1]);
    (0..4).map(Seat).for_each(|seat| {
        course.deployed(seat);
    });
    assert_eq!(course.phase, Phase::Opening);
    course
}

#[test]
fn the_last_fleets_sunk_together_draw() {
    let mut course = opening();
    course.sinks(fleets(&course, &[0, 1, 2, 3]));
    let step = course.opening_over();
    assert_eq!((step.to_act, step.out), (SeatSet::NONE, SeatSet::first(4)));
    let outcome = course.outcome(None, |_| (0, 0)).expect("over");
    assert_eq!((outcome.reason, outcome.winner), (Reason::Fleet, None));
    assert_eq!(places(&outcome), [(0, 1), (1, 1), (2, 1), (3, 1)]);
}

#[test]
fn fleets_sunk_one_after_the_other_in_a_turn_share_nothing() {
    let mut course = opening();
    course.opening_over();
    assert_eq!(course.phase, Phase::Turn { seat: Seat(1) }, "the first nation begins");
    course.sinks(fleets(&course, &[2]));
    course.sinks(fleets(&course, &[0, 3]));
    course.turn_over(&RULES, Seat(1));
    let outcome = course.outcome(None, |_| (1, 1)).expect("over");
    assert_eq!(outcome.winner, Some(Seat(1)));
    assert_eq!(places(&outcome), [(1, 1), (0, 2), (3, 2), (2, 4)]);
}

#[test]
fn rounds_count_from_the_opening_and_skip_who_is_out() {
    let mut course = opening();
    course.opening_over();
    course.sinks(fleets(&course, &[0]));
    let mut turns = alloc::vec::Vec::new();
    while let Phase::Turn { seat } = course.phase {
        turns.push(seat.0);
        course.turn_over(&RULES, seat);
    }
    // Seats 1, 3 and 2 have the nations 0, 1 and 5. The opening was the first of the sixty rounds.
    assert_eq!(turns.len(), 59 * 3);
    assert!(turns.chunks(3).all(|round| round == [1, 3, 2]));
    let outcome = course.outcome(None, |seat| if seat == Seat(2) { (9, 2) } else { (9, 1) }).expect("over");
    assert_eq!((outcome.reason, outcome.winner), (Reason::Limit, Some(Seat(2))));
    assert_eq!(places(&outcome), [(2, 1), (1, 2), (3, 2), (0, 4)]);
}

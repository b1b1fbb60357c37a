//! Helpers for tests of clocks that rest: times by the day, nights, and a battle in progress.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use broadside_rules::{
    Action, Clock, Rest, RestKind, Seat, Setup, Time, Variant,
    timetable::{SeatTimeView, SegmentKind, SegmentView},
};
use serde_json::Value;

use crate::support::{Game, START, dice};

pub const HOUR_S: u32 = 3600;
pub const HOUR_MS: i64 = 3_600_000;
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// A time on day `day`, where day 0 is Friday, 21 November 2025, the day on which matches begin (at 04:40 UTC).
pub fn t(day: i64, hour: i64, minute: i64) -> Time {
    Time(START.0.div_euclid(DAY_MS) * DAY_MS + day * DAY_MS + hour * HOUR_MS + minute * 60_000)
}

pub fn rest(from: Time, until: Time, kind: RestKind) -> Rest {
    Rest { from, until, kind }
}

/// The night that begins on this day at 22:00 and lasts nine hours.
pub fn night(day: i64) -> Rest {
    rest(t(day, 22, 0), t(day + 1, 7, 0), RestKind::Night)
}

pub fn nights(days: std::ops::Range<i64>) -> Vec<Rest> {
    days.map(night).collect()
}

pub fn clock(clock: Value) -> Clock {
    Clock::parse(&clock).expect("a clock")
}

/// A battle in progress, whose clock began at `at`, and the seat to move.
pub fn battle_at(terms: Value, at: Time) -> (Game, Seat) {
    let setup = Setup::new(Variant::find("classic").expect("a variant").rule_set(), clock(terms));
    let mut game = Game::open(setup, dice(9));
    game.act(Seat(0), &Action::DEPLOY_AUTO).expect("legal");
    game.now = at;
    game.act(Seat(1), &Action::DEPLOY_AUTO).expect("legal");
    let turn = game.battle.to_act().iter().next().expect("somebody");
    (game, turn)
}

pub fn shoot(game: &mut Game) -> Seat {
    let (seat, decision) = game.required().expect("somebody must act");
    game.act(seat, &decision.example()).expect("legal");
    seat
}

pub fn times(game: &Game, seat: Seat) -> SeatTimeView {
    game.spectator().times(game.now).swap_remove(seat.index())
}

/// The segments as kinds and ends, checked to have no gap.
pub fn ends(from: Time, segments: &[SegmentView]) -> Vec<(SegmentKind, Time)> {
    let mut at = from;
    for segment in segments {
        assert!(segment.from == at && segment.from < segment.until, "a gap at {at}: {segments:?}");
        at = segment.until;
    }
    segments.iter().map(|segment| (segment.kind, segment.until)).collect()
}

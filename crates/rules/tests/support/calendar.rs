//! Players who sleep: their rests come to the table as the service would bring them.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

use broadside_rules::{Battle, Event, Rest, RestKind, Seat, Time};

use super::Game;

/// A player's rests from a time on, and the end of the known ones.
pub type Calendar = fn(Seat, Time) -> (Vec<Rest>, Time);

/// Seat n sleeps nine hours from 22:00 UTC plus n hours; five nights are known.
pub fn five_nights(seat: Seat, from: Time) -> (Vec<Rest>, Time) {
    const DAY_MS: i64 = 86_400_000;
    let evening = (from.0.div_euclid(DAY_MS) - 1) * DAY_MS + (22 + i64::from(seat.0)) * 3_600_000;
    let night = |n| Time(evening + n * DAY_MS);
    let rest = |n| Rest { from: night(n), until: night(n).plus_s(9 * 3600), kind: RestKind::Night };
    ((0..6).map(rest).collect(), night(6))
}

impl Game {
    pub fn after(&self, events: &[Event]) -> Battle {
        let mut after = self.battle.clone();
        events.iter().for_each(|event| after.apply(event, self.now));
        after
    }

    /// The events, followed by the plans that the match needs then.
    pub fn with_plans(&self, mut events: Vec<Event>) -> Vec<Event> {
        let Some(calendar) = self.calendar else { return events };
        loop {
            let after = self.after(&events);
            let Some(seat) = after.plans_needed().iter().next() else { return events };
            let from = after.planned_until(seat).expect("they end somewhere").max(self.now);
            let (rests, until) = calendar(seat, from);
            let plan = after.plan_rests(seat, from, &rests, Some(until), self.now);
            assert_eq!(plan.len(), 1, "a longer plan is another");
            events.extend(plan);
        }
    }

    /// The seat's player plans their rests anew, from `from` on. Returns the number of events.
    pub fn plans(&mut self, seat: Seat, from: Time, rests: &[Rest], until: Option<Time>) -> usize {
        let events = self.battle.plan_rests(seat, from, rests, until, self.now);
        if !events.is_empty() {
            self.take(None, &events);
        }
        events.len()
    }
}

//! Pauses of the match's ladder or tournament: spans in which none of its clocks runs, whatever the terms say of rests.
//! They lie over the rests of all seats, and may be ended early.
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    battle::Battle,
    event::{Event, TableEvent},
    seat::Seat,
    time::Time,
};

/// A span of time in which the ladder or the tournament of a match is paused, so that no clock of it runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = MatchPause))]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// From when on; it names the pause in its match.
    pub from: Time,
    /// Until when: planned, or when it was ended before. Never before `from`.
    pub until: Time,
}

impl Pause {
    /// The longest pause, in milliseconds: 30 days.
    pub const MOST_MS: i64 = 30 * 86_400 * 1000;

    /// Is the pause valid?
    #[must_use]
    pub fn is_well_formed(self) -> bool {
        (0..=Self::MOST_MS).contains(&self.until.millis_since(self.from))
    }
}

/// The pauses that are new to a match opened at `opened_at`, in order. A pause is identified by its start: another end
/// cuts or extends it. Not new are pauses that haven't begun by `at`, were over before the match began, begin within
/// the pause before, or are known as they are.
fn news(known: &[Pause], pauses: &[Pause], opened_at: Time, at: Time) -> Vec<Pause> {
    let mut known = known.to_vec();
    let mut takes = |pause: &&Pause| {
        if pause.from > at || !pause.is_well_formed() {
            return false;
        }
        let last = known.len().saturating_sub(1);
        match known.iter().position(|before| before.from == pause.from) {
            // Pauses before the last one no longer change.
            Some(index) => index == last && core::mem::replace(&mut known[index].until, pause.until) != pause.until,
            None => {
                let follows = known.last().is_none_or(|last| last.until <= pause.from);
                let is_new = follows && pause.from < pause.until && opened_at < pause.until;
                known.extend(is_new.then_some(**pause));
                is_new
            }
        }
    };
    pauses.iter().filter(|pause| takes(pause)).copied().collect()
}

impl Battle {
    /// Applies the contest's pauses, in order: no clock runs in them, whatever the terms say, and an armistice stands
    /// still. Only pauses new to the match bring about events, and none after its end. Turns that are over keep the
    /// time used.
    #[must_use]
    pub fn pause_clocks(&self, pauses: &[Pause], at: Time) -> Vec<Event> {
        let opened_at = self.table().opened_at.filter(|_| !self.status().is_over());
        let Some(opened_at) = opened_at else { return Vec::new() };
        let news = news(self.table().clocks().contest_pauses(), pauses, opened_at, at);
        news.into_iter().map(|Pause { from, until }| TableEvent::ClocksPaused { from, until }.into()).collect()
    }

    /// The milliseconds of known pauses from `at` on.
    #[must_use]
    pub fn pause_ahead_ms(&self, at: Time) -> i64 {
        let ahead = |pause: &Pause| pause.until.millis_since(pause.from.max(at)).max(0);
        self.table().clocks().contest_pauses().iter().map(ahead).sum()
    }

    /// The time at which a seat's clock resumes that rests at `now` for any reason; `None`: it doesn't rest.
    #[must_use]
    pub fn rests_until(&self, seat: Seat, now: Time) -> Option<Time> {
        self.table().clocks().resting(seat)?.rest_at(now).map(|rest| rest.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(from: i64, until: i64) -> Pause {
        Pause { from: Time(from), until: Time(until) }
    }

    fn told(known: &[Pause], pauses: &[Pause]) -> Vec<Pause> {
        news(known, pauses, Time(100), Time(1000))
    }

    #[test]
    fn only_what_changes_something_is_news() {
        assert_eq!(told(&[], &[pause(50, 100), pause(1001, 1100), pause(300, 300), pause(400, 300)]), []);
        assert_eq!(told(&[], &[pause(50, 101), pause(900, 2000)]), [pause(50, 101), pause(900, 2000)]);
        assert_eq!(told(&[pause(200, 800)], &[pause(200, 800)]), []);
        assert_eq!(told(&[pause(200, 800)], &[pause(200, 300), pause(300, 900)]), [pause(200, 300), pause(300, 900)]);
        assert_eq!(told(&[pause(200, 800)], &[pause(200, 200)]), [pause(200, 200)], "ended as it began");
        assert_eq!(told(&[pause(200, 800)], &[pause(700, 900)]), [], "two at once");
        assert_eq!(told(&[pause(200, 300), pause(400, 500)], &[pause(200, 350)]), [], "the past stays");
        assert_eq!(told(&[], &[pause(200, 201 + Pause::MOST_MS)]), [], "too long");
    }
}

//! The lines of a record's log, built from the entries of the match's log.
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    action::Action,
    deadline::Deadline,
    event::{Event, TableEvent},
    hand_over::HandOver,
    log::Entry,
    outcome::Reason,
    pause::Pause,
    rest::{DownTime, Rest},
    seat::Seat,
    setup::Setup,
    text::Digest,
    time::Time,
};

/// One action, or one stroke of the clock.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordLine))]
#[serde(deny_unknown_fields)]
pub struct LogLine {
    /// When.
    pub at: Time,
    /// Who asked; `null` for the opening and for the clock.
    #[cfg_attr(feature = "schema", schema(required))]
    pub seat: Option<Seat>,
    /// The action; `null` for the opening and for the clock.
    #[cfg_attr(feature = "schema", schema(required))]
    pub action: Option<Action>,
    /// The salt of the commitment to it; `null` when it was no secret.
    #[cfg_attr(feature = "schema", schema(required))]
    pub salt: Option<Digest>,
    /// How somebody from outside has ended the match, if this line is that; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub adjudicated: Option<Adjudicated>,
    /// The deadline at which the match has ended, if this line is that; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub deadline: Option<Deadline>,
    /// Who was given more time from outside, if this line is that; left out otherwise, and while the match lasts (the
    /// reports have it).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub time_added: Option<TimeAdded>,
    /// Who has taken over which seat, if this line is that (with more time for it, if it had little left); left out
    /// otherwise, and while the match lasts (the reports have it).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub handed_over: Option<HandOver>,
    /// When the service could not be reached, if this line is that: the clocks that ran stood still then; left out
    /// otherwise, and while the match lasts (the reports have it).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub down_times: Vec<DownTime>,
    /// When the ladder or the tournament was paused, if this line is that; left out otherwise, and while the match
    /// lasts (the reports have it).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub pauses: Vec<Pause>,
    /// The rests that came to the table after it, in order; left out where there are none, and while the match lasts
    /// (the reports have them).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 64))]
    pub plans: Vec<LogPlan>,
}

/// How somebody from outside has ended a match with a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordAdjudication))]
#[serde(deny_unknown_fields)]
pub struct Adjudicated {
    /// Who wins, with all allies (of these the first is named); `null` for a draw of those who still play.
    #[cfg_attr(feature = "schema", schema(required))]
    pub winner: Option<Seat>,
}

impl Adjudicated {
    pub(super) fn of(setup: &Setup, entry: &Entry) -> Option<Self> {
        let outcome = entry.events.iter().find_map(|event| match event {
            Event::Table(TableEvent::Finished { outcome }) => Some(outcome),
            _ => None,
        });
        let outcome = outcome.filter(|outcome| outcome.reason == Reason::Adjudicated)?;
        let mut best = outcome.places.iter().filter(|place| place.place == 1).map(|place| place.seat);
        let winner = best.next().filter(|first| best.all(|seat| setup.rules.allied(*first, seat)));
        Some(Self { winner })
    }
}

/// More time for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordTimeAdded))]
#[serde(deny_unknown_fields)]
pub struct TimeAdded {
    /// Whose clock.
    pub seat: Seat,
    /// How many seconds.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_209_600, format = Int32))]
    pub seconds: u32,
}

/// The rests of a seat, as they came to the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordPlan))]
#[serde(deny_unknown_fields)]
pub struct LogPlan {
    /// Whose clock.
    pub seat: Seat,
    /// From when on.
    pub from: Time,
    /// The spans in which it stands still.
    #[cfg_attr(feature = "schema", schema(max_items = 1000))]
    pub rests: Vec<Rest>,
    /// Until when they are known; `null`: for ever.
    #[cfg_attr(feature = "schema", schema(required))]
    pub until: Option<Time>,
}

impl LogPlan {
    pub(super) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Table(TableEvent::RestsPlanned { seat, from, rests, until }) => {
                Some(Self { seat: *seat, from: *from, rests: rests.clone(), until: *until })
            }
            _ => None,
        }
    }
}

pub(super) fn down_time(event: &Event) -> Option<DownTime> {
    match event {
        Event::Table(TableEvent::ClocksRested { from, until }) => Some(DownTime { from: *from, until: *until }),
        _ => None,
    }
}

fn handed_over(event: &Event) -> Option<HandOver> {
    match event {
        Event::Table(TableEvent::SeatHandedOver { seat, player, bot, by }) => {
            Some(HandOver { seat: *seat, player: player.clone(), bot: *bot, by: *by })
        }
        _ => None,
    }
}

pub(super) fn pause(event: &Event) -> Option<Pause> {
    match event {
        Event::Table(TableEvent::ClocksPaused { from, until }) => Some(Pause { from: *from, until: *until }),
        _ => None,
    }
}

impl LogLine {
    pub(super) fn of(setup: &Setup, entry: &Entry) -> Self {
        let asked = entry.events.first().and_then(|event| event.asked(setup));
        let salt = entry.events.iter().find_map(|event| match event {
            Event::Table(TableEvent::Sealed { salt, .. }) => Some(Digest::of(salt)),
            _ => None,
        });
        let seat = entry.seat;
        let plans = entry.events.iter().filter_map(LogPlan::of).collect();
        let action = seat.and(asked.map(|(_, action)| action));
        let down_times = entry.events.iter().filter_map(down_time).collect();
        let pauses = entry.events.iter().filter_map(pause).collect();
        let deadline = entry.events.iter().find_map(|event| match event {
            Event::Table(TableEvent::DeadlineReached { due_at, rule }) => {
                Some(Deadline { due_at: *due_at, rule: *rule })
            }
            _ => None,
        });
        let handed_over = entry.events.iter().find_map(handed_over);
        let time_added = entry.events.iter().find_map(|event| match event {
            Event::Table(TableEvent::TimeAdded { seat, seconds }) => Some(TimeAdded { seat: *seat, seconds: *seconds }),
            _ => None,
        });
        // The hand-over already implies a substitute's additional time.
        let time_added = time_added.filter(|_| handed_over.is_none());
        let adjudicated = Adjudicated::of(setup, entry);
        let at = entry.at;
        Self { at, seat, action, salt, adjudicated, deadline, time_added, handed_over, down_times, pauses, plans }
    }
}

impl LogLine {
    pub(super) fn without_plans(self) -> Self {
        Self { plans: Vec::new(), ..self }
    }
}

//! The course of deadlines: for each seat the spans of its turn in which its clock runs or stands still, the time left,
//! and the time it would have if the turn changed hands now. All of it is public, and follows from the clocks.
use alloc::vec::Vec;

use serde::Serialize;

use crate::{
    clocks::{Clocks, whole_s},
    outcome::Status,
    rest::{Plan, RestKind, layered},
    seat::{Seat, Viewer},
    table::Table,
    time::Time,
};

/// What a clock does in a span of time. Where several hold, the later of this list is the one that is named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SegmentKind {
    /// It runs.
    Running,
    /// It stands still: the player sleeps.
    Night,
    /// It stands still: it is the player's day off.
    DayOff,
    /// It stands still: the player is on vacation.
    Vacation,
    /// It stood still: the service could not be reached.
    DownTime,
    /// It stands still: there was an armistice.
    Armistice,
    /// It stands still: the ladder or the tournament of the match is paused.
    ContestPause,
}

impl From<RestKind> for SegmentKind {
    fn from(kind: RestKind) -> Self {
        match kind {
            RestKind::Night => Self::Night,
            RestKind::DayOff => Self::DayOff,
            RestKind::Vacation => Self::Vacation,
            RestKind::DownTime => Self::DownTime,
            RestKind::ContestPause => Self::ContestPause,
        }
    }
}

/// A span of time, and what a clock does in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ClockSegment))]
#[serde(deny_unknown_fields)]
pub struct SegmentView {
    /// What it does.
    pub kind: SegmentKind,
    /// From when on.
    pub from: Time,
    /// Until when.
    pub until: Time,
}

/// A deadline, and how it comes about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ClockProspect))]
#[serde(deny_unknown_fields)]
pub struct ProspectView {
    /// When the time would be over.
    pub deadline: Time,
    /// What gives it, without a gap.
    #[cfg_attr(feature = "schema", schema(max_items = 4096))]
    pub segments: Vec<SegmentView>,
}

/// How one seat's time stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SeatTime))]
#[serde(deny_unknown_fields)]
pub struct SeatTimeView {
    /// The seat.
    pub seat: Seat,
    /// Is its clock on, because it must act? (At night and the like the clock is on and stands still: the segments say
    /// so.)
    pub running: bool,
    /// Whole seconds that it has left now; `null` without a limit, and for a seat that still waits until it is to place
    /// its fleet.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1_209_600, format = Int32))]
    pub time_left_s: Option<u32>,
    /// Whole seconds for which its clock has run in the whole match, placing its fleet included and rests not.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 4_294_967_295_i64, format = Int64))]
    pub time_taken_s: u32,
    /// When its turn began; `null` when it is not its turn. An armistice doesn't end a turn.
    #[cfg_attr(feature = "schema", schema(required))]
    pub since: Option<Time>,
    /// When its time is over; `null` when its clock isn't on, or has no limit.
    #[cfg_attr(feature = "schema", schema(required))]
    pub deadline: Option<Time>,
    /// What gives the deadline: from the beginning of the turn to the deadline, in order and without a gap; empty
    /// without a deadline.
    #[cfg_attr(feature = "schema", schema(max_items = 4096))]
    pub segments: Vec<SegmentView>,
    /// Until when its rests are known; `null`: for ever. A deadline behind this time may still come later.
    #[cfg_attr(feature = "schema", schema(required))]
    pub rests_known_until: Option<Time>,
    /// The deadline that it would have if its turn in battle began now (or, in an armistice that has stopped its clock,
    /// went on now); `null` when its clock is on, when it has no limit, and when it plays no more part.
    #[cfg_attr(feature = "schema", schema(required))]
    pub prospect: Option<ProspectView>,
    /// For the viewer's own seat, whose turn it is: whole seconds that it would have left if it ended its turn now,
    /// with what the clock adds for a move; else `null`.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1_209_600, format = Int32))]
    pub time_left_if_moved_s: Option<u32>,
}

/// The time of a seat at `at`.
pub(crate) fn of_seat(table: &Table, seat: Seat, viewer: Viewer, at: Time) -> SeatTimeView {
    let clocks = table.clocks();
    let (since, deadline) = (clocks.began(seat), clocks.deadline_of(seat));
    let own = viewer == Viewer::Seat(seat) && clocks.runs(seat);
    let moved_ms = clocks.left_after(seat, at, table.status == Status::Playing).filter(|_| own);
    SeatTimeView {
        seat,
        running: clocks.runs(seat),
        time_left_s: clocks.left_ms(seat, at).and_then(whole_s),
        time_taken_s: whole_s(clocks.taken_ms(seat, at)).unwrap_or(u32::MAX),
        since,
        deadline,
        segments: since.zip(deadline).map_or_else(Vec::new, |(since, end)| segments(clocks, seat, since, end)),
        rests_known_until: clocks.planned(seat).and_then(Plan::known_until),
        prospect: prospect(table, seat, at),
        time_left_if_moved_s: moved_ms.and_then(whole_s),
    }
}

fn prospect(table: &Table, seat: Seat, at: Time) -> Option<ProspectView> {
    let clocks = table.clocks();
    if table.status.is_over() || clocks.runs(seat) || !table.playing().contains(seat) {
        return None;
    }
    let left_ms = match table.status {
        Status::Deploying => clocks.terms().battle_ms()?,
        _ if clocks.began(seat).is_some() => clocks.left_ms(seat, at)?,
        _ => clocks.at_next_turn(seat)?,
    };
    let deadline = clocks.resting(seat)?.after(at, left_ms);
    Some(ProspectView { deadline, segments: segments(clocks, seat, at, deadline) })
}

/// The states of a seat's clock between two times, without gaps.
fn segments(clocks: &Clocks, seat: Seat, from: Time, until: Time) -> Vec<SegmentView> {
    let resting = clocks.resting(seat).unwrap_or_default();
    let rests = resting.rests().iter().map(|rest| (rest.from, rest.until, SegmentKind::from(rest.kind)));
    let pauses = clocks.pauses().iter().map(|(from, until)| (*from, *until, SegmentKind::Armistice));
    let still = rests.chain(pauses).map(|(start, end, kind)| (start.max(from), end.min(until), kind));
    let spans = still.chain([(from, until, SegmentKind::Running)]);
    layered(spans.collect()).into_iter().map(|(from, until, kind)| SegmentView { kind, from, until }).collect()
}

//! Rests: spans in which a seat's clock stands still, and the arithmetic of the time between them. They are plain
//! points in time. The caller plans time zones, calendars and vacations, so judging a match again needs none of them.
use alloc::{borrow::Cow, format, string::String, vec::Vec};

use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::{pause::Pause, time::Time};

/// The most planned rests of a seat: over a year of nights and days off.
pub const MOST_RESTS: usize = 1000;

/// Why a clock stands still. Where two rests overlap, the later of this list is the one that is named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
#[cbor(index_only)]
pub enum RestKind {
    /// The hours in which the player sleeps.
    #[n(0)]
    Night,
    /// A day of the week on which the player doesn't play.
    #[n(1)]
    DayOff,
    /// A vacation of the player.
    #[n(2)]
    Vacation,
    /// The service could not be reached. It is in no calendar and no plan: it is found out afterwards, and holds for
    /// all clocks that ran.
    #[n(3)]
    DownTime,
    /// The ladder or the tournament of the match was paused. It is in no calendar and no plan, and holds for all
    /// clocks.
    #[n(4)]
    ContestPause,
}

/// A span of time in which the service could not be reached, so that it is charged to no clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = RecordDownTime))]
#[serde(deny_unknown_fields)]
pub struct DownTime {
    /// From when on it could not be reached.
    pub from: Time,
    /// When it could be reached again; later than `from`.
    pub until: Time,
}

/// A span of time in which a seat's clock stands still.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// From when on it stands still.
    #[n(0)]
    pub from: Time,
    /// When it goes on; later than `from`.
    #[n(1)]
    pub until: Time,
    /// Why.
    #[n(2)]
    pub kind: RestKind,
}

impl Rest {
    pub(crate) fn line(&self) -> String {
        let kind = match self.kind {
            RestKind::Night => "night",
            RestKind::DayOff => "day off",
            RestKind::Vacation => "vacation",
            RestKind::DownTime => "down time",
            RestKind::ContestPause => "pause",
        };
        format!("{kind} from {} until {}", self.from, self.until)
    }
}

/// The known rests of one seat, in order and without overlaps. The default never rests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    rests: Vec<Rest>,
    known_until: Option<Time>,
}

impl Plan {
    /// A plan from rests in any order, cut to `from` … `known_until` (`None`: no end). Where rests overlap the stronger
    /// kind stays; touching rests of one kind become one. Beyond [`MOST_RESTS`] the first stay, and `known_until`
    /// shrinks to what they cover.
    #[must_use]
    pub fn new(rests: &[Rest], from: Time, known_until: Option<Time>) -> Self {
        Self::of_at_most(MOST_RESTS, rests, from, known_until)
    }

    /// The plan to follow this one from `from` on, built as by [`Plan::new`]; the two together have at most
    /// [`MOST_RESTS`]. `None` when nothing more would be known, or nothing changes.
    #[must_use]
    pub fn next(&self, rests: &[Rest], from: Time, known_until: Option<Time>) -> Option<Self> {
        let stay = self.rests.iter().filter(|rest| rest.from < from).count();
        let next = Self::of_at_most(MOST_RESTS.checked_sub(stay)?, rests, from, known_until);
        (next.known_until.is_none_or(|known_until| from < known_until) && !self.is_from(from, &next)).then_some(next)
    }

    fn of_at_most(most: usize, rests: &[Rest], from: Time, known_until: Option<Time>) -> Self {
        let end = known_until.unwrap_or(Time(i64::MAX));
        let cut = rests.iter().map(|rest| (rest.from.max(from), rest.until.min(end), rest.kind));
        let mut rests: Vec<Rest> =
            layered(cut.collect()).into_iter().map(|(from, until, kind)| Rest { from, until, kind }).collect();
        let known_until = rests.get(most).map(|rest| rest.from).or(known_until);
        rests.truncate(most);
        Self { rests, known_until }
    }

    /// The rests, in order, without overlaps.
    #[must_use]
    pub fn rests(&self) -> &[Rest] {
        &self.rests
    }

    pub(crate) fn rest_at(&self, now: Time) -> Option<&Rest> {
        self.rests.iter().find(|rest| rest.from <= now && now < rest.until)
    }

    /// The end of the known rests; `None`: no end.
    #[must_use]
    pub const fn known_until(&self) -> Option<Time> {
        self.known_until
    }

    /// Are the rests known up to this time?
    #[must_use]
    pub fn reaches(&self, time: Time) -> bool {
        self.known_until.is_none_or(|known_until| time <= known_until)
    }

    /// Would [`Plan::new`] leave these rests unchanged?
    #[must_use]
    pub fn is_well_formed(rests: &[Rest], from: Time, known_until: Option<Time>) -> bool {
        rests.len() <= MOST_RESTS
            && known_until.is_none_or(|known_until| from < known_until)
            && Self::new(rests, from, known_until).rests == rests
    }

    /// The milliseconds between two times outside all rests; 0 when the second isn't later.
    #[must_use]
    pub fn running_ms(&self, from: Time, until: Time) -> i64 {
        let overlap = |rest: &Rest| rest.until.min(until).millis_since(rest.from.max(from)).max(0);
        let resting: i64 = self.rests.iter().map(overlap).fold(0, i64::saturating_add);
        until.millis_since(from).saturating_sub(resting).max(0)
    }

    /// The first time at which `running_ms` have run since `since`; `since` itself for 0.
    #[must_use]
    pub fn after(&self, since: Time, running_ms: i64) -> Time {
        let (mut at, mut left_ms) = (since, running_ms.max(0));
        for rest in self.rests.iter().filter(|rest| rest.until > since) {
            let before_ms = rest.from.millis_since(at).max(0);
            if left_ms <= before_ms {
                break;
            }
            left_ms -= before_ms;
            at = rest.until;
        }
        at.plus_ms(left_ms)
    }

    /// This plan up to `from`, and `next` after it.
    #[must_use]
    pub fn followed_by(&self, from: Time, next: &Self) -> Self {
        let before = self.rests.iter().filter(|rest| rest.from < from);
        let mut rests: Vec<Rest> = before.map(|rest| Rest { until: rest.until.min(from), ..*rest }).collect();
        let joins = |last: &Rest, rest: &Rest| last.until == rest.from && last.kind == rest.kind;
        for rest in &next.rests {
            match rests.last_mut() {
                Some(last) if joins(last, rest) => last.until = rest.until,
                _ => rests.push(*rest),
            }
        }
        Self { rests, known_until: next.known_until }
    }

    /// Is it the same plan from `from` on?
    #[must_use]
    pub fn is_from(&self, from: Time, other: &Self) -> bool {
        self.known_until == other.known_until && Self::new(&self.rests, from, self.known_until).rests == other.rests
    }

    /// Lays a span of down time over the plan; idempotent.
    pub(crate) fn lay(&mut self, down: DownTime) {
        self.lay_all([Rest { from: down.from, until: down.until, kind: RestKind::DownTime }]);
    }

    pub(crate) fn with(&self, pauses: &[Pause]) -> Cow<'_, Self> {
        if pauses.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut plan = self.clone();
        plan.lay_all(pauses.iter().map(|pause| Rest {
            from: pause.from,
            until: pause.until,
            kind: RestKind::ContestPause,
        }));
        Cow::Owned(plan)
    }

    fn lay_all(&mut self, more: impl IntoIterator<Item = Rest>) {
        let spans = self.rests.iter().copied().chain(more).map(|rest| (rest.from, rest.until, rest.kind));
        let laid = layered(spans.collect());
        self.rests = laid.into_iter().map(|(from, until, kind)| Rest { from, until, kind }).collect();
    }

    /// Forgets rests that were over by `time`.
    pub(crate) fn forget_before(&mut self, time: Time) {
        self.rests.retain(|rest| rest.until > time);
    }
}

/// The spans in order and without overlaps: the highest kind wins, and touching spans of one kind become one. Empty
/// spans, and those that end before they begin, vanish.
pub(crate) fn layered<K: Copy + Ord>(mut spans: Vec<(Time, Time, K)>) -> Vec<(Time, Time, K)> {
    spans.retain(|(from, until, _)| from < until);
    spans.sort_unstable_by_key(|(from, ..)| *from);
    let mut cuts: Vec<Time> = spans.iter().flat_map(|(from, until, _)| [*from, *until]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut coming = spans.into_iter().peekable();
    let mut open: Vec<(Time, K)> = Vec::new();
    let mut layers: Vec<(Time, Time, K)> = Vec::new();
    for (from, until) in cuts.iter().copied().zip(cuts.iter().copied().skip(1)) {
        open.retain(|(until, _)| *until > from);
        while let Some((_, until, kind)) = coming.next_if(|(begins, ..)| *begins <= from) {
            open.push((until, kind));
        }
        let Some(kind) = open.iter().map(|(_, kind)| *kind).max() else { continue };
        match layers.last_mut() {
            Some(last) if last.1 == from && last.2 == kind => last.1 = until,
            _ => layers.push((from, until, kind)),
        }
    }
    layers
}

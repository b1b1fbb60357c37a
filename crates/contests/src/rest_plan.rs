//! From a calendar to the rests of a seat: the spans of time in which its clock stands still. The one place that
//! computes with time zones.
//!
//! A night is kept in local time. Where clocks are put forward or back, a local time that doesn't exist is read with
//! the offset before the change, and of one that comes twice the first is meant (RFC 5545, section 3.3.5). So the night
//! of the change is an hour shorter or longer, as it is for everybody who sleeps through it.

use broadside_rules::{Plan, Rest, RestKind, Rests, Time};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use crate::calendar::{Calendar, DaysOff, Span, Zone};
use crate::vacation_allowance::DAY_MS;

/// How far ahead a plan reaches, in days: the first of these that has the deadline inside.
const HORIZONS_DAYS: [i64; 4] = [35, 70, 140, 280];

/// The plan of a seat's rests from some time on.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// From when on it replaces what was planned before.
    pub from: Time,
    /// The rests, in any order; they may overlap and lie outside.
    pub rests: Vec<Rest>,
    /// Until when the rests are known; none: for ever.
    pub until: Option<Time>,
}

/// When nights and days off were last changed, for matches that were running then.
#[derive(Clone, Debug, PartialEq)]
pub struct CalendarChange {
    /// From when on the new ones count.
    pub counts_from: Time,
    /// The calendar that counts until then; none: it isn't known.
    pub before: Option<Calendar>,
    /// From when on that one has counted; none: as long as there has been one.
    pub before_since: Option<Time>,
}

impl CalendarChange {
    /// The change of a calendar at `now`, after an earlier one: as long as that doesn't count yet, the calendar before
    /// it goes on.
    pub fn after(earlier: Option<&Self>, calendar: &Calendar, counts_from: Time, now: Time) -> Self {
        match earlier {
            Some(earlier) if earlier.counts_from > now => Self { counts_from, ..earlier.clone() },
            _ => {
                let before_since = earlier.map(|earlier| earlier.counts_from);
                Self { counts_from, before: Some(calendar.clone()), before_since }
            }
        }
    }

    /// Whether the calendar before counted when a turn began.
    fn counted_before(&self, began: Time) -> bool {
        self.before_since.is_none_or(|since| since <= began)
    }
}

/// The state of one seat of a match.
pub struct SeatState<'a> {
    /// Now.
    pub at: Time,
    /// What of the calendar counts in the match.
    pub terms: Rests,
    /// The time that the seat has left, in milliseconds; 0 where there is no limit.
    pub left_ms: i64,
    /// The rests that are planned so far.
    pub rests: &'a [Rest],
    /// Until when these are known; none: for ever.
    pub known_until: Option<Time>,
    /// The deadline, if the seat's clock runs.
    pub deadline: Option<Time>,
    /// When the seat's turn began, if it is on.
    pub began: Option<Time>,
}

/// The first plan of a seat, for a match that begins at `at`. `left_ms` is the time that the seat has.
pub fn first(calendar: &Calendar, vacations: &[Span], terms: Rests, at: Time, left_ms: i64) -> Planned {
    let seat = SeatState { at, terms, left_ms, rests: &[], known_until: Some(at), deadline: None, began: None };
    let (rests, until) =
        far_enough(calendar, &seat, |until| [weekly(calendar, terms, at, until), on_vacation(vacations)].concat());
    Planned { from: at, rests, until }
}

/// The same plan, extended beyond what is known of it; none: it is known for ever.
pub fn longer(calendar: &Calendar, vacations: &[Span], seat: &SeatState<'_>) -> Option<Planned> {
    let from = seat.known_until?.max(seat.at);
    let (rests, until) = far_enough(calendar, seat, |until| {
        let more = [weekly(calendar, seat.terms, from, until), on_vacation(vacations)].concat();
        let known =
            seat.rests.iter().filter(|rest| rest.from < from).map(|rest| Rest { until: rest.until.min(from), ..*rest });
        known.chain(more.into_iter().map(|rest| Rest { from: rest.from.max(from), ..rest })).collect()
    });
    Some(Planned { from, rests, until })
}

/// A new plan, because the calendar has changed; none, if the plan stays the same.
///
/// A running clock keeps its nights and days off up to its deadline, so that nobody stretches a turn by moving their
/// nights; and every seat keeps them until they count from another time on (`change`; none: they were never changed).
/// Vacations count at once. Where a vacation was and is no longer, the plan has nothing to keep: there the nights and
/// days off of the calendar before are put back for as long as it counts, and behind that those of the new one.
pub fn anew(
    calendar: &Calendar,
    change: Option<&CalendarChange>,
    vacations: &[Span],
    seat: &SeatState<'_>,
) -> Option<Planned> {
    let counts_from = change.map(|change| change.counts_from);
    let changed_meanwhile = seat.began.is_some_and(|began| counts_from.is_some_and(|counts_from| counts_from > began));
    let counts_from = counts_from.unwrap_or(seat.at).max(seat.at);
    let deadline = seat.deadline.unwrap_or(seat.at);
    // What is not known can't be kept.
    let kept_until = deadline.max(counts_from.min(seat.known_until.unwrap_or(counts_from)));
    let filled_from = if changed_meanwhile { deadline.max(counts_from) } else { counts_from };
    let before = change.and_then(|change| change.before.as_ref());
    // In the turn that is on, nothing is put back but what was there when it began.
    let is_foreign = seat.began.is_some_and(|began| change.is_some_and(|change| !change.counted_before(began)));
    let put_back_from = if changed_meanwhile && is_foreign { deadline } else { seat.at };
    let known: Vec<Rest> =
        seat.rests.iter().copied().filter(|rest| rest.until > seat.at && rest.from < kept_until).collect();
    let kept = known.iter().filter(|rest| rest.kind != RestKind::Vacation);
    let kept: Vec<Rest> = kept.map(|rest| Rest { until: rest.until.min(kept_until), ..*rest }).collect();
    let bare: Vec<Rest> = known.into_iter().filter(|rest| rest.kind == RestKind::Vacation).collect();
    let build = |until: Time| {
        let mut rests = [kept.clone(), on_vacation(vacations)].concat();
        let within = |rest: Rest, (from, until): (Time, Time)| Rest {
            from: rest.from.max(from),
            until: rest.until.min(until),
            ..rest
        };
        for rest in weekly(calendar, seat.terms, seat.at, until) {
            let gaps = bare.iter().map(|bare| (bare.from.max(filled_from), bare.until.min(kept_until)));
            rests.extend(gaps.chain([(kept_until, Time(i64::MAX))]).map(|span| within(rest, span)));
        }
        for rest in before.iter().flat_map(|before| weekly(before, seat.terms, seat.at, filled_from)) {
            let gaps = bare.iter().map(|bare| (bare.from.max(put_back_from), bare.until.min(filled_from)));
            rests.extend(gaps.map(|span| within(rest, span)));
        }
        rests
    };
    let (rests, until) = match seat.known_until.filter(|_| recurs(calendar, seat.terms)) {
        // As far as it is known already, if that is far enough: so planning twice changes nothing.
        Some(known_until) if reaches(&build(known_until), seat, known_until) => (build(known_until), Some(known_until)),
        _ => far_enough(calendar, seat, build),
    };
    let allowed = |rest: &Rest| seat.terms.allows(rest.kind);
    let plan = Plan::new(&rests.into_iter().filter(allowed).collect::<Vec<_>>(), seat.at, until);
    let before = Plan::new(seat.rests, seat.at, seat.known_until);
    let from = first_difference(&before, &plan)?.max(seat.at);
    Some(Planned { from, rests: plan.rests().to_vec(), until: plan.known_until() })
}

/// The first time at which two plans differ; none: they are the same.
fn first_difference(one: &Plan, other: &Plan) -> Option<Time> {
    let same = one.rests().iter().zip(other.rests()).take_while(|(one, other)| one == other).count();
    let next = |plan: &Plan| plan.rests().get(same).map(|rest| rest.from);
    let ends = (one.known_until() != other.known_until()).then(|| [one.known_until(), other.known_until()]);
    [next(one), next(other)].into_iter().chain(ends.into_iter().flatten()).flatten().min()
}

/// Whether the calendar has rests that recur and count under these terms.
fn recurs(calendar: &Calendar, terms: Rests) -> bool {
    calendar.night.is_some() && terms.allows(RestKind::Night) || !days_off(calendar, terms).is_empty()
}

fn days_off(calendar: &Calendar, terms: Rests) -> DaysOff {
    match terms {
        Rests::Weekdays => DaysOff::WEEKEND,
        _ if terms.allows(RestKind::DayOff) => calendar.days_off,
        _ => DaysOff::default(),
    }
}

/// The rests as far as they have to be known, and until when that is: for ever, if nothing recurs; else so far that the
/// time that is left ends inside.
fn far_enough(
    calendar: &Calendar,
    seat: &SeatState<'_>,
    build: impl Fn(Time) -> Vec<Rest>,
) -> (Vec<Rest>, Option<Time>) {
    if !recurs(calendar, seat.terms) {
        return (build(seat.at), None);
    }
    let horizons = HORIZONS_DAYS.map(|days| seat.at.plus_ms(days * DAY_MS));
    let enough = horizons.iter().copied().find(|until| reaches(&build(*until), seat, *until));
    let until = enough.unwrap_or(horizons[HORIZONS_DAYS.len() - 1]);
    (build(until), Some(until))
}

/// Whether the time that is left ends before `until`.
fn reaches(rests: &[Rest], seat: &SeatState<'_>, until: Time) -> bool {
    let counting: Vec<Rest> = rests.iter().copied().filter(|rest| seat.terms.allows(rest.kind)).collect();
    let plan = Plan::new(&counting, seat.at, Some(until));
    plan.after(seat.at, seat.left_ms) <= until && plan.known_until() == Some(until)
}

fn on_vacation(vacations: &[Span]) -> Vec<Rest> {
    let rest = |vacation: &Span| Rest { from: vacation.from, until: vacation.until, kind: RestKind::Vacation };
    vacations.iter().map(rest).collect()
}

/// The nights and days off that overlap the time from `from` until `until`, as far as they count under the terms.
fn weekly(calendar: &Calendar, terms: Rests, from: Time, until: Time) -> Vec<Rest> {
    let (zone, days_off) = (&calendar.time_zone, days_off(calendar, terms));
    let night = calendar.night.filter(|_| terms.allows(RestKind::Night));
    let (Some(first), Some(last)) = (date(zone, from), date(zone, until)) else { return Vec::new() };
    // A night that began the day before may still be on.
    let first = first.saturating_sub(2.days());
    let mut rests = Vec::new();
    for date in first.series(1.day()).take_while(|date| *date <= last) {
        let Ok(next) = date.tomorrow() else { break };
        if let Some(night) = night {
            let ends = if night.until().minutes() <= night.from().minutes() { next } else { date };
            let span = (moment(zone, date, night.from().civil()), moment(zone, ends, night.until().civil()));
            rests.extend(rest(span, RestKind::Night));
        }
        if days_off.contains(date.weekday()) {
            let midnight = jiff::civil::Time::midnight();
            rests.extend(rest((moment(zone, date, midnight), moment(zone, next, midnight)), RestKind::DayOff));
        }
    }
    rests.retain(|rest| rest.from < until && rest.until > from);
    rests
}

fn rest((from, until): (Option<Time>, Option<Time>), kind: RestKind) -> Option<Rest> {
    let (from, until) = (from?, until?);
    (from < until).then_some(Rest { from, until, kind })
}

/// The local date at this time.
fn date(zone: &Zone, at: Time) -> Option<Date> {
    let timestamp = Timestamp::from_millisecond(at.0).ok()?;
    Some(zone.rules().to_datetime(timestamp).date())
}

/// When the local time is this.
fn moment(zone: &Zone, date: Date, time: jiff::civil::Time) -> Option<Time> {
    zone.rules().to_timestamp(date.to_datetime(time)).ok().map(|timestamp| Time(timestamp.as_millisecond()))
}

#[cfg(test)]
mod tests;

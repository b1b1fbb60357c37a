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

/// The possible horizons of a plan, in days: the first one beyond the deadline is used.
const HORIZONS_DAYS: [i64; 4] = [35, 70, 140, 280];

/// The plan of a seat's rests from a time on.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The time from which it replaces earlier plans.
    pub from: Time,
    /// The rests, in any order, possibly overlapping or outside.
    pub rests: Vec<Rest>,
    /// The end of the known rests; `None`: no end.
    pub until: Option<Time>,
}

/// The last change of nights and days off, for matches that were running then.
#[derive(Clone, Debug, PartialEq)]
pub struct CalendarChange {
    /// The time from which the new ones count.
    pub counts_from: Time,
    /// The calendar before that; `None`: unknown.
    pub before: Option<Calendar>,
    /// The time from which that one counted; `None`: since there was a calendar.
    pub before_since: Option<Time>,
}

impl CalendarChange {
    /// The change of a calendar at `now`, after an earlier one: until that one counts, the calendar before it goes on.
    pub fn after(earlier: Option<&Self>, calendar: &Calendar, counts_from: Time, now: Time) -> Self {
        match earlier {
            Some(earlier) if earlier.counts_from > now => Self { counts_from, ..earlier.clone() },
            _ => {
                let before_since = earlier.map(|earlier| earlier.counts_from);
                Self { counts_from, before: Some(calendar.clone()), before_since }
            }
        }
    }

    /// Did the calendar before count when a turn began?
    fn counted_before(&self, began: Time) -> bool {
        self.before_since.is_none_or(|since| since <= began)
    }
}

/// The state of one seat of a match.
pub struct SeatState<'a> {
    /// Now.
    pub at: Time,
    /// The rests of the calendar that count in the match.
    pub terms: Rests,
    /// The seat's time left, in milliseconds; 0 without a limit.
    pub left_ms: i64,
    /// The rests planned so far.
    pub rests: &'a [Rest],
    /// The end of the known rests; `None`: no end.
    pub known_until: Option<Time>,
    /// The deadline, if the seat's clock runs.
    pub deadline: Option<Time>,
    /// The start of the seat's current turn.
    pub began: Option<Time>,
}

/// The first plan of a seat, for a match that begins at `at` with `left_ms` for the seat.
pub fn first(calendar: &Calendar, vacations: &[Span], terms: Rests, at: Time, left_ms: i64) -> Planned {
    let seat = SeatState { at, terms, left_ms, rests: &[], known_until: Some(at), deadline: None, began: None };
    let (rests, until) =
        far_enough(calendar, &seat, |until| [weekly(calendar, terms, at, until), on_vacation(vacations)].concat());
    Planned { from: at, rests, until }
}

/// The same plan, extended beyond its known end; `None`: it has no end.
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

/// A new plan after a change of the calendar; `None` if the plan stays the same.
///
/// A running clock keeps its nights and days off up to its deadline, so that nobody stretches a turn by moving their
/// nights; and every seat keeps them until the new ones count (`change`; `None`: they were never changed). Vacations
/// count at once. In place of a canceled vacation, the plan has the nights and days off of the former calendar for as
/// long as it counts, and after that those of the new one.
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
    // An unknown calendar can't be kept.
    let kept_until = deadline.max(counts_from.min(seat.known_until.unwrap_or(counts_from)));
    let filled_from = if changed_meanwhile { deadline.max(counts_from) } else { counts_from };
    let before = change.and_then(|change| change.before.as_ref());
    // In the current turn, only rests of its beginning are restored.
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
        // Only as far as already known, if that is enough: so a repeated planning changes nothing.
        Some(known_until) if reaches(&build(known_until), seat, known_until) => (build(known_until), Some(known_until)),
        _ => far_enough(calendar, seat, build),
    };
    let allowed = |rest: &Rest| seat.terms.allows(rest.kind);
    let plan = Plan::new(&rests.into_iter().filter(allowed).collect::<Vec<_>>(), seat.at, until);
    let before = Plan::new(seat.rests, seat.at, seat.known_until);
    let from = first_difference(&before, &plan)?.max(seat.at);
    Some(Planned { from, rests: plan.rests().to_vec(), until: plan.known_until() })
}

/// The first time at which two plans differ; `None`: they are the same.
fn first_difference(one: &Plan, other: &Plan) -> Option<Time> {
    let same = one.rests().iter().zip(other.rests()).take_while(|(one, other)| one == other).count();
    let next = |plan: &Plan| plan.rests().get(same).map(|rest| rest.from);
    let ends = (one.known_until() != other.known_until()).then(|| [one.known_until(), other.known_until()]);
    [next(one), next(other)].into_iter().chain(ends.into_iter().flatten()).flatten().min()
}

/// Does the calendar have recurring rests that count under these terms?
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

/// The rests up to their required end, and that end: none if nothing recurs; otherwise after the end of the time left.
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

/// Does the time left end before `until`?
fn reaches(rests: &[Rest], seat: &SeatState<'_>, until: Time) -> bool {
    let counting: Vec<Rest> = rests.iter().copied().filter(|rest| seat.terms.allows(rest.kind)).collect();
    let plan = Plan::new(&counting, seat.at, Some(until));
    plan.after(seat.at, seat.left_ms) <= until && plan.known_until() == Some(until)
}

fn on_vacation(vacations: &[Span]) -> Vec<Rest> {
    let rest = |vacation: &Span| Rest { from: vacation.from, until: vacation.until, kind: RestKind::Vacation };
    vacations.iter().map(rest).collect()
}

/// The nights and days off between `from` and `until` that count under the terms.
fn weekly(calendar: &Calendar, terms: Rests, from: Time, until: Time) -> Vec<Rest> {
    let (zone, days_off) = (&calendar.time_zone, days_off(calendar, terms));
    let night = calendar.night.filter(|_| terms.allows(RestKind::Night));
    let (Some(first), Some(last)) = (date(zone, from), date(zone, until)) else { return Vec::new() };
    // A night from the day before may still be on.
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

fn date(zone: &Zone, at: Time) -> Option<Date> {
    let timestamp = Timestamp::from_millisecond(at.0).ok()?;
    Some(zone.rules().to_datetime(timestamp).date())
}

/// The time of this local date and time.
fn moment(zone: &Zone, date: Date, time: jiff::civil::Time) -> Option<Time> {
    zone.rules().to_timestamp(date.to_datetime(time)).ok().map(|timestamp| Time(timestamp.as_millisecond()))
}

#[cfg(test)]
mod tests;

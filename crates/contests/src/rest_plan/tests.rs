//! Nights through gaps and folds of local time, in zones of both hemispheres, and the invariants of all plans.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::calendar::{Night, TimeOfDay};

const HOUR_MS: i64 = 3_600_000;

fn at(text: &str) -> Time {
    Time(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

fn calendar(zone: &str, night: Option<(&str, &str)>, days_off: &[&str]) -> Calendar {
    let night = night.map(|(from, until)| Night::new(from.parse().unwrap(), until.parse().unwrap()).unwrap());
    let days_off: Vec<String> = days_off.iter().map(|&day| day.to_owned()).collect();
    Calendar {
        time_zone: zone.parse().unwrap(),
        night,
        days_off: DaysOff::named(&days_off).unwrap(),
        ..Calendar::default()
    }
}

/// The nights between two times, each as its first hour in UTC and its length in minutes.
fn nights(zone: &str, night: (&str, &str), from: &str, until: &str) -> Vec<(String, i64)> {
    let found = weekly(&calendar(zone, Some(night), &[]), Rests::Standard, at(from), at(until));
    let minutes = |rest: &Rest| rest.until.millis_since(rest.from) / 60_000;
    found.iter().map(|rest| (rest.from.to_string()[5..16].to_owned(), minutes(rest))).collect()
}

#[test]
fn the_night_of_the_change_is_shorter_or_longer() {
    let lengths = |zone, night, from, until| {
        nights(zone, night, from, until).into_iter().map(|(_, minutes)| minutes).collect::<Vec<_>>()
    };
    let usual = ("22:30", "07:00");
    // Europe: the last Sundays of March and October, at 01:00 UTC.
    assert_eq!(
        nights("Europe/Paris", usual, "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z"),
        [("03-27T21:30", 510), ("03-28T21:30", 450), ("03-29T20:30", 510)]
            .map(|(from, minutes)| (from.to_owned(), minutes))
    );
    assert_eq!(lengths("Europe/Paris", usual, "2026-10-23T12:00:00Z", "2026-10-26T12:00:00Z"), [510, 570, 510]);
    // The United States, two weeks earlier and one later.
    assert_eq!(lengths("America/New_York", usual, "2026-03-07T17:00:00Z", "2026-03-09T17:00:00Z"), [450, 510]);
    assert_eq!(lengths("America/New_York", usual, "2026-10-31T17:00:00Z", "2026-11-02T17:00:00Z"), [570, 510]);
    // The south, the other way round.
    assert_eq!(lengths("Australia/Sydney", usual, "2026-04-04T03:00:00Z", "2026-04-06T03:00:00Z"), [570, 510]);
    assert_eq!(lengths("Australia/Sydney", usual, "2026-10-03T03:00:00Z", "2026-10-05T03:00:00Z"), [450, 510]);
    // Half an hour in a zone of half hours.
    assert_eq!(lengths("Australia/Lord_Howe", usual, "2026-04-04T03:00:00Z", "2026-04-06T03:00:00Z"), [540, 510]);
    assert_eq!(lengths("Australia/Lord_Howe", usual, "2026-10-03T03:00:00Z", "2026-10-05T03:00:00Z"), [480, 510]);
    // At midnight itself.
    assert_eq!(lengths("America/Santiago", usual, "2026-09-05T16:00:00Z", "2026-09-07T16:00:00Z"), [450, 510]);
    assert_eq!(lengths("America/Santiago", usual, "2026-04-04T16:00:00Z", "2026-04-06T16:00:00Z"), [570, 510]);
    // A zone without changes.
    assert_eq!(
        nights("Asia/Kolkata", usual, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"),
        [("03-28T17:00".to_owned(), 510)]
    );
}

#[test]
fn times_that_are_missing_or_come_twice_are_read_as_rfc_5545_says() {
    // 02:30 doesn't exist on 29 March: by the offset before, it is 03:30 local time, 01:30 UTC. The night until then
    // keeps its length.
    let paris = |night, from, until| nights("Europe/Paris", night, from, until);
    assert_eq!(
        paris(("22:00", "02:30"), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"),
        [("03-28T21:00".to_owned(), 270)]
    );
    assert_eq!(
        paris(("02:30", "09:00"), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"),
        [("03-29T01:30".to_owned(), 330)]
    );
    // 02:30 comes twice on 25 October: the first is meant.
    assert_eq!(
        paris(("22:00", "02:30"), "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"),
        [("10-24T20:00".to_owned(), 270)]
    );
    assert_eq!(
        paris(("02:30", "09:00"), "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"),
        [("10-25T00:30".to_owned(), 450)]
    );
    // A night inside the gap is empty.
    assert_eq!(paris(("02:00", "03:00"), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"), []);
}

#[test]
fn a_day_off_is_a_whole_day_of_its_zone() {
    let sunday = |zone, from, until| {
        let found = weekly(&calendar(zone, None, &["sunday"]), Rests::Standard, at(from), at(until));
        let [rest] = found.as_slice() else { panic!("{found:?}") };
        (rest.from.to_string(), rest.until.millis_since(rest.from) / HOUR_MS)
    };
    assert_eq!(
        sunday("UTC", "2026-11-21T07:30:00Z", "2026-11-23T07:30:00Z"),
        ("2026-11-22T00:00:00.000Z".to_owned(), 24)
    );
    assert_eq!(
        sunday("Europe/Paris", "2026-03-28T07:30:00Z", "2026-03-30T07:30:00Z"),
        ("2026-03-28T23:00:00.000Z".to_owned(), 23)
    );
    assert_eq!(
        sunday("Europe/Paris", "2026-10-24T07:30:00Z", "2026-10-26T07:30:00Z"),
        ("2026-10-24T22:00:00.000Z".to_owned(), 25)
    );
    // In Chile the day of the change has no midnight: it begins at one.
    assert_eq!(
        sunday("America/Santiago", "2026-09-05T16:00:00Z", "2026-09-07T16:00:00Z"),
        ("2026-09-06T04:00:00.000Z".to_owned(), 23)
    );
    assert_eq!(
        sunday("Pacific/Kiritimati", "2026-11-21T07:30:00Z", "2026-11-22T07:30:00Z"),
        ("2026-11-21T10:00:00.000Z".to_owned(), 24)
    );
}

#[test]
fn the_terms_say_what_counts() {
    let anna = calendar("UTC", Some(("22:00", "06:00")), &["wednesday"]);
    let (from, until) = (at("2026-11-16T12:00:00Z"), at("2026-11-23T12:00:00Z"));
    let kinds = |calendar: &Calendar, terms| {
        let rests = weekly(calendar, terms, from, until);
        let of = |kind| rests.iter().filter(|rest| rest.kind == kind).count();
        (of(RestKind::Night), of(RestKind::DayOff))
    };
    assert_eq!(kinds(&anna, Rests::Standard), (7, 1));
    assert_eq!(kinds(&anna, Rests::Weekdays), (7, 2));
    assert_eq!(kinds(&anna, Rests::NoDaysOff), (7, 0));
    assert_eq!(kinds(&anna, Rests::None), (0, 0));
    assert_eq!(kinds(&Calendar::default(), Rests::Weekdays), (0, 2));
    assert!(!recurs(&Calendar::default(), Rests::Standard) && recurs(&Calendar::default(), Rests::Weekdays));
}

/// A seat with a plan, and the state of its clock.
struct Seated {
    plan: Plan,
    since: Time,
    given_ms: i64,
}

impl Seated {
    fn begins(calendar: &Calendar, vacations: &[Span], since: Time, given_ms: i64) -> Self {
        let planned = first(calendar, vacations, Rests::Standard, since, given_ms);
        Self { plan: Plan::new(&planned.rests, planned.from, planned.until), since, given_ms }
    }

    fn deadline(&self) -> Time {
        self.plan.after(self.since, self.given_ms)
    }

    fn state(&self, at: Time) -> SeatState<'_> {
        SeatState {
            at,
            terms: Rests::Standard,
            left_ms: self.given_ms - self.plan.running_ms(self.since, at),
            rests: self.plan.rests(),
            known_until: self.plan.known_until(),
            deadline: Some(self.deadline()),
            began: Some(self.since),
        }
    }

    fn changes(&mut self, calendar: &Calendar, counts_from: Option<Time>, vacations: &[Span], at: Time) -> bool {
        let change = counts_from.map(|counts_from| CalendarChange { counts_from, before: None, before_since: None });
        self.changes_after(calendar, change.as_ref(), vacations, at)
    }

    fn changes_after(
        &mut self,
        calendar: &Calendar,
        change: Option<&CalendarChange>,
        vacations: &[Span],
        at: Time,
    ) -> bool {
        let planned = anew(calendar, change, vacations, &self.state(at));
        if let Some(planned) = &planned {
            let next = Plan::new(&planned.rests, planned.from, planned.until);
            self.plan = self.plan.followed_by(planned.from, &next);
        }
        planned.is_some()
    }
}

static ZONES: LazyLock<Vec<Zone>> = LazyLock::new(|| {
    let names = [
        "UTC",
        "Europe/Paris",
        "America/New_York",
        "America/Santiago",
        "Australia/Lord_Howe",
        "Asia/Kolkata",
        "Pacific/Chatham",
        "Africa/Casablanca",
        "Pacific/Kiritimati",
        "America/St_Johns",
    ];
    names.iter().map(|name| name.parse().unwrap()).collect()
});

fn calendars() -> impl Strategy<Value = Calendar> {
    let night = prop::option::of((0_u16..1440, 60_u16..=600));
    (0..ZONES.len(), night, 0_usize..7, 0_usize..3).prop_map(|(zone, night, day, days)| {
        let time = |minutes: u16| TimeOfDay::after_midnight(minutes % 1440).unwrap();
        let bits = (0..days).map(|next| 1 << ((day + next * 2) % 7)).fold(0, |bits, bit: u8| bits | bit);
        Calendar {
            time_zone: ZONES[zone].clone(),
            night: night.map(|(from, length)| Night::new(time(from), time(from + length)).unwrap()),
            days_off: DaysOff::from_bits(bits),
            ..Calendar::default()
        }
    })
}

const YEAR_MS: i64 = 365 * DAY_MS;

proptest! {
    #[test]
    fn a_first_plan_reaches_beyond_the_deadline(
        calendar in calendars(), start in 0..YEAR_MS, given_days in 1_i64..=14, vacation in prop::option::of((0_i64..40, 1_i64..30)),
    ) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let vacations: Vec<Span> = vacation.into_iter().map(|(from, days)| {
            let from = since.plus_ms(from * DAY_MS);
            Span { from, until: from.plus_ms(days * DAY_MS) }
        }).collect();
        let seat = Seated::begins(&calendar, &vacations, since, given_days * DAY_MS);
        prop_assert!(seat.plan.reaches(seat.deadline()));
        prop_assert!(seat.plan.known_until().is_none_or(|until| until >= since.plus_ms(35 * DAY_MS)));
        prop_assert!(Plan::is_well_formed(seat.plan.rests(), since, seat.plan.known_until()));
        // Planning again with nothing changed changes nothing, now or later in the turn.
        let mut again = Seated { plan: seat.plan.clone(), ..seat };
        prop_assert!(!again.changes(&calendar, None, &vacations, since));
        prop_assert!(!again.changes(&calendar, None, &vacations, since.plus_ms(DAY_MS / 3)));
    }

    #[test]
    fn nobody_stretches_a_turn_by_changing_their_nights(
        before in calendars(), after in calendars(), start in 0..YEAR_MS, given_days in 1_i64..=14, passed in 0.0_f64..1.0,
    ) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let mut seat = Seated::begins(&before, &[], since, given_days * DAY_MS);
        let deadline = seat.deadline();
        let now = since.plus_ms((deadline.millis_since(since) as f64 * passed) as i64);
        seat.changes(&after, Some(now), &[], now);
        prop_assert_eq!(seat.deadline(), deadline);
        prop_assert!(seat.plan.reaches(deadline));
        // After it the new ones count, as if they had always been there.
        let later = deadline.plus_ms(2 * DAY_MS);
        if seat.plan.reaches(later) {
            let fresh = Seated::begins(&after, &[], deadline, DAY_MS);
            prop_assert_eq!(seat.plan.running_ms(deadline, later), fresh.plan.running_ms(deadline, later));
        }
        prop_assert!(!seat.changes(&after, Some(now), &[], now), "twice is once");
    }

    #[test]
    fn a_vacation_counts_at_once_and_taken_back_it_leaves_no_trace_behind_it(
        calendar in calendars(), start in 0..YEAR_MS, given_days in 1_i64..=14, begins_h in 0_i64..48, hours in 1_i64..400,
    ) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let mut seat = Seated::begins(&calendar, &[], since, given_days * DAY_MS);
        let deadline = seat.deadline();
        let from = since.plus_ms(begins_h * HOUR_MS);
        let vacation = Span { from, until: from.plus_ms(hours * HOUR_MS) };
        seat.changes(&calendar, None, std::slice::from_ref(&vacation), since);
        let whole = Seated::begins(&calendar, &[vacation], since, given_days * DAY_MS);
        prop_assert_eq!(seat.deadline(), whole.deadline());
        prop_assert!(seat.plan.reaches(seat.deadline()));
        prop_assert!(seat.deadline() >= deadline);
        seat.changes(&calendar, None, &[], since);
        prop_assert_eq!(seat.deadline(), deadline);
    }

    #[test]
    fn nobody_stretches_a_turn_by_changing_what_lies_under_their_vacations(
        before in calendars(), start in 0..YEAR_MS, given_days in 1_i64..=14,
        steps in prop::collection::vec((calendars(), prop::option::of((0_i64..300, 1_i64..200)), 0.0_f64..0.5, any::<bool>()), 1..6),
    ) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let mut seat = Seated::begins(&before, &[], since, given_days * DAY_MS);
        let (deadline, mut now, mut calendar) = (seat.deadline(), since.plus_ms(1), before);
        let mut change: Option<CalendarChange> = None;
        for (other, vacation, passes, first) in steps {
            // Books a vacation, changes the calendar under it, and cancels it before it begins.
            let booked: Vec<Span> = vacation.into_iter().map(|(in_h, hours)| {
                let from = now.plus_ms(60_000 + in_h * HOUR_MS);
                Span { from, until: from.plus_ms(hours * HOUR_MS) }
            }).collect();
            seat.changes_after(&calendar, change.as_ref(), &booked, now);
            let counts_from = if first { now } else { now.plus_ms(7 * DAY_MS) };
            change = Some(CalendarChange::after(change.as_ref(), &calendar, counts_from, now));
            calendar = other;
            seat.changes_after(&calendar, change.as_ref(), &booked, now);
            seat.changes_after(&calendar, change.as_ref(), &[], now);
            prop_assert!(seat.deadline() <= deadline, "{} is later than {deadline}", seat.deadline());
            prop_assert!(seat.plan.reaches(seat.deadline()));
            // After an earlier deadline some rests may be dropped; the deadline stays.
            let planned = seat.deadline();
            seat.changes_after(&calendar, change.as_ref(), &[], now);
            prop_assert_eq!(seat.deadline(), planned);
            prop_assert!(!seat.changes_after(&calendar, change.as_ref(), &[], now), "and then nothing is left to change");
            now = now.plus_ms((seat.deadline().millis_since(now) as f64 * passes) as i64);
        }
    }

    #[test]
    fn a_seat_that_waits_keeps_its_days_for_a_week(before in calendars(), after in calendars(), start in 0..YEAR_MS) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let seat = Seated::begins(&before, &[], since, DAY_MS);
        let counts_from = since.plus_ms(7 * DAY_MS);
        let change = CalendarChange { counts_from, before: Some(before.clone()), before_since: None };
        let follow = |plan: &Plan, vacations: &[Span]| {
            let waits = SeatState { rests: plan.rests(), known_until: plan.known_until(), ..seat.state(since) };
            let waits = SeatState { deadline: None, began: None, ..waits };
            match anew(&after, Some(&change), vacations, &waits) {
                Some(planned) => plan.followed_by(planned.from, &Plan::new(&planned.rests, planned.from, planned.until)),
                None => plan.clone(),
            }
        };
        let plan = follow(&seat.plan, &[]);
        // A vacation that is booked and canceled leaves no trace.
        let vacation = Span { from: since.plus_ms(HOUR_MS), until: since.plus_ms(10 * DAY_MS) };
        let there_and_back = follow(&follow(&plan, &[vacation]), &[]);
        prop_assert_eq!(there_and_back.running_ms(since, counts_from), plan.running_ms(since, counts_from));
        prop_assert_eq!(plan.running_ms(since, counts_from), seat.plan.running_ms(since, counts_from));
        let (fresh, later) = (Seated::begins(&after, &[], counts_from, DAY_MS), counts_from.plus_ms(7 * DAY_MS));
        prop_assert_eq!(plan.running_ms(counts_from, later), fresh.plan.running_ms(counts_from, later));
    }

    #[test]
    fn a_plan_known_by_parts_says_the_same_as_one_known_whole(calendar in calendars(), start in 0..YEAR_MS, given_days in 1_i64..=14) {
        let since = at("2026-01-01T00:00:00Z").plus_ms(start);
        let short = weekly(&calendar, Rests::Standard, since, since.plus_ms(3 * DAY_MS));
        let plan = Plan::new(&short, since, Some(since.plus_ms(3 * DAY_MS)));
        let seat = Seated { plan, since, given_ms: given_days * DAY_MS };
        let more = longer(&calendar, &[], &seat.state(since)).unwrap();
        let plan = seat.plan.followed_by(more.from, &Plan::new(&more.rests, more.from, more.until));
        let whole = Seated::begins(&calendar, &[], since, given_days * DAY_MS);
        prop_assert_eq!(plan.after(since, seat.given_ms), whole.deadline());
        prop_assert!(plan.reaches(whole.deadline()));
    }
}

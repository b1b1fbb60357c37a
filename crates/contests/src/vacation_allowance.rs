//! The vacation allowance: thirty days a year, earned continuously from registration on, up to thirty days. It isn't
//! stored but computed from the time of registration and all vacations; each is paid from the allowance at its
//! beginning.

use broadside_rules::Time;

use crate::Span;

const HOUR_MS: i64 = 60 * 60 * 1000;
/// A day, in milliseconds.
pub const DAY_MS: i64 = 24 * HOUR_MS;
/// The yearly allowance, and the most that a player can have, in milliseconds.
pub const MAX_MS: i64 = 30 * DAY_MS;
/// The shortest vacation, in milliseconds; one that is ended earlier costs the same.
pub const MIN_VACATION_MS: i64 = HOUR_MS;

/// The allowance that is earned in this time.
fn earned_ms(passed_ms: i64) -> i64 {
    passed_ms.max(0) / 365 * 30 + passed_ms.max(0) % 365 * 30 / 365
}

fn cost_ms(vacation: &Span) -> i64 {
    vacation.until.millis_since(vacation.from).max(MIN_VACATION_MS)
}

/// The allowance left at `at`, after the vacations that have begun by then; below 0 if one of them wasn't earned.
/// `since` is the time of registration.
fn balance_ms(since: Time, vacations: &[Span], at: Time) -> i64 {
    let mut begun: Vec<&Span> = vacations.iter().filter(|vacation| vacation.from <= at).collect();
    begun.sort_unstable_by_key(|vacation| vacation.from);
    let mut lowest = i64::MAX;
    let (mut balance, mut counted) = (0, since);
    for vacation in begun {
        balance = MAX_MS.min(balance + earned_ms(vacation.from.millis_since(counted))) - cost_ms(vacation);
        counted = vacation.from;
        lowest = lowest.min(balance);
    }
    if lowest < 0 { lowest } else { MAX_MS.min(balance + earned_ms(at.millis_since(counted))) }
}

/// Does the allowance of a player who registered at `since` pay for all of these vacations?
pub fn pays(since: Time, vacations: &[Span]) -> bool {
    let last = vacations.iter().map(|vacation| vacation.from).max();
    last.is_none_or(|last| balance_ms(since, vacations, last) >= 0)
}

/// The longest vacation from `from` on beside these, in whole seconds: the allowance at that time, less the needs of
/// later vacations.
pub fn longest_s(since: Time, vacations: &[Span], from: Time) -> u32 {
    let fits = |seconds: i64| {
        let one = Span { from, until: from.plus_ms(seconds * 1000) };
        pays(since, &[vacations, &[one]].concat())
    };
    let (mut fits_s, mut too_long) = (0, MAX_MS / 1000 + 1);
    while too_long - fits_s > 1 {
        let middle = (fits_s + too_long) / 2;
        if fits(middle) { fits_s = middle } else { too_long = middle }
    }
    u32::try_from(fits_s).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY_S: u32 = 86_400;
    const START: Time = Time(1_700_000_000_000);

    fn days(days: i64) -> Time {
        START.plus_ms(days * DAY_MS)
    }

    fn from_to(from: i64, until: i64) -> Span {
        Span { from: days(from), until: days(until) }
    }

    #[test]
    fn thirty_days_a_year_and_never_more() {
        assert_eq!(longest_s(START, &[], START), 0);
        assert_eq!(longest_s(START, &[], days(73)), 6 * DAY_S);
        assert_eq!(longest_s(START, &[], days(365)), 30 * DAY_S);
        assert_eq!(longest_s(START, &[], days(5000)), 30 * DAY_S);
    }

    #[test]
    fn a_vacation_is_paid_when_it_begins() {
        let taken = [from_to(365, 385)];
        assert_eq!(longest_s(START, &taken, days(365)), 10 * DAY_S);
        assert_eq!(longest_s(START, &taken, days(365 + 73)), 16 * DAY_S);
        // A later vacation leaves the allowance that it doesn't need: six days are earned until then.
        let booked = [from_to(365 + 73, 365 + 73 + 26)];
        assert_eq!(longest_s(START, &booked, days(365)), 10 * DAY_S);
        assert!(pays(START, &booked));
        assert!(!pays(START, &[from_to(365, 376), booked[0]]));
        assert!(!pays(START, &[from_to(10, 11)]), "in ten days less than one is earned");
    }

    #[test]
    fn one_that_is_ended_at_once_costs_an_hour() {
        let ended = [from_to(365, 365)];
        assert_eq!(longest_s(START, &ended, days(365)), 30 * DAY_S - 3600);
    }

    proptest! {
        #[test]
        fn the_longest_vacation_can_be_paid_and_a_longer_one_not(
            spans in prop::collection::vec((0_i64..1000, 1_i64..200), 0..6), from in 0_i64..1000,
        ) {
            let mut booked: Vec<Span> = Vec::new();
            for (begins, hours) in spans {
                let one = Span { from: days(begins), until: days(begins).plus_ms(hours * HOUR_MS) };
                booked.push(one);
                if !pays(START, &booked) {
                    booked.pop();
                }
            }
            let longest = i64::from(longest_s(START, &booked, days(from)));
            let with = |seconds: i64| {
                let one = Span { from: days(from), until: days(from).plus_ms(seconds * 1000) };
                pays(START, &[&booked[..], &[one]].concat())
            };
            prop_assert!(longest * 1000 < MIN_VACATION_MS || with(longest));
            prop_assert!(!with((longest + 1).max(3600)) || longest == 30 * i64::from(DAY_S));
            prop_assert!(longest <= 30 * i64::from(DAY_S));
        }
    }
}

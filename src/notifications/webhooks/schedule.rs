//! When a delivery that has failed is tried again: later each time, for three days, never quite when the others are.

use broadside_rules::Time;

/// The waits between attempts, in seconds; 75 hours and a half in all. (Close to the schedule that Standard Webhooks gives as an example.)
pub const WAITS_S: [u32; 10] = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// So much longer at most, by chance: a quarter.
const JITTER: u64 = 4;
/// No answer may put an attempt off for longer.
const LONGEST_S: u32 = 86_400;
/// A webhook of which nothing was delivered for so long, in seconds, though it was tried, is switched off: three days.
pub const GIVEN_UP_AFTER_S: u32 = 3 * 86_400;
/// A webhook rests after each failure, twice as long each time, up to so many seconds: meanwhile others use its place.
const REST_AT_MOST_S: u32 = 60;

/// When it is tried again after it has failed `failures` times in a row; `None`: it isn't. `after_s` is what the answer asked for, `random` a number of any size.
pub fn next(now: Time, failures: u32, after_s: Option<u32>, random: u64) -> Option<Time> {
    let wait_s = *WAITS_S.get(usize::try_from(failures).ok()?.checked_sub(1)?)?;
    let spread_ms = u64::from(wait_s) * 1000 / JITTER;
    let jitter_ms = i64::try_from(random % (spread_ms + 1)).ok()?;
    let asked_ms = i64::from(after_s.unwrap_or(0).min(LONGEST_S)) * 1000;
    Some(now.plus_ms((i64::from(wait_s) * 1000 + jitter_ms).max(asked_ms)))
}

/// Until when a webhook rests after so many failures in a row.
pub fn rest(now: Time, failures: u32) -> Time {
    now.plus_s(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(REST_AT_MOST_S).min(REST_AT_MOST_S))
}

/// What a `Retry-After` asks for, in seconds from now (RFC 9110, section 10.2.3: seconds, or a date).
pub fn retry_after(value: &str, now: Time) -> Option<u32> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(seconds);
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value.trim()).ok()?;
    u32::try_from(Time(date.as_millisecond()).millis_since(now).max(0) / 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waits_grow_over_three_days_with_a_bounded_jitter() {
        let now = Time(1_000_000);
        let mut longest = 0;
        for (failures, wait_s) in (1..).zip(WAITS_S) {
            let waits =
                [0, 1, 77_777, u64::MAX].map(|random| next(now, failures, None, random).unwrap().millis_since(now));
            let base = i64::from(wait_s) * 1000;
            assert!(waits.iter().all(|wait| (base..=base + base / 4).contains(wait)), "{failures}: {waits:?}");
            assert!(waits[0] == base && waits[2] > base && waits[0] > longest);
            longest = waits[0];
        }
        assert_eq!(next(now, 11, None, 0), None);
        let whole: u32 = WAITS_S.iter().sum();
        assert!(whole > GIVEN_UP_AFTER_S && whole < GIVEN_UP_AFTER_S + 86_400);
    }

    #[test]
    fn an_answer_may_ask_for_later_but_not_for_sooner_or_for_ever() {
        let now = Time(0);
        assert_eq!(next(now, 1, Some(90), 0), Some(Time(90_000)));
        assert_eq!(next(now, 3, Some(90), 0), Some(Time(300_000)));
        assert_eq!(next(now, 1, Some(u32::MAX), 0), Some(Time(86_400_000)));
    }

    #[test]
    fn a_webhook_rests_for_a_minute_at_most() {
        let rests = [1, 2, 3, 7, 32, 33, u32::MAX].map(|failures| rest(Time(0), failures).0 / 1000);
        assert_eq!(rests, [1, 2, 4, 60, 60, 60, 60]);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Time(784_111_777_000); // Sun, 06 Nov 1994 08:49:37 GMT
        assert_eq!(retry_after("120", now), Some(120));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:51:37 GMT", now), Some(120));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(0));
        for text in ["", "soon", "-5", "1.5", "99999999999"] {
            assert_eq!(retry_after(text, now), None, "{text}");
        }
    }
}

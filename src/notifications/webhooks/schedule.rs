//! The schedule of retries: with growing delays, for three days, with jitter.

use broadside_rules::Time;

/// Delays between attempts, in seconds; 75 hours and a half in total. (Close to the example schedule of Standard
/// Webhooks.)
pub const RETRY_DELAYS_S: [u32; 10] = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// The jitter adds up to a quarter of the delay.
const JITTER: u64 = 4;
/// The longest delay that a target may request, in seconds.
const MAX_RETRY_AFTER_S: u32 = 86_400;
/// A webhook is disabled after this many seconds with failures only: three days.
pub const DISABLE_AFTER_S: u32 = 3 * 86_400;
/// The longest pause after a failure, in seconds. Pauses double with each failure in a row, and free the webhook's slot
/// for others.
const MAX_PAUSE_S: u32 = 60;

/// The time of the next attempt after `failures` failed ones in a row; `None` if there is none. `after_s` is the
/// target's `Retry-After`, `random` any number.
pub fn next_attempt(now: Time, failures: u32, after_s: Option<u32>, random: u64) -> Option<Time> {
    let wait_s = *RETRY_DELAYS_S.get(usize::try_from(failures).ok()?.checked_sub(1)?)?;
    let spread_ms = u64::from(wait_s) * 1000 / JITTER;
    let jitter_ms = i64::try_from(random % (spread_ms + 1)).ok()?;
    let asked_ms = i64::from(after_s.unwrap_or(0).min(MAX_RETRY_AFTER_S)) * 1000;
    Some(now.plus_ms((i64::from(wait_s) * 1000 + jitter_ms).max(asked_ms)))
}

/// The end of a webhook's pause after this many failures in a row.
pub fn pause_until(now: Time, failures: u32) -> Time {
    now.plus_s(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(MAX_PAUSE_S).min(MAX_PAUSE_S))
}

/// The delay of a `Retry-After`, in seconds from now (RFC 9110, section 10.2.3: seconds, or a date).
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
        for (failures, wait_s) in (1..).zip(RETRY_DELAYS_S) {
            let waits = [0, 1, 77_777, u64::MAX]
                .map(|random| next_attempt(now, failures, None, random).unwrap().millis_since(now));
            let base = i64::from(wait_s) * 1000;
            assert!(waits.iter().all(|wait| (base..=base + base / 4).contains(wait)), "{failures}: {waits:?}");
            assert!(waits[0] == base && waits[2] > base && waits[0] > longest);
            longest = waits[0];
        }
        assert_eq!(next_attempt(now, 11, None, 0), None);
        let whole: u32 = RETRY_DELAYS_S.iter().sum();
        assert!(whole > DISABLE_AFTER_S && whole < DISABLE_AFTER_S + 86_400);
    }

    #[test]
    fn an_answer_may_ask_for_later_but_not_for_sooner_or_for_ever() {
        let now = Time(0);
        assert_eq!(next_attempt(now, 1, Some(90), 0), Some(Time(90_000)));
        assert_eq!(next_attempt(now, 3, Some(90), 0), Some(Time(300_000)));
        assert_eq!(next_attempt(now, 1, Some(u32::MAX), 0), Some(Time(86_400_000)));
    }

    #[test]
    fn a_webhook_rests_for_a_minute_at_most() {
        let pauses = [1, 2, 3, 7, 32, 33, u32::MAX].map(|failures| pause_until(Time(0), failures).0 / 1000);
        assert_eq!(pauses, [1, 2, 4, 60, 60, 60, 60]);
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

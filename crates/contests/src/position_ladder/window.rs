//! Time limits that stand still while the player who has to act is on vacation.
//!
//! Nights and days off make no difference here: a time limit is days long, and they come every day. (The clocks of
//! matches take them into account.)

use broadside_rules::Time;

use crate::Span;

/// The end of a time limit of `window_s` seconds that began at `from`. `vacations` are those of the player who has to
/// act, in any order.
pub fn closes(from: Time, window_s: u32, vacations: &[Span]) -> Time {
    let mut away: Vec<(Time, Time)> = vacations.iter().map(|vacation| (vacation.from, vacation.until)).collect();
    away.sort_unstable();
    let (mut now, mut left_ms) = (from, i64::from(window_s) * 1000);
    for (begins, ends) in away {
        let runs_ms = begins.millis_since(now).max(0);
        if runs_ms >= left_ms {
            break;
        }
        if ends > now {
            left_ms -= runs_ms;
            now = ends;
        }
    }
    now.plus_ms(left_ms)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn away(from_s: i64, until_s: i64) -> Span {
        Span { from: Time(from_s * 1000), until: Time(until_s * 1000) }
    }

    #[test]
    fn vacations_take_nothing_of_the_window() {
        let closes = |vacations: &[Span]| closes(Time(100_000), 50, vacations).0 / 1000;
        assert_eq!(closes(&[]), 150);
        assert_eq!(closes(&[away(0, 90)]), 150, "a vacation that was over");
        assert_eq!(closes(&[away(0, 130)]), 180, "one that was on");
        assert_eq!(closes(&[away(120, 140)]), 170, "one in between");
        assert_eq!(closes(&[away(160, 170), away(120, 140)]), 180, "two of them");
        assert_eq!(closes(&[away(120, 140), away(130, 150)]), 180, "two that overlap count once");
        assert_eq!(closes(&[away(150, 200)]), 150, "one that begins as the window closes");
    }

    proptest! {
        /// Second by second: the window closes when `window_s` seconds have passed outside vacations.
        #[test]
        fn it_closes_when_so_many_seconds_have_passed_at_home(
            from in 0..200_i64, window in 1..60_u32, spans in proptest::collection::vec((0..300_i64, 1..50_i64), 0..5)
        ) {
            let vacations: Vec<Span> = spans.iter().map(|(begin, length)| away(*begin, begin + length)).collect();
            let at_home = |second: i64| !vacations.iter().any(|vacation| vacation.contains(Time(second * 1000)));
            let last = (from..).filter(|second| at_home(*second)).nth(window as usize - 1).unwrap();
            prop_assert_eq!(closes(Time(from * 1000), window, &vacations), Time((last + 1) * 1000));
        }
    }
}

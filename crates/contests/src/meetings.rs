//! The frequency of meetings between two members of a ladder, and its limits.

use broadside_rules::Time;

/// The number of meetings of two members, and the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meetings {
    /// The pairings of the two with a result in the current season.
    pub count: u32,
    /// The end of their last pairing, in any season and with any result.
    pub last_at: Time,
}

/// Limits on the meetings of two members of a ladder. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MeetingLimits {
    /// The most results of the two in a season.
    pub max_meetings: Option<u32>,
    /// The time after a pairing in which the two aren't paired again, in seconds.
    pub no_return_s: u32,
}

impl MeetingLimits {
    /// Have the two met as often as they may in a season?
    pub fn is_used_up(&self, count: u32) -> bool {
        self.max_meetings.is_some_and(|most| count >= most)
    }

    /// May two with these meetings meet again?
    pub fn may_meet_again(&self, met: &Meetings, now: Time) -> bool {
        !self.is_used_up(met.count) && now >= met.last_at.plus_s(self.no_return_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_by_itself() {
        let met = Meetings { count: 2, last_at: Time(1_000_000) };
        let may = |max_meetings, no_return_s, now| {
            MeetingLimits { max_meetings, no_return_s }.may_meet_again(&met, Time(now))
        };
        assert!(may(None, 0, 1_000_000));
        assert_eq!([may(None, 60, 1_059_999), may(None, 60, 1_060_000)], [false, true]);
        assert_eq!([may(Some(2), 0, 9_000_000), may(Some(3), 0, 9_000_000)], [false, true]);
        assert!(!may(Some(3), 60, 1_059_999));
    }
}

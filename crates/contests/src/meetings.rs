//! How often two members of a ladder meet, and how soon again.

use broadside_rules::Time;

/// How often two members have met, and when last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meetings {
    /// How many pairings of the two have a result in the season that is on.
    pub count: u32,
    /// When their last pairing was over, in any season, and however it ended.
    pub last_at: Time,
}

/// How often, and how soon again, two members of a ladder may meet. A limit of [`None`] is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MeetingLimits {
    /// How many results of the two a season has at most.
    pub max_meetings: Option<u32>,
    /// For how long after a pairing the two aren't paired again, in seconds.
    pub no_return_s: u32,
}

impl MeetingLimits {
    /// Whether the two have met as often as they may in a season.
    pub fn is_used_up(&self, count: u32) -> bool {
        self.max_meetings.is_some_and(|most| count >= most)
    }

    /// Whether two who have met so may meet again.
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

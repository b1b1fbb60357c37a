//! The time limit of a round, and the fate of games unfinished by then. Both are terms, known before joining.

use broadside_contests::Form;
use broadside_rules::{DeadlineRule, DownTime, Plan, Rest, RestKind, Time};

use crate::pairings::terms::Policy;
use crate::string_enums::string_enums;

/// Bounds of the time limit, in seconds: a minute to a year.
pub const ROUND_TIME_S: (u32, u32) = (60, 365 * 86_400);
/// Players are warned when a quarter of the time is left, but at most this many seconds before the deadline: one day.
const WARNED_S: u32 = 86_400;

string_enums! {
    /// What becomes of a game that isn't over when the time of its round is.
    pub enum AtDeadline {
        /// It is lost by the player whose clock has run for more than two thirds of the time since the game began; if
        /// that is neither or both of them, it is drawn.
        ByTimeTaken,
        /// It is drawn.
        Drawn,
        /// Nothing: the round waits for it.
        WaitedFor,
    }
}

impl AtDeadline {
    /// The rule by which a game ends; `None` if it goes on.
    pub fn rule(self) -> Option<DeadlineRule> {
        match self {
            Self::ByTimeTaken => Some(DeadlineRule::ByTimeTaken),
            Self::Drawn => Some(DeadlineRule::Draw),
            Self::WaitedFor => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundTime {
    /// In seconds, from the opening of its matches.
    pub time_s: u32,
    /// The fate of games unfinished by then.
    pub then: AtDeadline,
}

impl RoundTime {
    /// The time of the warning before a deadline.
    pub fn warn_at(self, due_at: Time) -> Time {
        let ahead_s = (self.time_s / 4).min(WARNED_S);
        due_at.plus_ms(-i64::from(ahead_s) * 1000)
    }

    /// The deadline of a round begun at `from`: its time, plus an organizer's extension. Down times of the service and
    /// pauses of the tournament don't count.
    pub fn due_at(self, from: Time, extra_s: u32, down: &[DownTime]) -> Time {
        let rest = |down: &DownTime| Rest { from: down.from, until: down.until, kind: RestKind::DownTime };
        let rests: Vec<Rest> = down.iter().map(rest).collect();
        let time_ms = (i64::from(self.time_s) + i64::from(extra_s)) * 1000;
        Plan::new(&rests, from, None).after(from, time_ms)
    }

    /// The rule as shown before joining.
    pub fn policy(self, form: Form) -> Policy {
        let detail = match (self.then, form) {
            (AtDeadline::WaitedFor, _) => WAITED_FOR,
            (AtDeadline::ByTimeTaken, Form::Tables) => BY_TIME_TAKEN_AT_A_TABLE,
            (AtDeadline::Drawn, Form::Tables) => DRAWN_AT_A_TABLE,
            (AtDeadline::ByTimeTaken, Form::Knockout) => BY_TIME_TAKEN_IN_A_TIE,
            (AtDeadline::ByTimeTaken, Form::Groups) => BY_TIME_TAKEN_IN_GROUPS,
            (AtDeadline::Drawn, Form::Groups) => DRAWN_IN_GROUPS,
            (AtDeadline::ByTimeTaken, _) => BY_TIME_TAKEN,
            (AtDeadline::Drawn, Form::Knockout) => DRAWN_IN_A_TIE,
            (AtDeadline::Drawn, _) => DRAWN,
        };
        Policy { topic: "round-deadline", outcome: self.then.into_str(), detail }
    }
}

const BY_TIME_TAKEN: &str = "A game that isn't over at the deadline is lost by the player whose clock has run for more than two thirds of the time since the game began; if that is neither or both of them, it is drawn. If neither has placed their fleet, it is called off and brings nobody anything.";
const DRAWN: &str = "A game that isn't over at the deadline is drawn. If neither has placed their fleet, it is called off and brings nobody anything.";
const BY_TIME_TAKEN_IN_A_TIE: &str = "A game that isn't over at the deadline is lost by the player whose clock has run for more than two thirds of the time since the game began; if that is neither or both of them, it is drawn. If neither has placed their fleet, it is called off. A tie without a winner goes on as after any other board, and each further board has its own deadline.";
const DRAWN_IN_A_TIE: &str = "A game that isn't over at the deadline is drawn. If neither has placed their fleet, it is called off. A tie without a winner goes on as after any other board, and each further board has its own deadline.";
const BY_TIME_TAKEN_IN_GROUPS: &str = "A game that isn't over at the deadline is lost by the player whose clock has run for more than two thirds of the time since the game began; if that is neither or both of them, it is drawn. If neither has placed their fleet, it is called off and brings nobody anything. In the finals, a tie without a winner goes on as after any other board, and each further board has its own deadline.";
const DRAWN_IN_GROUPS: &str = "A game that isn't over at the deadline is drawn. If neither has placed their fleet, it is called off and brings nobody anything. In the finals, a tie without a winner goes on as after any other board, and each further board has its own deadline.";
const BY_TIME_TAKEN_AT_A_TABLE: &str = "In a game that isn't over at the deadline those who still play share the first place, but for those whose clocks have run for more than two thirds of the time since the game began: they share the place behind them. If these are all or nobody, all who still play share the first place. If nobody has placed a fleet, it is called off and brings nobody anything. Who is behind at a deadline has not missed the table.";
const DRAWN_AT_A_TABLE: &str = "In a game that isn't over at the deadline all who still play share the first place. If nobody has placed a fleet, it is called off and brings nobody anything.";
const WAITED_FOR: &str = "The players are told when the deadline is near. The round lasts until its last game is over all the same; who runs the tournament may decide games that take too long.";

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn hours(time: Time) -> i64 {
        time.0 / HOUR_MS
    }

    #[test]
    fn down_times_and_what_was_added_move_a_deadline() {
        let round = RoundTime { time_s: 100 * 3600, then: AtDeadline::Drawn };
        let down = |from: i64, until: i64| DownTime { from: Time(from * HOUR_MS), until: Time(until * HOUR_MS) };
        let begun = Time(10 * HOUR_MS);
        assert_eq!(hours(round.due_at(begun, 0, &[])), 110);
        assert_eq!(hours(round.due_at(begun, 7200, &[])), 112);
        // Down times outside of the round don't count; overlapping ones count once.
        assert_eq!(hours(round.due_at(begun, 0, &[down(0, 12), down(50, 60), down(55, 65), down(200, 300)])), 127);
        assert_eq!(hours(round.due_at(begun, 0, &[down(110, 120)])), 110);
    }

    #[test]
    fn a_quarter_of_the_time_is_left_or_a_day() {
        let warned = |time_s: u32| {
            let round = RoundTime { time_s, then: AtDeadline::WaitedFor };
            round.warn_at(Time(1_000_000_000_000)).0 - 1_000_000_000_000
        };
        assert_eq!((warned(4 * 3600), warned(30 * 86_400)), (-HOUR_MS, -24 * HOUR_MS));
    }
}

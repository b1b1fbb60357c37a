//! What the members of a position ladder have agreed on: fixed when it is made, published with it.

use std::str::FromStr;

use broadside_rules::Fault;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::words::words;

/// A day, in seconds.
const DAY_S: u32 = 86_400;
/// Free declines are counted over so many seconds: 30 days.
pub const DECLINES_COUNT_FOR_S: u32 = 30 * DAY_S;

/// What becomes of a member who plays no challenge for too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(rename_all = "kebab-case")]
pub enum Inactivity {
    /// He falls as many places as one may challenge above oneself, and again after as long.
    Falls,
    /// He goes to the last place.
    ToTheEnd,
}

words!(Inactivity { Falls "falls", ToTheEnd "to-the-end" });

/// The terms of a position ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = PositionTerms)]
pub struct Terms {
    /// How many places above himself a member may challenge.
    #[schema(minimum = 1, maximum = 20, format = Int32)]
    pub reach: u32,
    /// How long a challenge waits for its answer, in seconds; the challenged member's vacations are not counted.
    #[schema(minimum = 60, maximum = 2_592_000, format = Int32)]
    pub answer_s: u32,
    /// How many challenges a member may decline in any 30 days; one more counts as a lost match.
    #[schema(minimum = 0, maximum = 10, format = Int32)]
    pub declines: u32,
    /// For how long a member who has held his place against a challenge can't be challenged again, in seconds.
    #[schema(minimum = 0, maximum = 2_592_000, format = Int32)]
    pub protection_s: u32,
    /// For how long two members who have met can't challenge each other again, in seconds.
    #[schema(minimum = 0, maximum = 7_776_000, format = Int32)]
    pub no_return_s: u32,
    /// How many places a member falls who loses a challenge of his own.
    #[schema(minimum = 0, maximum = 20, format = Int32)]
    pub loser_falls: u32,
    /// After how long without a challenge of his own, or one to him that he has not declined, a member is inactive, in seconds, his vacations not counted; null: never.
    #[schema(minimum = 60, maximum = 31_536_000, format = Int32, required)]
    pub inactive_after_s: Option<u32>,
    /// What becomes of him then.
    pub inactivity: Inactivity,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            reach: 3,
            answer_s: 3 * DAY_S,
            declines: 1,
            protection_s: DAY_S,
            no_return_s: 7 * DAY_S,
            loser_falls: 0,
            inactive_after_s: None,
            inactivity: Inactivity::Falls,
        }
    }
}

impl Terms {
    /// Every value that is out of bounds.
    pub fn faults(&self) -> Vec<Fault> {
        let bounds = [
            ("/reach", Some(self.reach), 1, 20),
            ("/answer_s", Some(self.answer_s), 60, 30 * DAY_S),
            ("/declines", Some(self.declines), 0, 10),
            ("/protection_s", Some(self.protection_s), 0, 30 * DAY_S),
            ("/no_return_s", Some(self.no_return_s), 0, 90 * DAY_S),
            ("/loser_falls", Some(self.loser_falls), 0, 20),
            ("/inactive_after_s", self.inactive_after_s, 60, 365 * DAY_S),
        ];
        let beyond = bounds
            .into_iter()
            .filter(|(_, value, least, most)| value.is_some_and(|value| !(*least..=*most).contains(&value)));
        beyond
            .map(|(pointer, _, least, most)| Fault {
                pointer: pointer.to_owned(),
                code: "out-of-range",
                detail: format!("must be {least} to {most}"),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_out_of_bounds_is_named() {
        assert!(Terms::default().faults().is_empty());
        let wild = Terms { reach: 0, answer_s: 59, declines: 11, inactive_after_s: Some(59), ..Terms::default() };
        let pointers: Vec<String> = wild.faults().into_iter().map(|fault| fault.pointer).collect();
        assert_eq!(pointers, ["/reach", "/answer_s", "/declines", "/inactive_after_s"]);
        let widest = Terms { inactive_after_s: Some(365 * DAY_S), no_return_s: 90 * DAY_S, ..Terms::default() };
        assert!(widest.faults().is_empty());
    }
}

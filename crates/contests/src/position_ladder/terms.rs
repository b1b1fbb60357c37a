//! The terms of a position ladder: fixed at its creation, and published with it.

use broadside_rules::Fault;
use serde::{Deserialize, Serialize};

use crate::words::words;

const DAY_S: u32 = 86_400;
/// The period in which declines are counted, in seconds: 30 days.
pub const DECLINES_COUNT_FOR_S: u32 = 30 * DAY_S;

words! {
    /// What happens to a member who plays no challenge for too long.
    pub enum Inactivity {
        /// The member falls as many places as one may challenge above oneself, and again after as long.
        Falls,
        /// The member goes to the last place.
        ToTheEnd,
    }
}

/// The terms of a position ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = PositionTerms))]
pub struct Terms {
    /// How many places above their own a member may challenge.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 20, format = Int32))]
    pub reach: u32,
    /// How long a challenge waits for its answer, in seconds. Vacations of the challenged member are not counted.
    #[cfg_attr(feature = "schema", schema(minimum = 60, maximum = 2_592_000, format = Int32))]
    pub answer_s: u32,
    /// How many challenges a member may decline in any 30 days; one more counts as a lost match.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 10, format = Int32))]
    pub declines: u32,
    /// For how long a member can't be challenged again after holding their place against a challenge, in seconds.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 2_592_000, format = Int32))]
    pub protection_s: u32,
    /// For how long two members who have met can't challenge each other again, in seconds.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 7_776_000, format = Int32))]
    pub no_return_s: u32,
    /// For how long challenges may keep the others from a place, in seconds, from the first of them on. After that the
    /// member who has it can be challenged by several at once, and is protected no more.
    #[cfg_attr(feature = "schema", schema(minimum = 60, maximum = 7_776_000, format = Int32))]
    pub exclusive_s: u32,
    /// For how long a place has to be open to everybody before `exclusive_s` is counted anew, in seconds.
    #[cfg_attr(feature = "schema", schema(minimum = 60, maximum = 2_592_000, format = Int32))]
    pub open_s: u32,
    /// How many places the challenger falls who loses.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 20, format = Int32))]
    pub loser_falls: u32,
    /// A member is inactive after this many seconds without making a challenge, or getting one that they don't decline.
    /// Their vacations are not counted. Who has nobody to challenge then, and has declined nothing, begins anew and
    /// doesn't fall: above all the leader. Null: nobody is.
    #[cfg_attr(feature = "schema", schema(minimum = 60, maximum = 31_536_000, format = Int32, required))]
    pub inactive_after_s: Option<u32>,
    /// What happens to an inactive member.
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
            exclusive_s: 14 * DAY_S,
            open_s: DAY_S,
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
            ("/exclusive_s", Some(self.exclusive_s), 60, 90 * DAY_S),
            ("/open_s", Some(self.open_s), 60, 30 * DAY_S),
            ("/loser_falls", Some(self.loser_falls), 0, 20),
            ("/inactive_after_s", self.inactive_after_s, 60, 365 * DAY_S),
        ];
        let beyond = bounds
            .into_iter()
            .filter(|(_, value, min, max)| value.is_some_and(|value| !(*min..=*max).contains(&value)));
        beyond
            .map(|(pointer, _, min, max)| Fault {
                pointer: pointer.to_owned(),
                code: "out-of-range",
                detail: format!("must be {min} to {max}"),
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
        let wild = Terms { exclusive_s: 0, open_s: 31 * DAY_S, ..wild };
        let pointers: Vec<String> = wild.faults().into_iter().map(|fault| fault.pointer).collect();
        assert_eq!(pointers, ["/reach", "/answer_s", "/declines", "/exclusive_s", "/open_s", "/inactive_after_s"]);
        let widest = Terms { inactive_after_s: Some(365 * DAY_S), no_return_s: 90 * DAY_S, ..Terms::default() };
        assert!(widest.faults().is_empty());
    }
}

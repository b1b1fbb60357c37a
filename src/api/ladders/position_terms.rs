//! What a position ladder is made by, as it is asked for: everything may be left out.

use broadside_contests::position_ladder::{Inactivity, Terms as PositionTerms};

use crate::api::http::fields::{nested, request, text_fields};

text_fields!(Inactivity);

request! {
    /// What challenges are made by on a position ladder.
    pub struct PositionTermsInput {
        /// How many places above their own a member may challenge; 3 unless given.
        #[schema(minimum = 1, maximum = 20, format = Int32)]
        pub reach: Option<u32>,
        /// How long a challenge waits for its answer, in seconds: a minute to 30 days; three days unless given.
        #[schema(minimum = 60, maximum = 2_592_000, format = Int32)]
        pub answer_s: Option<u32>,
        /// How many challenges a member may decline in any 30 days; 1 unless given. One more counts as lost.
        #[schema(minimum = 0, maximum = 10, format = Int32)]
        pub declines: Option<u32>,
        /// For how long a member who has held their place can't be challenged again, in seconds; a day unless given.
        #[schema(minimum = 0, maximum = 2_592_000, format = Int32)]
        pub protection_s: Option<u32>,
        /// For how long two who have met can't challenge each other again, in seconds; a week unless given.
        #[schema(minimum = 0, maximum = 7_776_000, format = Int32)]
        pub no_return_s: Option<u32>,
        /// How many places a challenger who loses falls; 0 unless given.
        #[schema(minimum = 0, maximum = 20, format = Int32)]
        pub loser_falls: Option<u32>,
        /// After how long without a challenge a member is inactive, in seconds: a minute to a year. Nobody is unless it
        /// is given.
        #[schema(minimum = 60, maximum = 31_536_000, format = Int32)]
        pub inactive_after_s: Option<u32>,
        /// What happens to an inactive member: `falls` (as many places as one may challenge above oneself), unless
        /// given.
        pub inactivity: Option<Inactivity>,
    }
}

nested!(PositionTermsInput);

impl PositionTermsInput {
    /// The terms, with what is usual in the place of what isn't said.
    pub(in crate::api) fn terms(self) -> PositionTerms {
        let usual = PositionTerms::default();
        PositionTerms {
            reach: self.reach.unwrap_or(usual.reach),
            answer_s: self.answer_s.unwrap_or(usual.answer_s),
            declines: self.declines.unwrap_or(usual.declines),
            protection_s: self.protection_s.unwrap_or(usual.protection_s),
            no_return_s: self.no_return_s.unwrap_or(usual.no_return_s),
            loser_falls: self.loser_falls.unwrap_or(usual.loser_falls),
            inactive_after_s: self.inactive_after_s,
            inactivity: self.inactivity.unwrap_or(usual.inactivity),
        }
    }
}

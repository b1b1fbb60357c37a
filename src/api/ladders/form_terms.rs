//! Request fields for the terms specific to some kinds of ladders.

use broadside_contests::pairing::PairingTerms;
use broadside_contests::position_ladder::{Inactivity, Terms as PositionTerms};
use broadside_contests::ranking::{Ranking, RankingRule};
use broadside_rules::Clock;

use crate::api::http::fields::{nested, request, text_fields};

text_fields!(Inactivity, Ranking);

request! {
    /// Members of a ladder in divisions.
    pub struct DivisionTermsInput {
        /// How many stand in one.
        #[schema(minimum = 4, maximum = 100, format = Int32)]
        pub size: u32,
        /// How many of the best rise, and of the worst fall, when a season ends: half of a division at most.
        #[schema(minimum = 1, maximum = 50, format = Int32)]
        pub promotions: u32,
    }
}

nested!(DivisionTermsInput);

request! {
    /// What members are paired by on a rating ladder.
    pub struct PairingRuleInput {
        /// After so many seconds of waiting the limits relax by one step; a twenty-fourth of the clock's time for a
        /// move unless given, ten seconds at least.
        #[schema(minimum = 10, maximum = 2_592_000, format = Int32)]
        pub relax_s: Option<u32>,
        /// For so many seconds after the end of a pairing its players aren't paired with each other again; twice the
        /// clock's time for a move unless given, 90 days at most.
        #[schema(minimum = 0, maximum = 7_776_000, format = Int32)]
        pub no_return_s: Option<u32>,
    }
}

nested!(PairingRuleInput);

impl PairingRuleInput {
    /// The terms, with defaults derived from the clock.
    pub(in crate::api) fn terms(asked: Option<Self>, clock: &Clock) -> PairingTerms {
        let usual = PairingTerms::usual(clock);
        asked.map_or(usual, |asked| PairingTerms {
            relax_s: asked.relax_s.unwrap_or(usual.relax_s),
            no_return_s: asked.no_return_s.unwrap_or(usual.no_return_s),
        })
    }
}

/// The ranking, with the default number of results where it needs a number.
pub(in crate::api) fn ranking(by: Option<Ranking>, results: Option<u32>) -> RankingRule {
    let by = by.unwrap_or(Ranking::Sum);
    // The number is zero only for a ranking without one; elsewhere the terms refuse it.
    RankingRule { by, results: results.or(by.usual_results()).unwrap_or_default() }
}

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
        /// For how long challenges may keep the others from a place, in seconds: a minute to 90 days, from the first of
        /// them on; two weeks unless given. After that several can challenge the member who has it, at once.
        #[schema(minimum = 60, maximum = 7_776_000, format = Int32)]
        pub exclusive_s: Option<u32>,
        /// For how long a place has to be open to everybody before `exclusive_s` is counted anew, in seconds: a minute
        /// to 30 days; a day unless given.
        #[schema(minimum = 60, maximum = 2_592_000, format = Int32)]
        pub open_s: Option<u32>,
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
    /// The terms, with their defaults.
    pub(in crate::api) fn terms(self) -> PositionTerms {
        let usual = PositionTerms::default();
        PositionTerms {
            reach: self.reach.unwrap_or(usual.reach),
            answer_s: self.answer_s.unwrap_or(usual.answer_s),
            declines: self.declines.unwrap_or(usual.declines),
            protection_s: self.protection_s.unwrap_or(usual.protection_s),
            no_return_s: self.no_return_s.unwrap_or(usual.no_return_s),
            exclusive_s: self.exclusive_s.unwrap_or(usual.exclusive_s),
            open_s: self.open_s.unwrap_or(usual.open_s),
            loser_falls: self.loser_falls.unwrap_or(usual.loser_falls),
            inactive_after_s: self.inactive_after_s,
            inactivity: self.inactivity.unwrap_or(usual.inactivity),
        }
    }
}

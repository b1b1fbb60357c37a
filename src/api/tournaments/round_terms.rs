//! Request fields for the terms of the draw of rounds. All of them are optional.

use broadside_contests::{ByeWorth, Form, Seeding};

use crate::api::http::fields::{nested, request, text_fields};
use crate::tournaments::round_terms::{LateEntry, RequestedByes, RoundTerms, is_drawn_by_rounds};

text_fields!(ByeWorth);

request! {
    /// Who may come in after the start.
    pub struct LateEntryInput {
        /// The last round into which somebody can come: 2 to the number of `rounds`.
        #[schema(minimum = 2, maximum = 30, format = Int32)]
        pub until_round: u32,
        /// What each round is worth that they have missed; `nothing` unless given.
        pub missed_round: Option<ByeWorth>,
    }
}

request! {
    /// The byes that players can ask for.
    pub struct RequestedByesInput {
        /// How many a player can have, 0 to 10; 1 unless given.
        #[schema(minimum = 0, maximum = 10, format = Int32)]
        pub max: Option<u32>,
        /// What each is worth; `half-point` unless given.
        pub worth: Option<ByeWorth>,
        /// In how many of the last rounds there are none; 1 unless given.
        #[schema(minimum = 0, maximum = 30, format = Int32)]
        pub not_in_last: Option<u32>,
    }
}

nested!(LateEntryInput, RequestedByesInput);

/// The terms for a tournament of this form, with their defaults.
pub(super) fn asked(
    form: Form,
    (seeding, review_s): (Option<Seeding>, Option<u32>),
    late: Option<LateEntryInput>,
    byes: Option<RequestedByesInput>,
) -> RoundTerms {
    let usual = RequestedByes::default();
    let late_entry = late.map(|late| LateEntry {
        until_round: super::small(late.until_round),
        missed_round: late.missed_round.unwrap_or(ByeWorth::Nothing),
    });
    let requested_byes = byes.map(|byes| RequestedByes {
        max: byes.max.map_or(usual.max, super::small),
        worth: byes.worth.unwrap_or(usual.worth),
        not_in_last: byes.not_in_last.map_or(usual.not_in_last, super::small),
    });
    let requested_byes = requested_byes.or(is_drawn_by_rounds(form).then_some(usual));
    RoundTerms { seeding, late_entry, requested_byes, review_s }
}

//! What only one form of tournament is made by, as it is asked for: everything may be left out.

use broadside_contests::knockout::Terms as KnockoutTerms;
use broadside_contests::{Form, Seeding};
use broadside_rules::RuleSet;

use crate::api::http::fields::{Ranged, nested, request, text_fields};
use crate::tournaments::table_terms::SEATS;
use crate::tournaments::terms::MIN_PLAYERS;

text_fields!(Seeding);

request! {
    /// What a knockout is played by.
    pub struct KnockoutTermsInput {
        /// Of how many boards a tie is the best: 1, 3, 5 or 7; 1 unless given.
        #[schema(minimum = 1, maximum = 7, format = Int32)]
        pub best_of: Option<u32>,
        /// How many further boards a drawn tie has at most, before the higher seed goes on; 2 unless given.
        #[schema(minimum = 0, maximum = 4, format = Int32)]
        pub extra_boards: Option<u32>,
        /// Whether those who have lost the semi-finals play for the third place; false unless given.
        pub third_place: Option<bool>,
        /// In which order players are seeded; by `rating` unless given.
        pub seeding: Option<Seeding>,
    }
}

nested!(KnockoutTermsInput);

impl KnockoutTermsInput {
    /// The terms of a tournament of this form, with what is usual in the place of what isn't said.
    pub(in crate::api) fn terms(asked: Option<Self>, form: Form) -> Option<KnockoutTerms> {
        let usual = KnockoutTerms::default();
        let terms = |asked: Self| KnockoutTerms {
            best_of: asked.best_of.map_or(usual.best_of, super::small),
            extra_boards: asked.extra_boards.map_or(usual.extra_boards, super::small),
            third_place: asked.third_place.unwrap_or(usual.third_place),
            seeding: asked.seeding.unwrap_or(usual.seeding),
        };
        asked.map(terms).or((form == Form::Knockout).then_some(usual))
    }
}

/// The fewest players of a tournament of this form by these rules, and how many seats a match has at most.
pub(super) fn seats(form: Form, asked: Option<Ranged<3, 7>>, rules: &RuleSet) -> (u16, u8) {
    let asked = asked.map(|seats| u8::try_from(seats.0).unwrap_or(u8::MAX));
    if form != Form::Tables {
        return (MIN_PLAYERS, asked.unwrap_or(2));
    }
    let (least, most) = rules.seats();
    (MIN_PLAYERS.max(u16::from(least)), asked.unwrap_or(most.min(SEATS.1)))
}

//! Request fields for the terms specific to one form of tournament. All of them are optional.

use broadside_contests::groups::Terms as GroupsTerms;
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
        /// In which order players are seeded, with groups to be dealt out to these; by `rating` unless given.
        pub seeding: Option<Seeding>,
    }
}

request! {
    /// How players are put into groups, and how many go on.
    pub struct GroupsTermsInput {
        /// How many groups there are, 2 to 64; as many as `size` needs unless given.
        #[schema(minimum = 2, maximum = 64, format = Int32)]
        pub count: Option<u32>,
        /// In place of `count`, how many players a group has at most, 4 to 16: there are as few groups as that allows,
        /// and two at least. 4 if neither is given.
        #[schema(minimum = 4, maximum = 16, format = Int32)]
        pub size: Option<u32>,
        /// How many of each group go on to the finals, 1 to 8; 2 unless given.
        #[schema(minimum = 1, maximum = 8, format = Int32)]
        pub qualifiers: Option<u32>,
        /// How many of those who come next in their groups go on as well: the best of them, one of each group at most;
        /// none unless given.
        #[schema(minimum = 0, maximum = 64, format = Int32)]
        pub best_next: Option<u32>,
    }
}

nested!(KnockoutTermsInput, GroupsTermsInput);

impl GroupsTermsInput {
    /// The terms for a tournament of this form, with their defaults.
    pub(in crate::api) fn terms(asked: Option<Self>, form: Form) -> Option<GroupsTerms> {
        let usual = GroupsTerms::default();
        let terms = |asked: Self| GroupsTerms {
            count: asked.count.map(super::small),
            size: asked.size.map(super::small).or(usual.size.filter(|_| asked.count.is_none())),
            qualifiers: asked.qualifiers.map_or(usual.qualifiers, super::small),
            best_next: asked.best_next.map_or(usual.best_next, super::small),
        };
        asked.map(terms).or((form == Form::Groups).then_some(usual))
    }
}

impl KnockoutTermsInput {
    /// The terms for a tournament of this form, with their defaults.
    pub(in crate::api) fn terms(asked: Option<Self>, form: Form) -> Option<KnockoutTerms> {
        let usual = KnockoutTerms::default();
        let terms = |asked: Self| KnockoutTerms {
            best_of: asked.best_of.map_or(usual.best_of, super::small),
            extra_boards: asked.extra_boards.map_or(usual.extra_boards, super::small),
            third_place: asked.third_place.unwrap_or(usual.third_place),
            seeding: asked.seeding.unwrap_or(usual.seeding),
        };
        asked.map(terms).or(matches!(form, Form::Knockout | Form::Groups).then_some(usual))
    }
}

/// The requested size of a group.
pub(super) fn group<const MIN: u32, const MAX: u32>(asked: Ranged<MIN, MAX>) -> u16 {
    super::small(asked.0)
}

/// The fewest players of a tournament of this form by these rules, and the most seats of a match.
pub(in crate::api) fn seats(
    form: Form,
    groups: Option<&GroupsTerms>,
    asked: Option<Ranged<3, 7>>,
    rules: &RuleSet,
) -> (u16, u8) {
    let asked = asked.map(|seats| u8::try_from(seats.0).unwrap_or(u8::MAX));
    if form != Form::Tables {
        return (groups.map_or(MIN_PLAYERS, GroupsTerms::fewest), asked.unwrap_or(2));
    }
    let (least, most) = rules.seats();
    (MIN_PLAYERS.max(u16::from(least)), asked.unwrap_or(most.min(SEATS.1)))
}

//! THE one list of families and variants, and the only place that tells families apart. Everything of a family is in its
//! folder, everything shared is outside, and this file passes on from the one to the other. A new family is one folder and
//! one line in the list at the end; a new variant of a family is one preset in its folder.
//!
//! What a family's folder has to hold is said by what `families!` (in `passing_on.rs`) asks of it:
//!
//! | module | what |
//! |---|---|
//! | `rules` | `Rules`: the parameters, how they are read, how many seats, what seats are called, how a match opens |
//! | `action` | `Action`: what a player asks, and how it is read |
//! | `event` | `Event`: what happened, secrets included; its bytes; the action that it came from |
//! | `state` | `State`: the whole truth; it decides, and takes events in |
//! | `disclose` | who is told what of an event |
//! | `report` | `Report`: what is told |
//! | `knowledge` | `Knowledge`: what one viewer knows, folded from reports |
//! | `legal`, `decision` | what may be done, asked of what is known; and the same as choices with examples |
//! | `card`, `notation`, `presets` | the card, the reports in words, the variants |
use alloc::{string::String, vec::Vec};

use minicbor::{Decode, Encode};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language},
    chance::Draws,
    dice::Dice,
    illegal::{Fault, Illegal},
    outcome::{Outcome, Reason},
    read::Faults,
    seat::{Seat, Viewer},
    setup::Wishes,
    shown::SeaView,
    table::{Step, Table},
};

pub mod depths;
mod first;
pub mod gunnery;
mod passing_on;
pub mod salvos;
mod variant;

pub use first::First;
use passing_on::families;
pub use variant::Variant;

/// How a match opens: who begins, what the seats are called, and what else the family draws before the first deployment.
pub(crate) struct Opening<E> {
    /// The seat that begins.
    pub first: Seat,
    /// The name of each seat, as a number of the family's own; empty where `first` alone says it.
    pub names: Vec<u8>,
    /// What else is drawn.
    pub event: Option<E>,
}

/// What an action brings about in the battle of a family, and the result if it ends the match.
pub(crate) type Decided<E> = (Vec<E>, Option<Outcome>);

/// Every variant, in the order in which they are listed.
#[must_use]
pub const fn variants() -> &'static [Variant] {
    &VARIANTS
}

families! {
    /// Two seats, a sea each, shots called by cell.
    Gunnery gunnery "gunnery" 0,
    /// Two seats, ships that hunt submarines on three levels.
    Depths depths "depths" 1,
    /// Two to seven fleets on one sea, ships that move, fire in a range and are sunk by points of damage.
    Salvos salvos "salvos" 2,
}

impl<'de> Deserialize<'de> for RuleSet {
    /// Reads a whole rule set, checked for its bounds (but not again for a legal deployment).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let key = value.get("family").and_then(Value::as_str).unwrap_or_default();
        let family = FAMILIES.iter().find(|(name, _)| *name == key).map(|(_, family)| *family);
        let family = family.ok_or_else(|| serde::de::Error::custom("a rule set names its family"))?;
        Self::parse(family, &value).map_err(|faults| crate::read::refused(&faults))
    }
}

const COUNT: usize = {
    let (mut count, mut list) = (0, 0);
    while list < LISTS.len() {
        count += LISTS[list].len();
        list += 1;
    }
    count
};

impl RuleSet {
    /// The same rules with another word on who begins; unchanged in a family where that isn't for the rules to say.
    #[must_use]
    pub fn begun_by(&self, first: First) -> Self {
        match self.clone() {
            Self::Gunnery(rules) => Self::Gunnery(gunnery::Rules { first, ..rules }),
            Self::Depths(rules) => Self::Depths(depths::Rules { first, ..rules }),
            rules @ Self::Salvos(_) => rules,
        }
    }

    /// Could these names have been given at the opening: one for each seat where players may wish, all different?
    pub(crate) fn names_fit(&self, seats: u8, names: &[u8]) -> bool {
        let wishes = self.wishes().len();
        let differs = |(at, name): (usize, &u8)| usize::from(*name) < wishes && !names[..at].contains(name);
        if wishes == 0 {
            names.is_empty()
        } else {
            names.len() == usize::from(seats) && names.iter().enumerate().all(differs)
        }
    }

    /// The names that seats were given, as numbers of the family's own; empty where names are not given but follow from who begins.
    pub(crate) fn numbers_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<u8> {
        let number = |name: &str| self.wishes().iter().position(|wish| *wish == name);
        names.filter_map(number).map(|number| number as u8).collect()
    }
}

/// The lists of the families, one after the other.
static VARIANTS: [Variant; COUNT] = {
    let mut all = [LISTS[0][0]; COUNT];
    let (mut at, mut list) = (0, 0);
    while list < LISTS.len() {
        let mut nth = 0;
        while nth < LISTS[list].len() {
            all[at] = LISTS[list][nth];
            at += 1;
            nth += 1;
        }
        list += 1;
    }
    all
};

//! THE one list of families and variants, and the only place that tells families apart: everything of a family is in its
//! folder, everything shared is outside, and this file delegates from the one to the other. A new family is one folder and
//! one arm in each match below; a new variant of a family is one preset in its folder.
use alloc::vec::Vec;

use minicbor::{Decode, Encode};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    card::{ActionCard, AnswerCard, BoardCard, ClassCard, Language},
    dice::Dice,
    illegal::{Fault, Illegal},
    outcome::Outcome,
    read::Faults,
    seat::{Seat, Viewer},
    table::{Step, Table},
    view::SeaView,
};

pub mod gunnery;
mod variant;

pub(crate) use variant::Preset;
pub use variant::Variant;

/// A family of games: one engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Two seats, a sea each, shots called by cell.
    Gunnery,
}

/// Every variant, in the order in which they are listed.
#[must_use]
pub const fn variants() -> &'static [Variant] {
    gunnery::presets::VARIANTS
}

/// The rules of one game: a family's parameters, a flat JSON object told apart by `family`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum RuleSet {
    /// Of the family `gunnery`.
    Gunnery(gunnery::Rules),
}

impl RuleSet {
    /// The rule set of a variant with changes: an object whose fields replace the preset's.
    ///
    /// # Errors
    /// Every fault at once, with JSON Pointers relative to the rule set: unknown fields, values out of bounds, parameters that
    /// contradict each other, and `no-legal-deployment` when no way is found to place the fleet.
    pub fn customised(base: &Variant, changes: &Value) -> Result<Self, Vec<Fault>> {
        match base.preset {
            Preset::Gunnery(rules) => rules().customised(changes).map(Self::Gunnery),
        }
    }

    /// The fewest and the most seats.
    #[must_use]
    pub const fn seats(&self) -> (u8, u8) {
        match self {
            Self::Gunnery(_) => (2, 2),
        }
    }

    /// The family.
    #[must_use]
    pub const fn family(&self) -> Family {
        match self {
            Self::Gunnery(_) => Family::Gunnery,
        }
    }

    /// The name of a seat when this one begins.
    #[must_use]
    pub const fn seat_name(&self, first: Seat, seat: Seat) -> &'static str {
        match self {
            Self::Gunnery(rules) => rules.seat_name(first, seat),
        }
    }

    /// Who begins, drawn by the dice where the rules leave it to chance.
    #[must_use]
    pub fn first(&self, dice: &mut Dice) -> Seat {
        match self {
            Self::Gunnery(rules) => match rules.first {
                gunnery::rules::First::Random => Seat(dice.below(2) as u8),
                gunnery::rules::First::Creator => Seat(0),
                gunnery::rules::First::Opponent => Seat(1),
            },
        }
    }

    /// The types of the family's own actions under these rules.
    #[must_use]
    pub const fn action_types(&self) -> &'static [&'static str] {
        match self {
            Self::Gunnery(rules) => gunnery::action::Action::types(rules),
        }
    }

    /// The board: enough to draw it.
    #[must_use]
    pub fn board(&self) -> BoardCard {
        match self {
            Self::Gunnery(rules) => gunnery::card::board(rules),
        }
    }

    /// The classes of ships.
    #[must_use]
    pub fn classes(&self) -> Vec<ClassCard> {
        match self {
            Self::Gunnery(rules) => gunnery::card::classes(rules),
        }
    }

    /// The actions by phase, the family's and the table's.
    #[must_use]
    pub fn actions(&self) -> Vec<ActionCard> {
        let own = match self {
            Self::Gunnery(rules) => gunnery::card::actions(rules),
        };
        own.into_iter().chain(crate::card::table_actions()).collect()
    }

    /// For every action, what the actor, an opponent and a spectator are told under these rules.
    #[must_use]
    pub fn answers(&self, language: Language) -> Vec<AnswerCard> {
        let own = match self {
            Self::Gunnery(rules) => gunnery::card::answers(rules, language),
        };
        own.into_iter().chain(crate::card::table_answers(language)).collect()
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    /// Reads a whole rule set, checked for its bounds (but not again for a legal deployment).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        gunnery::Rules::parse(&value).map(Self::Gunnery).map_err(|faults| crate::read::refused(&faults))
    }
}

/// What a player asks of a family's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Action {
    /// In the family `gunnery`.
    Gunnery(gunnery::action::Action),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(Action, "The actions of the families.", gunnery::action::Action);

impl Action {
    pub(crate) fn read(rules: &RuleSet, kind: &str, value: &Value, faults: &mut Faults) -> Option<Self> {
        match rules {
            RuleSet::Gunnery(rules) => gunnery::action::Action::read(rules, kind, value, faults).map(Self::Gunnery),
        }
    }
}

/// What happened in the battle of a family.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(flat)]
pub enum Event {
    /// In the family `gunnery`.
    #[n(0)]
    Gunnery(#[n(0)] gunnery::event::Event),
}

impl Event {
    pub(crate) fn fits(&self, rules: &RuleSet) -> bool {
        match (self, rules) {
            (Self::Gunnery(event), RuleSet::Gunnery(rules)) => event.fits(rules),
        }
    }
}

/// What a viewer is told of the battle of a family.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// In the family `gunnery`.
    Gunnery(gunnery::report::Report),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(Report, "The reports of the families.", gunnery::report::Report);

impl Report {
    pub(crate) fn head(&mut self) -> (&mut u32, &mut crate::time::Time) {
        match self {
            Self::Gunnery(report) => report.head(),
        }
    }
}

pub(crate) fn disclose(rules: &RuleSet, event: &Event, viewer: Viewer) -> Report {
    match (rules, event) {
        (RuleSet::Gunnery(rules), Event::Gunnery(event)) => {
            Report::Gunnery(gunnery::disclose::disclose(rules, event, viewer))
        }
    }
}

/// What a player may decide in a family.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Decision {
    /// In the family `gunnery`.
    Gunnery(gunnery::decision::Decision),
}

#[cfg(feature = "schema")]
crate::schema::union_of!(Decision, "The decisions of the families.", gunnery::decision::Decision);

impl Decision {
    /// The example as an action.
    pub(crate) fn example(&self) -> Action {
        match self {
            Self::Gunnery(decision) => Action::Gunnery(decision.example()),
        }
    }
}

/// The whole truth of a battle.
#[derive(Clone)]
pub(crate) enum State {
    Gunnery(gunnery::state::State),
}

impl State {
    pub fn new(rules: &RuleSet) -> Self {
        match rules {
            RuleSet::Gunnery(rules) => Self::Gunnery(gunnery::state::State::new(rules)),
        }
    }

    pub const fn open(&mut self, first: Seat) {
        match self {
            Self::Gunnery(state) => state.open(first),
        }
    }

    pub fn decide(&self, rules: &RuleSet, seat: Seat, action: &Action) -> Option<(Event, Option<Outcome>)> {
        match (self, rules, action) {
            (Self::Gunnery(state), RuleSet::Gunnery(rules), Action::Gunnery(action)) => {
                state.decide(rules, seat, action).map(|(event, outcome)| (Event::Gunnery(event), outcome))
            }
        }
    }

    pub fn deploy_auto(rules: &RuleSet, seat: Seat, dice: &mut Dice) -> Option<Event> {
        match rules {
            RuleSet::Gunnery(rules) => gunnery::state::State::deploy_auto(rules, seat, dice).map(Event::Gunnery),
        }
    }

    pub fn apply(&mut self, rules: &RuleSet, event: &Event) -> Option<Step> {
        match (self, rules, event) {
            (Self::Gunnery(state), RuleSet::Gunnery(rules), Event::Gunnery(event)) => state.apply(rules, event),
        }
    }

    pub fn reveal(&self) -> Event {
        match self {
            Self::Gunnery(state) => Event::Gunnery(state.reveal()),
        }
    }
}

/// What one viewer knows of a battle.
#[derive(Clone, PartialEq)]
pub(crate) enum Knowledge {
    Gunnery(gunnery::knowledge::Knowledge),
}

impl Knowledge {
    pub fn new(rules: &RuleSet) -> Self {
        match rules {
            RuleSet::Gunnery(rules) => Self::Gunnery(gunnery::knowledge::Knowledge::new(rules)),
        }
    }

    pub const fn open(&mut self, first: Seat) {
        match self {
            Self::Gunnery(known) => known.open(first),
        }
    }

    pub const fn close(&mut self) {
        match self {
            Self::Gunnery(known) => known.close(),
        }
    }

    pub fn learn(&mut self, rules: &RuleSet, report: &Report) -> Option<Step> {
        match (self, rules, report) {
            (Self::Gunnery(known), RuleSet::Gunnery(rules), Report::Gunnery(report)) => known.learn(rules, report),
        }
    }

    pub fn seas(&self, rules: &RuleSet) -> Vec<SeaView> {
        match (self, rules) {
            (Self::Gunnery(known), RuleSet::Gunnery(rules)) => known.render(rules),
        }
    }

    pub fn legal(&self, rules: &RuleSet, table: &Table, seat: Seat, action: &Action) -> Result<(), Illegal> {
        match (self, rules, action) {
            (Self::Gunnery(known), RuleSet::Gunnery(rules), Action::Gunnery(action)) => {
                gunnery::legal::legal(rules, table, known, seat, action)
            }
        }
    }

    pub fn decision(&self, rules: &RuleSet, table: &Table, seat: Seat, dice: &mut Dice) -> Option<Decision> {
        match (self, rules) {
            (Self::Gunnery(known), RuleSet::Gunnery(rules)) => {
                gunnery::decision::decision(rules, table, known, seat, dice).map(Decision::Gunnery)
            }
        }
    }

    /// Whose salvo is due and how many shots it has.
    pub const fn salvo(&self) -> Option<(Seat, u8)> {
        match self {
            Self::Gunnery(known) => match known.phase {
                gunnery::knowledge::Phase::Firing { seat, shots } => Some((seat, shots)),
                _ => None,
            },
        }
    }
}

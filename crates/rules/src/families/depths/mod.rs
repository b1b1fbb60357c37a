//! The family `depths`: two seats, surface ships that hunt submarines on three levels with depth charges, and
//! submarines that answer with torpedoes and a mine (rule sheet 000). The table, which all families share, has the
//! clock, draws, resigning and the result.
pub mod action;
pub(crate) mod card;
pub mod decision;
pub(crate) mod disclose;
pub mod event;
pub(crate) mod knowledge;
pub(crate) mod legal;
pub(crate) mod notation;
pub(crate) mod presets;
mod reading;
pub mod report;
pub mod rules;
pub(crate) mod state;
pub(crate) mod suggest;
pub(crate) mod surface;
pub(crate) mod tracking;
pub(crate) mod water;

pub use action::Action;
pub use decision::Decision;
pub use event::Event;
pub(crate) use knowledge::Knowledge;
pub use report::Report;
pub use rules::Rules;
pub(crate) use state::State;

use super::{
    added::{Added, Before},
    family::Family,
    variant::Variant,
};

/// The family; see `Family` for its parts.
pub(crate) struct Depths;

impl Family for Depths {
    const NAME: &'static str = "depths";
    const VARIANTS: &'static [Variant] = presets::VARIANTS;
    const ADDED: &'static [Added] = &[
        Added { path: &["rows"], before: Before::Number(6) },
        Added { path: &["columns"], before: Before::Number(6) },
        Added { path: &["torpedoes"], before: Before::Named("each-submarine") },
        Added { path: &["after_mine"], before: Before::Named("as-usual") },
        Added { path: &["without_move"], before: Before::Named("charge-and-torpedo") },
    ];
    const PROSE: [&'static str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];
    #[cfg(feature = "proof")]
    const BATTLE_REPORTS: &'static [&'static str] = report::BATTLE;
    #[cfg(feature = "proof")]
    const RECORDED: &'static str = report::RECORDED;

    type Rules = Rules;
    type Action = Action;
    type Event = Event;
    type Report = Report;
    type Decision = Decision;
    type State = State;
    type Knowledge = Knowledge;
}

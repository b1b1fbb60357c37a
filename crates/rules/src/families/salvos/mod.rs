//! The family `salvos`: 2 to 7 fleets on one shared sea, whose ships move, fire in a range, and are sunk by points of
//! damage (rule sheet 004, the forum game). The server is its umpire: it takes the orders and posts what the sheet
//! says. The table, which all families share, has the clock, draws, resigning and the result.
pub mod action;
pub(crate) mod card;
pub(crate) mod course;
pub mod decision;
pub(crate) mod disclose;
pub mod event;
mod example;
pub mod fleets;
pub(crate) mod knowledge;
pub(crate) mod legal;
pub(crate) mod notation;
mod packed;
pub(crate) mod presets;
mod reading;
pub mod report;
pub(crate) mod roster;
pub mod rules;
pub mod sea;
pub(crate) mod state;
mod waters;

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
pub(crate) struct Salvos;

impl Family for Salvos {
    const NAME: &'static str = "salvos";
    const VARIANTS: &'static [Variant] = presets::VARIANTS;
    const ADDED: &'static [Added] = &[
        Added { path: &["fleets"], before: Before::Null },
        Added { path: &["rows_per_seat"], before: Before::Number(5) },
        Added { path: &["columns"], before: Before::Number(10) },
        Added { path: &["teams"], before: Before::Null },
    ];
    const PROSE: [&'static str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];
    #[cfg(feature = "schema")]
    const FIELD_TITLES: &'static [(&'static str, [&'static str; 2])] = &[("salvos", ["Salvos", "Salves"])];
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

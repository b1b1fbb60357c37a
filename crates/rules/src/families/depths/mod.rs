//! The family `depths`: two seats, surface ships that hunt submarines on three levels with depth charges, and submarines that
//! answer with torpedoes and a mine (rule sheet 000). The clock, draws, resigning and the result are not here: they belong to
//! the table, which all families share.
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

pub use rules::Rules;

/// The rules of the family's variants for people, in English and in French.
pub(crate) const PROSE: [&str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];

//! The family `gunnery`: two seats, each with a sea of its own that the other shoots at by cell (rule sheets 001, 002, 003).
//! The clock, draws, resigning and the result are not here: they belong to the table, which all families share.
pub mod action;
pub(crate) mod card;
pub mod decision;
pub(crate) mod disclose;
pub mod event;
pub(crate) mod fleet;
pub(crate) mod knowledge;
pub(crate) mod legal;
pub(crate) mod notation;
pub(crate) mod presets;
mod reading;
pub mod report;
pub mod rules;
pub(crate) mod state;

pub use rules::Rules;

/// The rules of the family's variants for people, in English and in French.
pub(crate) const PROSE: [&str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];

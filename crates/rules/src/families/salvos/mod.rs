//! The family `salvos`: 2 to 7 fleets on one sea that all share, whose ships move, fire in a range, and are sunk by points of damage
//! (rule sheet 004, the forum game). The server is its umpire: it takes everybody's orders and posts what the sheet says is posted.
//! The clock, draws, resigning and the result are not here: they belong to the table, which all families share.
pub mod action;
pub(crate) mod card;
pub(crate) mod course;
pub mod decision;
pub(crate) mod disclose;
pub mod event;
mod example;
pub(crate) mod knowledge;
pub(crate) mod legal;
pub(crate) mod notation;
pub(crate) mod presets;
pub mod report;
pub(crate) mod roster;
pub mod rules;
pub mod sea;
pub(crate) mod state;
mod waters;

pub use rules::Rules;

/// The rules of the family's variants for people, in English and in French.
pub(crate) const PROSE: [&str; 2] = [include_str!("rules.en.md"), include_str!("rules.fr.md")];

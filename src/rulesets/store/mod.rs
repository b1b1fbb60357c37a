//! The SQL of named rule sets: the only part of `rulesets` that knows diesel.

pub mod reports;
mod rule_sets;

pub use rule_sets::*;

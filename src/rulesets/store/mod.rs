//! SQL of named rule sets: the only part of `rulesets` that uses diesel.

mod rule_sets;

pub use rule_sets::*;

//! The common part of the terms of ladders and tournaments: collecting faults, and policies.

use std::fmt::Display;

use broadside_rules::Fault;
use serde::Serialize;
use utoipa::ToSchema;

use crate::matches::open::MatchSettings;
use crate::texts::span;

/// What follows in a case that the terms of a contest leave open. Players can read it before they join.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = ContestPolicy)]
pub struct Policy {
    /// The case.
    #[schema(max_length = 60, pattern = "^[a-z0-9-]+$")]
    pub topic: &'static str,
    /// What follows, for programs.
    #[schema(max_length = 60, pattern = "^[a-z0-9-]+$")]
    pub outcome: &'static str,
    /// What follows, for people.
    #[schema(max_length = 600)]
    pub detail: &'static str,
}

/// The faults of a contest's terms.
pub struct TermFaults(pub Vec<Fault>);

impl TermFaults {
    /// Starts with the faults of the match settings.
    pub fn of(agreed: &MatchSettings) -> Self {
        Self(agreed.faults())
    }

    /// Adds a fault of the field at `pointer` (a JSON pointer).
    pub fn add(&mut self, pointer: &str, code: &'static str, detail: impl Into<String>) {
        self.0.push(Fault { pointer: pointer.to_owned(), code, detail: detail.into() });
    }

    /// Adds `out-of-range` if there is a value outside of `min` to `max`. `unit` follows the limits in the text.
    pub fn range<T: PartialOrd + Display>(
        &mut self,
        pointer: &str,
        value: impl Into<Option<T>>,
        (min, max): (T, T),
        unit: &str,
    ) {
        if value.into().is_some_and(|value| value < min || value > max) {
            self.add(pointer, "out-of-range", format!("must be {}{unit}", span(min, max)));
        }
    }
}

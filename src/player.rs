//! Somebody as the others see him.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::AccountId;

/// A player: whose account it is, under which name, and whether a program plays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Player {
    /// The account.
    pub id: AccountId,
    /// The name: 3 to 24 letters, digits, `-` and `_`.
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", examples("anna"))]
    pub username: String,
    /// Whether it is marked as a program.
    pub bot: bool,
}

/// A suspension, in force or over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspension {
    /// Since when.
    pub since: Time,
    /// Until when; none: for good.
    pub until: Option<Time>,
    /// Why. Only the account itself and moderators read it.
    pub reason: String,
}

impl Suspension {
    /// Whether it is in force.
    pub fn is_on(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

//! Players as shown to others, and suspensions.

use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::AccountId;

/// An account as other players see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Player {
    /// The id of the account.
    pub id: AccountId,
    /// The name: 3 to 24 letters, digits, `-` and `_`.
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$", examples("anna"))]
    pub username: String,
    /// Whether the account is marked as a program.
    pub bot: bool,
}

/// A current or past suspension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspension {
    pub since: Time,
    /// `None` for a permanent one.
    pub until: Option<Time>,
    /// Shown only to the account itself and to moderators.
    pub reason: String,
}

impl Suspension {
    /// True if it is in force.
    pub fn is_on(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

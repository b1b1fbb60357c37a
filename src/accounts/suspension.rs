//! Suspensions: a suspended account may finish its matches, read, and manage itself, but begin nothing new. A moderator
//! suspends and lifts (`crate::moderation::suspend`). Whether an account is suspended is checked where it is locked
//! before something new begins ([`super::account::lock_active`]).
//!
//! A suspension ends by the clock alone: readers compare times, and nothing has to be written when it is over.

use crate::error::{Error, problem};
pub use crate::player::Suspension;

/// The error that a suspended account gets when it wants to begin something.
pub fn refusal(suspension: Suspension) -> Error {
    let until = suspension.until.map_or_else(|| "for good".to_owned(), |until| format!("until {until}"));
    let detail = format!("Your account is suspended {until}: {}", suspension.reason);
    Error::new(&problem::ACCOUNT_SUSPENDED, detail).suspended(suspension)
}

/// The state of another account that is locked together with the caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherAccount {
    /// It exists and is not suspended.
    Active,
    Suspended,
    Deleted,
}

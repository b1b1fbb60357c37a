//! Suspensions: a suspended account may finish its matches, read, and manage itself, but begin nothing new.
//!
//! Moderators suspend accounts and lift suspensions (`crate::moderation::suspend`). The check is part of the account's
//! lock before something new begins ([`super::account::lock_active`]). A suspension ends by the clock alone: readers
//! compare times, and nothing is written at its end.

use crate::error::{Error, problem};
pub use crate::player::Suspension;

/// The error for a suspended account that begins something.
pub fn refusal(suspension: Suspension) -> Error {
    let until = suspension.until.map_or_else(|| "for good".to_owned(), |until| format!("until {until}"));
    let detail = format!("Your account is suspended {until}: {}", suspension.reason);
    Error::new(&problem::ACCOUNT_SUSPENDED, detail).suspended(suspension)
}

/// The state of another account that is locked together with the caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherAccount {
    Active,
    Suspended,
    Deleted,
}

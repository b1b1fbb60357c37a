//! Suspensions: an account that may finish what it plays and read, and begin nothing. A moderator suspends and lifts (`crate::moderation::suspend`); here stands what it
//! means, and it is asked where an account is held before something new begins ([`super::account::hold`]).
//!
//! A suspension ends by the clock alone: whoever asks compares times, and nobody has to tell it that it is over.

use crate::error::{Error, problem};
pub use crate::player::Suspension;

/// What the account is told when it would begin something.
pub fn refusal(suspension: Suspension) -> Error {
    let until = suspension.until.map_or_else(|| "for good".to_owned(), |until| format!("until {until}"));
    let detail = format!("Your account is suspended {until}: {}", suspension.reason);
    Error::new(&problem::ACCOUNT_SUSPENDED, detail).suspended(suspension)
}

/// How another account stands that is held beside the caller's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Other {
    /// There, and free to begin something.
    Free,
    /// There, and suspended.
    Suspended,
    /// Deleted.
    Gone,
}

//! Suspensions: an account that may finish what it plays and read, and begin nothing. A moderator suspends and lifts (`crate::moderation::suspend`); here stands what it
//! means, and it is asked where an account is held before something new begins ([`super::account::hold`]).
//!
//! A suspension ends by the clock alone: whoever asks compares times, and nobody has to tell it that it is over.

use broadside_rules::Time;

use crate::error::{Error, problem};

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

    /// What the account is told when it would begin something.
    pub fn refusal(self) -> Error {
        let until = self.until.map_or_else(|| "for good".to_owned(), |until| format!("until {until}"));
        let detail = format!("Your account is suspended {until}: {}", self.reason);
        Error::new(&problem::ACCOUNT_SUSPENDED, detail).suspended(self)
    }
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

//! Position ladders, like those on a club's wall: positions 1 to n, and a member challenges another for a higher one.
//!
//! | subject | file |
//! |---|---|
//! | the terms of a ladder | [`terms`] |
//! | positions, and the steps that change them | [`positions`] |
//! | allowed challenges and their results | [`rules`] |
//! | time limits that stand still during vacations | [`window`] |
//!
//! The resulting laws are in `tests.rs`, as properties over random histories of ladders. The caller stores the members
//! and the log of steps, and makes sure that a ladder changes in one place at a time.

pub mod positions;
pub mod rules;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod window;

pub use positions::{InvalidStep, Positions, Step};
pub use rules::{Bar, Between, Member, Seated};
pub use terms::{Inactivity, Terms};

use crate::words::words;

words! {
    /// Why a member's place has changed.
    #[cfg_attr(feature = "schema", schema(as = LadderPositionChangeReason))]
    pub enum Reason {
        /// The member has joined the ladder, behind everybody.
        Joined,
        /// The member has left the ladder.
        Left,
        /// The member's account was suspended.
        Suspended,
        /// The member's account was deleted.
        Deleted,
        /// The member has won their challenge.
        ChallengeWon,
        /// The member has lost their challenge, on a ladder where that costs places.
        ChallengeLost,
        /// The challenged member has declined once too often.
        ChallengeForfeited,
        /// The challenged member has not answered in time.
        ChallengeUnanswered,
        /// The member was inactive for too long.
        Inactive,
    }

    /// How a challenge has ended.
    #[cfg_attr(feature = "schema", schema(as = LadderChallengeOutcome))]
    pub enum Outcome {
        /// The challenger has won.
        ChallengerWon,
        /// The defender has won.
        DefenderWon,
        /// A draw: the defender keeps their place.
        Drawn,
        /// Its matches were aborted: no place changes.
        Aborted,
        /// The defender has declined; the terms allow a number of declines.
        Declined,
        /// The defender has declined once too often: it counts as lost.
        Forfeited,
        /// The defender has not answered in time: it counts as lost.
        Unanswered,
        /// The challenger has withdrawn it before it was answered.
        Withdrawn,
        /// One of the two has left the ladder, or it was closed.
        Cancelled,
    }
}

impl Outcome {
    /// Has the defender acted, or paid for not acting, and so isn't inactive? (The challenger always is active.)
    pub fn is_activity(self) -> bool {
        !matches!(self, Self::Declined | Self::Withdrawn | Self::Cancelled)
    }

    /// Has the defender held their place, with a time of protection?
    pub fn is_held(self) -> bool {
        matches!(self, Self::DefenderWon | Self::Drawn)
    }

    /// Are the two barred from challenging each other again at once? They have met, or the challenge was withdrawn.
    pub fn is_met(self) -> bool {
        matches!(self, Self::ChallengerWon | Self::DefenderWon | Self::Drawn | Self::Withdrawn)
    }
}

//! Position ladders, as clubs have them on the wall: places 1 to n, and who wants a higher one challenges somebody who has it.
//!
//! | what | file |
//! |---|---|
//! | the terms that are agreed on | [`terms`] |
//! | places, and the steps that change them | [`places`] |
//! | who may challenge whom, and what follows from it | [`rules`] |
//! | a span of time that stands still on vacations | [`window`] |
//!
//! All of these are functions of their arguments. The laws that follow from them stand in `laws.rs`, as properties over random lives of ladders.

#[cfg(test)]
mod laws;
pub mod places;
pub mod rules;
pub mod terms;
pub mod window;

use std::str::FromStr;

pub use terms::Terms;

use crate::words::words;

/// Why somebody has changed his place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// He has joined the ladder: behind everybody.
    Joined,
    /// He has left it.
    Left,
    /// His account was suspended.
    Suspended,
    /// His account was deleted.
    Deleted,
    /// He has won his challenge.
    ChallengeWon,
    /// He has lost his challenge, on a ladder where that costs places.
    ChallengeLost,
    /// Whom he has challenged has declined once too often.
    ChallengeForfeited,
    /// Whom he has challenged has not answered in time.
    ChallengeUnanswered,
    /// He was inactive for too long.
    Inactive,
}

words!(Reason {
    Joined "joined",
    Left "left",
    Suspended "suspended",
    Deleted "deleted",
    ChallengeWon "challenge-won",
    ChallengeLost "challenge-lost",
    ChallengeForfeited "challenge-forfeited",
    ChallengeUnanswered "challenge-unanswered",
    Inactive "inactive",
});

/// Where a challenge stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// It waits for its answer.
    Open,
    /// It was accepted, and is being played.
    Accepted,
    /// It is over: see its outcome.
    Over,
}

words!(Status { Open "open", Accepted "accepted", Over "over" });

/// How a challenge has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The challenger has won.
    ChallengerWon,
    /// The defender has won.
    DefenderWon,
    /// Nobody has: the defender stays where he is.
    Drawn,
    /// Its matches were aborted: nothing has happened.
    Aborted,
    /// The defender has declined, as he may now and then.
    Declined,
    /// He has declined once too often: it counts as lost.
    Forfeited,
    /// He has not answered in time: it counts as lost.
    Unanswered,
    /// One of the two has left the ladder.
    Left,
}

words!(Outcome {
    ChallengerWon "challenger-won",
    DefenderWon "defender-won",
    Drawn "drawn",
    Aborted "aborted",
    Declined "declined",
    Forfeited "forfeited",
    Unanswered "unanswered",
    Left "left",
});

//! Position ladders, as clubs have them on the wall: places 1 to n, and who wants a higher one challenges somebody who has it.
//!
//! | what | file |
//! |---|---|
//! | the terms that are agreed on | [`terms`] |
//! | places, and the steps that change them | [`places`] |
//! | who may challenge whom, and what follows from it | [`rules`] |
//! | a span of time that stands still on vacations | [`window`] |
//! | to come, to go, to be told that one's place has changed | [`members`] |
//! | to challenge, to accept, to decline | [`challenges`] |
//! | a challenge ends, however it does | [`end`] |
//! | what happens with nobody asking | [`round`] |
//! | an operator folds every log of steps again | [`audit`] |
//!
//! The first four are functions of their arguments. The laws that follow from them stand in `tests.rs`, as properties over random lives of ladders. Whatever changes
//! a place, a challenge or the log of steps has locked the ladder's row, so every race has one winner, on whatever node.

pub mod audit;
pub mod challenges;
pub mod end;
pub mod members;
pub mod places;
pub mod round;
pub mod rules;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod window;

use std::str::FromStr;

use broadside_rules::Time;
use utoipa::ToSchema;

pub use terms::Terms;

use crate::ids::{AccountId, LadderChallengeId, PairingId};
use crate::player::Player;
use crate::words::words;

/// Why somebody has changed his place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ToSchema)]
#[schema(as = LadderMoveReason, rename_all = "kebab-case")]
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ToSchema)]
#[schema(as = LadderChallengeStatus, rename_all = "kebab-case")]
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, ToSchema)]
#[schema(as = LadderChallengeOutcome, rename_all = "kebab-case")]
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
    /// The challenger has taken it back before it was answered.
    Withdrawn,
    /// One of the two has left the ladder, or it was closed.
    CalledOff,
}

words!(Outcome {
    ChallengerWon "challenger-won",
    DefenderWon "defender-won",
    Drawn "drawn",
    Aborted "aborted",
    Declined "declined",
    Forfeited "forfeited",
    Unanswered "unanswered",
    Withdrawn "withdrawn",
    CalledOff "called-off",
});

/// What a step has come of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Why it was made.
    pub reason: Reason,
    /// Whose place was taken, or to whom the challenge was lost.
    pub over: Option<AccountId>,
    /// The challenge that it follows from.
    pub challenge: Option<LadderChallengeId>,
    /// The pairing in which that was played.
    pub pairing: Option<PairingId>,
}

impl Cause {
    /// A cause that has nothing to do with a challenge.
    pub fn plain(reason: Reason) -> Self {
        Self { reason, over: None, challenge: None, pairing: None }
    }
}

/// A member, as he is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Who.
    pub player: Player,
    /// How he stands.
    pub member: rules::Member,
}

/// A step of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Counts the steps of a ladder, from 1 without gaps.
    pub number: u32,
    /// When it was made.
    pub at: Time,
    /// The step.
    pub step: places::Step,
    /// Who has made it.
    pub player: Player,
    /// Why.
    pub cause: Cause,
    /// Who that is whose place was taken, or to whom the challenge was lost.
    pub over: Option<Player>,
}

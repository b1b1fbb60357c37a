//! Position ladders, as clubs have them on the wall: places 1 to n, and who wants a higher one challenges somebody who has it.
//!
//! | what | file |
//! |---|---|
//! | the terms, the rules, places and their steps, windows | the crate [`broadside_contests`] |
//! | to come, to go, to be told that one's place has changed | [`members`] |
//! | to challenge, to accept, to decline | [`challenges`] |
//! | a challenge ends, however it does | [`end`] |
//! | what happens with nobody asking | [`round`] |
//! | an operator folds every log of steps again | [`audit`] |
//!
//! Whatever changes a place, a challenge or the log of steps has locked the ladder's row, so every race has one winner, on
//! whatever node.

pub mod audit;
pub mod challenges;
pub mod end;
pub mod members;
pub mod round;

use std::str::FromStr;

use broadside_contests::position_ladder;
use broadside_rules::Time;
use utoipa::ToSchema;

pub use broadside_contests::position_ladder::{Outcome, Reason, Terms, rules, terms, window};

use crate::ids::{AccountId, LadderChallengeId, PairingId};
use crate::player::Player;
use crate::words::words;

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

/// A member.
pub type Member = position_ladder::Member<AccountId>;
/// A member with their position.
pub type Seated = position_ladder::Seated<AccountId>;
/// A member's change of position.
pub type Step = position_ladder::Step<AccountId>;

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
    pub member: Member,
}

/// A step of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Counts the steps of a ladder, from 1 without gaps.
    pub number: u32,
    /// When it was made.
    pub at: Time,
    /// The step.
    pub step: Step,
    /// Who has made it.
    pub player: Player,
    /// Why.
    pub cause: Cause,
    /// Who that is whose place was taken, or to whom the challenge was lost.
    pub over: Option<Player>,
}

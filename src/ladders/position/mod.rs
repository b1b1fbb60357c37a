//! Position ladders, like those on the walls of clubs: places 1 to n, and challenges for higher ones.
//!
//! | topic | file |
//! |---|---|
//! | terms, rules, places and their steps, windows | the crate [`broadside_contests`] |
//! | joining and leaving; notifications of changed positions | [`members`] |
//! | challenging, accepting, declining, withdrawing | [`challenges`] |
//! | the end of a challenge | [`end`] |
//! | automatic changes | [`job`] |
//! | the operator's audit of the logs of steps | [`audit`] |
//!
//! Every change of a place, a challenge or the log of steps holds the lock of the ladder's row, so every race has one
//! winner, on any node.

pub mod audit;
pub mod challenges;
pub mod end;
pub mod job;
pub mod members;

use broadside_contests::position_ladder::{self, Reason};
use broadside_rules::Time;

use crate::ids::{AccountId, LadderChallengeId, PairingId};
use crate::player::Player;
use crate::string_enums::string_enums;

string_enums! {
    /// Where a challenge stands.
    pub enum LadderChallengeStatus {
        /// It waits for its answer.
        Open,
        /// It was accepted, and is being played.
        Accepted,
        /// It is over: see its outcome.
        Finished,
    }
}

/// A member of a position ladder, with the state that the rules judge.
pub type PositionMember = position_ladder::Member<AccountId>;
pub type Seated = position_ladder::Seated<AccountId>;
pub type Step = position_ladder::Step<AccountId>;

/// The time in which challenges have kept others from a member's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The start of a series of challenges in which each followed the one before.
    pub since: Option<Time>,
    /// The end of the last finished one, with the protection after it.
    pub until: Time,
}

/// The cause of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepCause {
    pub reason: Reason,
    /// The member whose place was taken, or who won the challenge.
    pub over: Option<AccountId>,
    /// The challenge that led to it.
    pub challenge: Option<LadderChallengeId>,
    /// The pairing of that challenge.
    pub pairing: Option<PairingId>,
}

impl StepCause {
    /// A cause without a challenge.
    pub fn plain(reason: Reason) -> Self {
        Self { reason, over: None, challenge: None, pairing: None }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedMember {
    pub player: Player,
    /// Position, challenges, protection and activity.
    pub member: PositionMember,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderMove {
    /// Counts the steps of a ladder, from 1 without gaps.
    pub number: u32,
    pub at: Time,
    /// The member and the two positions.
    pub step: Step,
    pub player: Player,
    pub cause: StepCause,
    /// The player whose place was taken, or who won the challenge.
    pub over: Option<Player>,
}

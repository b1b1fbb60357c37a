//! Position ladders, as clubs have them on the wall: places 1 to n, and who wants a higher one challenges somebody who
//! has it.
//!
//! | what | file |
//! |---|---|
//! | the terms, the rules, places and their steps, windows | the crate [`broadside_contests`] |
//! | to join and leave; notifications of changed positions | [`members`] |
//! | to challenge, accept, decline, withdraw | [`challenges`] |
//! | a challenge ends, however it does | [`end`] |
//! | what happens with nobody asking | [`job`] |
//! | an operator folds every log of steps again | [`audit`] |
//!
//! Whatever changes a place, a challenge or the log of steps has locked the ladder's row, so every race has one winner,
//! on whatever node.

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
/// A member's change of position.
pub type Step = position_ladder::Step<AccountId>;

/// For how long challenges have kept others from a member's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Since when one after the other has done so.
    pub since: Option<Time>,
    /// Until when the last one that is over has, with the protection that followed.
    pub until: Time,
}

/// Why a step was made, and by what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepCause {
    /// Why it was made.
    pub reason: Reason,
    /// Whose place was taken, or to whom the challenge was lost.
    pub over: Option<AccountId>,
    /// The challenge that it follows from.
    pub challenge: Option<LadderChallengeId>,
    /// The pairing in which that was played.
    pub pairing: Option<PairingId>,
}

impl StepCause {
    /// A cause that has nothing to do with a challenge.
    pub fn plain(reason: Reason) -> Self {
        Self { reason, over: None, challenge: None, pairing: None }
    }
}

/// A member with their name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedMember {
    /// The account, with its name.
    pub player: Player,
    /// Position, challenges, protection and activity.
    pub member: PositionMember,
}

/// A step of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LadderMove {
    /// Counts the steps of a ladder, from 1 without gaps.
    pub number: u32,
    /// When it was made.
    pub at: Time,
    /// Who moved from which position to which.
    pub step: Step,
    /// The account, with its name.
    pub player: Player,
    /// Why it was made, and by what.
    pub cause: StepCause,
    /// Who that is whose place was taken, or to whom the challenge was lost.
    pub over: Option<Player>,
}

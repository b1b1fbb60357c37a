//! The public facts about matches, challenges and contests that a mail may contain: no text of a user is among them.

use std::collections::HashMap;

use broadside_rules::{Clock, Time};
use uuid::Uuid;

use crate::ids::{ChallengeId, MatchId};

pub struct MatchFacts {
    pub id: MatchId,
    pub variant: String,
    /// Whether it is played by a named rule set that started from the variant.
    pub has_own_rules: bool,
    /// The recipient's seat, from 0; none: they have none (any more).
    pub seat: Option<usize>,
    /// The players' names, by seat.
    pub names: Vec<String>,
    /// Whether the recipient must act now.
    pub must_act: bool,
}

pub struct ChallengeFacts {
    pub id: ChallengeId,
    pub variant: String,
    /// Whether it is played by a named rule set that started from the variant.
    pub has_own_rules: bool,
    /// The name of its creator.
    pub from: String,
    pub is_open: bool,
    /// The clock of its match.
    pub clock: Clock,
    /// Whether its match would count for the ratings.
    pub rated: bool,
    pub expires_at: Time,
}

/// The facts about a ladder or a tournament.
pub struct ContestFacts {
    /// The ladder or the tournament.
    pub id: Uuid,
    pub variant: String,
    /// Whether it is played by a named rule set that started from the variant.
    pub has_own_rules: bool,
    /// Whether it is under way: not closed, cancelled or finished.
    pub is_on: bool,
}

/// The facts about a challenge for a position of the recipient's.
pub struct LadderChallengeFacts {
    pub id: Uuid,
    /// The name of the challenger.
    pub from: String,
    /// Whether it still waits for an answer.
    pub is_open: bool,
    /// By when it is to be answered, at least.
    pub answer_by: Time,
}

#[derive(Default)]
pub struct Facts {
    /// Of the matches that the recipient plays in.
    pub matches: Vec<MatchFacts>,
    pub challenges: Vec<ChallengeFacts>,
    pub ladders: Vec<ContestFacts>,
    pub ladder_challenges: Vec<LadderChallengeFacts>,
    pub tournaments: Vec<ContestFacts>,
    /// The names of opponents in rounds of tournaments.
    pub names: HashMap<Uuid, String>,
}

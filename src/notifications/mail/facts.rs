//! The public facts about matches, challenges and contests that a mail may contain. None of them is a user's text.

use std::collections::HashMap;

use broadside_rules::{Clock, Time};
use uuid::Uuid;

use crate::ids::{ChallengeId, MatchId};

pub struct MatchFacts {
    pub id: MatchId,
    pub variant: String,
    /// True if played by a named rule set based on the variant.
    pub has_own_rules: bool,
    /// From 0; `None` if the recipient has no seat (any more).
    pub seat: Option<usize>,
    /// By seat.
    pub names: Vec<String>,
    pub must_act: bool,
}

pub struct ChallengeFacts {
    pub id: ChallengeId,
    pub variant: String,
    /// True if played by a named rule set based on the variant.
    pub has_own_rules: bool,
    pub from: String,
    pub is_open: bool,
    pub clock: Clock,
    pub rated: bool,
    pub expires_at: Time,
}

/// Facts about a ladder or a tournament.
pub struct ContestFacts {
    pub id: Uuid,
    pub variant: String,
    /// True if played by a named rule set based on the variant.
    pub has_own_rules: bool,
    /// True unless closed, canceled or finished.
    pub is_on: bool,
}

/// Facts about a challenge for the recipient's position.
pub struct LadderChallengeFacts {
    pub id: Uuid,
    pub from: String,
    /// True while it is unanswered.
    pub is_open: bool,
    /// The earliest deadline for the answer.
    pub answer_by: Time,
}

#[derive(Default)]
pub struct Facts {
    /// The recipient's matches.
    pub matches: Vec<MatchFacts>,
    pub challenges: Vec<ChallengeFacts>,
    pub ladders: Vec<ContestFacts>,
    pub ladder_challenges: Vec<LadderChallengeFacts>,
    pub tournaments: Vec<ContestFacts>,
    /// The names of opponents in rounds of tournaments.
    pub names: HashMap<Uuid, String>,
}

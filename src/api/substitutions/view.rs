//! The JSON view of a request for a substitute.

use broadside_rules::{Seat, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ids::{AccountId, MatchId, SubstitutionId};
use crate::player::Player;
use crate::substitutions::{Substitution, SubstitutionSource, SubstitutionStatus};

/// What somebody has said to a candidate.
#[derive(Serialize, ToSchema)]
#[schema(as = SubstitutionAnswer)]
pub struct AnswerBody {
    /// Who.
    player_id: AccountId,
    /// Whether they agree.
    agrees: bool,
}

/// A request for a substitute: somebody who goes on with a seat of a running match.
#[derive(Serialize, ToSchema)]
#[schema(as = Substitution)]
pub struct SubstitutionBody {
    id: SubstitutionId,
    match_id: MatchId,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: String,
    /// The seat: `seats` of the match says how it stands, as far as everybody knows.
    #[schema(value_type = i32, minimum = 0, maximum = 6, format = Int32)]
    seat: Seat,
    status: SubstitutionStatus,
    asked_by: SubstitutionSource,
    /// Who has asked.
    requester_id: AccountId,
    /// Who has the seat, or had it.
    player: Player,
    /// Who is asked; null: whoever may take it.
    named: Option<Player>,
    /// Who is ready to take it over, or has; null: nobody is.
    candidate: Option<Player>,
    /// What was said with the request; null: nothing.
    #[schema(max_length = 200, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    message: Option<String>,
    /// What was said to the candidate.
    #[schema(max_items = 100)]
    answers: Vec<AnswerBody>,
    created_at: Time,
    /// When the request expires; with a candidate, until when those may answer who decide.
    due_at: Time,
    /// When it was over; null: it isn't.
    closed_at: Option<Time>,
}

impl From<Substitution> for SubstitutionBody {
    fn from(found: Substitution) -> Self {
        let answers = found.answers.into_iter().map(|(player_id, agrees)| AnswerBody { player_id, agrees });
        Self {
            id: found.id,
            match_id: found.match_id,
            variant: found.variant,
            seat: found.seat,
            status: found.status,
            asked_by: found.asked_by,
            requester_id: found.requester,
            player: found.player,
            named: found.named,
            candidate: found.candidate,
            message: found.message,
            answers: answers.collect(),
            created_at: found.created_at,
            due_at: found.due_at,
            closed_at: found.closed_at,
        }
    }
}

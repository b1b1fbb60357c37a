//! The tournaments in an account's export.

use broadside_contests::ByeWorth;
use broadside_rules::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::tournaments::standings::TournamentStanding;
use crate::api::tournaments::view::TournamentBody;
use crate::ids::TournamentId;
use crate::tournaments::byes::ByeRequest;
use crate::tournaments::read::{AccountRounds, AccountTournaments};
use crate::tournaments::review::Draft;

/// What an account's export holds of tournaments.
#[derive(Serialize, ToSchema)]
pub struct TournamentExport {
    /// Those that it has made.
    #[schema(max_items = 100_000)]
    created: Vec<TournamentBody>,
    /// Those in which it has played.
    #[schema(max_items = 100_000)]
    played: Vec<PlayedTournament>,
    /// Its byes of rounds that aren't drawn.
    #[schema(max_items = 100_000)]
    requested_byes: Vec<ExportedBye>,
    /// The rounds that it has paired by hand.
    #[schema(max_items = 100_000)]
    paired_rounds: Vec<PairedRound>,
}

/// A tournament in which an account has played, in an export.
#[derive(Serialize, ToSchema)]
pub struct PlayedTournament {
    tournament_id: TournamentId,
    /// How it stood at the end; without place and points before.
    standing: TournamentStanding,
}

/// A bye of a round that isn't drawn, in an export.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportedTournamentBye)]
pub struct ExportedBye {
    tournament_id: TournamentId,
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    round: u16,
    worth: ByeWorth,
    asked_at: Time,
}

/// A round that an account has paired by hand, in an export.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportedPairedRound)]
pub struct PairedRound {
    tournament_id: TournamentId,
    #[schema(minimum = 1, maximum = 30, format = Int32)]
    round: u16,
    paired_at: Option<Time>,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
}

impl TournamentExport {
    pub fn of((made, played): AccountTournaments, rounds: AccountRounds, incomplete: &mut bool) -> Self {
        let played = played.note(incomplete).into_iter().map(|(tournament_id, entrant)| {
            let at_the_end = entrant.at_the_end.clone();
            PlayedTournament { tournament_id, standing: TournamentStanding::of(entrant, at_the_end) }
        });
        let bye = |(tournament_id, bye): (TournamentId, ByeRequest)| {
            let ByeRequest { round, worth, at: asked_at, .. } = bye;
            ExportedBye { tournament_id, round, worth, asked_at }
        };
        let paired = |(tournament_id, draft): (TournamentId, Draft)| {
            let paired_at = draft.by_hand.as_ref().map(|by_hand| by_hand.at);
            PairedRound { tournament_id, round: draft.round, paired_at, reason: draft.by_hand.and_then(|by| by.reason) }
        };
        Self {
            created: made.note(incomplete).into_iter().map(|tournament| TournamentBody::of(tournament, None)).collect(),
            played: played.collect(),
            requested_byes: rounds.byes.into_iter().map(bye).collect(),
            paired_rounds: rounds.paired.note(incomplete).into_iter().map(paired).collect(),
        }
    }
}

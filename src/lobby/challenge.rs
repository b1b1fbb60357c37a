//! A challenge: what is offered, by whom and to whom, who has taken its seats, and who may see it.

use broadside_rules::text::Digest;
use broadside_rules::{Chance, Time};

use super::{ChallengeDeclineReason, ChallengeStatus, Visibility};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::open::{MatchSettings, Participant};
use crate::player::Player;

/// An offer to play.
pub struct Challenge {
    pub id: ChallengeId,
    /// The player who made it.
    pub creator: Player,
    /// The player to whom it is addressed; `None`: whoever may see it can accept.
    pub opponent: Option<Player>,
    /// The players who are invited, in the order in which their accounts were made.
    pub invited: Vec<Player>,
    pub terms: MatchSettings,
    /// Who may see it.
    pub visibility: Visibility,
    /// A short text of its creator.
    pub message: Option<String>,
    /// The stored status; [`Challenge::status_at`] also says whether it has expired.
    pub status: ChallengeStatus,
    /// The reason that was given for declining.
    pub reason: Option<ChallengeDeclineReason>,
    /// The player of each seat; `None`: the seat is free.
    pub seats: Vec<Option<Participant>>,
    /// The seed of the match's random numbers: a secret, whose hash is public from the beginning.
    pub chance: [u8; 32],
    /// The reliability that a player needs to accept it, in percent.
    pub min_reliability_percent: Option<u8>,
    /// The match that it opened.
    pub match_id: Option<MatchId>,
    pub rematch_of: Option<MatchId>,
    /// The name of the other seat unless its player chooses another: an index into the rule set's names.
    pub counter_wish: Option<u8>,
    pub created_at: Time,
    pub expires_at: Time,
}

impl Challenge {
    /// The status at `now`: an open challenge whose time is over has expired, whether or not the job has marked it.
    pub fn status_at(&self, now: Time) -> ChallengeStatus {
        match self.status {
            ChallengeStatus::Open if self.expires_at <= now => ChallengeStatus::Expired,
            status => status,
        }
    }

    /// The hash of the seed of the match's random numbers: public from the beginning.
    pub fn chance_commitment(&self) -> Digest {
        Digest::of(&Chance::commitment(&self.chance))
    }

    /// Whether `account` made it, received it, is invited to it, or has a seat in it.
    pub fn concerns(&self, account: AccountId) -> bool {
        let asked = self.opponent.iter().chain(&self.invited).any(|player| player.id == account);
        asked || self.creator.id == account || self.seats.iter().flatten().any(|sitter| sitter.player.id == account)
    }

    /// Whether `viewer` may see it.
    pub fn is_visible_to(&self, viewer: Option<AccountId>) -> bool {
        let is = |player: &Player| Some(player.id) == viewer;
        match self.visibility {
            Visibility::Open | Visibility::Link => true,
            Visibility::Direct => is(&self.creator) || self.opponent.iter().chain(&self.invited).any(is),
        }
    }
}

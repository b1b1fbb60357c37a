//! A challenge: its terms, its players and its visibility.

use broadside_rules::text::Digest;
use broadside_rules::{Chance, Time};

use super::{ChallengeDeclineReason, ChallengeStatus, Visibility};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::matches::open::{MatchSettings, Participant};
use crate::player::Player;

pub struct Challenge {
    pub id: ChallengeId,
    pub creator: Player,
    /// The challenged player; `None`: any player who may see it can accept.
    pub opponent: Option<Player>,
    /// Invited players, by the creation of their accounts.
    pub invited: Vec<Player>,
    pub terms: MatchSettings,
    pub visibility: Visibility,
    pub message: Option<String>,
    /// The stored status; [`Challenge::status_at`] also detects expiry.
    pub status: ChallengeStatus,
    pub reason: Option<ChallengeDeclineReason>,
    /// By seat; `None`: free.
    pub seats: Vec<Option<Participant>>,
    /// The secret seed of the match's random numbers, whose hash is public from the beginning.
    pub chance: [u8; 32],
    /// The reliability required to accept it, in percent.
    pub min_reliability_percent: Option<u8>,
    pub match_id: Option<MatchId>,
    pub rematch_of: Option<MatchId>,
    /// The default name of the other seat: an index into the rule set's names.
    pub counter_wish: Option<u8>,
    pub created_at: Time,
    pub expires_at: Time,
}

impl Challenge {
    /// The status at `now`: an open challenge is expired after its time, even if the job hasn't marked it yet.
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

    /// True if `account` created it, received it, is invited to it, or has a seat in it.
    pub fn concerns(&self, account: AccountId) -> bool {
        let asked = self.opponent.iter().chain(&self.invited).any(|player| player.id == account);
        asked || self.creator.id == account || self.seats.iter().flatten().any(|sitter| sitter.player.id == account)
    }

    pub fn is_visible_to(&self, viewer: Option<AccountId>) -> bool {
        let is = |player: &Player| Some(player.id) == viewer;
        match self.visibility {
            Visibility::Open | Visibility::Link => true,
            Visibility::Direct => is(&self.creator) || self.opponent.iter().chain(&self.invited).any(is),
        }
    }
}

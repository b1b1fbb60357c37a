//! The JSON view of a challenge, field by field.

use broadside_contests::RuleSetHash;
use broadside_rules::text::Digest;
use broadside_rules::{Clock, RuleSet, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::ids::{ChallengeId, MatchId};
use crate::lobby::{Challenge, ChallengeDeclineReason, ChallengeStatus, Visibility};
use crate::matches::open::Participant;
use crate::player::Player;

/// A challenge.
#[derive(Serialize, ToSchema)]
#[schema(as = Challenge)]
pub struct ChallengeBody {
    id: ChallengeId,
    /// The status.
    status: ChallengeStatus,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    /// The named rule set; null: a variant.
    named_rule_set: Option<Digest>,
    clock: Clock,
    rated: bool,
    spectators: bool,
    /// The seats and their players.
    #[schema(max_items = 7)]
    seats: Vec<ChallengeSeat>,
    visibility: Visibility,
    /// The player who made it.
    creator: Player,
    /// The player to whom it is addressed; null: whoever may see it can accept.
    opponent: Option<Player>,
    /// The players who are invited to its seats, and have not declined.
    #[schema(max_items = 6)]
    invited: Vec<Player>,
    #[schema(max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
    message: Option<String>,
    /// Why it was declined; null: it was not.
    reason: Option<ChallengeDeclineReason>,
    /// The reliability that a player needs to accept it (`reliability_percent` of the profile); null: none.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    min_reliability_percent: Option<u8>,
    /// The match, once every seat is taken.
    match_id: Option<MatchId>,
    /// The match of which it is a rematch; null: it is no rematch.
    rematch_of: Option<MatchId>,
    /// SHA-256 of the secret seed of the match's random numbers, in hexadecimal. It is fixed when the challenge is
    /// made.
    chance_commitment: Digest,
    /// Its address, to be passed on; null unless its visibility is `link`.
    #[schema(max_length = 400, pattern = "^https?://[^\\s]+$")]
    link: Option<String>,
    created_at: Time,
    expires_at: Time,
}

/// A seat of a challenge.
#[derive(Serialize, ToSchema)]
pub struct ChallengeSeat {
    #[schema(minimum = 0, maximum = 6, format = Int32)]
    seat: usize,
    /// The player; null: the seat is free.
    player: Option<Player>,
    /// The player's current rating in the pool of such matches; null: none yet.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    rating: Option<i32>,
    /// The nation of the seat; null: it is drawn by lot, or the variant has none.
    #[schema(max_length = 16, pattern = "^[a-z-]+$")]
    nation: Option<&'static str>,
    /// Whether the player has given a nonce.
    nonce_given: bool,
    /// The nonce. It is shown once the match exists, so that no player can choose a nonce after seeing the others.
    #[schema(max_length = 64, pattern = "^[\\x20-\\x7e]+$")]
    nonce: Option<String>,
}

impl ChallengeSeat {
    fn of(seat: usize, sitter: Option<Participant>, rules: &RuleSet, begun: bool) -> Self {
        let Some(Participant { player, wish, nonce, rating }) = sitter else {
            return Self { seat, player: None, rating: None, nation: None, nonce_given: false, nonce: None };
        };
        Self {
            seat,
            player: Some(player),
            rating,
            nation: wish.and_then(|wish| rules.seat_names().get(usize::from(wish)).copied()),
            nonce_given: nonce.is_some(),
            nonce: nonce.filter(|_| begun).map(|nonce| nonce.as_str().to_owned()),
        }
    }
}

impl ChallengeBody {
    /// The challenge with its current status.
    pub(in crate::api) fn of(challenge: Challenge, app: &App) -> Self {
        let status = challenge.status_at(app.clock.now());
        let chance_commitment = challenge.chance_commitment();
        let (rules, begun) = (&challenge.terms.rules, challenge.match_id.is_some());
        let seats = challenge.seats.into_iter().enumerate();
        let seats = seats.map(|(seat, sitter)| ChallengeSeat::of(seat, sitter, rules, begun)).collect();
        let link = (challenge.visibility == Visibility::Link)
            .then(|| app.page(&format!("/challenge/{}", challenge.id)))
            .map(|page| page.unwrap_or_else(|| format!("{}/v1/challenges/{}", app.public_url, challenge.id)));
        Self {
            id: challenge.id,
            status,
            variant: challenge.terms.variant.id,
            rule_set: challenge.terms.rules,
            named_rule_set: challenge.terms.named.map(RuleSetHash::digest),
            clock: challenge.terms.clock,
            rated: challenge.terms.rated,
            spectators: challenge.terms.spectators,
            seats,
            visibility: challenge.visibility,
            creator: challenge.creator,
            opponent: challenge.opponent,
            invited: challenge.invited,
            message: challenge.message,
            reason: challenge.reason,
            min_reliability_percent: challenge.min_reliability_percent,
            match_id: challenge.match_id,
            rematch_of: challenge.rematch_of,
            chance_commitment,
            link,
            created_at: challenge.created_at,
            expires_at: challenge.expires_at,
        }
    }
}

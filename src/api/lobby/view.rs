//! A challenge as it is shown, field by field.

use broadside_rules::text::Digest;
use broadside_rules::{Clock, RuleSet, Time};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::ids::{ChallengeId, MatchId};
use crate::lobby::{Challenge, DeclineReason, Status, Visibility};
use crate::matches::open::Participant;
use crate::player::Player;

/// A challenge.
#[derive(Serialize, ToSchema)]
#[schema(as = Challenge)]
pub struct ChallengeBody {
    id: ChallengeId,
    /// Where it stands.
    #[schema(value_type = Status)]
    status: &'static str,
    #[schema(max_length = 40, pattern = "^[a-z0-9-]+$")]
    variant: &'static str,
    rule_set: RuleSet,
    clock: Clock,
    rated: bool,
    spectators: bool,
    /// Who sits where.
    #[schema(max_items = 7)]
    seats: Vec<ChallengeSeat>,
    #[schema(value_type = Visibility)]
    visibility: &'static str,
    /// Who made it.
    creator: Player,
    /// Whom it is addressed to.
    to: Option<Player>,
    #[schema(max_length = 280, pattern = "^[^\\u0000-\\u001f]+$")]
    message: Option<String>,
    /// Why it was declined.
    #[schema(value_type = Option<DeclineReason>)]
    reason: Option<&'static str>,
    /// How reliable a player has to be to accept it: the share of his finished matches that he did not lose on time, in percent. null: that makes no difference.
    #[schema(minimum = 1, maximum = 100, format = Int32)]
    least_reliability_percent: Option<u8>,
    /// The match, once every seat is taken.
    match_id: Option<MatchId>,
    /// The match that it repeats; null: it is no rematch.
    rematch_of: Option<MatchId>,
    /// SHA-256 of the secret seed from which the chance of the match will be drawn, in hexadecimal. It is fixed when the challenge is made.
    chance_commitment: Digest,
    /// Its address, to be passed on; for a challenge by link.
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
    /// Who sits there; null: it is free.
    player: Option<Player>,
    /// The player's rating at this moment, in the pool of such matches; null: he has none.
    #[schema(minimum = 0, maximum = 10000, format = Int32)]
    rating: Option<i32>,
    /// What the seat wishes to be called; null: it is drawn by lot, or there is nothing to choose.
    #[schema(max_length = 16, pattern = "^[a-z-]+$")]
    nation: Option<&'static str>,
    /// Whether its player has given a nonce.
    has_nonce: bool,
    /// The nonce. It is shown once the match exists, so that nobody chooses his own with the others' before him.
    #[schema(max_length = 64, pattern = "^[\\x20-\\x7e]+$")]
    nonce: Option<String>,
}

impl ChallengeSeat {
    fn of(seat: usize, sitter: Option<Participant>, rules: &RuleSet, begun: bool) -> Self {
        let Some(Participant { player, wish, nonce, rating }) = sitter else {
            return Self { seat, player: None, rating: None, nation: None, has_nonce: false, nonce: None };
        };
        Self {
            seat,
            player: Some(player),
            rating,
            nation: wish.and_then(|wish| rules.seat_names().get(usize::from(wish)).copied()),
            has_nonce: nonce.is_some(),
            nonce: nonce.filter(|_| begun).map(|nonce| nonce.as_str().to_owned()),
        }
    }
}

impl ChallengeBody {
    /// The challenge as it stands now.
    pub(in crate::api) fn of(challenge: Challenge, app: &App) -> Self {
        let status = challenge.status_at(app.clock.now()).word();
        let chance_commitment = challenge.chance_commitment();
        let (rules, begun) = (&challenge.terms.rules, challenge.match_id.is_some());
        let seats = challenge.seats.into_iter().enumerate();
        let seats = seats.map(|(seat, sitter)| ChallengeSeat::of(seat, sitter, rules, begun)).collect();
        let link = (challenge.visibility == Visibility::Link)
            .then(|| format!("{}/v1/challenges/{}", app.public_url, challenge.id));
        Self {
            id: challenge.id,
            status,
            variant: challenge.terms.variant.id,
            rule_set: challenge.terms.rules,
            clock: challenge.terms.clock,
            rated: challenge.terms.rated,
            spectators: challenge.terms.spectators,
            seats,
            visibility: challenge.visibility.word(),
            creator: challenge.creator,
            to: challenge.opponent,
            message: challenge.message,
            reason: challenge.reason.map(DeclineReason::word),
            least_reliability_percent: challenge.least_reliability_percent,
            match_id: challenge.match_id,
            rematch_of: challenge.rematch_of,
            chance_commitment,
            link,
            created_at: challenge.created_at,
            expires_at: challenge.expires_at,
        }
    }
}

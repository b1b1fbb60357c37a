//! The beginning of a match: in the transaction that takes the last seat of its challenge.

use std::sync::Arc;

use broadside_rules::{Battle, Clock, Entry, RuleSet, Variant};

use super::{Live, Terms};
use crate::app::App;
use crate::error::Result;
use crate::ids::{ChallengeId, MatchId};
use crate::player::Player;
use crate::store::{self, Tx};

/// What the players of a match have agreed on.
#[derive(Clone)]
pub struct Agreed {
    /// The variant.
    pub variant: &'static Variant,
    /// Its rule set, with the changes that were asked for.
    pub rules: RuleSet,
    /// The clock.
    pub clock: Clock,
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// Whether people who don't play may watch.
    pub spectators: bool,
    /// How many seats there are.
    pub seats: u8,
}

/// Opens a match between `players`, seat by seat.
pub async fn open(
    tx: &mut Tx,
    app: &App,
    agreed: &Agreed,
    players: &[Player],
    challenge: Option<ChallengeId>,
) -> Result<MatchId> {
    let now = app.clock.now();
    let terms = Arc::new(Terms {
        id: app.new_id(),
        variant: agreed.variant,
        rule_set_hash: super::rule_set_hash(&agreed.rules)?,
        setup: app.matches.setup(agreed.rules.clone(), agreed.clock, players.len())?,
        edition: 0,
        rated: agreed.rated,
        spectators: agreed.spectators,
        seed: app.random(),
        players: players.to_vec(),
        created_at: now,
    });
    let entry = Entry { at: now, seat: None, events: Battle::open(&terms.setup, &terms.chance()) };
    let mut live = Live::new(Arc::clone(&terms));
    live.absorb(&entry);
    store::matches::insert(tx, &terms, challenge, &entry.to_bytes(), &live.head()).await?;
    Ok(terms.id)
}

//! Opening a match, in the transaction that takes the last seat of its challenge or opens its pairing.

use std::sync::Arc;

use broadside_contests::{Pool, PoolRules, RuleSetHash};
use broadside_rules::record::Format;
use broadside_rules::{Battle, Clock, Entry, Fault, First, Nonce, RuleSet, Variant};

use super::match_state::MatchState;
use super::registry::setup;
use super::{MatchTerms, PairingRef, ViewSize, kept_order, notify, plans};
use crate::db::Tx;
use crate::error::Result;
use crate::events::Notification;
use crate::ids::{ChallengeId, MatchId};
use crate::matches::{Matches, store};
use crate::player::Player;
use crate::ratings;
use crate::texts::span;
use crate::work_pool::Lane;

/// The settings of a match without players, from a challenge, a ladder or a tournament.
#[derive(Clone)]
pub struct MatchSettings {
    /// The variant, or the base of the named rule set.
    pub variant: &'static Variant,
    /// The variant's rule set with the requested changes, or the named one.
    pub rules: RuleSet,
    pub named: Option<RuleSetHash>,
    pub clock: Clock,
    pub rated: bool,
    /// Allows non-players to watch.
    pub spectators: bool,
    pub seats: u8,
}

impl MatchSettings {
    /// The settings of a match, with other rules.
    pub fn again(terms: &MatchTerms, rules: RuleSet) -> Self {
        Self {
            variant: terms.variant,
            rules,
            named: terms.named,
            clock: terms.setup.clock,
            rated: terms.rated,
            spectators: terms.spectators,
            seats: terms.setup.seats,
        }
    }

    /// All reasons why these settings are invalid. Each pointer names the request field.
    pub fn faults(&self) -> Vec<Fault> {
        let (min, max) = self.rules.seats();
        let fault = |pointer: &str, code, detail: String| Fault { pointer: pointer.to_owned(), code, detail };
        let mut faults = Vec::new();
        if !(min..=max).contains(&self.seats) {
            faults.push(fault("/seats", "wrong-seat-count", format!("must be {} by these rules", span(min, max))));
        }
        if self.rated && self.clock.is_unlimited() {
            let why = "a rated match needs a clock; an unrated one can do without";
            faults.push(fault("/clock", "rated-needs-clock", why.to_owned()));
        }
        if self.rated && self.named.is_none() && self.rules != self.variant.rule_set() {
            faults.push(if self.rules.begun_by(First::Random) == self.variant.rule_set() {
                let why = "in a rated match the first player is drawn by lot";
                fault("/rule_set/first", "rated-needs-random-first", why.to_owned())
            } else {
                let why = "a rated match is played by the variant's own rules, the first player drawn by lot, or by a \
                           named rule set";
                fault("/rule_set", "rated-needs-preset", why.to_owned())
            });
        }
        if self.rated && self.named.is_some() && self.rules != self.rules.begun_by(First::Random) {
            let why = "in a rated match the first player is drawn by lot, and this rule set says otherwise";
            faults.push(fault("/named_rule_set", "rated-needs-random-first", why.to_owned()));
        }
        if self.rated && self.named.is_some() && !self.rules.is_even() {
            let why = "ratings compare players one by one on equal terms, and this rule set has teams or handicaps";
            faults.push(fault("/named_rule_set", "rated-needs-equal-terms", why.to_owned()));
        }
        faults
    }

    /// The rating pool of such matches; `None` without a clock.
    pub fn pool(&self) -> Option<Pool> {
        let rules = self.named.map_or(PoolRules::Variant(self.variant), PoolRules::RuleSet);
        Pool::of(rules, usize::from(self.seats), &self.clock)
    }
}

#[derive(Clone)]
pub struct Participant {
    pub player: Player,
    /// The chosen name: an index into [`RuleSet::wishes`].
    pub wish: Option<u8>,
    /// The player's contribution to the random numbers.
    pub nonce: Option<Nonce>,
    /// The player's rating in the pool at the time of joining.
    pub rating: Option<i32>,
}

impl Participant {
    pub fn plain(player: Player) -> Self {
        Self { player, wish: None, nonce: None, rating: None }
    }
}

/// The origin of a match.
#[derive(Clone, Copy)]
pub enum MatchOrigin {
    Challenge(ChallengeId),
    Pairing(PairingRef),
}

impl MatchOrigin {
    pub(crate) fn challenge(self) -> Option<ChallengeId> {
        match self {
            Self::Challenge(id) => Some(id),
            Self::Pairing(_) => None,
        }
    }

    pub(crate) fn pairing(self) -> Option<PairingRef> {
        match self {
            Self::Challenge(_) => None,
            Self::Pairing(pairing) => Some(pairing),
        }
    }
}

/// A match opened by this transaction.
pub struct OpenedMatch {
    pub id: MatchId,
    /// The notifications of its players, to be written in the same transaction.
    pub told: Vec<Notification>,
}

/// Opens a match between the participants, in the order of the seats. Random numbers come from the seed that the
/// challenge has committed to. The first player of a rated match isn't drawn if a player keeps that order from a match
/// that was called off.
pub async fn open(
    tx: &mut Tx,
    matches: &Matches,
    agreed: &MatchSettings,
    sitters: &[Participant],
    chance_seed: [u8; 32],
    origin: MatchOrigin,
) -> Result<OpenedMatch> {
    let now = matches.clock.now();
    let wishes: Vec<Option<u8>> = sitters.iter().map(|sitter| sitter.wish).collect();
    let pool = agreed.pool();
    let id = matches.new_id();
    let rules = match kept_order::first(tx, id, agreed, sitters, origin).await? {
        Some(first) => agreed.rules.begun_by(first),
        None => agreed.rules.clone(),
    };
    let terms = Arc::new(MatchTerms {
        id,
        variant: agreed.variant,
        rule_set: super::RuleSetJson::of(&rules)?,
        named: agreed.named,
        setup: setup(rules, agreed.clock, &wishes, origin.pairing())?,
        edition: 0,
        rated: agreed.rated,
        pool: pool.filter(|_| agreed.rated),
        ratings: ratings(tx, pool, sitters).await?,
        pairing: origin.pairing(),
        spectators: agreed.spectators,
        seed: matches.random(),
        chance_seed,
        nonces: sitters.iter().map(|sitter| sitter.nonce.clone()).collect(),
        record_key: matches.keys.newest(tx, now).await?,
        record_format: Format::CURRENT,
        players: sitters.iter().map(|sitter| sitter.player.clone()).collect(),
        former: Vec::new(),
        created_at: now,
        view_size: ViewSize::default(),
    });
    let mut state = MatchState::new(Arc::clone(&terms));
    let (for_opening, chance) = (Arc::clone(&terms), state.chance.clone());
    let events = matches.pool.run(Lane::Play, move || Battle::open(&for_opening.setup, &chance)).await?;
    let mut entry = Entry { at: now, seat: None, events };
    plans::at_the_beginning(tx, &terms, &mut entry).await?;
    let before = notify::seats_before(&state);
    let bytes = entry.to_bytes();
    let learnt = state.absorb(&entry, &bytes);
    store::matches::insert(tx, &terms, origin.challenge(), (&bytes, state.log), &state.head()).await?;
    let told = notify::opened(&state, origin, &before, &entry, &learnt)?;
    Ok(OpenedMatch { id: terms.id, told })
}

/// The players' ratings in the pool, shown beside their names even in unrated matches.
async fn ratings(tx: &mut Tx, pool: Option<Pool>, sitters: &[Participant]) -> Result<Vec<Option<i32>>> {
    let Some(pool) = pool else { return Ok(vec![None; sitters.len()]) };
    let wanted: Vec<_> = sitters.iter().map(|sitter| (sitter.player.id, pool)).collect();
    ratings::read::shown(tx, &wanted).await
}

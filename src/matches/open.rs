//! The beginning of a match: in the transaction that takes the last seat of its challenge.

use std::sync::Arc;

use broadside_rules::{Battle, Clock, Entry, Fault, Nonce, RuleSet, Variant};

use super::match_state::Live;
use super::{Part, Terms, notify, plans};
use crate::db::Tx;
use crate::error::Result;
use crate::events::Notification;
use crate::ids::{ChallengeId, MatchId};
use crate::matches::Matches;
use crate::matches::store;
use crate::player::Player;
use crate::ratings::{self, Pool};

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

impl Agreed {
    /// What a match is played by, once more, with these rules.
    pub fn again(terms: &Terms, rules: RuleSet) -> Self {
        Self {
            variant: terms.variant,
            rules,
            clock: terms.setup.clock,
            rated: terms.rated,
            spectators: terms.spectators,
            seats: terms.setup.seats,
        }
    }

    /// Every reason why nothing can be played on these terms; each pointer is to the field of a request that is called the same.
    pub fn faults(&self) -> Vec<Fault> {
        let (min, max) = self.variant.seats();
        let custom = self.rules != self.variant.rule_set();
        let fault = |pointer: &str, code, detail: String| Fault { pointer: pointer.to_owned(), code, detail };
        let mut faults = Vec::new();
        if !(min..=max).contains(&self.seats) {
            faults.push(fault("/seats", "wrong-seats", format!("must be {min} to {max} in this variant")));
        }
        if self.rated && self.clock.is_unlimited() {
            let why = "a rated match needs a clock; an unrated one can do without";
            faults.push(fault("/clock", "rated-needs-clock", why.to_owned()));
        }
        if self.rated && custom {
            let why = "a rated match is played by the variant's own rules, the first player drawn by lot";
            faults.push(fault("/rule_set", "rated-needs-preset", why.to_owned()));
        }
        faults
    }
}

/// Who sits at a seat, and what he has brought.
#[derive(Clone)]
pub struct Sitter {
    /// Who.
    pub player: Player,
    /// What he wishes to be called: a number into [`RuleSet::wishes`].
    pub wish: Option<u8>,
    /// What he mixes into chance.
    pub nonce: Option<Nonce>,
    /// His rating in the pool of such matches, as it is now.
    pub rating: Option<i32>,
}

impl Sitter {
    /// Somebody who brings nothing.
    pub fn plain(player: Player) -> Self {
        Self { player, wish: None, nonce: None, rating: None }
    }
}

/// What a match comes of.
#[derive(Clone, Copy)]
pub enum Origin {
    /// Its players agreed on it.
    Challenge(ChallengeId),
    /// A ladder or a tournament has brought them together.
    Pairing(Part),
}

impl Origin {
    pub(crate) fn challenge(self) -> Option<ChallengeId> {
        match self {
            Self::Challenge(id) => Some(id),
            Self::Pairing(_) => None,
        }
    }

    pub(crate) fn part(self) -> Option<Part> {
        match self {
            Self::Challenge(_) => None,
            Self::Pairing(part) => Some(part),
        }
    }
}

/// A match that has just been opened.
pub struct Opened {
    /// Its name.
    pub id: MatchId,
    /// What its players shall hear of it, in the same transaction.
    pub told: Vec<Notification>,
}

/// Opens a match between the sitters, seat by seat. Chance is drawn from the seed; a challenge has committed to it before.
pub async fn open(
    tx: &mut Tx,
    matches: &Matches,
    agreed: &Agreed,
    sitters: &[Sitter],
    chance_seed: [u8; 32],
    origin: Origin,
) -> Result<Opened> {
    let now = matches.clock.now();
    let wishes: Vec<Option<u8>> = sitters.iter().map(|sitter| sitter.wish).collect();
    let pool = Pool::of(agreed.variant, sitters.len(), &agreed.clock);
    let terms = Arc::new(Terms {
        id: matches.new_id(),
        variant: agreed.variant,
        rule_set_hash: super::rule_set_hash(&agreed.rules)?,
        setup: matches.setup(agreed.rules.clone(), agreed.clock, &wishes, origin.part())?,
        edition: 0,
        rated: agreed.rated,
        pool: pool.filter(|_| agreed.rated),
        ratings: ratings(tx, pool, sitters).await?,
        part: origin.part(),
        spectators: agreed.spectators,
        seed: matches.random(),
        chance_seed,
        nonces: sitters.iter().map(|sitter| sitter.nonce.clone()).collect(),
        record_key: matches.keys.newest(tx, now).await?,
        players: sitters.iter().map(|sitter| sitter.player.clone()).collect(),
        created_at: now,
    });
    let mut live = Live::new(Arc::clone(&terms));
    let mut entry = Entry { at: now, seat: None, events: Battle::open(&terms.setup, &live.chance) };
    plans::at_the_beginning(tx, &terms, &mut entry).await?;
    let before = notify::standing(&live);
    let learnt = live.absorb(&entry);
    store::matches::insert(tx, &terms, origin.challenge(), &entry.to_bytes(), &live.head()).await?;
    let told = notify::opened(&live, origin, &before, &entry, &learnt)?;
    Ok(Opened { id: terms.id, told })
}

/// What stands beside the players' names: their ratings in the pool of such matches, rated or not.
async fn ratings(tx: &mut Tx, pool: Option<Pool>, sitters: &[Sitter]) -> Result<Vec<Option<i32>>> {
    let Some(pool) = pool else { return Ok(vec![None; sitters.len()]) };
    let wanted: Vec<_> = sitters.iter().map(|sitter| (sitter.player.id, pool)).collect();
    ratings::read::shown(tx, &wanted).await
}

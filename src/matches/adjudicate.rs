//! Command: a moderator ends a match. It is written like a player's action, with a line of the audit log in the same
//! transaction.
//!
//! The moderator sees no secrets. The players are told that the match was adjudicated, and the result; the reason is
//! not in the match log.

use broadside_rules::{Dice, Entry, Event, Seat, Time, Viewer};

use super::match_state::MatchState;
use super::update::{Command, Updated, entry_of_claim};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::{Contest, Matches};
use crate::ratings::rate;

/// A moderator's decision on the end of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Win(Seat),
    /// The remaining players draw.
    Draw,
    /// No result, and unrated.
    NoResult,
}

/// Public facts about a match for a moderator's decision.
pub struct MatchFacts {
    pub over: bool,
    /// By seat.
    pub players: Vec<AccountId>,
    /// The former players.
    pub former: Vec<AccountId>,
    /// The rank of each seat, if the match has ended with a result.
    pub places: Option<Vec<u8>>,
    /// The ladder or tournament, if any.
    pub contest: Option<Contest>,
}

impl MatchFacts {
    /// True if an account is or was a player of the match.
    pub fn concern(&self, account: AccountId) -> bool {
        self.players.contains(&account) || self.former.contains(&account)
    }
}

/// The facts of a match; `not-found` if it doesn't exist.
pub async fn facts(matches: &Matches, id: MatchId) -> Result<MatchFacts> {
    let state = matches.current(id).await?;
    let players: Vec<AccountId> = state.terms.players.iter().map(|player| player.id).collect();
    let outcome = state.view(Viewer::Spectator).result().filter(|outcome| !outcome.places.is_empty());
    let places = outcome.map(|outcome| rate::places(outcome, players.len()));
    let contest = state.terms.pairing.map(|pairing| pairing.contest);
    let former = state.terms.former.iter().map(|former| former.player.id).collect();
    Ok(MatchFacts { over: state.battle.status().is_over(), players, former, places, contest })
}

struct Adjudicate<'a, First> {
    verdict: Verdict,
    claim: Option<&'a Claim>,
    first: First,
}

impl<First: AsyncFn(&mut Tx) -> Result<()>> Command for Adjudicate<'_, First> {
    const IN_TRANSACTION: bool = true;

    fn judge(&self, state: &MatchState, at: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        if state.battle.status().is_over() {
            return Ok(None);
        }
        let events = events(state, self.verdict);
        if events.is_empty() {
            return Err(Error::invalid_at("/winner", "invalid-winner", "must be a seat that still plays"));
        }
        Ok(Some(Entry { at, seat: None, events }))
    }

    fn claim(&self, _: &MatchState) -> Option<&Claim> {
        self.claim
    }

    async fn write_first(&self, tx: &mut Tx) -> Result<()> {
        (self.first)(tx).await
    }
}

/// Ends a running match, after `first` in the same transaction. False, without any effect: it is already over. If a
/// request with the same claim has already done it, nothing happens, and the result is true. `validation-failed` when
/// the winner is no longer playing.
pub async fn end(
    matches: &Matches,
    id: MatchId,
    verdict: Verdict,
    claim: Option<&Claim>,
    first: impl AsyncFn(&mut Tx) -> Result<()>,
) -> Result<bool> {
    match (matches.update(id, &Adjudicate { verdict, claim, first }).await?, claim) {
        (Updated::Written(..) | Updated::DoneBefore(_), _) => Ok(true),
        (Updated::Unchanged(_), Some(claim)) => Ok(entry_of_claim(matches, claim).await?.is_some()),
        (Updated::Unchanged(_), None) => Ok(false),
    }
}

fn events(state: &MatchState, verdict: Verdict) -> Vec<Event> {
    match verdict {
        Verdict::Win(seat) if seat.0 >= state.terms.setup.seats => Vec::new(),
        Verdict::Win(seat) => state.battle.adjudicate(Some(seat)),
        Verdict::Draw => state.battle.adjudicate(None),
        Verdict::NoResult => state.battle.adjudicate_without_result(),
    }
}

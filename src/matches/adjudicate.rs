//! Command: a moderator ends a match. It is written like a player's action, with a line of the audit log in the same
//! transaction.
//!
//! The moderator sees nothing secret for it. The players are told that the match was adjudicated, and how; the reason
//! is not in the log of the match.

use broadside_rules::{Dice, Entry, Event, Seat, Time, Viewer};

use super::match_state::MatchState;
use super::update::{Command, Updated, entry_of_claim};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::{Contest, Matches};
use crate::ratings::rate;

/// How a match is to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// This seat wins.
    Win(Seat),
    /// Those who still play draw.
    Draw,
    /// It has no result, and counts for no rating.
    NoResult,
}

/// What a moderator has to know of a match to judge it: public facts only.
pub struct MatchFacts {
    pub over: bool,
    /// The accounts, by seat.
    pub players: Vec<AccountId>,
    /// Those who have had a seat before.
    pub former: Vec<AccountId>,
    /// The rank of each seat, if it has ended with a result.
    pub places: Option<Vec<u8>>,
    /// What it is played for; none: for itself.
    pub contest: Option<Contest>,
}

impl MatchFacts {
    /// Whether an account plays in it, or has played.
    pub fn concern(&self, account: AccountId) -> bool {
        self.players.contains(&account) || self.former.contains(&account)
    }
}

/// The facts of a match; `not-found` if there is no such match.
pub async fn facts(matches: &Matches, id: MatchId) -> Result<MatchFacts> {
    let state = matches.current(id).await?;
    let players: Vec<AccountId> = state.terms.players.iter().map(|player| player.id).collect();
    let outcome = state.view(Viewer::Spectator).result().filter(|outcome| !outcome.places.is_empty());
    let places = outcome.map(|outcome| rate::places(outcome, players.len()));
    let contest = state.terms.pairing.map(|pairing| pairing.contest);
    let former = state.terms.former.iter().map(|former| former.player.id).collect();
    Ok(MatchFacts { over: state.battle.status().is_over(), players, former, places, contest })
}

/// Ends a match as a moderator decides.
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

/// Ends a match that is under way; `first` happens first in the transaction that does. False: it is over already, and
/// nothing has happened. If a request with the same claim has done it before, nothing happens either, and it is true.
/// `validation-failed` when the winner doesn't play any more.
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

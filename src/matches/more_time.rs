//! Command: an organizer of the ladder or tournament gives a seat more time for the current turn. It is written like a
//! player's action, with a line of the audit log in the same transaction, and everyone is told.

use broadside_rules::record::TimeAdded;
use broadside_rules::{Dice, Entry, Time};

use super::match_state::MatchState;
use super::update::{Command, Updated, entry_of_claim};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::idempotency::Claim;
use crate::ids::MatchId;
use crate::matches::Matches;

struct AddTime<'a, First> {
    more: TimeAdded,
    claim: Option<&'a Claim>,
    first: First,
}

impl<First: AsyncFn(&mut Tx) -> Result<()>> Command for AddTime<'_, First> {
    const IN_TRANSACTION: bool = true;

    fn judge(&self, state: &MatchState, at: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        if state.battle.status().is_over() {
            return Ok(None);
        }
        let events = state.battle.add_time(self.more.seat, self.more.seconds, at);
        if events.is_empty() {
            let detail = "must be a seat that is waited for, and has no more than 14 days left afterwards";
            return Err(Error::invalid_at("/seat", "not-waited-for", detail));
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

/// Gives a seat of a match more time, after `first` in the same transaction. False, without any effect: the match is
/// over. If a request with the same claim has already done it, nothing happens, and the result is true.
pub async fn add(
    matches: &Matches,
    id: MatchId,
    more: TimeAdded,
    claim: Option<&Claim>,
    first: impl AsyncFn(&mut Tx) -> Result<()>,
) -> Result<bool> {
    match (matches.update(id, &AddTime { more, claim, first }).await?, claim) {
        (Updated::Written(..) | Updated::DoneBefore(_), _) => Ok(true),
        (Updated::Unchanged(_), Some(claim)) => Ok(entry_of_claim(matches, claim).await?.is_some()),
        (Updated::Unchanged(_), None) => Ok(false),
    }
}

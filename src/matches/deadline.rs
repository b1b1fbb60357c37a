//! Command: a match ends because its tournament round is over.
//!
//! The result follows from the log and the tournament's rule ([`broadside_rules::deadline`]); the tournament decides on
//! the time.

use broadside_rules::outcome::Reason;
use broadside_rules::{Deadline, Dice, Entry, Event, Time, Viewer, event::TableEvent};
use futures_util::future::BoxFuture;

use super::match_state::{self, MatchState};
use super::update::{Command, Updated};
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::Matches;

/// Confirms that a match is still to end, in the transaction that ends it.
pub trait StillDue: Sync {
    /// Fails if the deadline has changed.
    fn check<'a>(&'a self, tx: &'a mut Tx) -> BoxFuture<'a, Result<()>>;
}

struct EndAtDeadline<'a> {
    deadline: Deadline,
    still: &'a dyn StillDue,
}

impl Command for EndAtDeadline<'_> {
    const IN_TRANSACTION: bool = true;

    fn judge(&self, state: &MatchState, at: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        let events = state.battle.end_at_deadline(self.deadline, at);
        Ok((!events.is_empty()).then_some(Entry { at, seat: None, events }))
    }

    async fn write_first(&self, tx: &mut Tx) -> Result<()> {
        self.still.check(tx).await
    }
}

/// Ends a running match at its deadline, unless `still` refuses. Does nothing when the match is over.
pub async fn end(matches: &Matches, id: MatchId, deadline: Deadline, still: &dyn StillDue) -> Result<()> {
    match matches.update(id, &EndAtDeadline { deadline, still }).await? {
        Updated::Written(..) | Updated::Unchanged(_) | Updated::DoneBefore(_) => Ok(()),
    }
}

pub(super) fn has_ended(state: &MatchState) -> bool {
    state.view(Viewer::Spectator).result().is_some_and(|outcome| outcome.reason == Reason::Deadline)
}

/// For the operator's check: whether the end at a deadline of a match of `length` entries follows from the entries
/// before it.
pub(super) async fn is_as_judged(matches: &Matches, id: MatchId, length: usize) -> Result<bool> {
    let stored = matches.stored(id).await?.ok_or_else(Error::not_found)?;
    let last = length.checked_sub(1).and_then(|before| Some((before, stored.entries.get(before)?.clone())));
    let Some((before, bytes)) = last else { return Ok(false) };
    let state = MatchState::fold(stored, before)?;
    let entry = match_state::entry(&bytes, &state.terms)?;
    let deadline = entry.events.iter().find_map(|event| match event {
        Event::Table(TableEvent::DeadlineReached { due_at, rule }) => Some(Deadline { due_at: *due_at, rule: *rule }),
        _ => None,
    });
    Ok(deadline.is_some_and(|deadline| state.battle.end_at_deadline(deadline, entry.at) == entry.events))
}

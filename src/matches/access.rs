//! Access control for matches, decided before anything is loaded.
//!
//! A closed match and a nonexistent one lead to the same answer in the same way: one statement that looks up a key. So
//! the time of a `not-found` reveals nothing, and a flood of them neither folds anything nor evicts matches from
//! memory.

use broadside_rules::{Seat, Viewer};

use super::{Matches, store};
use crate::epoch::Epoch;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};

/// An account's access to a match.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub id: MatchId,
    pub viewer: Viewer,
    /// The account; `None`: anonymous. The seat may have another player by the time its reports are read.
    pub(super) account: Option<AccountId>,
    /// True if the match is finished or aborted, so that its log and reports no longer change.
    pub is_over: bool,
    pub epoch: Epoch,
    pub(super) seq: u32,
    /// Counts changes outside its log, such as names of deleted players.
    pub(super) edition: u32,
}

impl Access {
    /// True if it was decided for this length of the log and this edition.
    pub(super) fn is_of(&self, entries: usize, edition: u32) -> bool {
        usize::try_from(self.seq).is_ok_and(|seq| seq == entries) && self.edition == edition
    }
}

impl Matches {
    /// The current access of `account` (or an anonymous viewer). `not-found` when the match doesn't exist, or is closed
    /// to spectators.
    pub async fn access(&self, id: MatchId, account: Option<AccountId>) -> Result<Access> {
        let epoch = self.epochs.current();
        let mut conn = self.db.conn().await?;
        let found = store::access::look(&mut conn, id, account).await?;
        let viewer = found.as_ref().and_then(|found| match found.seat {
            Some(seat) => Some(Viewer::Seat(Seat(seat))),
            None => (found.spectators || found.is_over).then_some(Viewer::Spectator),
        });
        let Some((found, viewer)) = found.zip(viewer) else {
            // Also for a closed match: neither the answer nor its time reveals its existence.
            conn.check_arrived().await?;
            return Err(Error::not_found());
        };
        Ok(Access { id, viewer, account, is_over: found.is_over, epoch, seq: found.seq, edition: found.edition })
    }

    /// The viewer that `account` is in the match; `not-found` without access. A state in memory that grants access
    /// needs no statement.
    pub(super) async fn viewer(&self, id: MatchId, account: Option<AccountId>) -> Result<Viewer> {
        let known = self.known(id);
        match known.and_then(|state| state.terms.viewer(account, state.battle.status().is_over()).ok()) {
            Some(viewer) => Ok(viewer),
            None => Ok(self.access(id, account).await?.viewer),
        }
    }
}

//! Who may see a match, decided before anything of it is loaded.
//!
//! A match that the caller may not see and one that doesn't exist take the same way to the same answer: one statement
//! that looks up a key. So the time of a `not-found` says nothing, and a flood of them neither folds anything nor
//! pushes matches out of memory.

use broadside_rules::{Seat, Viewer};

use super::{Matches, store};
use crate::epoch::Epoch;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};

/// What an account may see of a match.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub id: MatchId,
    /// Who looks.
    pub viewer: Viewer,
    /// Whose access it is; none: anybody's. A seat may be somebody else's by the time its reports are read.
    pub(super) account: Option<AccountId>,
    /// Whether the match is finished or aborted: then its log, and what anybody has been told of it, stay as they are.
    pub is_over: bool,
    /// The epoch of its log.
    pub epoch: Epoch,
    /// The number of entries in its log.
    pub(super) seq: u32,
    /// Counts the changes beside its log: names of players who have gone.
    pub(super) edition: u32,
}

impl Access {
    /// Whether it was decided by a log of this length, with these names beside it.
    pub(super) fn is_of(&self, entries: usize, edition: u32) -> bool {
        usize::try_from(self.seq).is_ok_and(|seq| seq == entries) && self.edition == edition
    }
}

impl Matches {
    /// What `account` (or anybody) may see of a match at this moment. `not-found` when there is no such match, or it is
    /// closed to spectators.
    pub async fn access(&self, id: MatchId, account: Option<AccountId>) -> Result<Access> {
        let epoch = self.epochs.current();
        let mut conn = self.db.conn().await?;
        let found = store::access::look(&mut conn, id, account).await?;
        let viewer = found.as_ref().and_then(|found| match found.seat {
            Some(seat) => Some(Viewer::Seat(Seat(seat))),
            None => (found.spectators || found.is_over).then_some(Viewer::Spectator),
        });
        let Some((found, viewer)) = found.zip(viewer) else {
            // Also for a match that is closed: neither the answer nor its time says that there is one.
            conn.check_arrived().await?;
            return Err(Error::not_found());
        };
        Ok(Access { id, viewer, account, is_over: found.is_over, epoch, seq: found.seq, edition: found.edition })
    }

    /// As whom `account` may see the match; `not-found` when it may not. What this node has in memory answers without a
    /// statement if it says yes.
    pub(super) async fn viewer(&self, id: MatchId, account: Option<AccountId>) -> Result<Viewer> {
        let known = self.known(id);
        match known.and_then(|state| state.terms.viewer(account, state.battle.status().is_over()).ok()) {
            Some(viewer) => Ok(viewer),
            None => Ok(self.access(id, account).await?.viewer),
        }
    }
}

//! A match's slot in a node's memory.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use super::match_state::MatchState;
use crate::epoch::Epoch;

/// The newest state of a match that this node knows to be stored. A state never changes: a newer one replaces it, and
/// remaining readers keep the older one alive.
pub(super) struct MatchCell {
    epoch: Epoch,
    /// Locked only to copy or replace a pointer.
    newest: RwLock<Option<Arc<MatchState>>>,
    /// Held by the one request of this node that changes the match. A reader waits for it only when memory is behind.
    pub turn: Mutex<()>,
    /// Held while the log is read, so that concurrent requests read it once.
    pub loading: Mutex<()>,
}

impl MatchCell {
    pub fn new(epoch: Epoch) -> Self {
        Self { epoch, newest: RwLock::default(), turn: Mutex::default(), loading: Mutex::default() }
    }

    /// The epoch of the logs. The match has another cell in each epoch.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    pub fn newest(&self) -> Option<Arc<MatchState>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores a state, unless a newer one is there.
    pub fn offer(&self, state: &Arc<MatchState>) {
        let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
        if newest.as_ref().is_none_or(|known| known.age() <= state.age()) {
            *newest = Some(Arc::clone(state));
        }
    }
}

//! The place of one match in a node's memory.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;

use super::match_state::MatchState;
use crate::epoch::Epoch;

/// The newest state of a match that this node knows to be stored. A state in a cell never changes: a newer one takes
/// its place, and whoever still reads the older one keeps it alive.
pub(super) struct MatchCell {
    /// The epoch of the logs in which it is remembered.
    epoch: Epoch,
    /// Locked to copy or to replace a pointer, never longer.
    newest: RwLock<Option<Arc<MatchState>>>,
    /// Held by the one request of this node that changes the match. A reader waits for it only when memory is behind.
    pub turn: Mutex<()>,
    /// Held while the log is read, so that requests which need it at the same time read it once.
    pub loading: Mutex<()>,
}

impl MatchCell {
    /// A place with nothing in it.
    pub fn new(epoch: Epoch) -> Self {
        Self { epoch, newest: RwLock::default(), turn: Mutex::default(), loading: Mutex::default() }
    }

    /// The epoch of the logs in which the match is remembered here: in another one, it has another place.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The newest state in memory, if there is one.
    pub fn newest(&self) -> Option<Arc<MatchState>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a state in, unless a newer one is there.
    pub fn offer(&self, state: &Arc<MatchState>) {
        let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
        if newest.as_ref().is_none_or(|known| known.age() <= state.age()) {
            *newest = Some(Arc::clone(state));
        }
    }
}

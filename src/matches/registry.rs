//! The matches of one node, and their shared resources.

use std::ops::Deref;
use std::sync::Arc;

use broadside_rules::setup::SeatPreferences;
use broadside_rules::{Clock, RuleSet, Setup};
use quick_cache::sync::Cache;
use tokio::sync::{Mutex, Semaphore};

use super::PairingRef;
use super::archive::Walk;
use super::cell::MatchCell;
use super::documents::Documents;
use super::keys::RecordKeys;
use super::match_state::MatchState;
use crate::archive::Archive;
use crate::context::Context;
use crate::epoch::Epoch;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::store::writer::EntryWriter;

/// The maximum number of concurrent writes of rated or contest match ends. Each holds a connection while it waits for
/// the locks of its players' ratings. One player may run out of time in hundreds of matches at once; other requests
/// must still find connections.
const ENDINGS: usize = 3;

/// The number of players remembered for a refused last action.
const REFUSED: usize = 10_000;

/// The matches of this node: recent ones folded in memory, the entry writer, the record keys. Dereferences to the
/// [`Context`].
pub struct Matches {
    context: Arc<Context>,
    /// Keyed by the epoch in which they were folded: commits of another epoch may be lost.
    cells: Cache<(Epoch, MatchId), Arc<MatchCell>>,
    pub(super) writer: EntryWriter,
    /// Players whose last action on this node was refused.
    pub(super) refused: Cache<AccountId, ()>,
    /// Permits to write the end of a match; see [`ENDINGS`].
    pub(super) endings: Semaphore,
    pub(super) keys: RecordKeys,
    pub(super) documents: Documents,
    /// The archive for the logs of old matches; `None`: they stay in the tables.
    pub(crate) archive: Option<Archive>,
    /// This node's progress in the search for matches to archive.
    pub(super) walk: Mutex<Walk>,
}

/// Limits of a node's memory for matches.
#[derive(Clone, Copy, Debug)]
pub struct MatchMemory {
    /// The number of folded matches.
    pub matches: usize,
    /// Bytes of answers about finished matches.
    pub document_bytes: u64,
}

impl Deref for Matches {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Matches {
    /// Creates the first record key, if there is none.
    pub async fn open(context: Arc<Context>, memory: MatchMemory, archive: Option<Archive>) -> Result<Self> {
        Ok(Self {
            cells: Cache::new(memory.matches),
            refused: Cache::new(REFUSED),
            documents: Documents::new(memory.document_bytes)?,
            writer: EntryWriter::start(&context.db, &context.wakeups),
            endings: Semaphore::new(ENDINGS),
            keys: RecordKeys::open(&context).await?,
            archive,
            walk: Mutex::default(),
            context,
        })
    }

    /// Fails if moves can't be written.
    pub(crate) async fn probe_writer(&self) -> Result<()> {
        self.writer.probe().await
    }

    /// The state in memory, if any; it may be behind the database.
    pub(super) fn known(&self, id: MatchId) -> Option<Arc<MatchState>> {
        self.cells.get(&(self.epochs.current(), id))?.newest()
    }

    /// The state in memory, if it is as new as a mark of the store.
    pub(super) fn known_as_of(&self, id: MatchId, mark: (u32, u32)) -> Option<Arc<MatchState>> {
        self.known(id).filter(|state| state.includes(mark))
    }

    pub(super) fn cell(&self, id: MatchId) -> Arc<MatchCell> {
        let epoch = self.epochs.current();
        let new = || Ok(Arc::new(MatchCell::new(epoch)));
        match self.cells.get_or_insert_with::<_, std::convert::Infallible>(&(epoch, id), new) {
            Ok(cell) => cell,
            Err(never) => match never {},
        }
    }
}

/// The terms for the rules, with a chosen name or none for each seat. Matches of a contest (`part`) can't be called
/// off.
pub(super) fn setup(rules: RuleSet, clock: Clock, wishes: &[Option<u8>], part: Option<PairingRef>) -> Result<Setup> {
    let mut all = SeatPreferences::default();
    all.iter_mut().zip(wishes).for_each(|(place, wish)| *place = *wish);
    Ok(Setup {
        rules: Arc::new(rules),
        clock,
        seats: u8::try_from(wishes.len()).map_err(Error::internal)?,
        preferences: all,
        may_abort: part.is_none(),
    })
}

//! The matches of one node, and what they share.

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

/// How many ends of matches that count for ratings or contests are written at the same time. Each holds a connection
/// while it waits for the locks of its players' ratings. One player may run out of time in hundreds of matches at once;
/// the other connections stay free for other requests.
const ENDINGS: usize = 3;

/// How many players are remembered whose last action was refused.
const REFUSED: usize = 10_000;

/// The matches of this node: recent ones folded in memory, the writer of their entries, the keys of their records. It
/// dereferences to the [`Context`].
pub struct Matches {
    context: Arc<Context>,
    /// By the epoch in which they were folded: what was committed before another epoch may be gone.
    cells: Cache<(Epoch, MatchId), Arc<MatchCell>>,
    pub(super) writer: EntryWriter,
    /// Players whose last action on this node was refused.
    pub(super) refused: Cache<AccountId, ()>,
    /// Who may write the end of a match now; see [`ENDINGS`].
    pub(super) endings: Semaphore,
    pub(super) keys: RecordKeys,
    /// Answers about matches that are over.
    pub(super) documents: Documents,
    /// Where the logs of matches are that were over long ago; `None`: they are in the tables.
    pub(crate) archive: Option<Archive>,
    /// How far this node has looked for matches that are to go there.
    pub(super) walk: Mutex<Walk>,
}

/// What a node keeps of matches in memory.
#[derive(Clone, Copy, Debug)]
pub struct MatchMemory {
    /// How many matches, folded.
    pub matches: usize,
    /// How many bytes of answers about matches that are over.
    pub document_bytes: u64,
}

impl Deref for Matches {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Matches {
    /// Makes the first key for records, if there is none.
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

    /// The state of a match in memory, if it is there; it may be behind the database.
    pub(super) fn known(&self, id: MatchId) -> Option<Arc<MatchState>> {
        self.cells.get(&(self.epochs.current(), id))?.newest()
    }

    /// The state of a match in memory, if it includes what a mark of the store stands for.
    pub(super) fn known_as_of(&self, id: MatchId, mark: (u32, u32)) -> Option<Arc<MatchState>> {
        self.known(id).filter(|state| state.includes(mark))
    }

    /// The place of a match in memory.
    pub(super) fn cell(&self, id: MatchId) -> Arc<MatchCell> {
        let epoch = self.epochs.current();
        let new = || Ok(Arc::new(MatchCell::new(epoch)));
        match self.cells.get_or_insert_with::<_, std::convert::Infallible>(&(epoch, id), new) {
            Ok(cell) => cell,
            Err(never) => match never {},
        }
    }
}

/// The terms as the rules want them: a wish for each seat, or none. What is played for a contest (`part`) can't be
/// called off.
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

//! What the matches of one node share.

use std::ops::Deref;
use std::sync::Arc;

use broadside_rules::setup::SeatPreferences;
use broadside_rules::{Clock, RuleSet, Setup};
use quick_cache::sync::Cache;
use tokio::sync::{Mutex, Semaphore};

use super::Part;
use super::keys::Keys;
use super::match_state::Live;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::MatchId;
use crate::matches::store::moves::Writer;

/// How many ends of matches that count for ratings or contests are written at once. Each holds a connection while it waits for its players' standings, and one player
/// may run out of time in hundreds of matches in one moment: the other connections are for everybody else.
const ENDINGS: usize = 3;

/// The matches of this node: recent ones folded in memory, the writer of their moves, the keys of their records. It
/// dereferences to the [`Context`].
pub struct Matches {
    context: Arc<Context>,
    tables: Cache<MatchId, Arc<Table>>,
    pub(super) writer: Writer,
    /// Who may write the end of a match now; see [`ENDINGS`].
    pub(super) endings: Semaphore,
    pub(super) keys: Keys,
}

/// The place of one match in memory: one request at a time works on it, others wait for their turn.
#[derive(Default)]
pub(super) struct Table {
    pub live: Mutex<Option<Live>>,
}

impl Deref for Matches {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Matches {
    /// Keeps `capacity` matches in memory. Makes the first key for records, if there is none.
    pub async fn open(context: Arc<Context>, capacity: usize) -> Result<Self> {
        Ok(Self {
            tables: Cache::new(capacity),
            writer: Writer::start(&context.db, &context.wakeups),
            endings: Semaphore::new(ENDINGS),
            keys: Keys::open(&context).await?,
            context,
        })
    }

    /// The terms as the rules want them: a wish for each seat, or none. What is played for a contest (`part`) can't be called off.
    pub(super) fn setup(
        &self,
        rules: RuleSet,
        clock: Clock,
        wishes: &[Option<u8>],
        part: Option<Part>,
    ) -> Result<Setup> {
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

    /// The place of a match.
    pub(super) fn table(&self, id: MatchId) -> Arc<Table> {
        match self.tables.get_or_insert_with::<_, std::convert::Infallible>(&id, || Ok(Arc::default())) {
            Ok(table) => table,
            Err(never) => match never {},
        }
    }
}

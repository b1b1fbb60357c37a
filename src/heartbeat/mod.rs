//! The service notes that it lives, and finds out when it did not.
//!
//! Every node gives signs of life: it writes the time of the database into one row. Whoever finds the last sign of any
//! node too old has found a *down time*: no node was running, or the database could not be written. It is noted, and
//! no clock ran in it (`matches::down_times`). What stopped the service, and for how long, makes no difference: nothing
//! has to be found out at a start that isn't found out by the first sign of life as well.
//!
//! Between two signs of life a node can't know whether another one has found a down time. So a clock is judged only by
//! a node whose own last sign is younger than half of the time that is a down time. A node that is stopped, cut off, or
//! has a silent database judges none, and waits for its next sign of life instead.
//!
//! A sign of life also brings the time: see [`crate::clock`]. A node whose machine has another time than the database
//! by more than it tolerates trusts neither, and judges and deletes nothing until they agree.

mod commands;
mod probe;
pub(crate) mod store;

pub use commands::{list, rest_clocks};
pub use probe::Hindrance;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use broadside_rules::{DownTime, Time};
use uuid::Uuid;

use crate::clock::Clock;
use crate::db::Db;
use crate::epoch::{self, Epochs, Witness};
use crate::error::{Error, Result};

/// For so long a down time is kept in mind, in milliseconds: more than a year.
const KEPT_MS: i64 = 400 * 24 * 60 * 60 * 1000;
/// How many are kept in mind at most.
const MOST_KEPT: i64 = 1000;
/// Nothing old is deleted for so long after a start or a down time, in milliseconds: an hour in which to notice a clock
/// that has jumped, and that everything only seems to be old.
const SETTLED_MS: i64 = 60 * 60 * 1000;
/// A clock that is wrong by so much is worth a warning.
const WORTH_A_WARNING_MS: i64 = 1000;
/// A measured time that differs by less than this, beside what the measurement took, changes nothing.
const TOO_LITTLE_MS: i64 = 20;

/// How a node lives.
#[derive(Clone, Copy, Debug)]
pub struct HeartbeatSettings {
    /// Without a sign of life for longer than this, in seconds, the service is said not to have been reachable.
    pub rest_after_s: u16,
    /// By how much the machine's clock may differ from the database's, in seconds.
    pub clock_tolerance_s: u16,
    /// Whether a node is ready only while a synchronous standby confirms what is committed.
    pub requires_sync_standby: bool,
}

impl Default for HeartbeatSettings {
    fn default() -> Self {
        Self { rest_after_s: 20, clock_tolerance_s: 5, requires_sync_standby: false }
    }
}

impl HeartbeatSettings {
    /// How long a node rests between two signs of life.
    pub fn every(self) -> Duration {
        Duration::from_secs(self.rest_after_s.into()) / 4
    }

    fn rest_after_ms(self) -> i64 {
        i64::from(self.rest_after_s) * 1000
    }
}

/// The signs of life of a node.
pub struct Heartbeat {
    /// None: nobody watches over the service, as in a command that uses it and goes.
    settings: Option<HeartbeatSettings>,
    clock: Clock,
    db: Db,
    epochs: Arc<Epochs>,
    heard: RwLock<LastBeat>,
    /// One at a time.
    beating: tokio::sync::Mutex<()>,
}

/// What a node has heard with its last sign of life.
#[derive(Clone, Default)]
struct LastBeat {
    at: Option<Time>,
    /// Whether the machine's clock is wrong by more than is tolerated: by how much, in milliseconds.
    astray_ms: Option<i64>,
    /// Since when the time has gone on without a break.
    settled_since: Option<Time>,
    down_times: DownTimes,
    own: Option<OwnBeat>,
}

/// What a node remembers of its own last sign of life.
#[derive(Clone, Copy)]
struct OwnBeat {
    /// The node's name, which it has for as long as it runs.
    node: Uuid,
    /// How many there were.
    count: i64,
    /// Whether a synchronous standby had to confirm it.
    is_synchronous: bool,
}

/// When the service could not be reached, as far as it may concern a match.
#[derive(Clone, Default)]
pub struct DownTimes {
    /// The spans, in the order in which they were noted.
    pub spans: Arc<[DownTime]>,
    /// The end of the last of them.
    pub newest: Option<Time>,
    /// The number of the last that was noted.
    pub number: i64,
}

impl Heartbeat {
    /// A heart that has not beaten yet, on connections of its own.
    pub fn new(clock: Clock, db: &Db, epochs: Arc<Epochs>, settings: Option<HeartbeatSettings>) -> Result<Self> {
        let db = if settings.is_some() { db.apart(1)? } else { db.clone() };
        Ok(Self { settings, clock, db, epochs, heard: RwLock::default(), beating: tokio::sync::Mutex::default() })
    }

    /// Gives signs of life for as long as it is awaited.
    pub async fn run(&self) {
        let Some(settings) = self.settings else { return };
        loop {
            let rest = match self.beat().await {
                Ok(()) => settings.every(),
                Err(error) => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::warn!(%error, cause, "the service could give no sign of life; it tries again in a second");
                    Duration::from_secs(1)
                }
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// Gives a sign of life. If the last one of any node is too old, notes that the service could not be reached.
    pub async fn beat(&self) -> Result<()> {
        let Some(settings) = self.settings else { return Ok(()) };
        let _alone = self.beating.lock().await;
        let place = epoch::place(&self.db).await?;
        let mut tx = self.db.begin().await?;
        let last = store::lock_last(&mut tx).await?;
        let (now, error_ms) = self.measure(&mut tx).await?;
        if let Some(astray_ms) = self.astray(settings, now, error_ms) {
            tx.roll_back().await?;
            self.hear(|heard| (heard.astray_ms, heard.settled_since) = (Some(astray_ms), None));
            return Ok(());
        }
        let last = last.unwrap_or(now);
        if now.millis_since(last) > settings.rest_after_ms() {
            let down = DownTime { from: last, until: now };
            store::insert(&mut tx, down, now).await?;
            tracing::warn!(from = %down.from, until = %down.until, "the service could not be reached: no clock ran in this time");
        }
        store::beat(&mut tx, now).await?;
        let LastBeat { down_times: known, settled_since, own, .. } = self.heard();
        let (node, count) = store::beat_of_node(&mut tx, own.map(|own| own.node), now).await?;
        let witness = Witness {
            was_synchronous: own.is_some_and(|own| own.is_synchronous),
            is_lost: own.is_some_and(|own| count <= own.count),
        };
        let epoch = epoch::settle(&mut tx, place.as_ref(), witness, now, None).await?;
        let new = store::after(&mut tx, known.number, Time(now.0.saturating_sub(KEPT_MS)), MOST_KEPT).await?;
        tx.commit().await?;
        self.clock.keep_to(now, error_ms);
        self.epochs.learn(epoch);
        let own = Some(OwnBeat { node, count, is_synchronous: place.is_some_and(|place| place.is_synchronous) });
        let settled_since = settled_since.filter(|since| new.is_empty() && *since <= now).or(Some(now));
        let spans = new.iter().map(|new| new.span);
        let kept = known.with(spans, new.last().map(|new| new.number));
        self.hear(|heard| *heard = LastBeat { at: Some(now), astray_ms: None, settled_since, down_times: kept, own });
        Ok(())
    }

    /// What the database's clock says, and by how much that may be wrong, in milliseconds.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    async fn measure(&self, tx: &mut crate::db::Tx) -> Result<(Time, i64)> {
        let asked = Instant::now();
        let told = store::now(tx).await?;
        let took_ms = i64::try_from(asked.elapsed().as_millis()).unwrap_or(i64::MAX);
        // The answer was on its way for half of that, more or less.
        let now = self.clock.of_database().unwrap_or(told.plus_ms(took_ms / 2));
        Ok((now, took_ms / 2 + TOO_LITTLE_MS))
    }

    /// By how much the machine's clock is wrong, if that is more than is tolerated.
    fn astray(&self, settings: HeartbeatSettings, now: Time, error_ms: i64) -> Option<i64> {
        let ahead_ms = self.clock.machine().millis_since(now);
        metrics::gauge!("clock_ahead_of_database_seconds").set(ahead_ms as f64 / 1000.0);
        let wrong_ms = ahead_ms.saturating_abs().saturating_sub(error_ms);
        let tolerance_s = settings.clock_tolerance_s;
        if wrong_ms > i64::from(tolerance_s) * 1000 {
            tracing::error!(
                ahead_ms,
                tolerance_s,
                "this machine's clock and the database's differ too much: nothing is judged or deleted"
            );
            return Some(ahead_ms);
        }
        if wrong_ms > WORTH_A_WARNING_MS {
            tracing::warn!(ahead_ms, "this machine's clock is wrong: the time of the database is used");
        }
        None
    }

    /// When the service could not be reached. `unavailable` while this node doesn't know: then it may judge no clock.
    pub fn down_times(&self) -> Result<DownTimes> {
        let heard = self.heard();
        self.refused(&heard).map_or(Ok(heard.down_times), |why| Err(Error::unavailable(why)))
    }

    /// Why this node may neither judge clocks nor delete what is old; none: it may.
    pub fn held(&self) -> Option<&'static str> {
        self.refused(&self.heard())
    }

    /// Whether the time is known: it was measured once, and has gone on since by a clock that nobody can move.
    pub fn knows_time(&self) -> bool {
        self.settings.is_none() || self.heard().at.is_some()
    }

    /// Whether this node may delete what is old: it is not held, and its time has gone on without a break for an hour.
    pub fn is_settled(&self) -> bool {
        let heard = self.heard();
        let settled = |since: Time| self.clock.now().millis_since(since) >= SETTLED_MS;
        self.settings.is_none() || self.refused(&heard).is_none() && heard.settled_since.is_some_and(settled)
    }

    fn refused(&self, heard: &LastBeat) -> Option<&'static str> {
        let settings = self.settings?;
        if heard.astray_ms.is_some() {
            return Some("the clocks of this node and of the database differ too much");
        }
        let now = self.clock.now();
        let is_fresh = |at: Time| now.millis_since(at).saturating_abs() <= settings.rest_after_ms() / 2;
        (!heard.at.is_some_and(is_fresh)).then_some("this node has had no sign of life from the database lately")
    }

    /// Names the signs of life of this node; none: it hasn't given any.
    pub fn node(&self) -> Option<Uuid> {
        self.heard().own.map(|own| own.node)
    }

    fn heard(&self) -> LastBeat {
        self.heard.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hear(&self, change: impl FnOnce(&mut LastBeat)) {
        change(&mut self.heard.write().unwrap_or_else(PoisonError::into_inner));
    }
}

impl DownTimes {
    fn with(self, new: impl Iterator<Item = DownTime>, number: Option<i64>) -> Self {
        let Some(number) = number else { return self };
        let spans: Vec<DownTime> = self.spans.iter().copied().chain(new).collect();
        Self { newest: spans.iter().map(|span| span.until).max(), number, spans: spans.into() }
    }
}

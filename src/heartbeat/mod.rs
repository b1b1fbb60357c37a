//! The heartbeat records that the service is alive, and detects outages.
//!
//! Every node's heartbeat writes the time of the database into one row. A node that finds the last heartbeat of all
//! nodes too old has found a *down time*: no node was running, or the database could not be written. The down time is
//! recorded, and no clock runs in it (`matches::down_times`). The cause and the length make no difference: a start
//! detects nothing that the first heartbeat doesn't detect as well.
//!
//! Between two heartbeats a node can't know whether another one has found a down time. So a node judges a clock only if
//! its own last heartbeat is younger than half of the minimal down time. A node that is stopped, cut off, or has a
//! silent database judges none, and waits for its next heartbeat instead.
//!
//! A heartbeat also brings the time: see [`crate::clock`]. A node whose machine's clock differs from the database's by
//! more than the tolerance trusts neither, and judges and deletes nothing until they agree.

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

/// Retention of down times in memory, in milliseconds: more than a year.
const KEPT_MS: i64 = 400 * 24 * 60 * 60 * 1000;
/// Most down times in memory.
const MOST_KEPT: i64 = 1000;
/// After a start or a down time nothing old is deleted for this many milliseconds: an hour for noticing a clock that
/// has jumped and makes everything look old.
const SETTLED_MS: i64 = 60 * 60 * 1000;
/// A clock error in milliseconds that is logged as a warning.
const WORTH_A_WARNING_MS: i64 = 1000;
/// A measured difference below this, beyond the duration of the measurement, is ignored.
const TOO_LITTLE_MS: i64 = 20;

#[derive(Clone, Copy, Debug)]
pub struct HeartbeatSettings {
    /// Silence of all nodes that counts as a down time, in seconds.
    pub rest_after_s: u16,
    /// Tolerated difference between the clocks of the machine and the database, in seconds.
    pub clock_tolerance_s: u16,
    /// True if a node is ready only while a synchronous standby confirms commits.
    pub requires_sync_standby: bool,
}

impl Default for HeartbeatSettings {
    fn default() -> Self {
        Self { rest_after_s: 20, clock_tolerance_s: 5, requires_sync_standby: false }
    }
}

impl HeartbeatSettings {
    /// Time between two heartbeats of a node.
    pub fn every(self) -> Duration {
        Duration::from_secs(self.rest_after_s.into()) / 4
    }

    fn rest_after_ms(self) -> i64 {
        i64::from(self.rest_after_s) * 1000
    }
}

pub struct Heartbeat {
    /// `None` for a command, which runs briefly and needs no heartbeat.
    settings: Option<HeartbeatSettings>,
    clock: Clock,
    db: Db,
    epochs: Arc<Epochs>,
    heard: RwLock<LastBeat>,
    /// One at a time.
    beating: tokio::sync::Mutex<()>,
}

/// Results of a node's last heartbeat.
#[derive(Clone, Default)]
struct LastBeat {
    at: Option<Time>,
    /// The error of the machine's clock in milliseconds, if beyond the tolerance.
    astray_ms: Option<i64>,
    /// The time since when the clock has run without a break.
    settled_since: Option<Time>,
    down_times: DownTimes,
    own: Option<OwnBeat>,
}

/// A node's memory of its own last heartbeat.
#[derive(Clone, Copy)]
struct OwnBeat {
    /// The node's name while it runs.
    node: Uuid,
    /// The number of its heartbeats.
    count: i64,
    /// True if a synchronous standby had to confirm it.
    is_synchronous: bool,
}

/// The down times that may concern a match.
#[derive(Clone, Default)]
pub struct DownTimes {
    /// In the order of recording.
    pub spans: Arc<[DownTime]>,
    /// The end of the last one.
    pub newest: Option<Time>,
    /// The number of the last recorded one.
    pub number: i64,
}

impl Heartbeat {
    /// A heartbeat that hasn't started, on its own connections.
    pub fn new(clock: Clock, db: &Db, epochs: Arc<Epochs>, settings: Option<HeartbeatSettings>) -> Result<Self> {
        let db = if settings.is_some() { db.apart(1)? } else { db.clone() };
        Ok(Self { settings, clock, db, epochs, heard: RwLock::default(), beating: tokio::sync::Mutex::default() })
    }

    /// Sends heartbeats while awaited.
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

    /// Sends a heartbeat. If the last one of all nodes is too old, records a down time.
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

    /// The database's time, and its possible error in milliseconds.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    async fn measure(&self, tx: &mut crate::db::Tx) -> Result<(Time, i64)> {
        let asked = Instant::now();
        let told = store::now(tx).await?;
        let took_ms = i64::try_from(asked.elapsed().as_millis()).unwrap_or(i64::MAX);
        // The answer traveled for about half of that.
        let now = self.clock.of_database().unwrap_or(told.plus_ms(took_ms / 2));
        Ok((now, took_ms / 2 + TOO_LITTLE_MS))
    }

    /// The error of the machine's clock, if beyond the tolerance.
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

    /// The down times. Fails with `unavailable` while this node doesn't know them: then it may judge no clock.
    pub fn down_times(&self) -> Result<DownTimes> {
        let heard = self.heard();
        self.refused(&heard).map_or(Ok(heard.down_times), |why| Err(Error::unavailable(why)))
    }

    /// The reason why this node may neither judge clocks nor delete old data; `None` if it may.
    pub fn held(&self) -> Option<&'static str> {
        self.refused(&self.heard())
    }

    /// True if the time was measured, and has been counted since by a clock that can't be set.
    pub fn knows_time(&self) -> bool {
        self.settings.is_none() || self.heard().at.is_some()
    }

    /// True if this node may delete old data: it is not held, and its time has run without a break for an hour.
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

    /// The id of this node's heartbeats; `None` before the first.
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

//! The source of public reads: a read replica, if there is one and it is recent enough; else the primary.
//!
//! Only data that is public and may be some seconds old is read here: lists of finished matches, leaderboards,
//! standings, profiles, statistics. A caller's own data, everything about running matches, and the basis of any
//! decision are read from the primary. The types ensure this: [`PublicRead`] isn't accepted by the stores of these.
//!
//! The age of responses is bounded ([`ReplicaSettings::max_lag_s`]). A node measures it by its own heartbeats: the
//! replica's data is at least as new as the newest of them that it shows. A replica that lags, doesn't answer, or isn't
//! one of this database shows none that is recent enough, and isn't used. If the replica answers with an error, the
//! primary is asked: so nothing created a moment ago is reported missing, and a dying replica goes unnoticed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use broadside_rules::Time;
use uuid::Uuid;

use crate::clock::Clock;
use crate::db::{Db, Deadline, PublicRead, within};
use crate::error::{Error, ProblemKind, Result};
use crate::heartbeat;

/// Time between two checks of the replica's age.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Time limit for a check.
const LOOK_PATIENCE: Deadline = Deadline(Duration::from_secs(1));

pub struct ReplicaSettings {
    pub db: Db,
    /// Largest age of its data, in seconds.
    pub max_lag_s: u16,
}

pub struct PublicReads {
    primary: Db,
    replica: Option<Replica>,
    clock: Clock,
}

struct Replica {
    db: Db,
    max_lag_ms: i64,
    seen: Mutex<Seen>,
}

/// A node's knowledge of its replica.
#[derive(Default)]
struct Seen {
    /// The newest of the node's own heartbeats shown by the replica.
    beat: Option<Time>,
    /// True if it didn't answer when last asked.
    is_silent: bool,
    /// The state last logged; `None` before the first.
    was_used: Option<bool>,
}

impl PublicReads {
    /// Reads from a replica, or from the primary alone.
    pub fn new(clock: Clock, primary: Db, replica: Option<ReplicaSettings>) -> Self {
        let replica = replica.map(|ReplicaSettings { db, max_lag_s }| Replica {
            db,
            max_lag_ms: i64::from(max_lag_s) * 1000,
            seen: Mutex::default(),
        });
        Self { primary, replica, clock }
    }

    pub fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// True while the replica is read, false while the primary replaces it; `None` without a replica.
    pub fn is_replica_used(&self) -> Option<bool> {
        self.replica.as_ref().map(|replica| replica.is_usable(self.clock.now()))
    }

    /// Runs `work` on the replica if possible. Any failure there is repeated on the primary, unless the caller has
    /// exceeded a limit.
    pub async fn read<T>(&self, work: impl AsyncFn(&mut PublicRead) -> Result<T>) -> Result<T> {
        if let Some(replica) = self.replica.as_ref().filter(|replica| replica.is_usable(self.clock.now())) {
            match replica.read(&work).await {
                Err(error) if error.problem().kind != ProblemKind::TooMany => {
                    tracing::debug!(%error, "the read replica could not answer: the primary is asked");
                }
                done => {
                    count("replica");
                    return done;
                }
            }
        }
        self.of_primary(work).await
    }

    /// Like `read`, but from the primary for callers' own data, which they may have changed a moment ago.
    pub async fn read_own<T>(&self, is_own: bool, work: impl AsyncFn(&mut PublicRead) -> Result<T>) -> Result<T> {
        if is_own { self.of_primary(work).await } else { self.read(work).await }
    }

    async fn of_primary<T>(&self, work: impl AsyncFn(&mut PublicRead) -> Result<T>) -> Result<T> {
        if self.replica.is_some() {
            count("primary");
        }
        let mut conn = self.primary.conn().await?.for_public();
        work(&mut conn).await
    }

    /// Checks the replica's age. `node` is the id of this node's heartbeats; `None` before the first.
    pub async fn look(&self, node: Option<Uuid>) {
        let Some(replica) = &self.replica else { return };
        let shown = match node {
            Some(node) => within(Some(LOOK_PATIENCE), replica.last_beat(node)).await,
            None => Ok(None),
        };
        replica.note(shown, self.clock.now());
    }
}

impl Replica {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_usable(&self, now: Time) -> bool {
        self.seen().is_usable(now, self.max_lag_ms)
    }

    async fn read<T>(&self, work: impl AsyncFn(&mut PublicRead) -> Result<T>) -> Result<T> {
        let done = async {
            let mut conn = self.db.public_read().await?;
            work(&mut conn).await
        };
        let done = done.await;
        if let Err(error) = &done
            && error.problem().kind == ProblemKind::Unavailable
        {
            // Other requests needn't wait for it as well. The next check finds out whether it is back.
            self.seen().is_silent = true;
        }
        done
    }

    async fn last_beat(&self, node: Uuid) -> Result<Option<Time>> {
        heartbeat::store::last_beat(&mut self.db.public_read().await?, node).await
    }

    /// Stores the result of a check, and logs it if it changes the use of the replica.
    fn note(&self, shown: Result<Option<Time>>, now: Time) {
        let mut seen = self.seen();
        let error = shown.as_ref().err().and_then(Error::cause).map(ToString::to_string);
        seen.is_silent = shown.is_err();
        if let Ok(Some(beat)) = shown {
            seen.beat = Some(beat);
        }
        let lag_s = seen.beat.map(|beat| now.millis_since(beat).max(0) as f64 / 1000.0);
        metrics::gauge!("read_replica_lag_seconds").set(lag_s.unwrap_or(f64::INFINITY));
        let is_used = seen.is_usable(now, self.max_lag_ms);
        let was_used = seen.was_used.replace(is_used);
        drop(seen);
        match (was_used, is_used) {
            (Some(true), false) => {
                tracing::warn!(lag_s, error, "the read replica is too old, or gives no answer: the primary is read");
            }
            (None, false) => {
                tracing::info!("the read replica shows no sign of life of this node yet: the primary is read")
            }
            (None | Some(false), true) => tracing::info!(lag_s, "what is public is read from the replica"),
            _ => {}
        }
    }
}

impl Seen {
    fn is_usable(&self, now: Time, max_lag_ms: i64) -> bool {
        !self.is_silent && self.beat.is_some_and(|beat| now.millis_since(beat) <= max_lag_ms)
    }
}

fn count(from: &'static str) {
    metrics::counter!("public_reads_total", "from" => from).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_used_while_it_is_new_enough_and_answers() {
        let at = |beat: Option<i64>, is_silent| Seen { beat: beat.map(Time), is_silent, was_used: None };
        assert!(!at(None, false).is_usable(Time(0), 10_000));
        assert!(at(Some(5_000), false).is_usable(Time(15_000), 10_000));
        assert!(!at(Some(5_000), false).is_usable(Time(15_001), 10_000));
        assert!(!at(Some(5_000), true).is_usable(Time(5_000), 10_000));
    }
}

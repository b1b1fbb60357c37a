//! Where what is public is read: from a read replica, if there is one and it is new enough; else from the primary.
//!
//! Only what everybody may see and may be some seconds old is read here: lists of matches that are over, leaderboards,
//! standings, profiles, statistics. A caller's own things, everything of a running match, and everything that decides
//! is read from the primary, and the types keep it so: [`PublicRead`] can't be given to the stores of these.
//!
//! How old an answer may be is a promise ([`ReplicaSettings::max_lag_s`]). A node knows it by its own signs of life:
//! what the replica shows is at least as new as the newest of them that it has. A replica that is further behind, that
//! gives no answer, or that isn't one of this database shows none that is new enough, and isn't asked. What a replica
//! answers with an error is asked of the primary: so nobody is told that something isn't there which was made a moment
//! ago, and nobody notices that a replica dies.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use broadside_rules::Time;
use uuid::Uuid;

use crate::clock::Clock;
use crate::db::{Db, Deadline, PublicRead, within};
use crate::error::{Error, ProblemKind, Result};
use crate::heartbeat;

/// How often a node looks how old the replica is.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long such a look may take.
const LOOK_PATIENCE: Deadline = Deadline(Duration::from_secs(1));

pub struct ReplicaSettings {
    pub db: Db,
    /// How old its answers may be, in seconds.
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

/// What a node knows of its replica.
#[derive(Default)]
struct Seen {
    /// The newest own sign of life that the replica has shown.
    beat: Option<Time>,
    /// It gave no answer when it was last asked.
    is_silent: bool,
    /// What the log says of it; none: nothing yet.
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

    /// Whether there is a replica to look at.
    pub fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// True while the replica is read, false while the primary replaces it; `None`: there is no replica.
    pub fn is_replica_used(&self) -> Option<bool> {
        self.replica.as_ref().map(|replica| replica.is_usable(self.clock.now()))
    }

    /// What `work` reads, from the replica if it can be used. Whatever is no success there is done again on the
    /// primary, but for a caller who asks too much.
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

    /// The same for what a caller asks about themselves: they may have changed it a moment ago.
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

    /// Looks how old the replica is. `node` names the signs of life of this node; none: it hasn't given any.
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
            // The others needn't wait for it as well. The next look finds out whether it is there again.
            self.seen().is_silent = true;
        }
        done
    }

    async fn last_beat(&self, node: Uuid) -> Result<Option<Time>> {
        heartbeat::store::last_beat(&mut self.db.public_read().await?, node).await
    }

    /// Notes what a look has shown, and logs it when it changes what is done.
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

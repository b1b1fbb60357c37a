//! The readiness of the service. Anyone may ask, and often, so it is determined at most once a second, and all requests
//! meanwhile get the same answer.
//!
//! Each resource with its own connection is tested over it. Indispensable ones make a node not ready: the heartbeat,
//! the writer of moves, the pool. Replaceable ones are only named: without the listener a node polls, without the
//! replica it reads the primary, without the archive it lacks old matches. Each is a metric.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use broadside_rules::Time;
use private_postgres::Status;
use tokio::sync::Mutex;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::heartbeat::Hindrance;
use crate::matches::Matches;

/// Validity of an answer, in milliseconds.
const GOOD_MS: i64 = 1000;
/// Milliseconds between two tests of the archive. No request waits for them.
const ARCHIVE_EVERY_MS: i64 = 10_000;

/// The failing resources of a ready node.
pub type Degraded = Vec<&'static str>;

/// The last answer, and its parts.
#[derive(Default)]
pub struct Readiness {
    last: Mutex<Option<(Time, Result<Degraded, Hindrance>)>>,
    cluster: OnceLock<Status>,
    archive_asked_at: Mutex<Option<Time>>,
    is_archive_lost: Arc<AtomicBool>,
}

impl Readiness {
    /// Lets the private cluster report why its server doesn't run.
    pub fn watch(&self, cluster: Status) {
        let _ = self.cluster.set(cluster);
    }

    /// Fails with `unavailable` and the obstacle if this node can't serve, or couldn't less than a second ago.
    pub async fn check(&self, ctx: &Context, matches: &Arc<Matches>) -> Result<Degraded> {
        let mut last = self.last.lock().await;
        let now = ctx.clock.now();
        let found = match &*last {
            Some((at, found)) if (0..GOOD_MS).contains(&now.millis_since(*at)) => found.clone(),
            _ => {
                let found = self.find(ctx, matches, now).await;
                *last = Some((ctx.clock.now(), found.clone()));
                found
            }
        };
        found.map_err(|hindrance| Error::not_ready(hindrance.to_string()))
    }

    async fn find(&self, ctx: &Context, matches: &Arc<Matches>, now: Time) -> Result<Degraded, Hindrance> {
        self.ask_archive(matches, now).await;
        let (heart, writer, pool) = tokio::join!(ctx.heartbeat.probe(), matches.probe_writer(), ctx.db.probe());
        let degraded = [
            ("listener", ctx.wakeups.are_heard()),
            ("replica", ctx.public_reads.is_replica_used().unwrap_or(true)),
            ("archive", !self.is_archive_lost.load(Ordering::Relaxed)),
        ];
        let needed = [("heartbeat", heart.is_ok()), ("writer", writer.is_ok()), ("pool", pool.is_ok())];
        for (resource, works) in needed.into_iter().chain(degraded) {
            metrics::gauge!("resource_ready", "resource" => resource).set(f64::from(u8::from(works)));
        }
        heart.map_err(|hindrance| match self.cluster.get().and_then(Status::trouble) {
            Some(trouble) if hindrance == Hindrance::DatabaseUnreachable => Hindrance::said(&trouble),
            _ => hindrance,
        })?;
        writer.map_err(|error| Hindrance::of_resource(&error, Hindrance::WriterUnreachable))?;
        pool.map_err(|error| Hindrance::of_resource(&error, Hindrance::PoolUnreachable))?;
        Ok(degraded.into_iter().filter(|(_, works)| !works).map(|(resource, _)| resource).collect())
    }

    /// Tests the archive, unless it was tested lately. The next check has the result.
    async fn ask_archive(&self, matches: &Arc<Matches>, now: Time) {
        let mut asked_at = self.archive_asked_at.lock().await;
        let is_late = asked_at.is_none_or(|at| !(0..ARCHIVE_EVERY_MS).contains(&now.millis_since(at)));
        if matches.archive.is_none() || !is_late {
            return;
        }
        *asked_at = Some(now);
        let (matches, is_lost) = (Arc::clone(matches), Arc::clone(&self.is_archive_lost));
        tokio::spawn(async move {
            let Some(archive) = &matches.archive else { return };
            let answer = archive.probe().await;
            let was_lost = is_lost.swap(answer.is_err(), Ordering::Relaxed);
            match answer {
                Err(error) if !was_lost => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::warn!(%error, cause, "the archive can't be reached");
                }
                Ok(()) if was_lost => tracing::info!("the archive can be reached again"),
                _ => {}
            }
        });
    }
}

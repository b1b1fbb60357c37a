//! Leases of jobs: one node at a time does a job, so that ten nodes query no more often than one.
//!
//! A node renews its leases every two seconds, and takes free ones. A stopping node returns its leases; those of a node
//! that was killed, or that doesn't trust its time, expire. Two nodes doing the same job at the same moment is
//! harmless: each effect is written by only one of them.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::store;
use crate::context::Context;
use crate::error::Result;

/// Duration of a lease, from the time of the request.
const LASTS: Duration = Duration::from_secs(6);
pub const RENEWED_EVERY: Duration = Duration::from_secs(2);

pub struct Leases {
    holder: Uuid,
    jobs: Vec<&'static str>,
    held: RwLock<Held>,
}

/// The leases held by a node, with their ends.
#[derive(Default)]
struct Held {
    jobs: HashSet<String>,
    until: Option<Instant>,
}

impl Leases {
    /// No lease on these jobs is held yet.
    pub fn new(ctx: &Context, jobs: impl Iterator<Item = &'static str>) -> Self {
        Self { holder: ctx.new_id(), jobs: jobs.collect(), held: RwLock::default() }
    }

    /// Renews this node's leases, and takes free ones. A node that may not judge time leaves them to others.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    pub async fn renew(&self, ctx: &Context) -> Result<()> {
        if ctx.heartbeat.held().is_some() {
            return Ok(());
        }
        let asked = Instant::now();
        let mut tx = ctx.db.begin().await?;
        let for_ms = i64::try_from(LASTS.as_millis()).unwrap_or(i64::MAX);
        let leased = store::lease(&mut tx, self.holder, &self.jobs, for_ms).await?;
        tx.commit().await?;
        self.hold(Held { jobs: leased.into_iter().collect(), until: Some(asked + LASTS) });
        Ok(())
    }

    /// True if this node holds the lease on the job.
    #[expect(clippy::disallowed_methods, reason = "a duration is measured")]
    pub fn holds(&self, job: &str) -> bool {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.until.is_some_and(|until| Instant::now() < until) && held.jobs.contains(job)
    }

    /// Returns all leases; another node takes them within two seconds.
    pub async fn release(&self, ctx: &Context) -> Result<()> {
        self.hold(Held::default());
        let mut tx = ctx.db.begin().await?;
        store::release(&mut tx, self.holder).await?;
        tx.commit().await
    }

    fn hold(&self, held: Held) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }
}

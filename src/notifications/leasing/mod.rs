//! Distribution of outgoing deliveries, to webhooks and the push services of browsers, over the nodes. Every node runs
//! it all the time.
//!
//! A target with something to send is leased by one node at a time, which works on it step by step for a while, and
//! releases it. If the node dies, its lease expires, and another node continues. A node works on several targets at
//! once ([`slots`]), longest waiting first.
//!
//! Idle nodes hardly poll: the node with the job (`crate::jobs`) queries for all of them, and wakes them when there is
//! something to send.

pub mod slots;
mod store;

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use broadside_rules::Time;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::AccountId;

use slots::{PER_ACCOUNT, Slot, Slots};
pub use store::{Source, condition};

/// Polling interval while some targets have something to send, or if a node can't be woken.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Polling interval otherwise, in case no node has the job that wakes the others.
const IDLE_POLL_EVERY: Duration = Duration::from_secs(10);
/// Time after finishing a target before a node looks for others waiting for its place.
const GATHER: Duration = Duration::from_millis(50);
/// Duration of a lease without renewal, in seconds. Each step renews it, and takes less than half as long.
pub const LEASE_S: u32 = 60;
/// Longest turn of a target before others get theirs; a running attempt is finished.
const MAX_TURN: Duration = Duration::from_secs(10);

/// A node's lease on a target.
#[derive(Clone)]
pub struct Lease<Id> {
    /// The webhook or the push subscription.
    pub target: Id,
    pub account: AccountId,
    pub host: String,
    /// True if its last attempt failed or was slow.
    pub suspect: bool,
    /// The id of the lease, unique to it.
    pub holder: Uuid,
}

/// The outcome of one step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Something was done, and there may be more.
    Continue,
    /// Nothing more for now: release the lease.
    Stop,
    /// The lease is released or lost to another node, or its target is deleted.
    Over,
}

/// A kind of targets, with everything that a node needs for them.
pub trait Outlet: Deref<Target = Context> + Send + Sync + Sized + 'static {
    /// The id of a target.
    type Id: From<Uuid> + Send + Sync;
    /// Their storage, and the condition for having something to send.
    const SOURCE: Source;
    /// Their name in the log.
    const WHAT: &'static str;
    /// The wake-up for all nodes when there is something to send.
    const BELL: Uuid;
    /// Most targets of one host worked on at once.
    const PER_HOST: i32;
    /// Most steps of a target before others get their turn.
    const MAX_BATCH: usize;

    /// The slots of this node; `None` if nothing is sent here.
    fn slots(&self) -> Option<&Slots>;

    /// Does the next step for a leased target.
    fn step(&self, lease: &Lease<Self::Id>) -> impl Future<Output = Result<Progress>> + Send;

    /// Releases a lease, unless it is lost.
    fn release(&self, tx: &mut Tx, lease: &Lease<Self::Id>, now: Time) -> impl Future<Output = Result<()>> + Send;
}

/// Sends until the service stops; then waits for the running attempts.
pub async fn run<O: Outlet>(outlet: Arc<O>) {
    run_paced(outlet, POLL_EVERY, IDLE_POLL_EVERY).await;
}

/// Sends with this polling interval. Polls sooner when a target is finished.
pub async fn run_every<O: Outlet>(outlet: Arc<O>, poll_every: Duration) {
    run_paced(outlet, poll_every, poll_every).await;
}

async fn run_paced<O: Outlet>(outlet: Arc<O>, busy: Duration, idle: Duration) {
    let mut bell = outlet.wakeups.subscribe(O::BELL);
    let mut working = JoinSet::new();
    while !outlet.is_stopping() {
        let found = lease_due(&outlet, &mut working).await;
        if let Err(error) = &found {
            tracing::warn!(%error, what = O::WHAT, "looking for what is due outside failed");
        }
        let is_idle = matches!(found, Ok(0)) && working.is_empty() && outlet.wakeups.are_heard();
        tokio::select! {
            () = tokio::time::sleep(if is_idle { idle } else { busy }) => {}
            () = bell.woken() => {}
            () = slots_are_free(&mut working) => {}
            () = outlet.stopped() => {}
        }
        while working.try_join_next().is_some() {}
    }
    while working.join_next().await.is_some() {}
}

/// Waits until a target is finished, and a moment longer, so that one query fills the places of many.
async fn slots_are_free(working: &mut JoinSet<()>) {
    match working.join_next().await {
        Some(_) => tokio::time::sleep(GATHER).await,
        None => std::future::pending().await,
    }
}

/// Sends everything due now, and then returns: for tests, which move the clock.
pub async fn deliver_due<O: Outlet>(outlet: &Arc<O>) -> Result<()> {
    let mut working = JoinSet::new();
    while lease_due(outlet, &mut working).await? > 0 {
        while working.join_next().await.is_some() {}
    }
    Ok(())
}

/// Leases targets with something to send, as many as there are free slots, and starts working on them. Returns their
/// number.
async fn lease_due<O: Outlet>(outlet: &Arc<O>, working: &mut JoinSet<()>) -> Result<usize> {
    let Some(slots) = outlet.slots().filter(|slots| slots.room(false) > 0) else { return Ok(0) };
    let now = outlet.clock.now();
    let request = store::LeaseRequest {
        holder: Uuid::from_bytes(outlet.random()),
        limit: slots.room(false),
        limit_suspect: slots.room(true),
        per_host: O::PER_HOST,
        per_account: PER_ACCOUNT,
        busy_hosts: &slots.hosts(),
        busy_accounts: &slots.accounts(),
        until: now.plus_s(LEASE_S),
    };
    let mut tx = outlet.db.begin().await?;
    let leases = store::lease::<O::Id>(&mut tx, &O::SOURCE, &request, now).await?;
    tx.commit().await?;
    let count = leases.len();
    for lease in leases {
        let slot = slots.take(lease.host.clone(), lease.account, lease.suspect);
        working.spawn(work(Arc::clone(outlet), lease, slot));
    }
    Ok(count)
}

/// Works on a leased target. After an error the lease expires, and a node tries again.
#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
async fn work<O: Outlet>(outlet: Arc<O>, lease: Lease<O::Id>, slot: Slot) {
    let worked = async {
        let began = Instant::now();
        for _ in 0..O::MAX_BATCH {
            match outlet.step(&lease).await? {
                Progress::Continue if !outlet.is_stopping() && began.elapsed() < MAX_TURN => {}
                Progress::Continue | Progress::Stop => break,
                Progress::Over => return Ok(()),
            }
        }
        let mut tx = outlet.db.begin().await?;
        outlet.release(&mut tx, &lease, outlet.clock.now()).await?;
        tx.commit().await
    };
    let worked: Result<()> = worked.await;
    if let Err(error) = worked {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, what = O::WHAT, "a target outside could not be worked on");
    }
    drop(slot);
}

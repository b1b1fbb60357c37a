//! Delivers news to browsers: every node does this all the time, as it does for webhooks.
//!
//! A subscription of an account with new events is leased by one node at a time. The holder goes through the events
//! that the subscription selects, leaves out what a later one replaces or what is no longer true, and sends one
//! message after the other. A failed one is tried again on the schedule of webhooks; by then it says what is true
//! then. A push service that answers 404 or 410 says that the browser wants nothing any more: the subscription is
//! deleted, and so is one that has failed for three days, or whose session is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use broadside_rules::Time;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::message::{self, Composed};
use super::{Push, Subscription, keys, store};
use crate::db::Tx;
use crate::error::Result;
use crate::events::read;
use crate::ids::{AccountId, PushSubscriptionId};
use crate::notifications::mail::event::MailLog;
use crate::notifications::webhooks::schedule;
use crate::notifications::webhooks::sender::Outcome;
use crate::notifications::webhooks::slots::{PER_ACCOUNT, Slot};
use crate::notifications::webhooks::target::Target;

/// How often a node looks for subscriptions with something to send.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// How long a lease lasts without being renewed, in seconds. Each message renews it; none takes half as long.
pub const LEASE_S: u32 = 60;
/// The most messages to a browser before others get their turn.
const MAX_BATCH: usize = 50;
/// The longest turn of a browser before others get theirs; a running attempt is finished.
const MAX_TURN: Duration = Duration::from_secs(10);
/// The most browsers of one push service that are worked on at once: there are few services, each for very many.
const PER_HOST: i32 = 16;
/// How long a subscription rests after a fault of this server, in seconds.
const OWN_FAULT_PAUSE_S: u32 = 60;

/// A node's lease of a subscription.
pub struct Lease {
    /// The subscription.
    pub subscription: PushSubscriptionId,
    /// Its account.
    pub account: AccountId,
    /// The host of the push service.
    pub host: String,
    /// Whether its last attempt failed or was slow.
    pub suspect: bool,
    /// The id of the lease; every lease has another one.
    pub holder: Uuid,
}

/// The current state of a leased subscription.
pub struct LeasedSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// Where the push service takes messages.
    pub endpoint: String,
    /// The browser's key.
    pub key: Vec<u8>,
    /// The browser's secret.
    pub secret: Vec<u8>,
    /// Failed attempts since the last success.
    pub failures: u32,
    /// The number of the last event that was sent or passed over.
    pub told: u64,
    /// Whether its session still lives.
    pub lives: bool,
}

/// How many subscriptions to lease, and for how long.
pub struct LeaseRequest<'a> {
    /// The id of the new leases.
    pub holder: Uuid,
    /// The most leases.
    pub limit: usize,
    /// The most leases of subscriptions whose last attempt failed or was slow.
    pub limit_suspect: usize,
    /// The most subscriptions of one host that are worked on at once.
    pub per_host: i32,
    /// The most subscriptions of one account that are worked on at once.
    pub per_account: i32,
    /// How many of each host are being worked on.
    pub busy_hosts: &'a [(String, i32)],
    /// How many of each account are being worked on.
    pub busy_accounts: &'a [(AccountId, i32)],
    /// When the leases expire.
    pub until: Time,
}

/// Delivers until the service stops; then waits for the running attempts.
pub async fn run(push: Arc<Push>) {
    let mut working = JoinSet::new();
    while !push.is_stopping() {
        if let Err(error) = lease_due(&push, &mut working).await {
            tracing::warn!(%error, "looking for push messages that are due failed");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_EVERY) => {}
            () = push.stopped() => {}
        }
        while working.try_join_next().is_some() {}
    }
    while working.join_next().await.is_some() {}
}

/// Delivers what is due now, and returns when nothing more is: for tests, which move the clock.
pub async fn deliver_due(push: &Arc<Push>) -> Result<()> {
    let mut working = JoinSet::new();
    while lease_due(push, &mut working).await? > 0 {
        while working.join_next().await.is_some() {}
    }
    Ok(())
}

/// Leases subscriptions with something to send, as many as there are slots for, and starts working on them. Returns how
/// many.
async fn lease_due(push: &Arc<Push>, working: &mut JoinSet<()>) -> Result<usize> {
    let slots = &push.slots;
    let (limit, limit_suspect) = (slots.room(false), slots.room(true));
    if limit == 0 || push.key.is_none() {
        return Ok(0);
    }
    let now = push.clock.now();
    let request = LeaseRequest {
        holder: Uuid::from_bytes(push.random()),
        limit,
        limit_suspect,
        per_host: PER_HOST,
        per_account: PER_ACCOUNT,
        busy_hosts: &slots.hosts(),
        busy_accounts: &slots.accounts(),
        until: now.plus_s(LEASE_S),
    };
    let mut tx = push.db.begin().await?;
    let leases = store::lease(&mut tx, &request, now).await?;
    tx.commit().await?;
    let count = leases.len();
    for lease in leases {
        let slot = slots.take(lease.host.clone(), lease.account, lease.suspect);
        working.spawn(work(Arc::clone(push), lease, slot));
    }
    Ok(count)
}

/// The outcome of one step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Something was sent or passed over; there may be more.
    Continue,
    /// There is no more for now: the lease is to be released.
    Stop,
    /// The lease is another node's by now, or the subscription is deleted.
    Gone,
}

/// Works on a leased subscription. After an error the lease expires, and a node tries again.
#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
async fn work(push: Arc<Push>, lease: Lease, slot: Slot) {
    let worked = async {
        let began = Instant::now();
        for _ in 0..MAX_BATCH {
            match step(&push, &lease).await? {
                Progress::Continue if !push.is_stopping() && began.elapsed() < MAX_TURN => {}
                Progress::Continue | Progress::Stop => break,
                Progress::Gone => return Ok(()),
            }
        }
        let (mut tx, now) = (push.db.begin().await?, push.clock.now());
        if store::lock_leased(&mut tx, &lease, now).await?.is_some() {
            store::release(&mut tx, &lease, now).await?;
        }
        tx.commit().await
    };
    let worked: Result<()> = worked.await;
    if let Err(error) = worked {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, "a push subscription could not be worked on");
    }
    drop(slot);
}

/// Passes over what need not be told, or sends one message.
async fn step(push: &Push, lease: &Lease) -> Result<Progress> {
    let now = push.clock.now();
    let mut tx = push.db.begin().await?;
    let Some(leased) = store::lock_leased(&mut tx, lease, now).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Gone);
    };
    if !leased.lives {
        return remove(tx, lease, "its session is over").await;
    }
    let next = next(&mut tx, lease, &leased, now).await?;
    let lease_ends = now.plus_s(LEASE_S);
    let (number, composed) = match next {
        Next::Nothing => {
            tx.commit().await?;
            return Ok(Progress::Stop);
        }
        Next::NotBefore(due) => {
            store::pause(&mut tx, lease, due).await?;
            tx.commit().await?;
            return Ok(Progress::Stop);
        }
        Next::PassOver(number) => {
            store::advance(&mut tx, lease, number, lease_ends).await?;
            tx.commit().await?;
            return Ok(Progress::Continue);
        }
        Next::Send(number, composed) => (number, composed),
    };
    store::renew(&mut tx, lease, lease_ends).await?;
    tx.commit().await?;
    let outcome = attempt(push, &leased, composed, now).await?;
    record(push, lease, number, &outcome).await
}

/// What is to be done for a subscription.
enum Next {
    /// There are no new events.
    Nothing,
    /// The first one isn't to be told yet.
    NotBefore(Time),
    /// The events up to this number need not be told.
    PassOver(u64),
    /// The event of this number is to be told.
    Send(u64, Composed),
}

async fn next(tx: &mut Tx, lease: &Lease, leased: &LeasedSubscription, now: Time) -> Result<Next> {
    let new = read::after(tx, lease.account, leased.told).await?;
    let Some(last) = new.last().map(|event| event.number) else { return Ok(Next::Nothing) };
    let mut wanted = Vec::new();
    for event in &new {
        let mut log = MailLog::default();
        log.take(&event.kind, event.json.text())?;
        log.events.retain(|read| leased.subscription.kinds.contains(&read.topic));
        wanted.extend(log.events.into_iter().map(|read| (event.number, read)));
    }
    let first = (0..wanted.len()).find(|index| {
        let place = message::place(&wanted[*index].1);
        !wanted.iter().skip(index + 1).any(|(_, later)| message::place(later) == place)
    });
    let Some(first) = first else { return Ok(Next::PassOver(last)) };
    let (number, event) = wanted.swap_remove(first);
    let due = message::due(&event);
    if now < due {
        return Ok(Next::NotBefore(due));
    }
    if message::is_old(&event, now) {
        return Ok(Next::PassOver(number));
    }
    let composed = message::compose(tx, lease.account, &leased.subscription, event, now).await?;
    Ok(composed.map_or(Next::PassOver(number), |composed| Next::Send(number, composed)))
}

/// Encrypts and signs a message, and makes one attempt.
async fn attempt(push: &Push, leased: &LeasedSubscription, composed: Composed, now: Time) -> Result<Outcome> {
    let Ok(target) = leased.endpoint.parse::<Target>() else { return Ok(Outcome::own_fault("the endpoint is none")) };
    let Composed { plain, topic, ttl_s, urgency } = composed;
    let body = keys::encrypt(plain, &leased.key, &leased.secret)?;
    let headers = [
        ("authorization", push.key()?.authorization(&target, push.subject.as_deref(), now)?),
        ("content-type", "application/octet-stream".to_owned()),
        ("content-encoding", "aes128gcm".to_owned()),
        ("ttl", ttl_s.to_string()),
        ("urgency", urgency.to_owned()),
        ("topic", topic),
        ("user-agent", concat!("broadside/", env!("CARGO_PKG_VERSION"), " (web push)").to_owned()),
    ];
    Ok(push.sender.post(&target, headers, body, now).await)
}

/// Stores the outcome of an attempt, unless the lease is lost.
async fn record(push: &Push, lease: &Lease, number: u64, outcome: &Outcome) -> Result<Progress> {
    let now = push.clock.now();
    let mut tx = push.db.begin().await?;
    let Some(leased) = store::lock_leased(&mut tx, lease, now).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Gone);
    };
    if outcome.fault.is_none() {
        store::advance(&mut tx, lease, number, now.plus_s(LEASE_S)).await?;
        store::record_success(&mut tx, lease, !outcome.is_quick(), now).await?;
        tx.commit().await?;
        count("delivered");
        return Ok(Progress::Continue);
    }
    if outcome.own_fault {
        // It only rests: a fault of this server must not end everybody's subscriptions.
        store::pause(&mut tx, lease, now.plus_s(OWN_FAULT_PAUSE_S)).await?;
        tx.commit().await?;
        count("put-off");
        return Ok(Progress::Stop);
    }
    if matches!(outcome.answer, Some(404 | 410)) {
        count("gone");
        return remove(tx, lease, "its push service says that it is gone").await;
    }
    let random = u64::from_be_bytes(push.random());
    let Some(again) = schedule::next_attempt(now, leased.failures + 1, outcome.retry_after_s, random) else {
        count("given-up");
        return remove(tx, lease, "it has failed for three days").await;
    };
    store::record_failure(&mut tx, lease, again).await?;
    tx.commit().await?;
    count("failed");
    Ok(Progress::Stop)
}

/// Deletes a subscription to which nothing is sent any more.
async fn remove(mut tx: Tx, lease: &Lease, why: &'static str) -> Result<Progress> {
    store::delete(&mut tx, lease.account, lease.subscription).await?;
    tx.commit().await?;
    tracing::info!(why, "a push subscription was deleted");
    Ok(Progress::Gone)
}

fn count(outcome: &'static str) {
    metrics::counter!("push_messages_total", "outcome" => outcome).increment(1);
}

//! Delivery to browsers; every node runs it all the time, as for webhooks.
//!
//! A subscription with new events is leased by one node at a time ([`leasing`]). The holder goes through the events
//! selected by the subscription, skips replaced and outdated ones, and sends one message after the other. A warning
//! doesn't wait behind waiting news: an event told before its turn is recorded, and the cursor stays. A failed message
//! is retried on the schedule of webhooks, with content current at that time. A push service's 404 or 410 means that
//! the browser has unsubscribed: the subscription is deleted, as is one that has failed for three days, or whose
//! session is over.

use broadside_rules::Time;
use uuid::Uuid;

use super::message::{self, Composed};
use super::{Push, Subscription, keys, store};
use crate::db::Tx;
use crate::error::Result;
use crate::events::read;
use crate::ids::PushSubscriptionId;
use crate::listed::readable;
use crate::notifications::leasing::slots::Slots;
use crate::notifications::leasing::{self, LEASE_S, Outlet, Progress, Source};
use crate::notifications::mail::event::{MailEvent, MailLog};
use crate::notifications::webhooks::schedule;
use crate::notifications::webhooks::sender::Outcome;
use crate::notifications::webhooks::target::Target;

/// Pause of a subscription after a fault of this server, in seconds.
const OWN_FAULT_PAUSE_S: u32 = 60;

/// SQL condition: there are events after the cursor. If those up to `seen` wait, there are others, or the wait is over.
const HAS_NEWS: &str = "c.newest > t.told AND (t.waits_until IS NULL OR t.waits_until <= $5 OR c.newest > t.seen)";

pub type Lease = leasing::Lease<PushSubscriptionId>;

/// The state of a leased subscription.
pub struct LeasedSubscription {
    pub subscription: Subscription,
    /// The push service's URL for messages.
    pub endpoint: String,
    pub key: Vec<u8>,
    pub secret: Vec<u8>,
    /// Failed attempts since the last success.
    pub failures: u32,
    /// The number of the last event sent or skipped.
    pub told: u64,
    /// The numbers of later events sent or skipped before an earlier one that waits.
    pub told_ahead: Vec<u64>,
    /// True if its session is still valid.
    pub lives: bool,
}

impl Outlet for Push {
    type Id = PushSubscriptionId;
    const SOURCE: Source = Source { table: "push_subscriptions", has_news: HAS_NEWS };
    const BELL: Uuid = crate::wakeups::bell(1);
    const WHAT: &'static str = "push subscriptions";
    // There are few push services, each for very many browsers.
    const PER_HOST: i32 = 16;
    const MAX_BATCH: usize = 50;

    fn slots(&self) -> Option<&Slots> {
        self.key.is_some().then_some(&self.slots)
    }

    async fn step(&self, lease: &Lease) -> Result<Progress> {
        step(self, lease).await
    }

    async fn release(&self, tx: &mut Tx, lease: &Lease, now: Time) -> Result<()> {
        if store::lock_leased(tx, lease, now).await?.is_some() {
            store::release(tx, lease, now).await?;
        }
        Ok(())
    }
}

/// Skips unneeded events, or sends one message.
async fn step(push: &Push, lease: &Lease) -> Result<Progress> {
    let now = push.clock.now();
    let mut tx = push.db.begin().await?;
    let Some(leased) = store::lock_leased(&mut tx, lease, now).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Over);
    };
    if !leased.lives {
        return remove(tx, lease, "its session is over").await;
    }
    let next = next(&mut tx, lease, &leased, now).await?;
    let lease_ends = now.plus_s(LEASE_S);
    let (told, composed) = match next {
        Next::Nothing => {
            tx.commit().await?;
            return Ok(Progress::Stop);
        }
        Next::NotBefore { due, seen } => {
            store::wait(&mut tx, lease, due, seen).await?;
            tx.commit().await?;
            return Ok(Progress::Stop);
        }
        Next::PassOver(told) => {
            store::note_told(&mut tx, lease, told, lease_ends).await?;
            tx.commit().await?;
            return Ok(Progress::Continue);
        }
        Next::Send(told, composed) => (told, composed),
    };
    store::renew(&mut tx, lease, lease_ends).await?;
    tx.commit().await?;
    let outcome = attempt(push, &leased, composed, now).await?;
    record(push, lease, told, &outcome).await
}

/// The next action for a subscription.
enum Next {
    /// No new events.
    Nothing,
    /// None of the events up to `seen` is to be told before this time.
    NotBefore {
        due: Time,
        seen: u64,
    },
    PassOver(Told),
    Send(Told, Composed),
}

/// The events completed by telling or skipping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// All events up to this number.
    UpTo(u64),
    /// The event of this number only; an earlier one waits.
    Ahead(u64),
}

async fn next(tx: &mut Tx, lease: &Lease, leased: &LeasedSubscription, now: Time) -> Result<Next> {
    let new = read::after(tx, lease.account, leased.told).await?;
    let Some(last) = new.last().map(|event| event.number) else { return Ok(Next::Nothing) };
    let mut wanted = Vec::new();
    for event in &new {
        let mut log = MailLog::default();
        let id = format_args!("{} of {}", event.number, lease.account);
        readable("an event can't be read; no browser is told", id, log.take(&event.kind, event.json.text()))?;
        log.events.retain(|read| leased.subscription.kinds.contains(&read.topic));
        wanted.extend(log.events.into_iter().map(|read| (event.number, read)));
    }
    let waiting = unreplaced(wanted, &leased.told_ahead);
    let Some(soonest) = waiting.iter().map(|(_, event)| message::due(event)).min() else {
        return Ok(Next::PassOver(Told::UpTo(last)));
    };
    // The first due event: behind waiting ones, if it is a warning.
    let at = waiting.iter().position(|(_, event)| message::due(event) <= now);
    let Some((at, (number, event))) = at.and_then(|at| Some((at, waiting.into_iter().nth(at)?))) else {
        return Ok(Next::NotBefore { due: soonest, seen: last });
    };
    let told = if at == 0 { Told::UpTo(number) } else { Told::Ahead(number) };
    if message::is_old(&event, now) {
        return Ok(Next::PassOver(told));
    }
    let composed = message::compose(tx, lease.account, &leased.subscription, event, now).await?;
    Ok(composed.map_or(Next::PassOver(told), |composed| Next::Send(told, composed)))
}

/// The events not replaced by later ones, without those told ahead (which still replace earlier ones).
fn unreplaced(wanted: Vec<(u64, MailEvent)>, told_ahead: &[u64]) -> Vec<(u64, MailEvent)> {
    let mut places = Vec::new();
    let mut kept: Vec<(u64, MailEvent)> = Vec::new();
    for (number, event) in wanted.into_iter().rev() {
        let place = message::place(&event);
        if places.contains(&place) {
            continue;
        }
        places.push(place);
        if !told_ahead.contains(&number) {
            kept.push((number, event));
        }
    }
    kept.reverse();
    kept
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
async fn record(push: &Push, lease: &Lease, told: Told, outcome: &Outcome) -> Result<Progress> {
    let now = push.clock.now();
    let mut tx = push.db.begin().await?;
    let Some(leased) = store::lock_leased(&mut tx, lease, now).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Over);
    };
    if outcome.fault.is_none() {
        store::note_told(&mut tx, lease, told, now.plus_s(LEASE_S)).await?;
        store::record_success(&mut tx, lease, !outcome.is_quick(), now).await?;
        tx.commit().await?;
        count("delivered");
        return Ok(Progress::Continue);
    }
    if outcome.own_fault {
        // Only a pause: a fault of this server must not end everybody's subscriptions.
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

/// Deletes a dead subscription.
async fn remove(mut tx: Tx, lease: &Lease, why: &'static str) -> Result<Progress> {
    store::delete(&mut tx, lease.account, lease.target).await?;
    tx.commit().await?;
    tracing::info!(why, "a push subscription was deleted");
    Ok(Progress::Over)
}

fn count(outcome: &'static str) {
    metrics::counter!("push_messages_total", "outcome" => outcome).increment(1);
}

//! Delivery of events to webhooks; every node runs it all the time.
//!
//! A webhook with something to send is leased by one node at a time ([`leasing`]). The holder creates a delivery for
//! each new event selected by the webhook, and sends due ones, one after the other, in the order of events. A failed
//! delivery is retried on its own schedule ([`schedule`]) and delays no later one; the webhook itself pauses for some
//! seconds, so that a dead target is not tried once for each event. The outcome is stored before the next delivery is
//! sent. When a node dies in between, another node sends the same message again, with the same `webhook-id`.

use broadside_rules::Time;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::sender::{Message, Outcome};
use super::target::Target;
use super::{Delivery, DisableReason, schedule, secret};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events::kinds::{PingEvent, WebhookDisabledEvent};
use crate::events::{self, AccountEvent, read};
use crate::ids::{AccountId, WebhookId};
use crate::listed::readable;
use crate::notifications::leasing::slots::Slots;
use crate::notifications::leasing::{self, LEASE_S, Outlet, Progress, Source};
use crate::notifications::webhooks::{Webhooks, store};

/// Pause of a webhook after a fault of this server, in seconds.
const OWN_FAULT_PAUSE_S: u32 = 60;
/// The longest pause that a target may request with 429 or 503, in seconds.
const MAX_PAUSE_S: u32 = 3600;

pub type Lease = leasing::Lease<WebhookId>;

/// The state of a leased webhook.
pub struct LeasedWebhook {
    pub url: String,
    /// The event types that it sends; empty for all.
    pub kinds: Vec<String>,
    pub active: bool,
    pub secret: Vec<u8>,
    /// The previous secret, and the time until which it signs.
    pub old_secret: Option<(Vec<u8>, Time)>,
    /// The number of the last event turned into a delivery or skipped.
    pub told: u64,
    /// Failed attempts since the last success.
    pub failures: u32,
    /// The first of these failures, if any.
    pub failing_since: Option<Time>,
}

impl Outlet for Webhooks {
    type Id = WebhookId;
    const SOURCE: Source =
        Source { table: "webhooks", has_news: "t.active AND (t.due_at <= $5 OR c.newest > t.queued_up_to)" };
    const BELL: Uuid = crate::wakeups::bell(0);
    const WHAT: &'static str = "webhooks";
    const PER_HOST: i32 = 4;
    const MAX_BATCH: usize = 100;

    fn slots(&self) -> Option<&Slots> {
        Some(&self.slots)
    }

    async fn step(&self, lease: &Lease) -> Result<Progress> {
        step(self, lease).await
    }

    async fn release(&self, tx: &mut Tx, lease: &Lease, now: Time) -> Result<()> {
        if store::webhooks::lock_leased(tx, lease).await?.is_some() {
            store::webhooks::release(tx, lease, now).await?;
        }
        Ok(())
    }
}

/// Creates deliveries for new events, and sends the first due one.
async fn step(webhooks: &Webhooks, lease: &Lease) -> Result<Progress> {
    let mut tx = webhooks.db.begin().await?;
    let Some(leased) = store::webhooks::lock_leased(&mut tx, lease).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Over);
    };
    let now = webhooks.clock.now();
    if leased.active {
        write_deliveries(&mut tx, webhooks, lease, &leased).await?;
        if let Some(delivery) = store::deliveries::next_due(&mut tx, lease.account, lease.target, now).await? {
            let body = body(&mut tx, lease.account, &delivery).await?;
            store::webhooks::renew(&mut tx, lease, now, now.plus_s(LEASE_S)).await?;
            tx.commit().await?;
            let Some(body) = body else { return forgotten(webhooks, lease, &delivery).await };
            let outcome = attempt(webhooks, lease, &leased, &delivery, &body).await?;
            return record(webhooks, lease, &delivery, &outcome).await;
        }
    }
    store::webhooks::release(&mut tx, lease, now).await?;
    tx.commit().await?;
    Ok(Progress::Over)
}

/// Creates a delivery for each new event selected by the webhook; skips the others.
async fn write_deliveries(tx: &mut Tx, ctx: &Context, lease: &Lease, leased: &LeasedWebhook) -> Result<()> {
    let new = read::after(tx, lease.account, leased.told).await?;
    let Some(last) = new.last().map(|event| event.number) else { return Ok(()) };
    let now = ctx.clock.now();
    let readable = new.into_iter().filter(|event| !event.is_unreadable());
    let wanted = readable.filter(|event| leased.kinds.is_empty() || leased.kinds.contains(&event.kind));
    let mut deliveries: Vec<Delivery> = wanted
        .map(|event| Delivery::pending(ctx.new_id(), lease.target, Some(event.number), event.kind, now))
        .collect();
    // Ids of one millisecond are not ordered, but lists must be in the order of events.
    let mut ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id).collect();
    ids.sort_unstable();
    deliveries.iter_mut().zip(ids).for_each(|(delivery, id)| delivery.id = id);
    store::deliveries::insert(tx, lease.account, &deliveries).await?;
    store::webhooks::advance(tx, lease, last).await
}

/// The message body, as Standard Webhooks defines it.
#[derive(Serialize)]
struct Body<'a, D> {
    r#type: &'a str,
    timestamp: Time,
    data: &'a D,
}

/// The time of an event, read from its JSON.
#[derive(Deserialize)]
struct EventTime {
    at: Time,
}

/// The body of a delivery, the same for each attempt; `None` if its event is deleted.
pub(super) async fn body(conn: &mut Conn, account: AccountId, delivery: &Delivery) -> Result<Option<Box<RawValue>>> {
    let Some(number) = delivery.number else {
        let data = AccountEvent::from(PingEvent::at(delivery.created_at, delivery.webhook));
        let body = Body { r#type: super::PING, timestamp: delivery.created_at, data: &data };
        return serde_json::value::to_raw_value(&body).map(Some).map_err(Error::internal);
    };
    let Some(event) = read::find(conn, account, number).await? else { return Ok(None) };
    let event_time = serde_json::from_str::<EventTime>(event.json.text()).map_err(Error::internal);
    let id = format_args!("{number} of {account}");
    let Some(event_time) = readable("an event can't be read; it is not delivered", id, event_time)? else {
        return Ok(None);
    };
    let body = Body { r#type: &event.kind, timestamp: event_time.at, data: &event.json };
    serde_json::value::to_raw_value(&body).map(Some).map_err(Error::internal)
}

/// Signs a message, and makes one attempt.
async fn attempt(
    webhooks: &Webhooks,
    lease: &Lease,
    leased: &LeasedWebhook,
    delivery: &Delivery,
    body: &RawValue,
) -> Result<Outcome> {
    let (now, key) = (webhooks.clock.now(), webhooks.sealing_key.as_ref());
    let Ok(target) = leased.url.parse::<Target>() else { return Ok(Outcome::own_fault("the url can't be read")) };
    let Some(secret) = secret::open(&leased.secret, lease.target, key) else {
        tracing::error!("the secret of a webhook can't be opened: was the sealing key changed?");
        return Ok(Outcome::own_fault("this server can't open the secret any more: make a new one"));
    };
    let (id, timestamp_s) = (delivery.message_id(), now.0.div_euclid(1000));
    let mut signatures = secret.signature(&id, timestamp_s, body.get())?;
    let old = leased.old_secret.as_ref().filter(|(_, until)| now < *until);
    if let Some(old) = old.and_then(|(stored, _)| secret::open(stored, lease.target, key)) {
        signatures = format!("{signatures} {}", old.signature(&id, timestamp_s, body.get())?);
    }
    let message = Message { id, timestamp_s, signatures, body: body.get().to_owned() };
    Ok(webhooks.sender.send(&target, message, now).await)
}

/// Gives up a delivery whose event is deleted. The target is not at fault.
async fn forgotten(ctx: &Context, lease: &Lease, delivery: &Delivery) -> Result<Progress> {
    let mut tx = ctx.db.begin().await?;
    let outcome = Outcome::fault("the event is no longer kept");
    store::deliveries::failed(&mut tx, lease, delivery, &outcome, None, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(Progress::Continue)
}

/// Stores the outcome of an attempt, unless the lease is lost.
async fn record(ctx: &Context, lease: &Lease, delivery: &Delivery, outcome: &Outcome) -> Result<Progress> {
    let mut tx = ctx.db.begin().await?;
    let Some(leased) = store::webhooks::lock_leased(&mut tx, lease).await? else {
        tx.roll_back().await?;
        return Ok(Progress::Over);
    };
    let now = ctx.clock.now();
    if outcome.fault.is_none() {
        store::deliveries::delivered(&mut tx, lease, delivery, outcome, now).await?;
        store::webhooks::record_success(&mut tx, lease, !outcome.is_quick(), now).await?;
        tx.commit().await?;
        count("delivered");
        return Ok(Progress::Continue);
    }
    if outcome.own_fault {
        // Only a pause: a lost key must not disable everybody's webhooks.
        let until = now.plus_s(OWN_FAULT_PAUSE_S);
        store::deliveries::put_off(&mut tx, lease, delivery, outcome, until).await?;
        store::webhooks::pause(&mut tx, lease, until).await?;
        tx.commit().await?;
        count("put-off");
        return Ok(Progress::Stop);
    }
    let gone = outcome.is_gone();
    let random = u64::from_be_bytes(ctx.random());
    let again = schedule::next_attempt(now, delivery.step + 1, outcome.retry_after_s, random).filter(|_| !gone);
    store::deliveries::failed(&mut tx, lease, delivery, outcome, again, now).await?;
    let since = leased.failing_since.unwrap_or(now);
    store::webhooks::record_failure(&mut tx, lease, since, pause(&leased, outcome, now)).await?;
    let given_up = now.millis_since(since) >= i64::from(schedule::DISABLE_AFTER_S) * 1000;
    // Its owner may have disabled it meanwhile.
    if leased.active && (gone || given_up) {
        switch_off(&mut tx, ctx, lease, if gone { DisableReason::Gone } else { DisableReason::Failing }).await?;
    }
    tx.commit().await?;
    count(if again.is_some() { "failed" } else { "given-up" });
    Ok(Progress::Stop)
}

fn pause(leased: &LeasedWebhook, outcome: &Outcome, now: Time) -> Time {
    let pause = schedule::pause_until(now, leased.failures + 1);
    let asked_s = outcome.retry_after_s.filter(|_| matches!(outcome.answer, Some(429 | 503)));
    pause.max(now.plus_s(asked_s.unwrap_or(0).min(MAX_PAUSE_S)))
}

/// Disables a webhook, gives up its pending deliveries, and notifies its owner.
async fn switch_off(tx: &mut Tx, ctx: &Context, lease: &Lease, reason: DisableReason) -> Result<()> {
    store::webhooks::switch_off(tx, lease.account, lease.target, Some(reason)).await?;
    store::deliveries::give_up(tx, lease.account, lease.target).await?;
    let event = WebhookDisabledEvent::at(ctx.clock.now(), lease.target, reason.into_str()).into();
    events::notify(tx, ctx, events::notification(lease.account, &[event])?).await?;
    tracing::info!(reason = reason.into_str(), "a webhook was disabled");
    Ok(())
}

fn count(outcome: &'static str) {
    metrics::counter!("webhook_deliveries_total", "outcome" => outcome).increment(1);
}

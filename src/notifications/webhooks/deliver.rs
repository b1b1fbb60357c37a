//! From the log of events to deliveries, and out: what every node does all the time.
//!
//! A webhook that has something to send is claimed by one node at a time, under a lease. Its holder writes a delivery for each new event that is asked for, and
//! sends what is due, one after the other, in the order of the events. A delivery that fails goes its own way from then on ([`schedule`]) and holds up nothing behind it; the
//! webhook itself rests for some seconds, so that a dead target is not asked once for each event. The result is written before the next is sent. A node that dies
//! in between leaves its lease to run out, and another node sends the same message again, under the same `webhook-id`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use broadside_rules::Time;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::post::{Message, Outcome};
use super::slots::{OF_A_HOST, OF_AN_ACCOUNT, Slot};
use super::target::Target;
use super::{Delivery, OffReason, schedule, secret};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events::kinds::{PingEvent, WebhookDisabledEvent};
use crate::events::{self, AccountEvent, read};
use crate::ids::{AccountId, WebhookId};
use crate::notifications::webhooks::Webhooks;
use crate::notifications::webhooks::store;

/// How often a node looks for something to send.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a claim holds without being renewed, in seconds. Each delivery renews it; none takes half as long.
pub const LEASE_S: u32 = 60;
/// How many deliveries are sent before others get their turn.
const IN_A_ROW: usize = 100;
/// How long a webhook is worked on before others get their turn; an attempt that is under way is finished.
const TURN: Duration = Duration::from_secs(10);
/// After a fault of this server a webhook rests for so many seconds.
const OURS_REST_S: u32 = 60;
/// What a target asks for with 429 or 503 is granted to the whole webhook, up to so many seconds.
const LONGEST_REST_S: u32 = 3600;

/// A webhook that a node has claimed.
#[derive(Clone)]
pub struct Claim {
    /// Whose it is.
    pub account: AccountId,
    /// The webhook.
    pub webhook: WebhookId,
    /// Its host.
    pub host: String,
    /// Whether its last attempt failed or took long.
    pub suspect: bool,
    /// Names the claim: whoever comes after it has another one.
    pub holder: Uuid,
}

/// What a claimed webhook is at this moment.
pub struct Held {
    /// Where it goes.
    pub url: String,
    /// Which events; none: all.
    pub kinds: Vec<String>,
    /// Whether it is switched on.
    pub active: bool,
    /// Its secret, as stored.
    pub secret: Vec<u8>,
    /// The secret before, and until when it signs.
    pub old_secret: Option<(Vec<u8>, Time)>,
    /// The number of the last event that was dealt with.
    pub told: u64,
    /// Failed attempts since the last one that went well.
    pub failures: u32,
    /// Since when.
    pub failing_since: Option<Time>,
}

/// What is claimed, and for how long.
pub struct Wish<'a> {
    /// Names the claims.
    pub holder: Uuid,
    /// How many at most.
    pub limit: usize,
    /// How many of them at most whose last attempt failed or took long.
    pub limit_suspect: usize,
    /// How many of a host may be worked on at once.
    pub of_a_host: i32,
    /// How many of an account.
    pub of_an_account: i32,
    /// How many of each host are at this moment.
    pub busy_hosts: &'a [(String, i32)],
    /// How many of each account.
    pub busy_accounts: &'a [(AccountId, i32)],
    /// Until when they are held.
    pub until: Time,
}

/// Delivers until the service stops. What is on its way then is still waited for.
pub async fn run(webhooks: Arc<Webhooks>) {
    let mut working = JoinSet::new();
    while !webhooks.is_stopping() {
        if let Err(error) = take_up(&webhooks, &mut working).await {
            tracing::warn!(%error, "nobody could look for webhooks that are due");
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = webhooks.stopped() => {}
        }
        while working.try_join_next().is_some() {}
    }
    while working.join_next().await.is_some() {}
}

/// Delivers what is due at this moment, and returns when nothing more is: for tests, which move the clock.
pub async fn pump(webhooks: &Arc<Webhooks>) -> Result<()> {
    let mut working = JoinSet::new();
    while take_up(webhooks, &mut working).await? > 0 {
        while working.join_next().await.is_some() {}
    }
    Ok(())
}

/// Claims webhooks that have something to send, as many as there are slots for. Returns how many.
async fn take_up(webhooks: &Arc<Webhooks>, working: &mut JoinSet<()>) -> Result<usize> {
    let slots = &webhooks.slots;
    let (limit, limit_suspect) = (slots.room(false), slots.room(true));
    if limit == 0 {
        return Ok(0);
    }
    let now = webhooks.clock.now();
    let wish = Wish {
        holder: Uuid::from_bytes(webhooks.random()),
        limit,
        limit_suspect,
        of_a_host: OF_A_HOST,
        of_an_account: OF_AN_ACCOUNT,
        busy_hosts: &slots.hosts(),
        busy_accounts: &slots.accounts(),
        until: now.plus_s(LEASE_S),
    };
    let mut tx = webhooks.db.begin().await?;
    let claims = store::webhooks::claim(&mut tx, &wish, now).await?;
    tx.commit().await?;
    let count = claims.len();
    for claim in claims {
        let slot = slots.enter(&claim);
        working.spawn(work(Arc::clone(webhooks), claim, slot));
    }
    Ok(count)
}

/// What came of one step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Something was dealt with; there may be more.
    GoOn,
    /// There is no more, or it rests: it is to be given back.
    Stop,
    /// It was given back, or it is another's by now.
    Left,
}

/// Works on a claimed webhook. An error leaves it claimed: the lease runs out, and somebody tries again.
async fn work(webhooks: Arc<Webhooks>, claim: Claim, slot: Slot) {
    let worked = async {
        let began = Instant::now();
        for _ in 0..IN_A_ROW {
            match step(&webhooks, &claim).await? {
                Step::GoOn if !webhooks.is_stopping() && began.elapsed() < TURN => {}
                Step::GoOn | Step::Stop => break,
                Step::Left => return Ok(()),
            }
        }
        let mut tx = webhooks.db.begin().await?;
        if store::webhooks::held(&mut tx, &claim).await?.is_some() {
            store::webhooks::release(&mut tx, &claim, webhooks.clock.now()).await?;
        }
        tx.commit().await
    };
    let worked: Result<()> = worked.await;
    if let Err(error) = worked {
        tracing::warn!(%error, cause = error.cause().map(tracing::field::display), "a webhook could not be worked on");
    }
    drop(slot);
}

/// Writes deliveries for new events, and sends the first that is due.
async fn step(webhooks: &Webhooks, claim: &Claim) -> Result<Step> {
    let mut tx = webhooks.db.begin().await?;
    let Some(held) = store::webhooks::held(&mut tx, claim).await? else {
        tx.roll_back().await?;
        return Ok(Step::Left);
    };
    let now = webhooks.clock.now();
    if held.active {
        write_deliveries(&mut tx, webhooks, claim, &held).await?;
        if let Some(delivery) = store::deliveries::next_due(&mut tx, claim.account, claim.webhook, now).await? {
            let body = body(&mut tx, claim.account, &delivery).await?;
            store::webhooks::renew(&mut tx, claim, now, now.plus_s(LEASE_S)).await?;
            tx.commit().await?;
            let Some(body) = body else { return forgotten(webhooks, claim, &delivery).await };
            let outcome = attempt(webhooks, claim, &held, &delivery, &body).await?;
            return record(webhooks, claim, &delivery, &outcome).await;
        }
    }
    store::webhooks::release(&mut tx, claim, now).await?;
    tx.commit().await?;
    Ok(Step::Left)
}

/// A delivery for each new event that is asked for; the others are passed over.
async fn write_deliveries(tx: &mut Tx, ctx: &Context, claim: &Claim, held: &Held) -> Result<()> {
    let new = read::behind(tx, claim.account, held.told).await?;
    let Some(last) = new.last().map(|item| item.number) else { return Ok(()) };
    let now = ctx.clock.now();
    let wanted = new.into_iter().filter(|item| held.kinds.is_empty() || held.kinds.contains(&item.kind));
    let mut deliveries: Vec<Delivery> =
        wanted.map(|item| Delivery::pending(ctx.new_id(), claim.webhook, Some(item.number), item.kind, now)).collect();
    // Ids of one millisecond have no order of their own; lists shall have that of the events.
    let mut ids: Vec<_> = deliveries.iter().map(|delivery| delivery.id).collect();
    ids.sort_unstable();
    deliveries.iter_mut().zip(ids).for_each(|(delivery, id)| delivery.id = id);
    store::deliveries::insert(tx, claim.account, &deliveries).await?;
    store::webhooks::advance(tx, claim, last).await
}

/// What is sent (Standard Webhooks' form).
#[derive(Serialize)]
struct Body<'a, D> {
    r#type: &'a str,
    timestamp: Time,
    data: &'a D,
}

/// When an event happened.
#[derive(Deserialize)]
struct Happened {
    at: Time,
}

/// The body of a delivery, the same at each attempt; `None`: its event is no longer kept.
pub(super) async fn body(conn: &mut Conn, account: AccountId, delivery: &Delivery) -> Result<Option<Box<RawValue>>> {
    let Some(number) = delivery.number else {
        let data = AccountEvent::from(PingEvent::at(delivery.created_at, delivery.webhook));
        let body = Body { r#type: super::PING, timestamp: delivery.created_at, data: &data };
        return serde_json::value::to_raw_value(&body).map(Some).map_err(Error::internal);
    };
    let Some(item) = read::one(conn, account, number).await? else { return Ok(None) };
    let happened: Happened = serde_json::from_str(item.heard.text()).map_err(Error::internal)?;
    let body = Body { r#type: &item.kind, timestamp: happened.at, data: &item.heard };
    serde_json::value::to_raw_value(&body).map(Some).map_err(Error::internal)
}

/// Signs a message and makes one attempt.
async fn attempt(
    webhooks: &Webhooks,
    claim: &Claim,
    held: &Held,
    delivery: &Delivery,
    body: &RawValue,
) -> Result<Outcome> {
    let (now, key) = (webhooks.clock.now(), webhooks.sealing_key.as_ref());
    let Ok(target) = held.url.parse::<Target>() else { return Ok(Outcome::ours("the url can't be read")) };
    let Some(secret) = secret::open(&held.secret, claim.webhook, key) else {
        tracing::error!("the secret of a webhook can't be opened: was the sealing key changed?");
        return Ok(Outcome::ours("this server can't open the secret any more: make a new one"));
    };
    let (id, timestamp_s) = (delivery.message_id(), now.0.div_euclid(1000));
    let mut signatures = secret.signature(&id, timestamp_s, body.get())?;
    let old = held.old_secret.as_ref().filter(|(_, until)| now < *until);
    if let Some(old) = old.and_then(|(stored, _)| secret::open(stored, claim.webhook, key)) {
        signatures = format!("{signatures} {}", old.signature(&id, timestamp_s, body.get())?);
    }
    let message = Message { id, timestamp_s, signatures, body: body.get().to_owned() };
    Ok(webhooks.sender.send(&target, message, now).await)
}

/// A delivery whose event is no longer there can't be sent; the target has no part in it.
async fn forgotten(ctx: &Context, claim: &Claim, delivery: &Delivery) -> Result<Step> {
    let mut tx = ctx.db.begin().await?;
    let outcome = Outcome::fault("the event is no longer kept");
    store::deliveries::failed(&mut tx, claim, delivery, &outcome, None, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(Step::GoOn)
}

/// Writes down what came of an attempt, unless the claim has been lost meanwhile.
async fn record(ctx: &Context, claim: &Claim, delivery: &Delivery, outcome: &Outcome) -> Result<Step> {
    let mut tx = ctx.db.begin().await?;
    let Some(held) = store::webhooks::held(&mut tx, claim).await? else {
        tx.roll_back().await?;
        return Ok(Step::Left);
    };
    let now = ctx.clock.now();
    if outcome.fault.is_none() {
        store::deliveries::delivered(&mut tx, claim, delivery, outcome, now).await?;
        store::webhooks::went_well(&mut tx, claim, !outcome.is_quick(), now).await?;
        tx.commit().await?;
        count("delivered");
        return Ok(Step::GoOn);
    }
    if outcome.ours {
        // It rests, and no more: else a lost key would switch everybody's webhooks off.
        let until = now.plus_s(OURS_REST_S);
        store::deliveries::put_off(&mut tx, claim, delivery, outcome, until).await?;
        store::webhooks::rests(&mut tx, claim, until).await?;
        tx.commit().await?;
        count("put-off");
        return Ok(Step::Stop);
    }
    let gone = outcome.is_gone();
    let random = u64::from_be_bytes(ctx.random());
    let again = schedule::next(now, delivery.step + 1, outcome.retry_after_s, random).filter(|_| !gone);
    store::deliveries::failed(&mut tx, claim, delivery, outcome, again, now).await?;
    let since = held.failing_since.unwrap_or(now);
    store::webhooks::went_wrong(&mut tx, claim, since, rest(&held, outcome, now)).await?;
    let given_up = now.millis_since(since) >= i64::from(schedule::GIVEN_UP_AFTER_S) * 1000;
    // Somebody may have switched it off while this was on its way.
    if held.active && (gone || given_up) {
        switch_off(&mut tx, ctx, claim, if gone { OffReason::Gone } else { OffReason::Failing }).await?;
    }
    tx.commit().await?;
    count(if again.is_some() { "failed" } else { "given-up" });
    Ok(Step::Stop)
}

fn rest(held: &Held, outcome: &Outcome, now: Time) -> Time {
    let rest = schedule::rest(now, held.failures + 1);
    let asked_s = outcome.retry_after_s.filter(|_| matches!(outcome.answer, Some(429 | 503)));
    rest.max(now.plus_s(asked_s.unwrap_or(0).min(LONGEST_REST_S)))
}

/// Switches a webhook off, gives up what was pending, and lets its owner hear of it.
async fn switch_off(tx: &mut Tx, ctx: &Context, claim: &Claim, reason: OffReason) -> Result<()> {
    store::webhooks::switch_off(tx, claim.account, claim.webhook, Some(reason)).await?;
    store::deliveries::give_up(tx, claim.account, claim.webhook).await?;
    let event = WebhookDisabledEvent::at(ctx.clock.now(), claim.webhook, reason.name()).into();
    events::tell(tx, ctx, events::told(claim.account, &[event])?).await?;
    tracing::info!(reason = reason.name(), "a webhook was switched off");
    Ok(())
}

fn count(outcome: &'static str) {
    metrics::counter!("webhook_deliveries_total", "outcome" => outcome).increment(1);
}

//! Owners' management of webhooks: create, change, disable and enable, test, inspect, delete. Every function takes the
//! account, so that another's webhooks can't be reached. [`super::deliver`] sends them.

use super::secret::{self, Secret};
use super::target::Target;
use super::{
    Delivery, EventKind, MANUAL_PER_HOUR, OLD_SECRET_VALID_S, PING, RETENTION_S, Webhook, WebhookWithSecret, deliver,
};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, WebhookDeliveryId, WebhookId};
use crate::notifications::webhooks::{Webhooks, store};
use crate::quotas::Quota;
use crate::{accounts, events, quotas};

/// Changes to a webhook; `None` leaves a field unchanged.
#[derive(Default)]
pub struct Change {
    pub target: Option<Target>,
    /// Empty for all types.
    pub kinds: Option<Vec<EventKind>>,
    pub active: Option<bool>,
}

/// Creates a webhook, which sends events from now on. Fails with `quota-exceeded`, and with `validation-failed` if this
/// server doesn't send to `target`.
pub async fn create(
    tx: &mut Tx,
    webhooks: &Webhooks,
    who: AccountId,
    target: &Target,
    kinds: &[EventKind],
) -> Result<WebhookWithSecret> {
    check_target(webhooks, target)?;
    // The account's row is locked, so that two simultaneous requests can't both take the last place.
    accounts::store::accounts::lock_exclusively(tx, who).await?;
    if !accounts::store::accounts::lock_shared(tx, who).await? {
        return Err(Error::plain(&problem::TOKEN_UNKNOWN));
    }
    quotas::check(tx, who, webhooks.clock.now(), &[Quota::Webhooks]).await?;
    let newest = events::store::range(tx, who).await?.newest;
    let webhook = Webhook {
        id: webhooks.new_id(),
        url: target.as_str().to_owned(),
        kinds: names(kinds),
        active: true,
        off_reason: None,
        failing_since: None,
        delivered_at: None,
        old_secret_until: None,
        created_at: webhooks.clock.now(),
    };
    let (secret, sealed) = new_secret(webhooks, webhook.id)?;
    store::webhooks::insert(tx, who, &webhook, target.host(), &sealed, newest).await?;
    Ok(WebhookWithSecret { secret: secret.text(), webhook })
}

fn check_target(webhooks: &Webhooks, target: &Target) -> Result<()> {
    match target.refused(webhooks.sender.policy()) {
        Some(why) => Err(Error::invalid_at("/url", "invalid-value", why)),
        None => Ok(()),
    }
}

fn names(kinds: &[EventKind]) -> Vec<String> {
    let mut names: Vec<String> = kinds.iter().map(|kind| kind.0.to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn new_secret(webhooks: &Webhooks, id: WebhookId) -> Result<(Secret, Vec<u8>)> {
    let secret = Secret::of(webhooks.random());
    let sealed = secret::seal(&secret, id, webhooks.sealing_key.as_ref(), webhooks.random())?;
    Ok((secret, sealed))
}

/// A page of the account's webhooks, newest first.
pub async fn list(conn: &mut Conn, who: AccountId, before: Option<WebhookId>, limit: i64) -> Result<Vec<Webhook>> {
    store::webhooks::page(conn, who, before, limit).await
}

/// One of the account's webhooks; fails with `not-found` for another account's.
pub async fn find(conn: &mut Conn, who: AccountId, id: WebhookId) -> Result<Webhook> {
    store::webhooks::find(conn, who, id).await?.ok_or_else(Error::not_found)
}

/// Changes a webhook. An enabled webhook continues after the newest event; a disabled one gives up its pending
/// deliveries.
pub async fn change(webhooks: &Webhooks, who: AccountId, id: WebhookId, change: Change) -> Result<Webhook> {
    if let Some(target) = &change.target {
        check_target(webhooks, target)?;
    }
    let mut tx = webhooks.db.begin().await?;
    let before = locked(&mut tx, who, id).await?;
    if let Some(target) = &change.target {
        store::webhooks::set_url(&mut tx, who, id, target.as_str(), target.host()).await?;
    }
    if let Some(kinds) = &change.kinds {
        store::webhooks::set_kinds(&mut tx, who, id, &names(kinds)).await?;
    }
    match change.active {
        Some(true) if !before.active => {
            let newest = events::store::range(&mut tx, who).await?.newest;
            store::webhooks::switch_on(&mut tx, who, id, newest).await?;
        }
        Some(false) if before.active => {
            store::webhooks::switch_off(&mut tx, who, id, None).await?;
            store::deliveries::give_up(&mut tx, who, id).await?;
        }
        _ => {}
    }
    let webhook = find(&mut tx, who, id).await?;
    tx.commit().await?;
    Ok(webhook)
}

/// The webhook, locked until the transaction ends.
async fn locked(tx: &mut Tx, who: AccountId, id: WebhookId) -> Result<Webhook> {
    if !store::webhooks::lock(tx, who, id).await? {
        return Err(Error::not_found());
    }
    find(tx, who, id).await
}

/// Deletes a webhook and its deliveries. A running attempt may still arrive.
pub async fn remove(ctx: &Context, who: AccountId, id: WebhookId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::webhooks::delete(&mut tx, who, id).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    store::deliveries::delete(&mut tx, who, id).await?;
    tx.commit().await
}

/// Gives a webhook a new secret. The previous one also signs for a day; an older one no longer does.
pub async fn rotate(tx: &mut Tx, webhooks: &Webhooks, who: AccountId, id: WebhookId) -> Result<WebhookWithSecret> {
    locked(tx, who, id).await?;
    let (secret, sealed) = new_secret(webhooks, id)?;
    store::webhooks::rotate(tx, who, id, &sealed, webhooks.clock.now().plus_s(OLD_SECRET_VALID_S)).await?;
    Ok(WebhookWithSecret { secret: secret.text(), webhook: find(tx, who, id).await? })
}

/// Creates a ping delivery, due immediately.
pub async fn send_ping(tx: &mut Tx, ctx: &Context, who: AccountId, id: WebhookId) -> Result<Delivery> {
    lock_for_manual_delivery(tx, ctx, who, id).await?;
    let now = ctx.clock.now();
    let ping = Delivery::pending(ctx.new_id(), id, None, PING.to_owned(), now);
    store::deliveries::insert(tx, who, std::slice::from_ref(&ping)).await?;
    store::webhooks::wake(tx, who, id, now).await?;
    Ok(ping)
}

/// Makes a delivery due again immediately, whatever its status.
pub async fn redeliver(
    tx: &mut Tx,
    ctx: &Context,
    who: AccountId,
    id: WebhookId,
    delivery: WebhookDeliveryId,
) -> Result<Delivery> {
    lock_for_manual_delivery(tx, ctx, who, id).await?;
    let now = ctx.clock.now();
    if !store::deliveries::again(tx, who, id, delivery, now).await? {
        return Err(Error::not_found());
    }
    store::webhooks::wake(tx, who, id, now).await?;
    find_delivery(tx, who, id, delivery).await
}

/// Locks the webhook, and counts manual deliveries, so that this server can't be used to flood a target.
async fn lock_for_manual_delivery(tx: &mut Tx, ctx: &Context, who: AccountId, id: WebhookId) -> Result<()> {
    let webhook = locked(tx, who, id).await?;
    if !webhook.active {
        return Err(Error::new(&problem::WEBHOOK_OFF, "The webhook is switched off. Switch it on first."));
    }
    let now = ctx.clock.now();
    match store::webhooks::count_manual_delivery(tx, who, id, now, MANUAL_PER_HOUR).await? {
        None => Ok(()),
        Some(since) => {
            let left_ms = u64::try_from(3_600_000 - now.millis_since(since)).unwrap_or(0);
            Err(Error::too_many(left_ms.div_ceil(1000)))
        }
    }
}

/// A page of a webhook's deliveries, newest first.
pub async fn deliveries(
    conn: &mut Conn,
    who: AccountId,
    id: WebhookId,
    before: Option<WebhookDeliveryId>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    find(conn, who, id).await?;
    store::deliveries::page(conn, who, id, before, limit).await
}

/// A delivery of one of the account's webhooks.
pub async fn find_delivery(
    conn: &mut Conn,
    who: AccountId,
    id: WebhookId,
    delivery: WebhookDeliveryId,
) -> Result<Delivery> {
    store::deliveries::find(conn, who, id, delivery).await?.ok_or_else(Error::not_found)
}

/// The body as sent; `None` if its event is deleted.
pub async fn message(
    conn: &mut Conn,
    who: AccountId,
    delivery: &Delivery,
) -> Result<Option<Box<serde_json::value::RawValue>>> {
    deliver::body(conn, who, delivery).await
}

/// An account's webhooks, without their secrets, and its deliveries, for its own export.
pub async fn export(conn: &mut Conn, who: AccountId) -> Result<(Vec<Webhook>, Vec<Delivery>)> {
    let webhooks = store::webhooks::page(conn, who, None, Quota::Webhooks.most()).await?;
    Ok((webhooks, store::deliveries::all(conn, who).await?))
}

/// Deletes the webhooks of an account that is being deleted.
pub async fn forget_account(tx: &mut Tx, who: AccountId) -> Result<()> {
    store::webhooks::forget_account(tx, who).await?;
    store::deliveries::forget_account(tx, who).await
}

/// Deletes deliveries older than 30 days.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::deliveries::forget_before(&mut tx, then).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_kept_once_each() {
        assert_eq!(names(&[EventKind("report"), EventKind("your-turn"), EventKind("report")]), ["report", "your-turn"]);
    }
}

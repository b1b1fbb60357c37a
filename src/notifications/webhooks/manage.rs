//! What an owner does with his webhooks: made, changed, switched off and on, tried, looked at, deleted. Every function names the account, so that nobody reaches
//! another's. What the service does with them is in [`super::deliver`].

use super::secret::{self, Secret};
use super::target::Target;
use super::{BY_HAND_AN_HOUR, Delivery, EventKind, KEPT_S, MOST, Made, OVERLAP_S, PING, Webhook, deliver};
use crate::accounts;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::ids::{AccountId, DeliveryId, WebhookId};
use crate::notifications::webhooks::Webhooks;
use crate::notifications::webhooks::store;

/// What to change of a webhook; what is left out stays.
#[derive(Default)]
pub struct Change {
    /// Where it shall go.
    pub target: Option<Target>,
    /// Which events; none: all.
    pub kinds: Option<Vec<EventKind>>,
    /// Whether it shall be on.
    pub active: Option<bool>,
}

/// Makes a webhook, which tells of what happens from now on. Fails with `too-many-open` when the account has [`MOST`] of them, and with `invalid-request`
/// when this server doesn't send to `target`.
pub async fn make(
    tx: &mut Tx,
    webhooks: &Webhooks,
    who: AccountId,
    target: &Target,
    kinds: &[EventKind],
) -> Result<Made> {
    admit(webhooks, target)?;
    // The account's row is locked, so that two requests at once can't both take the last place.
    accounts::store::accounts::lock_exclusively(tx, who).await?;
    if !accounts::store::accounts::lock_shared(tx, who).await? {
        return Err(Error::plain(&problem::TOKEN_REFUSED));
    }
    if store::webhooks::count(tx, who).await? >= MOST {
        let detail = format!("An account may have {MOST} webhooks; delete one first.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let newest = events::store::bounds(tx, who).await?.newest;
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
    Ok(Made { secret: secret.text(), webhook })
}

fn admit(webhooks: &Webhooks, target: &Target) -> Result<()> {
    match target.refused(webhooks.sender.gate()) {
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

/// A page of the account's webhooks, the newest first.
pub async fn list(conn: &mut Conn, who: AccountId, before: Option<WebhookId>, limit: i64) -> Result<Vec<Webhook>> {
    store::webhooks::page(conn, who, before, limit).await
}

/// One of the account's webhooks. Somebody else's is not found.
pub async fn find(conn: &mut Conn, who: AccountId, id: WebhookId) -> Result<Webhook> {
    store::webhooks::find(conn, who, id).await?.ok_or_else(Error::not_found)
}

/// Changes a webhook. One that is switched on again goes on from the newest event; one that is switched off gives up what was pending.
pub async fn change(webhooks: &Webhooks, who: AccountId, id: WebhookId, change: Change) -> Result<Webhook> {
    if let Some(target) = &change.target {
        admit(webhooks, target)?;
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
            let newest = events::store::bounds(&mut tx, who).await?.newest;
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

/// The webhook, locked for the rest of the transaction.
async fn locked(tx: &mut Tx, who: AccountId, id: WebhookId) -> Result<Webhook> {
    if !store::webhooks::lock(tx, who, id).await? {
        return Err(Error::not_found());
    }
    find(tx, who, id).await
}

/// Deletes a webhook, and what there was of its deliveries. What is on its way at this moment may still arrive.
pub async fn remove(ctx: &Context, who: AccountId, id: WebhookId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    if !store::webhooks::delete(&mut tx, who, id).await? {
        tx.roll_back().await?;
        return Err(Error::not_found());
    }
    store::deliveries::delete(&mut tx, who, id).await?;
    tx.commit().await
}

/// Gives a webhook a new secret. The one before signs beside it for a day; the one before that no longer does.
pub async fn rotate(tx: &mut Tx, webhooks: &Webhooks, who: AccountId, id: WebhookId) -> Result<Made> {
    locked(tx, who, id).await?;
    let (secret, sealed) = new_secret(webhooks, id)?;
    store::webhooks::rotate(tx, who, id, &sealed, webhooks.clock.now().plus_s(OVERLAP_S)).await?;
    Ok(Made { secret: secret.text(), webhook: find(tx, who, id).await? })
}

/// Sends a ping, as soon as may be.
pub async fn try_out(tx: &mut Tx, ctx: &Context, who: AccountId, id: WebhookId) -> Result<Delivery> {
    by_hand(tx, ctx, who, id).await?;
    let now = ctx.clock.now();
    let ping = Delivery::pending(ctx.new_id(), id, None, PING.to_owned(), now);
    store::deliveries::insert(tx, who, std::slice::from_ref(&ping)).await?;
    store::webhooks::wake(tx, who, id, now).await?;
    Ok(ping)
}

/// Sends a delivery once more, as soon as may be, whatever became of it.
pub async fn redeliver(
    tx: &mut Tx,
    ctx: &Context,
    who: AccountId,
    id: WebhookId,
    delivery: DeliveryId,
) -> Result<Delivery> {
    by_hand(tx, ctx, who, id).await?;
    let now = ctx.clock.now();
    if !store::deliveries::again(tx, who, id, delivery, now).await? {
        return Err(Error::not_found());
    }
    store::webhooks::wake(tx, who, id, now).await?;
    find_delivery(tx, who, id, delivery).await
}

/// Locks the webhook, and counts what is asked for by hand: nobody shall be bothered through this server.
async fn by_hand(tx: &mut Tx, ctx: &Context, who: AccountId, id: WebhookId) -> Result<()> {
    let webhook = locked(tx, who, id).await?;
    if !webhook.active {
        return Err(Error::new(&problem::WEBHOOK_OFF, "The webhook is switched off. Switch it on first."));
    }
    let now = ctx.clock.now();
    match store::webhooks::ask(tx, who, id, now, BY_HAND_AN_HOUR).await? {
        None => Ok(()),
        Some(since) => {
            let left_ms = u64::try_from(3_600_000 - now.millis_since(since)).unwrap_or(0);
            Err(Error::too_many(left_ms.div_ceil(1000)))
        }
    }
}

/// A page of a webhook's deliveries, the newest first.
pub async fn deliveries(
    conn: &mut Conn,
    who: AccountId,
    id: WebhookId,
    before: Option<DeliveryId>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    find(conn, who, id).await?;
    store::deliveries::page(conn, who, id, before, limit).await
}

/// A delivery of one of the account's webhooks.
pub async fn find_delivery(conn: &mut Conn, who: AccountId, id: WebhookId, delivery: DeliveryId) -> Result<Delivery> {
    store::deliveries::find(conn, who, id, delivery).await?.ok_or_else(Error::not_found)
}

/// What is sent: the body, byte by byte; `None`: its event is no longer kept.
pub async fn message(
    conn: &mut Conn,
    who: AccountId,
    delivery: &Delivery,
) -> Result<Option<Box<serde_json::value::RawValue>>> {
    deliver::body(conn, who, delivery).await
}

/// All that is stored of an account's webhooks, but for their secrets, for its own export.
pub async fn export(conn: &mut Conn, who: AccountId) -> Result<(Vec<Webhook>, Vec<Delivery>)> {
    let webhooks = store::webhooks::page(conn, who, None, MOST).await?;
    Ok((webhooks, store::deliveries::all(conn, who).await?))
}

/// Forgets an account's webhooks, since it is being deleted.
pub async fn forget_account(tx: &mut Tx, who: AccountId) -> Result<()> {
    store::webhooks::forget_account(tx, who).await?;
    store::deliveries::forget_account(tx, who).await
}

/// Forgets deliveries that are older than 30 days.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(KEPT_S) * 1000);
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

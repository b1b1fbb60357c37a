//! SQL of webhooks and their leases. Each function for an owner's request takes the account, so that another's webhook
//! can't be found. Each function for a delivering node takes its lease, so that nothing is written under a lost one.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{webhook_deliveries, webhooks};
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, WebhookId};
use crate::notifications::webhooks::deliver::{Lease, LeasedWebhook};
use crate::notifications::webhooks::{DisableReason, Webhook};

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    url: String,
    kinds: Vec<String>,
    active: bool,
    disabled_reason: Option<String>,
    failing_since: Option<At>,
    delivered_at: Option<At>,
    old_secret_until: Option<At>,
    created_at: At,
}

impl From<Row> for Webhook {
    fn from(row: Row) -> Self {
        Webhook {
            id: WebhookId(row.id),
            url: row.url,
            kinds: row.kinds,
            active: row.active,
            off_reason: row.disabled_reason,
            failing_since: row.failing_since.map(Time::from),
            delivered_at: row.delivered_at.map(Time::from),
            old_secret_until: row.old_secret_until.map(Time::from),
            created_at: row.created_at.0,
        }
    }
}

/// Stores a new webhook with its cursor at the event `told`.
pub async fn insert(
    tx: &mut Tx,
    account: AccountId,
    webhook: &Webhook,
    host: &str,
    secret: &[u8],
    told: u64,
) -> Result<()> {
    diesel::insert_into(webhooks::table)
        .values((
            webhooks::account_id.eq(account.0),
            webhooks::id.eq(webhook.id.0),
            webhooks::url.eq(&webhook.url),
            webhooks::host.eq(host),
            webhooks::kinds.eq(&webhook.kinds),
            webhooks::secret.eq(secret),
            webhooks::active.eq(webhook.active),
            webhooks::queued_up_to.eq(i64::try_from(told).map_err(Error::internal)?),
            webhooks::claimed_until.eq(At(webhook.created_at)),
            webhooks::created_at.eq(At(webhook.created_at)),
        ))
        .run(tx)
        .await
}

/// A page of the account's webhooks, newest first.
pub async fn page(conn: &mut Conn, account: AccountId, before: Option<WebhookId>, limit: i64) -> Result<Vec<Webhook>> {
    let mut query = webhooks::table.filter(webhooks::account_id.eq(account.0)).select(Row::as_select()).into_boxed();
    if let Some(before) = before {
        query = query.filter(webhooks::id.lt(before.0));
    }
    let rows = query.order(webhooks::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Webhook::from).collect())
}

pub async fn find(conn: &mut Conn, account: AccountId, id: WebhookId) -> Result<Option<Webhook>> {
    let own = webhooks::table.find((account.0, id.0)).select(Row::as_select());
    Ok(own.first(conn.sql()).await.optional()?.map(Webhook::from))
}

/// Locks a webhook of the account until the transaction ends. Returns false if there is no such webhook.
pub async fn lock(tx: &mut Tx, account: AccountId, id: WebhookId) -> Result<bool> {
    let own = webhooks::table.find((account.0, id.0)).select(webhooks::id).for_update();
    Ok(own.first::<Uuid>(tx.sql()).await.optional()?.is_some())
}

/// Changes the URL, and resets the failures, but not `suspect`: a slow target must not escape its slots by a change of
/// its URL.
pub async fn set_url(tx: &mut Tx, account: AccountId, id: WebhookId, url: &str, host: &str) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0)))
        .set((
            webhooks::url.eq(url),
            webhooks::host.eq(host),
            webhooks::failures.eq(0),
            webhooks::failing_since.eq(None::<At>),
            webhooks::paused_until.eq(None::<At>),
        ))
        .run(tx)
        .await
}

/// Changes the event types.
pub async fn set_kinds(tx: &mut Tx, account: AccountId, id: WebhookId, kinds: &[String]) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0))).set(webhooks::kinds.eq(kinds)).run(tx).await
}

/// Enables it for events after `told`.
pub async fn switch_on(tx: &mut Tx, account: AccountId, id: WebhookId, told: u64) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0)))
        .set((
            webhooks::active.eq(true),
            webhooks::disabled_reason.eq(None::<String>),
            webhooks::queued_up_to.eq(i64::try_from(told).map_err(Error::internal)?),
            webhooks::failures.eq(0),
            webhooks::failing_since.eq(None::<At>),
            webhooks::paused_until.eq(None::<At>),
        ))
        .run(tx)
        .await
}

/// Disables it; without a reason, by its owner.
pub async fn switch_off(tx: &mut Tx, account: AccountId, id: WebhookId, reason: Option<DisableReason>) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0)))
        .set((
            webhooks::active.eq(false),
            webhooks::disabled_reason.eq(reason.map(|reason| reason.into_str())),
            webhooks::due_at.eq(None::<At>),
        ))
        .run(tx)
        .await
}

/// Changes the secret; the previous one also signs until then.
pub async fn rotate(tx: &mut Tx, account: AccountId, id: WebhookId, secret: &[u8], until: Time) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0)))
        .set((
            webhooks::old_secret.eq(webhooks::secret.nullable()),
            webhooks::old_secret_until.eq(At(until)),
            webhooks::secret.eq(secret),
        ))
        .run(tx)
        .await
}

/// Counts a manual delivery. If there were `most` of them in this hour, it isn't counted, and the beginning of the hour
/// is returned.
pub async fn count_manual_delivery(
    tx: &mut Tx,
    account: AccountId,
    id: WebhookId,
    now: Time,
    most: i32,
) -> Result<Option<Time>> {
    let own = webhooks::table.find((account.0, id.0));
    let (asked, since): (i32, Option<At>) =
        own.select((webhooks::manual_deliveries, webhooks::manual_deliveries_since)).first(tx.sql()).await?;
    let (asked, since) = match since {
        Some(At(since)) if now.millis_since(since) < 3_600_000 => (asked, since),
        _ => (0, now),
    };
    if asked >= most {
        return Ok(Some(since));
    }
    diesel::update(own)
        .set((webhooks::manual_deliveries.eq(asked + 1), webhooks::manual_deliveries_since.eq(At(since))))
        .run(tx)
        .await?;
    Ok(None)
}

/// Makes the webhook due now, and ends its pause.
pub async fn wake(tx: &mut Tx, account: AccountId, id: WebhookId, now: Time) -> Result<()> {
    diesel::update(webhooks::table.find((account.0, id.0)))
        .set((webhooks::due_at.eq(At(now)), webhooks::paused_until.eq(None::<At>)))
        .run(tx)
        .await
}

/// Deletes a webhook. Returns false if the account has no such webhook.
pub async fn delete(tx: &mut Tx, account: AccountId, id: WebhookId) -> Result<bool> {
    let deleted = diesel::delete(webhooks::table.find((account.0, id.0)));
    Ok(deleted.execute(tx.sql()).await? == 1)
}

pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(webhooks::table.filter(webhooks::account_id.eq(account.0))).run(tx).await
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks, check_for_backend(diesel::pg::Pg))]
struct LeasedRow {
    url: String,
    kinds: Vec<String>,
    active: bool,
    secret: Vec<u8>,
    old_secret: Option<Vec<u8>>,
    old_secret_until: Option<At>,
    queued_up_to: i64,
    failures: i32,
    failing_since: Option<At>,
}

/// The state of a leased webhook, locked until the transaction ends; `None` if the lease is lost.
pub async fn lock_leased(tx: &mut Tx, lease: &Lease) -> Result<Option<LeasedWebhook>> {
    let row: Option<LeasedRow> = webhooks::table
        .find((lease.account.0, lease.target.0))
        .filter(webhooks::claim_id.eq(lease.holder))
        .select(LeasedRow::as_select())
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|row| LeasedWebhook {
        url: row.url,
        kinds: row.kinds,
        active: row.active,
        secret: row.secret,
        old_secret: row.old_secret.zip(row.old_secret_until.map(Time::from)),
        told: row.queued_up_to.unsigned_abs(),
        failures: row.failures.unsigned_abs(),
        failing_since: row.failing_since.map(Time::from),
    }))
}

/// Moves the webhook's cursor to the event `told`.
pub async fn advance(tx: &mut Tx, lease: &Lease, told: u64) -> Result<()> {
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set(webhooks::queued_up_to.eq(i64::try_from(told).map_err(Error::internal)?))
        .run(tx)
        .await
}

/// Renews the lease, and keeps the webhook due, so that another node finds it if this one dies.
pub async fn renew(tx: &mut Tx, lease: &Lease, now: Time, until: Time) -> Result<()> {
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set((webhooks::due_at.eq(At(now)), webhooks::claimed_until.eq(At(until))))
        .run(tx)
        .await
}

/// Releases a lease. The webhook must be locked by [`lock_leased`], so that a simultaneous manual delivery is either
/// seen here, or wakes the webhook afterwards.
pub async fn release(tx: &mut Tx, lease: &Lease, now: Time) -> Result<()> {
    let first: Option<Option<At>> = webhook_deliveries::table
        .filter(webhook_deliveries::account_id.eq(lease.account.0))
        .filter(webhook_deliveries::webhook_id.eq(lease.target.0))
        .filter(webhook_deliveries::status.eq("pending"))
        .order(webhook_deliveries::due_at)
        .select(webhook_deliveries::due_at)
        .first(tx.sql())
        .await
        .optional()?;
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set((
            webhooks::due_at.eq(first.flatten()),
            webhooks::claim_id.eq(None::<Uuid>),
            webhooks::claimed_until.eq(At(now)),
        ))
        .run(tx)
        .await
}

pub async fn record_success(tx: &mut Tx, lease: &Lease, slowly: bool, now: Time) -> Result<()> {
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set((
            webhooks::failures.eq(0),
            webhooks::failing_since.eq(None::<At>),
            webhooks::suspect.eq(slowly),
            webhooks::paused_until.eq(None::<At>),
            webhooks::delivered_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

/// Pauses the webhook until `pause`, without counting a failure.
pub async fn pause(tx: &mut Tx, lease: &Lease, pause: Time) -> Result<()> {
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set(webhooks::paused_until.eq(At(pause)))
        .run(tx)
        .await
}

/// Records a failure, and pauses the webhook until `pause`.
pub async fn record_failure(tx: &mut Tx, lease: &Lease, since: Time, pause: Time) -> Result<()> {
    diesel::update(webhooks::table.find((lease.account.0, lease.target.0)))
        .set((
            webhooks::failures.eq(webhooks::failures + 1),
            webhooks::suspect.eq(true),
            webhooks::failing_since.eq(At(since)),
            webhooks::paused_until.eq(At(pause)),
        ))
        .run(tx)
        .await
}

//! SQL of webhook deliveries. Writing callers have locked the webhook.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::webhook_deliveries as deliveries;
use crate::db::{At, Conn, Run, Tx};
use crate::error::{Error, Result};
use crate::ids::{AccountId, WebhookDeliveryId, WebhookId};
use crate::notifications::webhooks::deliver::Lease;
use crate::notifications::webhooks::sender::Outcome;
use crate::notifications::webhooks::{Delivery, DeliveryStatus};

/// Rows inserted or deleted by one statement.
const AT_ONCE: usize = 1000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = deliveries, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    webhook_id: Uuid,
    number: Option<i64>,
    kind: String,
    status: String,
    failures: i32,
    attempts: i32,
    due_at: Option<At>,
    created_at: At,
    attempted_at: Option<At>,
    response_status: Option<i32>,
    error: Option<String>,
}

impl From<Row> for Delivery {
    fn from(row: Row) -> Self {
        Delivery {
            id: WebhookDeliveryId(row.id),
            webhook: WebhookId(row.webhook_id),
            number: row.number.map(i64::unsigned_abs),
            kind: row.kind,
            status: row.status.parse().unwrap_or(DeliveryStatus::Failed),
            step: row.failures.unsigned_abs(),
            attempts: row.attempts.unsigned_abs(),
            due_at: row.due_at.map(Time::from),
            created_at: row.created_at.0,
            attempted_at: row.attempted_at.map(Time::from),
            answer: row.response_status.and_then(|answer| u16::try_from(answer).ok()),
            diagnosis: row.error,
        }
    }
}

pub async fn insert(tx: &mut Tx, account: AccountId, new: &[Delivery]) -> Result<()> {
    for some in new.chunks(AT_ONCE) {
        let mut rows = Vec::new();
        for delivery in some {
            let number = delivery.number.map(i64::try_from).transpose().map_err(Error::internal)?;
            rows.push((
                deliveries::account_id.eq(account.0),
                deliveries::webhook_id.eq(delivery.webhook.0),
                deliveries::id.eq(delivery.id.0),
                deliveries::number.eq(number),
                deliveries::kind.eq(&delivery.kind),
                deliveries::status.eq(delivery.status.into_str()),
                deliveries::due_at.eq(delivery.due_at.map(At)),
                deliveries::created_at.eq(At(delivery.created_at)),
            ));
        }
        diesel::insert_into(deliveries::table).values(rows).run(tx).await?;
    }
    Ok(())
}

/// The first due delivery: pings first, then in the order of events.
pub async fn next_due(conn: &mut Conn, account: AccountId, webhook: WebhookId, now: Time) -> Result<Option<Delivery>> {
    let due = deliveries::table
        .filter(deliveries::account_id.eq(account.0))
        .filter(deliveries::webhook_id.eq(webhook.0))
        .filter(deliveries::status.eq("pending"))
        .filter(deliveries::due_at.le(At(now)))
        .order((deliveries::number.asc().nulls_first(), deliveries::id));
    Ok(due.select(Row::as_select()).first(conn.sql()).await.optional()?.map(Delivery::from))
}

pub async fn delivered(tx: &mut Tx, lease: &Lease, delivery: &Delivery, outcome: &Outcome, now: Time) -> Result<()> {
    attempted(tx, lease, delivery, outcome, (DeliveryStatus::Delivered, 0, None), now).await
}

/// Records a failed attempt; it is retried at `again`, or given up.
pub async fn failed(
    tx: &mut Tx,
    lease: &Lease,
    delivery: &Delivery,
    outcome: &Outcome,
    again: Option<Time>,
    now: Time,
) -> Result<()> {
    let status = if again.is_some() { DeliveryStatus::Pending } else { DeliveryStatus::Failed };
    attempted(tx, lease, delivery, outcome, (status, delivery.step + 1, again), now).await
}

/// Records that no attempt was possible, for a reason of this server: the delivery is due at `until`, without counting
/// an attempt.
pub async fn put_off(tx: &mut Tx, lease: &Lease, delivery: &Delivery, outcome: &Outcome, until: Time) -> Result<()> {
    let row = deliveries::table.find((lease.account.0, lease.target.0, delivery.id.0));
    diesel::update(row.filter(deliveries::status.eq("pending")))
        .set((deliveries::error.eq(&outcome.fault), deliveries::due_at.eq(At(until))))
        .run(tx)
        .await
}

/// Records an attempt. A redelivery or cancellation made meanwhile stays.
async fn attempted(
    tx: &mut Tx,
    lease: &Lease,
    delivery: &Delivery,
    outcome: &Outcome,
    (status, step, due): (DeliveryStatus, u32, Option<Time>),
    now: Time,
) -> Result<()> {
    let row = deliveries::table.find((lease.account.0, lease.target.0, delivery.id.0));
    diesel::update(row)
        .set((
            deliveries::attempts.eq(deliveries::attempts + 1),
            deliveries::attempted_at.eq(At(now)),
            deliveries::response_status.eq(outcome.answer.map(i32::from)),
            deliveries::error.eq(&outcome.fault),
        ))
        .run(tx)
        .await?;
    let as_it_was = row
        .filter(deliveries::status.eq("pending"))
        .filter(deliveries::due_at.is_not_distinct_from(delivery.due_at.map(At)));
    diesel::update(as_it_was)
        .set((
            deliveries::status.eq(status.into_str()),
            deliveries::failures.eq(i32::try_from(step).map_err(Error::internal)?),
            deliveries::due_at.eq(due.map(At)),
        ))
        .run(tx)
        .await
}

/// Makes a delivery due again. Returns false if the webhook has no such delivery.
pub async fn again(
    tx: &mut Tx,
    account: AccountId,
    webhook: WebhookId,
    id: WebhookDeliveryId,
    now: Time,
) -> Result<bool> {
    let row = deliveries::table.find((account.0, webhook.0, id.0));
    let again = diesel::update(row).set((
        deliveries::status.eq("pending"),
        deliveries::failures.eq(0),
        deliveries::due_at.eq(At(now)),
    ));
    Ok(again.execute(tx.sql()).await? == 1)
}

pub async fn give_up(tx: &mut Tx, account: AccountId, webhook: WebhookId) -> Result<()> {
    let pending = deliveries::table
        .filter(deliveries::account_id.eq(account.0))
        .filter(deliveries::webhook_id.eq(webhook.0))
        .filter(deliveries::status.eq("pending"));
    diesel::update(pending).set((deliveries::status.eq("failed"), deliveries::due_at.eq(None::<At>))).run(tx).await
}

/// A page of a webhook's deliveries, newest first.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    webhook: WebhookId,
    before: Option<WebhookDeliveryId>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    let mut query = deliveries::table
        .filter(deliveries::account_id.eq(account.0))
        .filter(deliveries::webhook_id.eq(webhook.0))
        .select(Row::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(deliveries::id.lt(before.0));
    }
    let rows = query.order(deliveries::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Delivery::from).collect())
}

/// A delivery of one of the account's webhooks.
pub async fn find(
    conn: &mut Conn,
    account: AccountId,
    webhook: WebhookId,
    id: WebhookDeliveryId,
) -> Result<Option<Delivery>> {
    let row = deliveries::table.find((account.0, webhook.0, id.0)).select(Row::as_select());
    Ok(row.first(conn.sql()).await.optional()?.map(Delivery::from))
}

pub async fn all(conn: &mut Conn, account: AccountId) -> Result<Vec<Delivery>> {
    let own = deliveries::table.filter(deliveries::account_id.eq(account.0));
    let rows = own.order(deliveries::id).select(Row::as_select()).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Delivery::from).collect())
}

pub async fn delete(tx: &mut Tx, account: AccountId, webhook: WebhookId) -> Result<()> {
    let of_webhook =
        deliveries::table.filter(deliveries::account_id.eq(account.0)).filter(deliveries::webhook_id.eq(webhook.0));
    diesel::delete(of_webhook).run(tx).await
}

pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(deliveries::table.filter(deliveries::account_id.eq(account.0))).run(tx).await
}

/// Deletes some of the deliveries that were created before `then` and aren't pending. Returns their number: call again
/// until it is 0.
pub async fn forget_before(tx: &mut Tx, then: Time) -> Result<usize> {
    let old = deliveries::table
        .filter(deliveries::created_at.lt(At(then)))
        .filter(deliveries::status.ne("pending"))
        .select((deliveries::account_id, deliveries::webhook_id, deliveries::id))
        .limit(i64::try_from(AT_ONCE).map_err(Error::internal)?);
    let old: Vec<(Uuid, Uuid, Uuid)> = old.load(tx.sql()).await?;
    let ids: Vec<Uuid> = old.iter().map(|(_, _, id)| *id).collect();
    let accounts: Vec<Uuid> = old.iter().map(|(account, _, _)| *account).collect();
    // An id is unique; the accounts are needed for the primary key, which begins with them.
    let of_these = deliveries::table.filter(deliveries::account_id.eq_any(accounts)).filter(deliveries::id.eq_any(ids));
    Ok(diesel::delete(of_these).execute(tx.sql()).await?)
}

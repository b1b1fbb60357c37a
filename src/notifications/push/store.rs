//! SQL of push subscriptions, their leases, and the service's key. Each function for an owner's request takes the
//! account, so that another's subscription can't be found. Each function for a delivering node takes its lease, so that
//! nothing is written under a lost one.

use broadside_rules::Time;
use broadside_rules::card::Language;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{push_subscriptions as subscriptions, sessions, vapid_key};
use crate::db::{At, Conn, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, PushSubscriptionId, SessionId};
use crate::notifications::push::Subscription;
use crate::notifications::push::deliver::{Lease, LeasedSubscription, Told};

/// The stored key, sealed, and its public half; stores these if there was none.
pub async fn find_or_insert_key(tx: &mut Tx, secret: Vec<u8>, public: Vec<u8>) -> Result<(Vec<u8>, Vec<u8>)> {
    // Two nodes that start at once meet at the primary key, and both read the first one's key.
    let row = (vapid_key::only_row.eq(true), vapid_key::secret.eq(secret), vapid_key::public.eq(public));
    diesel::insert_into(vapid_key::table).values(row).on_conflict_do_nothing().run(tx).await?;
    Ok(vapid_key::table.select((vapid_key::secret, vapid_key::public)).first(tx.sql()).await?)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = subscriptions, check_for_backend(diesel::pg::Pg))]
struct Row {
    id: Uuid,
    account_id: Uuid,
    session_id: Uuid,
    name: String,
    host: String,
    kinds: Vec<String>,
    language: String,
    told: i64,
    told_ahead: Vec<i64>,
    delivered_at: Option<At>,
    created_at: At,
}

impl Row {
    fn cursor(&self) -> Cursor {
        let ahead = self.told_ahead.iter().map(|number| number.unsigned_abs()).collect();
        Cursor { told: self.told.unsigned_abs(), ahead }
    }
}

impl From<Row> for Subscription {
    fn from(row: Row) -> Self {
        Self {
            id: PushSubscriptionId(row.id),
            session: SessionId(row.session_id),
            name: row.name,
            host: row.host,
            // Kinds unknown to this version are ignored.
            kinds: row.kinds.iter().filter_map(|kind| kind.parse().ok()).collect(),
            language: row.language.parse().unwrap_or(Language::English),
            delivered_at: row.delivered_at.map(Time::from),
            created_at: row.created_at.0,
        }
    }
}

/// A position in the log.
pub struct Cursor {
    /// The last event sent or skipped.
    pub told: u64,
    /// Later ones sent or skipped before an earlier one that waits.
    pub ahead: Vec<u64>,
}

impl Cursor {
    pub fn behind(told: u64) -> Self {
        Self { told, ahead: Vec::new() }
    }
}

/// A stored subscription, with its position in the log.
pub struct Known {
    pub subscription: Subscription,
    pub cursor: Cursor,
}

/// The address of a browser, with its keys.
pub struct Address<'a> {
    pub endpoint: &'a str,
    /// SHA-256 of the endpoint.
    pub endpoint_hash: &'a [u8],
    /// The browser's key.
    pub p256dh: &'a [u8],
    /// The browser's secret.
    pub auth: &'a [u8],
}

/// The subscription with this endpoint, locked until the transaction ends, and its account.
pub async fn find_by_endpoint(tx: &mut Tx, endpoint_hash: &[u8]) -> Result<Option<(AccountId, Known)>> {
    let row: Option<Row> = subscriptions::table
        .filter(subscriptions::endpoint_hash.eq(endpoint_hash))
        .select(Row::as_select())
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    Ok(row.map(|row| {
        let cursor = row.cursor();
        (AccountId(row.account_id), Known { cursor, subscription: row.into() })
    }))
}

/// Stores a subscription in place of the one with its endpoint. Failures are reset, but not `suspect`: a slow target
/// must not escape its slots in this way. It is suspect, too, if the subscription that it replaces was
/// (`follows_suspect`).
pub async fn put(
    tx: &mut Tx,
    account: AccountId,
    new: &Subscription,
    address: &Address<'_>,
    (cursor, follows_suspect): (Cursor, bool),
    now: Time,
) -> Result<()> {
    let told_ahead: Vec<i64> =
        cursor.ahead.into_iter().map(i64::try_from).collect::<Result<_, _>>().map_err(Error::internal)?;
    let kinds: Vec<&str> = new.kinds.iter().map(|kind| kind.into_str()).collect();
    let fields = (
        subscriptions::id.eq(new.id.0),
        subscriptions::account_id.eq(account.0),
        subscriptions::session_id.eq(new.session.0),
        subscriptions::endpoint.eq(address.endpoint),
        subscriptions::host.eq(&new.host),
        subscriptions::p256dh.eq(address.p256dh),
        subscriptions::auth.eq(address.auth),
        subscriptions::name.eq(&new.name),
        subscriptions::kinds.eq(kinds),
        subscriptions::language.eq(new.language.tag()),
        subscriptions::told.eq(i64::try_from(cursor.told).map_err(Error::internal)?),
        subscriptions::told_ahead.eq(told_ahead),
        subscriptions::waits_until.eq(None::<At>),
        subscriptions::failures.eq(0),
        subscriptions::paused_until.eq(None::<At>),
        subscriptions::delivered_at.eq(new.delivered_at.map(At)),
        subscriptions::claim_id.eq(None::<Uuid>),
        subscriptions::claimed_until.eq(At(now)),
        subscriptions::created_at.eq(At(new.created_at)),
    );
    let inserted = (
        fields.clone(),
        subscriptions::endpoint_hash.eq(address.endpoint_hash),
        subscriptions::suspect.eq(follows_suspect),
    );
    diesel::insert_into(subscriptions::table)
        .values(inserted)
        .on_conflict(subscriptions::endpoint_hash)
        .do_update()
        .set((fields, subscriptions::suspect.eq(subscriptions::suspect.or(follows_suspect.into_sql::<Bool>()))))
        .run(tx)
        .await
}

/// Deletes this session's subscription to another endpoint. Returns true if its last attempt failed or was slow.
pub async fn delete_others_of(tx: &mut Tx, session: SessionId, endpoint_hash: &[u8]) -> Result<bool> {
    let own = subscriptions::table.filter(subscriptions::session_id.eq(session.0));
    let deleted = diesel::delete(own.filter(subscriptions::endpoint_hash.ne(endpoint_hash)));
    let suspect: Vec<bool> = deleted.returning(subscriptions::suspect).get_results(tx.sql()).await?;
    Ok(suspect.contains(&true))
}

/// Deletes the subscriptions of ended sessions: of an account, or all.
pub async fn delete_ended(tx: &mut Tx, account: Option<AccountId>, now: Time) -> Result<()> {
    let ended = "DELETE FROM push_subscriptions AS p WHERE ($1 IS NULL OR p.account_id = $1) AND NOT EXISTS \
         (SELECT FROM sessions AS s WHERE s.id = p.session_id AND s.ended_at IS NULL AND s.expires_at > $2)";
    sql!(ended, account.map(|account| account.0), At(now)).run(tx).await
}

/// A page of the account's subscriptions with valid sessions, newest first.
pub async fn page(
    conn: &mut Conn,
    account: AccountId,
    now: Time,
    before: Option<PushSubscriptionId>,
    limit: i64,
) -> Result<Vec<Subscription>> {
    let mut query = subscriptions::table
        .inner_join(sessions::table.on(sessions::id.eq(subscriptions::session_id)))
        .filter(subscriptions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(At(now)))
        .select(Row::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(subscriptions::id.lt(before.0));
    }
    let rows: Vec<Row> = query.order(subscriptions::id.desc()).limit(limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(Subscription::from).collect())
}

/// Deletes a subscription. Returns false if the account has no such subscription.
pub async fn delete(tx: &mut Tx, account: AccountId, id: PushSubscriptionId) -> Result<bool> {
    let own = subscriptions::table.find(id.0).filter(subscriptions::account_id.eq(account.0));
    Ok(diesel::delete(own).execute(tx.sql()).await? == 1)
}

pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(subscriptions::table.filter(subscriptions::account_id.eq(account.0))).run(tx).await
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = subscriptions, check_for_backend(diesel::pg::Pg))]
struct AddressRow {
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
    failures: i32,
}

/// The state of a leased subscription, locked until the transaction ends; `None` if the lease is lost, or the
/// subscription deleted.
pub async fn lock_leased(tx: &mut Tx, lease: &Lease, now: Time) -> Result<Option<LeasedSubscription>> {
    let row: Option<(Row, AddressRow)> = subscriptions::table
        .find(lease.target.0)
        .filter(subscriptions::claim_id.eq(lease.holder))
        .select((Row::as_select(), AddressRow::as_select()))
        .for_update()
        .first(tx.sql())
        .await
        .optional()?;
    let Some((row, address)) = row else { return Ok(None) };
    let living = sessions::table.find(row.session_id).filter(sessions::ended_at.is_null());
    let living = living.filter(sessions::expires_at.gt(At(now))).count().get_result::<i64>(tx.sql()).await?;
    let Cursor { told, ahead: told_ahead } = row.cursor();
    Ok(Some(LeasedSubscription {
        endpoint: address.endpoint,
        key: address.p256dh,
        secret: address.auth,
        failures: address.failures.unsigned_abs(),
        told,
        told_ahead,
        lives: living == 1,
        subscription: row.into(),
    }))
}

/// Records told or skipped events, and renews the lease.
pub async fn note_told(tx: &mut Tx, lease: &Lease, told: Told, until: Time) -> Result<()> {
    // Events told ahead are dropped once the cursor has reached them.
    let (set, number) = match told {
        Told::UpTo(number) => {
            let rest = "ARRAY(SELECT n FROM unnest(told_ahead) AS a (n) WHERE n > $2)";
            (format!("told = $2, told_ahead = {rest}"), number)
        }
        Told::Ahead(number) => ("told_ahead = array_append(told_ahead, $2)".to_owned(), number),
    };
    let update = format!("UPDATE push_subscriptions SET {set}, claimed_until = $3 WHERE id = $1");
    sql!(update, lease.target.0, i64::try_from(number).map_err(Error::internal)?, At(until)).run(tx).await
}

pub async fn renew(tx: &mut Tx, lease: &Lease, until: Time) -> Result<()> {
    let row = subscriptions::table.find(lease.target.0);
    diesel::update(row).set(subscriptions::claimed_until.eq(At(until))).run(tx).await
}

pub async fn release(tx: &mut Tx, lease: &Lease, now: Time) -> Result<()> {
    diesel::update(subscriptions::table.find(lease.target.0))
        .set((subscriptions::claim_id.eq(None::<Uuid>), subscriptions::claimed_until.eq(At(now))))
        .run(tx)
        .await
}

/// Pauses it until then, without counting a failure.
pub async fn pause(tx: &mut Tx, lease: &Lease, until: Time) -> Result<()> {
    let row = subscriptions::table.find(lease.target.0);
    diesel::update(row).set(subscriptions::paused_until.eq(At(until))).run(tx).await
}

/// Makes the events up to `seen` wait until then; later ones don't.
pub async fn wait(tx: &mut Tx, lease: &Lease, until: Time, seen: u64) -> Result<()> {
    let seen = i64::try_from(seen).map_err(Error::internal)?;
    diesel::update(subscriptions::table.find(lease.target.0))
        .set((subscriptions::waits_until.eq(At(until)), subscriptions::seen.eq(seen)))
        .run(tx)
        .await
}

/// Records that a message was accepted, perhaps slowly.
pub async fn record_success(tx: &mut Tx, lease: &Lease, slowly: bool, now: Time) -> Result<()> {
    diesel::update(subscriptions::table.find(lease.target.0))
        .set((
            subscriptions::failures.eq(0),
            subscriptions::suspect.eq(slowly),
            subscriptions::paused_until.eq(None::<At>),
            subscriptions::delivered_at.eq(At(now)),
        ))
        .run(tx)
        .await
}

/// Records a failure, and pauses until then.
pub async fn record_failure(tx: &mut Tx, lease: &Lease, until: Time) -> Result<()> {
    diesel::update(subscriptions::table.find(lease.target.0))
        .set((
            subscriptions::failures.eq(subscriptions::failures + 1),
            subscriptions::suspect.eq(true),
            subscriptions::paused_until.eq(At(until)),
        ))
        .run(tx)
        .await
}

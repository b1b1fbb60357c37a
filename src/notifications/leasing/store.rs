//! SQL that leases targets: one statement for all kinds.

use broadside_rules::Time;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::Lease;
use crate::db::{At, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::AccountId;

/// The storage of targets. The table has `account_id`, `id`, `host`, `suspect`, `claim_id`, `claimed_until` and
/// `paused_until`.
pub struct Source {
    pub table: &'static str,
    /// SQL condition at time `$5`: a target `t`, with the event counter `c` of its account, has something to send.
    pub has_news: &'static str,
}

/// A request for leases.
pub(super) struct LeaseRequest<'a> {
    /// The id of the new leases.
    pub holder: Uuid,
    /// Most leases.
    pub limit: usize,
    /// Most leases of targets whose last attempt failed or was slow.
    pub limit_suspect: usize,
    /// Most targets of one host worked on at once.
    pub per_host: i32,
    /// Most targets of one account worked on at once.
    pub per_account: i32,
    /// Targets worked on, by host.
    pub busy_hosts: &'a [(String, i32)],
    /// Targets worked on, by account.
    pub busy_accounts: &'a [(AccountId, i32)],
    /// The end of the leases.
    pub until: Time,
}

rows! {
    struct LeaseRow {
        account_id: Uuid,
        id: Uuid,
        host: String,
        suspect: bool,
    }
}

/// SQL condition at time `$1`: a target of this kind has something to send.
pub fn condition(source: &Source) -> String {
    let Source { table, has_news } = source;
    let has_news = has_news.replace("$5", "$1");
    format!(
        "EXISTS (SELECT FROM {table} AS t LEFT JOIN event_counters AS c ON c.account_id = t.account_id \
         WHERE t.claimed_until <= $1 AND (t.paused_until IS NULL OR t.paused_until <= $1) AND ({has_news}))"
    )
}

/// Leases targets with something to send: longest waiting first, suspect ones last, within the limits for hosts and
/// accounts. Rows being leased by another transaction are skipped.
///
/// It reads all targets: new events are visible only in the account's counter, which no index on targets can contain.
/// (For webhooks, an index on the time of the next attempt was measured, without gain.)
pub(super) async fn lease<Id: From<Uuid>>(
    tx: &mut Tx,
    source: &Source,
    request: &LeaseRequest<'_>,
    now: Time,
) -> Result<Vec<Lease<Id>>> {
    let Source { table, has_news } = source;
    let lease = format!(
        "WITH busy_hosts AS (SELECT * FROM unnest($1, $2) AS b (host, count)), \
         busy_accounts AS (SELECT * FROM unnest($3, $4) AS b (account_id, count)), \
         ready AS (SELECT t.account_id, t.id, t.host, t.suspect, t.claimed_until, \
             row_number() OVER (PARTITION BY t.host ORDER BY t.suspect, t.claimed_until, t.id) AS of_host \
           FROM {table} AS t LEFT JOIN event_counters AS c ON c.account_id = t.account_id \
           WHERE t.claimed_until <= $5 AND (t.paused_until IS NULL OR t.paused_until <= $5) AND {has_news}), \
         for_host AS (SELECT r.*, \
             row_number() OVER (PARTITION BY r.account_id ORDER BY r.suspect, r.claimed_until, r.id) AS of_account \
           FROM ready AS r LEFT JOIN busy_hosts AS b ON b.host = r.host WHERE r.of_host + coalesce(b.count, 0) <= $6), \
         for_account AS (SELECT r.*, \
             row_number() OVER (PARTITION BY r.suspect ORDER BY r.claimed_until, r.id) AS of_kind \
           FROM for_host AS r LEFT JOIN busy_accounts AS b ON b.account_id = r.account_id \
           WHERE r.of_account + coalesce(b.count, 0) <= $7), \
         chosen AS (SELECT t.account_id, t.id FROM for_account AS r \
             JOIN {table} AS t ON t.account_id = r.account_id AND t.id = r.id \
           WHERE (NOT r.suspect OR r.of_kind <= $8) AND t.claimed_until <= $5 \
           ORDER BY r.suspect, t.claimed_until, t.id LIMIT $9 FOR UPDATE OF t SKIP LOCKED) \
         UPDATE {table} AS t SET claim_id = $10, claimed_until = $11 FROM chosen \
         WHERE t.account_id = chosen.account_id AND t.id = chosen.id \
         RETURNING t.account_id, t.id, t.host, t.suspect"
    );
    let (hosts, of_hosts): (Vec<&str>, Vec<i32>) =
        request.busy_hosts.iter().map(|(host, n)| (host.as_str(), *n)).unzip();
    let (accounts, of_accounts): (Vec<Uuid>, Vec<i32>) = request.busy_accounts.iter().map(|(id, n)| (id.0, *n)).unzip();
    let rows: Vec<LeaseRow> = sql!(
        lease,
        hosts,
        of_hosts,
        accounts,
        of_accounts,
        At(now),
        request.per_host,
        request.per_account,
        i64::try_from(request.limit_suspect).map_err(Error::internal)?,
        i64::try_from(request.limit).map_err(Error::internal)?,
        request.holder,
        At(request.until)
    )
    .load(tx.sql())
    .await?;
    let lease = |row: LeaseRow| Lease {
        target: Id::from(row.id),
        account: AccountId(row.account_id),
        host: row.host,
        suspect: row.suspect,
        holder: request.holder,
    };
    Ok(rows.into_iter().map(lease).collect())
}

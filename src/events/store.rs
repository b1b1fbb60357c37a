//! SQL for the logs of accounts: append, read by number, delete.
//!
//! The statement in [`crate::matches::store::moves`] appends the notifications of moves; [`append`] appends all others,
//! in the transaction that caused them.

use std::collections::{HashMap, HashSet};

use broadside_rules::Time;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::db::schema::{account_events, event_counters};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::events::{LogRange, Notification, StoredEvents};
use crate::ids::AccountId;

/// The maximum number of rows per account, and of accounts, that one transaction deletes.
const ROWS_PER_STEP: i64 = 500;
const ACCOUNTS_PER_STEP: i64 = 200;

/// Creates the log of a new account.
pub async fn create(tx: &mut Tx, account: AccountId) -> Result<()> {
    let counter = (event_counters::account_id.eq(account.0), event_counters::newest.eq(0));
    diesel::insert_into(event_counters::table).values(counter).on_conflict_do_nothing().run(tx).await
}

/// Appends notifications, one per account. A deleted account has no counter and gets none. The counters are locked in
/// the order of the accounts, as everywhere, so that transactions can't deadlock, and stay locked until the transaction
/// ends: call this last.
pub async fn append(tx: &mut Tx, notifications: &[Notification], at: Time) -> Result<()> {
    let accounts: Vec<Uuid> = notifications.iter().map(|notification| notification.account.0).collect();
    let counts: Vec<i32> = notifications.iter().map(|notification| notification.count).collect();
    let lines: Vec<&str> = notifications.iter().map(|notification| notification.lines.as_str()).collect();
    if tx.is_distributed() {
        append_spread(tx.sql(), notifications, at).await?;
        return Ok(());
    }
    let insert = "WITH told AS (SELECT * FROM unnest($1, $2, $3) AS t (account_id, count, lines)), \
         locked AS MATERIALIZED (SELECT account_id FROM event_counters WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE), \
         counted AS (UPDATE event_counters AS c SET newest = c.newest + told.count FROM locked JOIN told USING (account_id) \
           WHERE c.account_id = locked.account_id RETURNING c.account_id, c.newest, told.count, told.lines) \
         INSERT INTO account_events (account_id, number, count, at, lines) SELECT account_id, newest, count, $4, lines FROM counted";
    sql!(insert, accounts, counts, lines, At(at)).run(tx).await
}

rows! {
    struct Counted {
        account_id: Uuid,
        newest: i64,
    }
}

/// [`append`] for distributed logs with central counters: numbers are taken in one statement, and used in another.
pub async fn append_spread(conn: &mut AsyncPgConnection, notifications: &[Notification], at: Time) -> QueryResult<()> {
    if notifications.is_empty() {
        return Ok(());
    }
    let accounts: Vec<Uuid> = notifications.iter().map(|notification| notification.account.0).collect();
    let counts: Vec<i32> = notifications.iter().map(|notification| notification.count).collect();
    let count = "WITH locked AS MATERIALIZED (SELECT account_id FROM event_counters WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE) \
         UPDATE event_counters AS c SET newest = c.newest + t.count FROM locked JOIN unnest($1, $2) AS t (account_id, count) USING (account_id) \
         WHERE c.account_id = locked.account_id RETURNING c.account_id, c.newest";
    let counted: Vec<Counted> = sql!(count, &accounts, counts).load(conn).await?;
    let newest: HashMap<Uuid, i64> = counted.into_iter().map(|row| (row.account_id, row.newest)).collect();
    let (mut accounts, mut numbers, mut counts, mut lines) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for notification in notifications {
        if let Some(number) = newest.get(&notification.account.0) {
            accounts.push(notification.account.0);
            numbers.push(*number);
            counts.push(notification.count);
            lines.push(notification.lines.as_str());
        }
    }
    let note = "INSERT INTO account_events (account_id, number, count, at, lines) \
         SELECT t.account_id, t.number, t.count, $5, t.lines FROM unnest($1, $2, $3, $4) AS t (account_id, number, count, lines)";
    sql!(note, accounts, numbers, counts, lines, At(at)).execute(conn).await?;
    Ok(())
}

pub async fn range(conn: &mut Conn, account: AccountId) -> Result<LogRange> {
    let row: Option<(i64, i64)> = event_counters::table
        .find(account.0)
        .select((event_counters::newest, event_counters::deleted_up_to))
        .first(conn.sql())
        .await
        .optional()?;
    let (newest, forgotten) = row.unwrap_or_default();
    Ok(LogRange { newest: newest.unsigned_abs(), forgotten: forgotten.unsigned_abs() })
}

/// The account's log after number `after`: at most `limit` rows, the first of which may begin before it.
///
/// With distributed logs, a number is taken before its row is visible, and a later row may become visible first: rows
/// after such a gap are left for later.
pub async fn read(conn: &mut Conn, account: AccountId, after: u64, limit: i64) -> Result<Vec<StoredEvents>> {
    let after = i64::try_from(after).map_err(Error::internal)?;
    let rows: Vec<(i64, i32, At, String)> = account_events::table
        .filter(account_events::account_id.eq(account.0))
        .filter(account_events::number.gt(after))
        .order(account_events::number)
        .limit(limit)
        .select((account_events::number, account_events::count, account_events::at, account_events::lines))
        .load(conn.sql())
        .await?;
    let row = |(number, count, at, lines): (i64, i32, At, String)| StoredEvents {
        account,
        first: (number - i64::from(count) + 1).unsigned_abs(),
        count: count.unsigned_abs(),
        at: at.0,
        lines,
    };
    let numbers: Vec<(i64, i64)> = rows.iter().map(|(number, count, ..)| (*number, i64::from(*count))).collect();
    let mut rows: Vec<StoredEvents> = rows.into_iter().map(row).collect();
    if conn.is_distributed() {
        rows.truncate(without_gap(conn, account, after, &numbers).await?);
    }
    Ok(rows)
}

/// The number of contiguous rows after `after`. (Events before the first row may have been deleted.)
async fn without_gap(conn: &mut Conn, account: AccountId, after: i64, rows: &[(i64, i64)]) -> Result<usize> {
    let mut last = after;
    for (index, (number, count)) in rows.iter().enumerate() {
        let before = number - count;
        if before > last && (index > 0 || before.unsigned_abs() > range(conn, account).await?.forgotten) {
            return Ok(index);
        }
        last = *number;
    }
    Ok(rows.len())
}

/// Deletes some of the events before `before`, except the newest `keep` of each account. Returns the number of
/// accounts: call again until it is 0. Skips locked counters, so it never waits and can't deadlock.
pub async fn delete_before(tx: &mut Tx, before: Time, keep: i64) -> Result<usize> {
    if tx.is_distributed() {
        return delete_spread_before(tx, before, keep).await;
    }
    let forget = "WITH old AS MATERIALIZED (SELECT c.account_id, e.number FROM event_counters AS c CROSS JOIN LATERAL \
           (SELECT max(o.number) AS number FROM (SELECT a.number, a.at FROM account_events AS a \
             WHERE a.account_id = c.account_id AND a.number <= c.newest - $1 ORDER BY a.number LIMIT $2) AS o WHERE o.at < $3) AS e \
           WHERE c.newest - c.deleted_up_to > $1 AND e.number IS NOT NULL \
           ORDER BY c.account_id LIMIT $4 FOR UPDATE OF c SKIP LOCKED), \
         gone AS (DELETE FROM account_events AS a USING old WHERE a.account_id = old.account_id AND a.number <= old.number) \
         UPDATE event_counters AS c SET deleted_up_to = old.number FROM old WHERE c.account_id = old.account_id";
    let forgotten = sql!(forget, keep, ROWS_PER_STEP, At(before), ACCOUNTS_PER_STEP).execute(tx.sql()).await?;
    Ok(forgotten)
}

/// [`delete_before`] for distributed logs with central counters.
async fn delete_spread_before(tx: &mut Tx, before: Time, keep: i64) -> Result<usize> {
    rows! {
        struct Old {
            account_id: Uuid,
            number: i64,
        }

        struct Locked {
            account_id: Uuid,
        }
    }
    let find = "SELECT a.account_id, max(a.number) AS number FROM account_events AS a JOIN \
           (SELECT account_id, least(newest - $1, deleted_up_to + $2) AS up_to FROM event_counters \
            WHERE newest - deleted_up_to > $1 OFFSET 0) AS c ON c.account_id = a.account_id \
         WHERE a.number <= c.up_to AND a.at < $3 GROUP BY a.account_id ORDER BY a.account_id LIMIT $4";
    let old: Vec<Old> = sql!(find, keep, ROWS_PER_STEP, At(before), ACCOUNTS_PER_STEP).load(tx.sql()).await?;
    let lock =
        "SELECT account_id FROM event_counters WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE SKIP LOCKED";
    let accounts: Vec<Uuid> = old.iter().map(|old| old.account_id).collect();
    let locked: Vec<Locked> = sql!(lock, accounts).load(tx.sql()).await?;
    let locked: HashSet<Uuid> = locked.into_iter().map(|locked| locked.account_id).collect();
    let old = old.into_iter().filter(|old| locked.contains(&old.account_id));
    let (accounts, numbers): (Vec<Uuid>, Vec<i64>) = old.map(|old| (old.account_id, old.number)).unzip();
    let delete = "DELETE FROM account_events AS a USING unnest($1, $2) AS o (account_id, number) \
         WHERE a.account_id = ANY ($1) AND a.account_id = o.account_id AND a.number <= o.number";
    sql!(delete, &accounts, numbers.clone()).run(tx).await?;
    let note = "UPDATE event_counters AS c SET deleted_up_to = o.number FROM unnest($1, $2) AS o (account_id, number) \
         WHERE c.account_id = o.account_id";
    Ok(sql!(note, accounts, numbers).execute(tx.sql()).await?)
}

/// Deletes the counter of a deleted account, so that nothing more is written to its log.
pub async fn delete_counter(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(event_counters::table.find(account.0)).run(tx).await
}

pub async fn has_events(conn: &mut Conn, account: AccountId) -> Result<bool> {
    let its = account_events::table.filter(account_events::account_id.eq(account.0));
    Ok(diesel::select(diesel::dsl::exists(its)).get_result(conn.sql()).await?)
}

pub async fn delete_some(tx: &mut Tx, account: AccountId) -> Result<()> {
    let forget = "DELETE FROM account_events WHERE account_id = $1 AND number = ANY (ARRAY \
           (SELECT number FROM account_events WHERE account_id = $1 ORDER BY number LIMIT $2))";
    sql!(forget, account.0, ROWS_PER_STEP).run(tx).await
}

/// Accounts whose logs may have texts of `author`, a page at a time in the order of their ids, after `last`: current
/// and former players of matches in which `author` wrote, and accounts that `author` decided about as an organizer.
pub async fn recipients_of(conn: &mut Conn, author: AccountId, last: Option<AccountId>) -> Result<Vec<AccountId>> {
    rows! {
        struct Recipient {
            account_id: Uuid,
        }
    }
    let query = "SELECT account_id FROM (SELECT match_id, account_id FROM match_seats \
           UNION ALL SELECT match_id, account_id FROM former_players) AS p \
         WHERE p.match_id IN (SELECT match_id FROM chat_messages WHERE author_id = $1) AND p.account_id > $2 \
         UNION SELECT account_id FROM contest_log WHERE actor_id = $1 AND account_id > $2 \
         ORDER BY account_id LIMIT $3";
    let last = last.map_or(Uuid::nil(), |last| last.0);
    let recipients: Vec<Recipient> = sql!(query, author.0, last, ACCOUNTS_PER_STEP).load(conn.sql()).await?;
    Ok(recipients.into_iter().map(|row| AccountId(row.account_id)).collect())
}

/// The next rows of an account's log after number `after`: their numbers, and the lines if they contain `text`.
pub async fn rows_containing(
    conn: &mut Conn,
    account: AccountId,
    after: i64,
    text: &str,
) -> Result<Vec<(i64, Option<String>)>> {
    rows! {
        struct Row {
            number: i64,
            lines: Option<String>,
        }
    }
    let rows = "SELECT number, CASE WHEN position($3 IN lines) > 0 THEN lines END AS lines FROM account_events \
         WHERE account_id = $1 AND number > $2 ORDER BY number LIMIT $4";
    let rows: Vec<Row> = sql!(rows, account.0, after, text, ROWS_PER_STEP).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| (row.number, row.lines)).collect())
}

pub async fn rewrite(tx: &mut Tx, account: AccountId, number: i64, lines: &str) -> Result<()> {
    diesel::update(account_events::table.find((account.0, number))).set(account_events::lines.eq(lines)).run(tx).await
}

/// A counter with one of its log rows, if any.
#[derive(QueryableByName)]
pub struct LogRow {
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    pub account_id: Uuid,
    /// The number of the newest event, from the counter.
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub newest: i64,
    /// The number of the last deleted event.
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub deleted_up_to: i64,
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::Integer>)]
    count: Option<i32>,
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::Text>)]
    lines: Option<String>,
}

impl LogRow {
    /// The number of the row's last event, the count of events, and their lines.
    pub fn events(&self) -> Option<(i64, i32, &str)> {
        Some((self.number?, self.count?, self.lines.as_deref()?))
    }
}

/// The logs of some accounts with their counters at one moment, in the order of accounts and numbers.
pub async fn logs_after(conn: &mut Conn, after: Option<AccountId>, accounts: i64) -> Result<Vec<LogRow>> {
    let logs = "SELECT c.account_id, c.newest, c.deleted_up_to, e.number, e.count, e.lines FROM \
           (SELECT account_id, newest, deleted_up_to FROM event_counters WHERE account_id > $1 ORDER BY account_id LIMIT $2) AS c \
         LEFT JOIN account_events AS e ON e.account_id = c.account_id ORDER BY c.account_id, e.number";
    let after = after.map_or(Uuid::nil(), |after| after.0);
    Ok(sql!(logs, after, accounts).load(conn.sql()).await?)
}

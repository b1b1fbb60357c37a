//! SQL for the logs of accounts: append, read by number, delete.
//!
//! The statement in [`crate::matches::store::moves`] appends the notifications of moves; [`append`] appends all others,
//! in the transaction of what caused them.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{account_events, event_counters};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::events::{LogRange, Notification, StoredEvents};
use crate::ids::AccountId;

/// How many rows of one account, and of how many accounts, one transaction deletes.
const ROWS_PER_STEP: i64 = 500;
const ACCOUNTS_PER_STEP: i64 = 200;

/// Creates the log of a new account.
pub async fn create(tx: &mut Tx, account: AccountId) -> Result<()> {
    let counter = (event_counters::account_id.eq(account.0), event_counters::newest.eq(0));
    diesel::insert_into(event_counters::table).values(counter).on_conflict_do_nothing().run(tx).await
}

/// Appends notifications, one for each account. An account without a counter is deleted and gets none. The counters are
/// locked in the order of the accounts, as everywhere, so that transactions do not deadlock. They stay locked until the
/// transaction ends, so this comes last in it.
pub async fn append(tx: &mut Tx, notifications: &[Notification], at: Time) -> Result<()> {
    let accounts: Vec<Uuid> = notifications.iter().map(|notification| notification.account.0).collect();
    let counts: Vec<i32> = notifications.iter().map(|notification| notification.count).collect();
    let lines: Vec<&str> = notifications.iter().map(|notification| notification.lines.as_str()).collect();
    let insert = "WITH told AS (SELECT * FROM unnest($1, $2, $3) AS t (account_id, count, lines)), \
         locked AS MATERIALIZED (SELECT account_id FROM event_counters WHERE account_id = ANY ($1) ORDER BY account_id FOR UPDATE), \
         counted AS (UPDATE event_counters AS c SET newest = c.newest + told.count FROM locked JOIN told USING (account_id) \
           WHERE c.account_id = locked.account_id RETURNING c.account_id, c.newest, told.count, told.lines) \
         INSERT INTO account_events (account_id, number, count, at, lines) SELECT account_id, newest, count, $4, lines FROM counted";
    sql!(insert, accounts, counts, lines, At(at)).run(tx).await
}

/// The range of numbers in the account's log.
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
pub async fn read(conn: &mut Conn, account: AccountId, after: u64, limit: i64) -> Result<Vec<StoredEvents>> {
    let after = i64::try_from(after).map_err(Error::internal)?;
    let rows: Vec<(i64, i32, String)> = account_events::table
        .filter(account_events::account_id.eq(account.0))
        .filter(account_events::number.gt(after))
        .order(account_events::number)
        .limit(limit)
        .select((account_events::number, account_events::count, account_events::lines))
        .load(conn.sql())
        .await?;
    let row = |(number, count, lines): (i64, i32, String)| StoredEvents {
        first: (number - i64::from(count) + 1).unsigned_abs(),
        lines,
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Deletes some of the events before `before`, except the newest `keep` of each account. Returns for how many accounts:
/// call again until it is 0. A counter that is locked is skipped, so this never waits and can't deadlock.
pub async fn delete_before(tx: &mut Tx, before: Time, keep: i64) -> Result<usize> {
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

/// Deletes the counter of a deleted account, so that nothing more is written to its log.
pub async fn delete_counter(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(event_counters::table.find(account.0)).run(tx).await
}

/// Whether the account's log has any events.
pub async fn has_events(conn: &mut Conn, account: AccountId) -> Result<bool> {
    let its = account_events::table.filter(account_events::account_id.eq(account.0));
    Ok(diesel::select(diesel::dsl::exists(its)).get_result(conn.sql()).await?)
}

/// Deletes some events of an account.
pub async fn delete_some(tx: &mut Tx, account: AccountId) -> Result<()> {
    let forget = "DELETE FROM account_events WHERE account_id = $1 AND number = ANY (ARRAY \
           (SELECT number FROM account_events WHERE account_id = $1 ORDER BY number LIMIT $2))";
    sql!(forget, account.0, ROWS_PER_STEP).run(tx).await
}

/// Players, and former ones, of matches in which `author` wrote, some at a time in the order of their ids, after
/// `last`.
pub async fn chat_recipients(conn: &mut Conn, author: AccountId, last: Option<AccountId>) -> Result<Vec<AccountId>> {
    rows! {
        struct Recipient {
            account_id: Uuid,
        }
    }
    let query = "SELECT DISTINCT p.account_id FROM (SELECT match_id, account_id FROM match_seats \
           UNION ALL SELECT match_id, account_id FROM former_players) AS p \
         WHERE p.match_id IN (SELECT match_id FROM chat_messages WHERE author_id = $1) AND p.account_id > $2 \
         ORDER BY p.account_id LIMIT $3";
    let last = last.map_or(Uuid::nil(), |last| last.0);
    let recipients: Vec<Recipient> = sql!(query, author.0, last, ACCOUNTS_PER_STEP).load(conn.sql()).await?;
    Ok(recipients.into_iter().map(|row| AccountId(row.account_id)).collect())
}

/// The next rows of an account's log after number `after`: their numbers, and the lines of those that contain `text`.
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

/// Replaces the lines of a row.
pub async fn rewrite(tx: &mut Tx, account: AccountId, number: i64, lines: &str) -> Result<()> {
    diesel::update(account_events::table.find((account.0, number))).set(account_events::lines.eq(lines)).run(tx).await
}

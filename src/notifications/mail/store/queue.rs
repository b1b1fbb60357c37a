//! SQL of the mail queue: accounts with new events, due mails, leases, outcomes.
//!
//! The queue has one row for each account, in `mail_settings`. A node takes due mails under a lease; if it dies,
//! another takes them when the lease has expired. A row is changed only by the holder of the lease, or by the account's
//! owner, which ends the lease.

use std::collections::HashMap;

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::settings::{ClearedQueue, PreferencesRow};
use crate::accounts::Email;
use crate::db::schema::{accounts, mail_settings};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::notifications::mail::delivery::{LeasedMail, UnreadAccount};

rows! {
    struct UnreadRow {
        account_id: Uuid,
        seen_up_to: i64,
        newest: i64,
    }
}

/// Accounts that want mail, have a confirmed address, and have unscheduled events, after `after`, in order of id.
///
/// Few of many accounts have new events, which the planner can't know: to find the first ones in order it would go
/// through both indexes row by row. So the query finds all of them first.
pub async fn unread(conn: &mut Conn, after: Option<AccountId>, limit: i64) -> Result<Vec<UnreadAccount>> {
    let query = "WITH behind AS MATERIALIZED (SELECT m.account_id, m.seen_up_to, c.newest FROM mail_settings AS m JOIN event_counters AS c USING (account_id) \
           WHERE c.newest > m.seen_up_to AND m.sending_up_to IS NULL AND m.confirmed_address IS NOT NULL AND m.kinds <> '{}') \
         SELECT account_id, seen_up_to, newest FROM behind WHERE account_id > $1 ORDER BY account_id LIMIT $2";
    let query = sql!(query, after.map_or(Uuid::nil(), |account| account.0), limit);
    let rows: Vec<UnreadRow> = query.load(conn.sql()).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|row| row.account_id).collect();
    let wanted: Vec<(Uuid, PreferencesRow)> = mail_settings::table
        .filter(mail_settings::account_id.eq_any(ids))
        .select((mail_settings::account_id, PreferencesRow::as_select()))
        .load(conn.sql())
        .await?;
    let mut wanted: HashMap<Uuid, PreferencesRow> = wanted.into_iter().collect();
    let behind = |row: UnreadRow| {
        Some(UnreadAccount {
            account: AccountId(row.account_id),
            preferences: wanted.remove(&row.account_id)?.into(),
            seen: row.seen_up_to.unsigned_abs(),
            newest: row.newest.unsigned_abs(),
        })
    };
    Ok(rows.into_iter().filter_map(behind).collect())
}

/// Records that events up to `seen` are scheduled, and when a mail about them is due; `None` for no mail. Does nothing
/// if another node was faster.
pub async fn record_scheduled(tx: &mut Tx, before: &UnreadAccount, seen: u64, due: Option<Time>) -> Result<()> {
    let number = |number: u64| i64::try_from(number).map_err(Error::internal);
    let update = "UPDATE mail_settings SET seen_up_to = $3, due_at = least(due_at, $4), \
         handled_up_to = CASE WHEN due_at IS NULL AND $4 IS NULL THEN $3 ELSE handled_up_to END \
         WHERE account_id = $1 AND seen_up_to = $2 AND sending_up_to IS NULL";
    sql!(update, before.account.0, number(before.seen)?, number(seen)?, due.map(At)).run(tx).await
}

rows! {
    struct LeasedRow {
        account_id: Uuid,
    }
}

/// Leases some due mails, longest overdue first. Rows being leased by another node are skipped.
pub async fn lease(tx: &mut Tx, lease: Uuid, now: Time, until: Time, limit: i64) -> Result<Vec<LeasedMail>> {
    let take = "UPDATE mail_settings SET claim_id = $1, claimed_until = $2, sending_up_to = coalesce(sending_up_to, seen_up_to) \
         WHERE account_id = ANY (ARRAY(SELECT account_id FROM mail_settings \
           WHERE due_at <= $3 AND (claimed_until IS NULL OR claimed_until <= $3) ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)) \
         RETURNING account_id";
    let leased_ids: Vec<LeasedRow> = sql!(take, lease, At(until), At(now), limit).load(tx.sql()).await?;
    if leased_ids.is_empty() {
        return Ok(Vec::new());
    }
    let leased_ids: Vec<Uuid> = leased_ids.into_iter().map(|row| row.account_id).collect();
    type Row = (Uuid, PreferencesRow, String, Option<String>, Vec<u8>, i64, Option<i64>, i32, Option<At>);
    let rows: Vec<Row> = mail_settings::table
        .inner_join(accounts::table.on(accounts::id.eq(mail_settings::account_id)))
        .filter(mail_settings::account_id.eq_any(leased_ids))
        .filter(mail_settings::confirmed_address.eq(accounts::email))
        .order(mail_settings::account_id)
        .select((
            mail_settings::account_id,
            PreferencesRow::as_select(),
            accounts::username,
            accounts::email,
            mail_settings::unsubscribe_key,
            mail_settings::handled_up_to,
            mail_settings::sending_up_to,
            mail_settings::attempts,
            mail_settings::failing_since,
        ))
        .load(tx.sql())
        .await?;
    let leased = |(account, wanted, username, email, key, from, upto, attempts, since): Row| {
        Some(LeasedMail {
            account: AccountId(account),
            lease,
            preferences: wanted.into(),
            username,
            address: Email::stored(email?),
            key,
            from: from.unsigned_abs(),
            upto: upto?.unsigned_abs(),
            attempts: attempts.unsigned_abs(),
            failing_since: since.map(Time::from),
        })
    };
    Ok(rows.into_iter().filter_map(leased).collect())
}

/// True if the lease is valid now and until then.
pub async fn is_leased(conn: &mut Conn, leased: &LeasedMail, until: Time) -> Result<bool> {
    let row = mail_settings::table.find(leased.account.0).filter(mail_settings::claim_id.eq(leased.lease));
    let rows = row.filter(mail_settings::claimed_until.ge(At(until))).count().get_result::<i64>(conn.sql()).await?;
    Ok(rows == 1)
}

/// Records that the leased mail is done. Returns false if the lease is lost, and another node decides.
pub async fn finish(tx: &mut Tx, leased: &LeasedMail) -> Result<bool> {
    let upto = i64::try_from(leased.upto).map_err(Error::internal)?;
    let row = mail_settings::table.find(leased.account.0).filter(mail_settings::claim_id.eq(leased.lease));
    let changed = diesel::update(row)
        .set((mail_settings::handled_up_to.eq(upto), mail_settings::seen_up_to.eq(upto), ClearedQueue::default()))
        .execute(tx.sql())
        .await?;
    Ok(changed == 1)
}

/// Reschedules the leased mail for `due`: as a retry if it has failed `since`, else as a postponement.
pub async fn postpone(tx: &mut Tx, leased: &LeasedMail, due: Time, attempts: u32, since: Option<Time>) -> Result<()> {
    let row = mail_settings::table.find(leased.account.0).filter(mail_settings::claim_id.eq(leased.lease));
    diesel::update(row)
        .set((
            mail_settings::due_at.eq(At(due)),
            mail_settings::attempts.eq(i32::try_from(attempts).unwrap_or(i32::MAX)),
            mail_settings::failing_since.eq(since.map(At)),
            mail_settings::claim_id.eq(None::<Uuid>),
            mail_settings::claimed_until.eq(None::<At>),
        ))
        .run(tx)
        .await
}

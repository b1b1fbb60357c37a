//! The queue of accounts whose matches must be planned anew, and from when on.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{account_calendars, replanning_queue};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;

/// Notes that the account's matches must be planned anew, since its calendar gives other rests from `at` on; the row is
/// locked. What was promised then counts, even if a deadline passed before the matches were planned.
pub async fn note_change(tx: &mut Tx, id: AccountId, at: Time) -> Result<()> {
    let edition: i32 = diesel::update(account_calendars::table.find(id.0))
        .set(account_calendars::revision.eq(account_calendars::revision + 1))
        .returning(account_calendars::revision)
        .get_result(tx.sql())
        .await?;
    let note = (
        replanning_queue::account_id.eq(id.0),
        replanning_queue::revision.eq(edition),
        replanning_queue::changed_at.eq(At(at)),
    );
    diesel::insert_into(replanning_queue::table)
        .values(note)
        .on_conflict((replanning_queue::account_id, replanning_queue::changed_at))
        .do_update()
        .set(replanning_queue::revision.eq(edition))
        .run(tx)
        .await
}

/// An account's matches are planned once in so many milliseconds,
const PLANNED_EVERY_MS: i64 = 10 * 60 * 1000;
/// and so much sooner if they were not for long: six times in a row.
const PLANNED_AHEAD_MS: i64 = 5 * PLANNED_EVERY_MS;

/// Takes one of the plannings that an account may have. False: its changes wait, and are then planned together.
pub async fn take_planning(tx: &mut Tx, id: AccountId, now: Time) -> Result<bool> {
    let take = "UPDATE account_calendars SET replanned_until = greatest(replanned_until, $2) + $4 * interval '1 millisecond' \
         WHERE account_id = $1 AND (replanned_until IS NULL OR replanned_until <= $3)";
    let ahead = At(now.plus_ms(PLANNED_AHEAD_MS));
    Ok(sql!(take, id.0, At(now), ahead, PLANNED_EVERY_MS).execute(tx.sql()).await? == 1)
}

/// A change of a calendar for which its account's matches are not planned yet.
#[derive(Clone, Copy)]
pub struct PendingChange {
    /// From when on it counts.
    pub at: Time,
    edition: i32,
}

/// The first change of the account's calendar that counts by `now` and for which its matches are not planned yet.
pub async fn pending_change(conn: &mut Conn, id: AccountId, now: Time) -> Result<Option<PendingChange>> {
    let first = replanning_queue::table
        .filter(replanning_queue::account_id.eq(id.0))
        .filter(replanning_queue::changed_at.le(At(now)))
        .order(replanning_queue::changed_at)
        .select((replanning_queue::changed_at, replanning_queue::revision));
    let first: Option<(At, i32)> = first.first(conn.sql()).await.optional()?;
    Ok(first.map(|(at, edition)| PendingChange { at: at.0, edition }))
}

/// The changes of these accounts' calendars that count by `now` and for which their matches are not planned yet.
pub async fn changes_of(conn: &mut Conn, ids: &[AccountId], now: Time) -> Result<Vec<(AccountId, Time)>> {
    let rows: Vec<(Uuid, At)> = replanning_queue::table
        .filter(replanning_queue::account_id.eq_any(ids.iter().map(|id| id.0).collect::<Vec<_>>()))
        .filter(replanning_queue::changed_at.le(At(now)))
        .select((replanning_queue::account_id, replanning_queue::changed_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(id, at)| (AccountId(id), at.0)).collect())
}

/// Whether calendars have changed that matches don't know, as a condition at the time `$1`: the same as
/// [`accounts_with_changes`].
pub const CHANGED: &str = "EXISTS (SELECT FROM replanning_queue AS q JOIN account_calendars AS c USING (account_id) \
     WHERE q.changed_at <= $1 AND (c.replanned_until IS NULL OR c.replanned_until - interval '50 minutes' <= $1))";

rows! {
    struct WaitingRow {
        account_id: Uuid,
    }
}

/// Accounts with waiting changes whose matches may be planned now, the oldest first.
pub async fn accounts_with_changes(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<AccountId>> {
    let waiting = "SELECT q.account_id FROM replanning_queue AS q JOIN account_calendars AS c USING (account_id) \
         WHERE q.changed_at <= $1 AND (c.replanned_until IS NULL OR c.replanned_until <= $2) \
         GROUP BY q.account_id ORDER BY min(q.changed_at) LIMIT $3";
    let ahead = now.plus_ms(PLANNED_AHEAD_MS);
    let rows: Vec<WaitingRow> = sql!(waiting, At(now), At(ahead), limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| AccountId(row.account_id)).collect())
}

/// Removes the note, since the account's matches are planned for this change. Nothing happens if it was made anew
/// since.
pub async fn finish_change(tx: &mut Tx, id: AccountId, change: PendingChange) -> Result<()> {
    let done = replanning_queue::table.find((id.0, At(change.at)));
    diesel::delete(done.filter(replanning_queue::revision.eq(change.edition))).run(tx).await
}

/// Removes the note of a vacation that was to begin at `at` and was taken back. The calendar is locked.
pub async fn forget_change(tx: &mut Tx, id: AccountId, at: Time) -> Result<()> {
    diesel::delete(replanning_queue::table.find((id.0, At(at)))).run(tx).await
}

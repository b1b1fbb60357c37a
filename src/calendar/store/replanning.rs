//! The queue of accounts whose matches must be replanned, each with the time from which its change applies.

use broadside_rules::Time;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::db::schema::{account_calendars, replanning_queue};
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::Result;
use crate::ids::AccountId;

/// Queues the account's matches for replanning, because its calendar has other rests from `at` on; the row is locked.
/// Earlier promises are kept even if a deadline passes before the replanning.
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

/// An account's matches are replanned once per this many milliseconds,
const PLANNED_EVERY_MS: i64 = 10 * 60 * 1000;
/// and up to this much earlier after a pause: six times in a row.
const PLANNED_AHEAD_MS: i64 = 5 * PLANNED_EVERY_MS;

/// Takes one of the account's replannings. Returns false if none is left: its changes wait, and are then planned
/// together.
pub async fn take_planning(tx: &mut Tx, id: AccountId, now: Time) -> Result<bool> {
    let take = "UPDATE account_calendars SET replanned_until = greatest(replanned_until, $2) + $4 * interval '1 millisecond' \
         WHERE account_id = $1 AND (replanned_until IS NULL OR replanned_until <= $3)";
    let ahead = At(now.plus_ms(PLANNED_AHEAD_MS));
    Ok(sql!(take, id.0, At(now), ahead, PLANNED_EVERY_MS).execute(tx.sql()).await? == 1)
}

/// A calendar change that the account's matches don't reflect yet.
#[derive(Clone, Copy)]
pub struct PendingChange {
    /// The time from which it applies.
    pub at: Time,
    edition: i32,
}

/// The first change of the account's calendar that applies by `now` and isn't in its matches' plans.
pub async fn pending_change(conn: &mut Conn, id: AccountId, now: Time) -> Result<Option<PendingChange>> {
    let first = replanning_queue::table
        .filter(replanning_queue::account_id.eq(id.0))
        .filter(replanning_queue::changed_at.le(At(now)))
        .order(replanning_queue::changed_at)
        .select((replanning_queue::changed_at, replanning_queue::revision));
    let first: Option<(At, i32)> = first.first(conn.sql()).await.optional()?;
    Ok(first.map(|(at, edition)| PendingChange { at: at.0, edition }))
}

/// The changes of these accounts' calendars that apply by `now` and aren't in their matches' plans.
pub async fn changes_of(conn: &mut Conn, ids: &[AccountId], now: Time) -> Result<Vec<(AccountId, Time)>> {
    let rows: Vec<(Uuid, At)> = replanning_queue::table
        .filter(replanning_queue::account_id.eq_any(ids.iter().map(|id| id.0).collect::<Vec<_>>()))
        .filter(replanning_queue::changed_at.le(At(now)))
        .select((replanning_queue::account_id, replanning_queue::changed_at))
        .load(conn.sql())
        .await?;
    Ok(rows.into_iter().map(|(id, at)| (AccountId(id), at.0)).collect())
}

/// SQL condition at time `$1`: there are calendar changes that matches don't reflect. Must match
/// [`accounts_with_changes`].
pub const CHANGED: &str = "EXISTS (SELECT FROM replanning_queue AS q JOIN account_calendars AS c USING (account_id) \
     WHERE q.changed_at <= $1 AND (c.replanned_until IS NULL OR c.replanned_until - interval '50 minutes' <= $1))";

rows! {
    struct WaitingRow {
        account_id: Uuid,
    }
}

/// Accounts with pending changes whose matches may be replanned now, oldest first.
pub async fn accounts_with_changes(conn: &mut Conn, now: Time, limit: i64) -> Result<Vec<AccountId>> {
    let waiting = "SELECT q.account_id FROM replanning_queue AS q JOIN account_calendars AS c USING (account_id) \
         WHERE q.changed_at <= $1 AND (c.replanned_until IS NULL OR c.replanned_until <= $2) \
         GROUP BY q.account_id ORDER BY min(q.changed_at) LIMIT $3";
    let ahead = now.plus_ms(PLANNED_AHEAD_MS);
    let rows: Vec<WaitingRow> = sql!(waiting, At(now), At(ahead), limit).load(conn.sql()).await?;
    Ok(rows.into_iter().map(|row| AccountId(row.account_id)).collect())
}

/// Removes the queue entry after replanning for this change. Does nothing if the entry was renewed since.
pub async fn finish_change(tx: &mut Tx, id: AccountId, change: PendingChange) -> Result<()> {
    let done = replanning_queue::table.find((id.0, At(change.at)));
    diesel::delete(done.filter(replanning_queue::revision.eq(change.edition))).run(tx).await
}

/// Removes the queue entry of a canceled vacation that would have begun at `at`. The calendar is locked.
pub async fn forget_change(tx: &mut Tx, id: AccountId, at: Time) -> Result<()> {
    diesel::delete(replanning_queue::table.find((id.0, At(at)))).run(tx).await
}

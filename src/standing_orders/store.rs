//! Standing orders: the lists of seats, and the selection of lists with work to do.
//!
//! Nothing here writes to another table, and only [`waiting`] reads one: ordinary moves don't use this module.

use std::collections::HashSet;

use broadside_rules::{Seat, Time};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::Value;
use uuid::Uuid;

use crate::db::schema::standing_orders as lists;
use crate::db::{At, Conn, Run, Tx, rows, sql};
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::listed::Listed;
use crate::rate_limits::ShareOwner;
use crate::standing_orders::carry_out::AT_ONCE_MS;
use crate::standing_orders::rounds::{Lane, NEAR_MS};
use crate::standing_orders::{Delay, StandingOrder, StoredStandingOrders};

/// A list that may have work to do.
#[derive(Clone, PartialEq, Debug)]
pub struct DueList {
    pub match_id: MatchId,
    pub seat: Seat,
    /// The owner of the orders.
    pub account: AccountId,
    pub owner: ShareOwner,
    pub over: bool,
    /// The earliest deadline of the match.
    pub deadline: Option<Time>,
    /// True if an order is known to be ready for execution. Otherwise the list must be inspected first.
    pub is_ready: bool,
}

rows! {
    struct DueListRow {
        match_id: Uuid,
        seat: i16,
        account_id: Uuid,
        share_owner: Uuid,
        over: bool,
        deadline: Option<At>,
        is_ready: bool,
    }
}

/// SQL condition: there are any standing orders. Finding the due ones costs more.
pub const ANY: &str = "EXISTS (SELECT 1 FROM standing_orders)";

/// Lists in `lane` with work to do: lists of finished matches; lists with an order in execution; and, where the seat
/// must act, lists that were not inspected since the log grew, whose order is due, or whose deadline now falls before
/// `near`.
///
/// They come in any order, so that one that fails repeatedly doesn't block the others.
///
/// Each list looks up its match by key (`OFFSET 0` ensures that), so the cost depends on the number of lists, not of
/// matches: some 20 ms of processor time for ten thousand lists. (With distributed tables, the lists are sent to the
/// machines of the matches and looked up there: Citus can't plan `OFFSET` here.)
pub async fn waiting(conn: &mut Conn, lane: Lane, now: Time, limit: i64) -> Result<Vec<DueList>> {
    let offset = if conn.is_distributed() { "" } else { "OFFSET 0" };
    let is = if lane == Lane::NearDeadline { "IS" } else { "IS NOT" };
    let query = format!(
        "SELECT s.match_id, s.seat, s.account_id, s.share_owner, h.over, h.deadline, \
           NOT h.over AND s.executing_seq IS NULL AND (s.checked_seq = h.seq) IS TRUE AS is_ready \
         FROM standing_orders AS s CROSS JOIN LATERAL \
           (SELECT m.seq, m.to_act, m.deadline, m.finished_at IS NOT NULL AS over \
            FROM match_heads AS m WHERE m.match_id = s.match_id {offset}) AS h \
         WHERE (h.over OR s.executing_seq IS NOT NULL OR s.has_orders AND h.to_act >> s.seat & 1 = 1 \
           AND (s.checked_seq IS DISTINCT FROM h.seq OR s.due_at <= $1 OR s.due_at IS NOT NULL AND h.deadline <= $2)) \
         AND (h.deadline > $1 AND h.deadline <= $3) {is} TRUE ORDER BY random() LIMIT $4"
    );
    let (at_once, near) = (now.plus_ms(AT_ONCE_MS), now.plus_ms(NEAR_MS));
    let rows: Vec<DueListRow> = sql!(query, At(now), At(at_once), At(near), limit).load(conn.sql()).await?;
    rows.into_iter().map(DueList::try_from).collect()
}

/// Owners with an order executed after `since`.
pub async fn served_after(conn: &mut Conn, since: Time) -> Result<HashSet<ShareOwner>> {
    let served = lists::table.filter(lists::executed_at.gt(At(since))).select(lists::share_owner).distinct();
    let owners: Vec<Uuid> = served.load(conn.sql()).await?;
    Ok(owners.into_iter().map(ShareOwner::from).collect())
}

/// Lists of seats in multiplayer matches, on the others' turns, that were not inspected since the log grew: their seats
/// may be eliminated.
pub async fn idle(conn: &mut Conn, limit: i64) -> Result<Vec<DueList>> {
    let query = "SELECT s.match_id, s.seat, s.account_id, s.share_owner, false AS over, h.deadline, false AS is_ready \
         FROM standing_orders AS s JOIN match_heads AS h ON h.match_id = s.match_id \
         WHERE h.finished_at IS NULL AND h.to_act >> s.seat & 1 = 0 AND s.checked_seq IS DISTINCT FROM h.seq AND s.executing_seq IS NULL \
         AND EXISTS (SELECT 1 FROM match_seats AS m WHERE m.match_id = s.match_id AND m.seat = 2) \
         ORDER BY random() LIMIT $1";
    let rows: Vec<DueListRow> = sql!(query, limit).load(conn.sql()).await?;
    rows.into_iter().map(DueList::try_from).collect()
}

impl TryFrom<DueListRow> for DueList {
    type Error = Error;

    fn try_from(row: DueListRow) -> Result<Self> {
        Ok(Self {
            match_id: MatchId(row.match_id),
            seat: seat(row.seat)?,
            account: AccountId(row.account_id),
            owner: row.share_owner.into(),
            over: row.over,
            deadline: row.deadline.map(Time::from),
            is_ready: row.is_ready,
        })
    }
}

fn seat(number: i16) -> Result<Seat> {
    u8::try_from(number).map(Seat).map_err(Error::internal)
}

fn column(seat: Seat) -> i16 {
    i16::from(seat.0)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = lists)]
struct Row {
    match_id: Uuid,
    seat: i16,
    account_id: Uuid,
    revision: i32,
    orders: Value,
    min_delay_s: Option<i32>,
    max_delay_s: Option<i32>,
    edited_at: At,
    checked_seq: Option<i32>,
    due_at: Option<At>,
    manual_since: Option<At>,
    executing_seq: Option<i32>,
    edited_revision: i32,
    share_owner: Uuid,
}

impl TryFrom<Row> for StoredStandingOrders {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let delay = row.min_delay_s.zip(row.max_delay_s);
        Ok(Self {
            match_id: MatchId(row.match_id),
            seat: seat(row.seat)?,
            account: AccountId(row.account_id),
            share_owner: row.share_owner.into(),
            revision: row.revision.unsigned_abs(),
            orders: serde_json::from_value(row.orders).map_err(Error::internal)?,
            delay: delay.map(|(least, most)| Delay { min_s: least.unsigned_abs(), max_s: most.unsigned_abs() }),
            edited_at: row.edited_at.0,
            looked_seq: row.checked_seq.map(i32::unsigned_abs),
            due_at: row.due_at.map(Time::from),
            open_since: row.manual_since.map(Time::from),
            firing_seq: row.executing_seq.map(i32::unsigned_abs),
            edited_revision: row.edited_revision.unsigned_abs(),
        })
    }
}

/// A player's list in a match.
pub async fn find(conn: &mut Conn, id: MatchId, account: AccountId) -> Result<Option<StoredStandingOrders>> {
    let row: Option<Row> =
        lists::table.find((id.0, account.0)).select(Row::as_select()).first(conn.sql()).await.optional()?;
    row.map(StoredStandingOrders::try_from).transpose()
}

pub async fn of_account(conn: &mut Conn, account: AccountId) -> Result<Listed<StoredStandingOrders>> {
    let its = lists::table.filter(lists::account_id.eq(account.0)).order(lists::match_id);
    let rows: Vec<Row> = its.select(Row::as_select()).load(conn.sql()).await?;
    let rows = rows.into_iter().map(|row| (row.match_id, StoredStandingOrders::try_from(row)));
    Listed::of("a list of standing orders can't be read; lists leave it out", rows)
}

/// The columns of a new list, with no work determined yet.
macro_rules! anew {
    ($kept:expr) => {{
        let kept = $kept;
        let whole = |number: u32| i32::try_from(number).map_err(Error::internal);
        (
            lists::revision.eq(whole(kept.revision)?),
            lists::orders.eq(json(&kept.orders)?),
            lists::has_orders.eq(!kept.orders.is_empty()),
            lists::checked_seq.eq(None::<i32>),
            lists::due_at.eq(None::<At>),
            lists::manual_since.eq(kept.open_since.map(At)),
            lists::executing_seq.eq(None::<i32>),
        )
    }};
}

fn json(orders: &[StandingOrder]) -> Result<Value> {
    serde_json::to_value(orders).map_err(Error::internal)
}

/// Replaces the preceding revision by the owner's list. False: the stored revision is another one, or one of its orders
/// is being executed.
pub async fn replace(tx: &mut Tx, new: &StoredStandingOrders) -> Result<bool> {
    let whole = |number: u32| i32::try_from(number).map_err(Error::internal);
    let delay = (
        lists::min_delay_s.eq(new.delay.map(|delay| whole(delay.min_s)).transpose()?),
        lists::max_delay_s.eq(new.delay.map(|delay| whole(delay.max_s)).transpose()?),
        lists::edited_at.eq(At(new.edited_at)),
        lists::edited_revision.eq(whole(new.revision)?),
        lists::share_owner.eq(new.share_owner.id()),
    );
    let of_seat =
        (lists::match_id.eq(new.match_id.0), lists::seat.eq(column(new.seat)), lists::account_id.eq(new.account.0));
    let written = if new.revision == 1 {
        let insert = diesel::insert_into(lists::table).values((of_seat, anew!(new), delay)).on_conflict_do_nothing();
        insert.execute(tx.sql()).await?
    } else {
        let before = i32::try_from(new.revision - 1).map_err(Error::internal)?;
        let this = lists::table.find((new.match_id.0, new.account.0));
        let this = this.filter(lists::revision.eq(before)).filter(lists::executing_seq.is_null());
        diesel::update(this).set((anew!(new), delay)).execute(tx.sql()).await?
    };
    Ok(written == 1)
}

/// Stores the remaining list as the next revision. False: another node has done it, or, if no entry was written for it,
/// is about to write one.
pub async fn go_on(tx: &mut Tx, new: &StoredStandingOrders, fired: bool) -> Result<bool> {
    let before = i32::try_from(new.revision - 1).map_err(Error::internal)?;
    let this = lists::table.find((new.match_id.0, new.account.0)).filter(lists::revision.eq(before));
    let this = this.filter(lists::executing_seq.is_not_null().eq(fired));
    Ok(diesel::update(this).set(anew!(new)).execute(tx.sql()).await? == 1)
}

/// Records the due time that is valid as long as the log has `seq` entries.
pub async fn note(tx: &mut Tx, kept: &StoredStandingOrders, seq: usize, due_at: Option<Time>) -> Result<()> {
    let (seq, revision) = numbers(kept, seq)?;
    let this = lists::table.find((kept.match_id.0, kept.account.0));
    let this = this.filter(lists::revision.eq(revision)).filter(lists::executing_seq.is_null());
    let noted = (lists::checked_seq.eq(seq), lists::due_at.eq(due_at.map(At)));
    diesel::update(this).set(noted).run(tx).await
}

/// Records that the entry `seq` is about to be written for this revision. False: the list has changed, or another node
/// is executing it.
pub async fn begin(tx: &mut Tx, kept: &StoredStandingOrders, seq: usize, now: Time) -> Result<bool> {
    let (seq, revision) = numbers(kept, seq)?;
    let this = lists::table.find((kept.match_id.0, kept.account.0));
    let this = this.filter(lists::revision.eq(revision)).filter(lists::executing_seq.is_null());
    let begun = (lists::executing_seq.eq(seq), lists::executed_at.eq(At(now)));
    Ok(diesel::update(this).set(begun).execute(tx.sql()).await? == 1)
}

/// Records that the entry `seq` was not written for this revision, and can't be any more.
pub async fn give_up(tx: &mut Tx, kept: &StoredStandingOrders, seq: usize) -> Result<()> {
    let (seq, revision) = numbers(kept, seq)?;
    let this = lists::table.find((kept.match_id.0, kept.account.0));
    let this = this.filter(lists::revision.eq(revision)).filter(lists::executing_seq.eq(seq));
    diesel::update(this).set(lists::executing_seq.eq(None::<i32>)).run(tx).await
}

fn numbers(kept: &StoredStandingOrders, seq: usize) -> Result<(i32, i32)> {
    Ok((i32::try_from(seq).map_err(Error::internal)?, i32::try_from(kept.revision).map_err(Error::internal)?))
}

/// Deletes a player's list. False: there is none, or one of its orders is being executed, and its owner must be
/// notified of the outcome.
pub async fn delete(tx: &mut Tx, id: MatchId, account: AccountId) -> Result<bool> {
    let this = lists::table.find((id.0, account.0)).filter(lists::executing_seq.is_null());
    Ok(diesel::delete(this).execute(tx.sql()).await? == 1)
}

/// Deletes the list of a player who has given the seat away, even while one of its orders is being executed.
pub async fn hand_over(tx: &mut Tx, id: MatchId, from: AccountId) -> Result<()> {
    diesel::delete(lists::table.find((id.0, from.0))).run(tx).await
}

pub async fn forget_account(tx: &mut Tx, account: AccountId) -> Result<()> {
    diesel::delete(lists::table.filter(lists::account_id.eq(account.0))).run(tx).await
}

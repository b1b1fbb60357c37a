//! Reading an account's log: by number, by page, or as it grows.
//!
//! A reader has a cursor: the epoch and the number of its last event. After any wake-up it reads everything after the
//! cursor from the log, so no event is missed or repeated. A slow reader costs nothing but its cursor.

use std::time::Duration;

use broadside_rules::Time;
use serde_json::value::RawValue;

use super::{EventJson, LogRange, MIN_KEPT, StoredEvents, kinds};
use crate::context::Context;
use crate::db;
use crate::epoch::{self, Cursor, Epoch};
use crate::error::{Error, Result, problem};
use crate::events::store;
use crate::ids::AccountId;
use crate::listed::readable;
use crate::wakeups::Subscription;

/// The number of log rows per query.
const ROWS_PER_READ: i64 = 100;
/// The delay before a reader with known unread events looks again.
const SOON: Duration = Duration::from_millis(50);

pub struct LoggedEvent {
    pub number: u64,
    pub kind: String,
    pub json: EventJson,
}

impl LoggedEvent {
    /// True if it stands in place of an unreadable event.
    pub fn is_unreadable(&self) -> bool {
        self.kind == kinds::UnreadableEvent::KIND
    }
}

pub struct LogReader {
    account: AccountId,
    epoch: Epoch,
    /// The number of the last event read.
    newest: u64,
    /// True if it reads from the beginning, and has returned nothing yet.
    begins: bool,
    subscription: Subscription,
    may_have_more: bool,
}

/// The reason for the end of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitResult {
    NewEvents,
    TimedOut,
    Stopping,
    /// A new epoch has begun, so the cursor is invalid.
    Rewound,
}

impl LogReader {
    /// A reader that continues after the event `after`; by default after the newest. Also returns the log's range.
    ///
    /// Fails with `cursor-too-old` when the next event is no longer kept, and with `log-rewound` when the cursor is of
    /// another epoch, or beyond the end.
    pub async fn new(ctx: &Context, account: AccountId, after: Option<Cursor>) -> Result<(Self, LogRange)> {
        // Before the first read, so that no wake-up in between is missed.
        let subscription = ctx.wakeups.subscribe(account.0);
        let is_of_this_epoch = match after {
            Some(cursor) => ctx.epochs.includes(&ctx.db, cursor).await?,
            None => true,
        };
        let epoch = ctx.epochs.current();
        let mut conn = ctx.db.conn().await?;
        let range = store::range(&mut conn, account).await?;
        let newest = after.map_or(range.newest, |cursor| cursor.number);
        if !is_of_this_epoch || newest > range.newest {
            if is_of_this_epoch {
                ctx.epochs.beyond_the_end();
            }
            return Err(epoch::rewound(Cursor::new(epoch, range.newest)));
        }
        if newest < range.forgotten {
            return Err(too_old(range.forgotten));
        }
        let (begins, may_have_more) = (after == Some(Cursor::BEGINNING), newest < range.newest);
        Ok((Self { account, epoch, newest, begins, subscription, may_have_more }, range))
    }

    pub fn account(&self) -> AccountId {
        self.account
    }

    /// The position after the last event read.
    pub fn cursor(&self) -> Cursor {
        self.cursor_behind(self.newest)
    }

    pub fn cursor_behind(&self, number: u64) -> Cursor {
        Cursor::new(self.epoch, number)
    }

    /// The next events, up to `limit`. A read from the beginning returns events of one epoch: if another begins
    /// meanwhile, it starts again.
    pub async fn page(&mut self, ctx: &Context, limit: usize) -> Result<Vec<LoggedEvent>> {
        let (begins, mut items) = (self.begins, Vec::new());
        while items.len() < limit {
            match self.next(ctx, limit - items.len()).await {
                Ok(more) if more.is_empty() => break,
                Ok(more) => items.extend(more),
                Err(error) if begins && error.problem().code == problem::LOG_REWOUND.code => {
                    items.clear();
                    (self.begins, self.newest, self.may_have_more) = (true, 0, true);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(items)
    }

    /// The next events, up to `limit`; empty when there are none yet.
    pub async fn next(&mut self, ctx: &Context, limit: usize) -> Result<Vec<LoggedEvent>> {
        if self.begins {
            // A reader from the beginning holds no events that a restore could have undone.
            self.epoch = ctx.epochs.current();
        }
        if ctx.epochs.current() != self.epoch {
            let range = store::range(&mut ctx.db.conn().await?, self.account).await?;
            return Err(epoch::rewound(Cursor::new(ctx.epochs.current(), range.newest)));
        }
        if !self.may_have_more {
            return Ok(Vec::new());
        }
        let limit_rows = ROWS_PER_READ.min(i64::try_from(limit).unwrap_or(ROWS_PER_READ));
        let mut conn = ctx.db.conn().await?;
        let rows = store::read(&mut conn, self.account, self.newest, limit_rows).await?;
        // With distributed logs, the counter may be ahead of the visible rows.
        let counted = if conn.is_distributed() { store::range(&mut conn, self.account).await?.newest } else { 0 };
        drop(conn);
        let (new, cursor) = (rows.iter().flat_map(logged_events), self.newest);
        let mut new = new.filter(|event| event.as_ref().map_or(true, |event| event.number > cursor));
        let found = new.by_ref().take(limit).collect::<Result<Vec<LoggedEvent>>>()?;
        // Fewer rows than requested: there are no more yet, and later ones wake the reader.
        let more = new.next().is_some() || i64::try_from(rows.len()).is_ok_and(|read| read == limit_rows);
        match (found.first(), found.last()) {
            // The events in between were deleted, since the reader was slow.
            (Some(first), _) if first.number != cursor + 1 => return Err(too_old(first.number - 1)),
            (_, Some(last)) => (self.newest, self.begins) = (last.number, false),
            _ => {}
        }
        self.may_have_more = more || self.newest < counted;
        Ok(found)
    }

    /// Waits for new events, up to `timeout`.
    pub async fn wait(&mut self, ctx: &Context, timeout: Duration) -> WaitResult {
        tokio::select! {
            () = self.subscription.woken() => {
                self.may_have_more = true;
                WaitResult::NewEvents
            }
            () = tokio::time::sleep(SOON.min(timeout)), if self.may_have_more => WaitResult::NewEvents,
            () = tokio::time::sleep(timeout) => WaitResult::TimedOut,
            () = ctx.stopped() => WaitResult::Stopping,
            () = ctx.epochs.other_than(self.epoch) => WaitResult::Rewound,
        }
    }
}

fn too_old(forgotten: u64) -> Error {
    let detail = format!("What is kept for you begins with event {}.", forgotten + 1);
    Error::new(&problem::CURSOR_TOO_OLD, detail)
}

/// The first line of a stream.
pub fn snapshot(ctx: &Context, reader: &LogReader, range: LogRange) -> Result<LoggedEvent> {
    let event = kinds::SnapshotEvent::marker(ctx.clock.now(), reader.newest, range.newest, reader.epoch);
    let json = serde_json::value::to_raw_value(&event).map_err(Error::internal)?;
    Ok(LoggedEvent { number: reader.newest, kind: event.kind().to_owned(), json: EventJson { json } })
}

/// The account's events after number `after`, for a reader that keeps its own cursor; empty when there are none yet.
pub async fn after(conn: &mut db::Conn, account: AccountId, after: u64) -> Result<Vec<LoggedEvent>> {
    let rows = store::read(conn, account, after, ROWS_PER_READ).await?;
    let new = rows.iter().flat_map(logged_events);
    new.filter(|event| event.as_ref().map_or(true, |event| event.number > after)).collect()
}

/// The event with this number, if it is still kept.
pub async fn find(conn: &mut db::Conn, account: AccountId, number: u64) -> Result<Option<LoggedEvent>> {
    let rows = store::read(conn, account, number.saturating_sub(1), 1).await?;
    rows.iter()
        .flat_map(logged_events)
        .find(|event| event.as_ref().map_or(true, |event| event.number == number))
        .transpose()
}

/// The newest 1000 events of an account, for its own export; the API pages through the rest.
pub async fn export(conn: &mut db::Conn, account: AccountId) -> Result<Vec<EventJson>> {
    let after = store::range(conn, account).await?.newest.saturating_sub(MIN_KEPT.unsigned_abs());
    // Each row holds at least one event, so these rows hold all of them, and some that arrived meanwhile.
    let rows = store::read(conn, account, after, MIN_KEPT).await?;
    let new = rows.iter().flat_map(logged_events);
    let new = new.filter(|event| event.as_ref().map_or(true, |event| event.number > after));
    new.take(MIN_KEPT as usize).map(|event| event.map(|event| event.json)).collect()
}

pub(super) fn logged_events(row: &StoredEvents) -> impl Iterator<Item = Result<LoggedEvent>> {
    let mut lines = row.lines.lines();
    (row.first..).take(row.count as usize).map(move |number| {
        let id = format_args!("{number} of {}", row.account);
        let event = readable("an event can't be read; its reader is told so", id, logged_event(number, lines.next()))?;
        event.map_or_else(|| unreadable(number, row.at), Ok)
    })
}

pub(super) fn logged_event(number: u64, line: Option<&str>) -> Result<LoggedEvent> {
    let (head, rest) =
        line.and_then(|line| line.split_once(' ')).ok_or_else(|| Error::internal("a stored event has no kind"))?;
    let kind = head.split_once('@').map_or(head, |(kind, _)| kind);
    let json = RawValue::from_string(format!("{{\"number\":{number},{rest}")).map_err(Error::internal)?;
    Ok(LoggedEvent { number, kind: kind.to_owned(), json: EventJson { json } })
}

/// A placeholder for an unreadable event, so that no number is missing.
fn unreadable(number: u64, at: Time) -> Result<LoggedEvent> {
    let event = kinds::UnreadableEvent::in_place_of(number, at);
    let json = serde_json::value::to_raw_value(&event).map_err(Error::internal)?;
    Ok(LoggedEvent { number, kind: event.kind().to_owned(), json: EventJson { json } })
}

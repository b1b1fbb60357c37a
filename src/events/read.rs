//! Reading an account's log: by number, a page at a time, or all that comes.
//!
//! A reader has a cursor: the number of the last event that he has. What is behind it is read from the log alone, whatever woke him, so nothing can be
//! missing or twice. Nothing is kept for a slow reader but his place.

use std::time::Duration;

use serde_json::value::RawValue;

use super::{Bounds, Bundle, Heard, KEPT_AT_LEAST, kinds};
use crate::context::Context;
use crate::db;
use crate::error::{Error, Result, problem};
use crate::events::store;
use crate::ids::AccountId;
use crate::wakeups::Subscription;

/// How many rows of the log are read at a time.
const BUNDLES: i64 = 100;

/// An event of the log.
pub struct Item {
    /// Its number.
    pub number: u64,
    /// Its `type`.
    pub kind: String,
    /// As it goes out.
    pub heard: Heard,
}

/// A reader of an account's log, and his place in it.
pub struct Reader {
    account: AccountId,
    cursor: u64,
    bell: Subscription,
    /// Whether there may be something that he hasn't read.
    stale: bool,
}

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// There may be news.
    News,
    /// There was none for so long.
    Silence,
    /// The service is about to stop.
    Stop,
}

impl Reader {
    /// A reader who goes on from behind the event `after`; from the newest on unless given. Also says how far the log goes.
    ///
    /// Fails with `cursor-too-old` when the next event is no longer kept, and with `invalid-request` when `after` is a number that no event has had.
    pub async fn new(ctx: &Context, account: AccountId, after: Option<u64>) -> Result<(Self, Bounds)> {
        // Before the first look, so that nothing is missed in between.
        let bell = ctx.wakeups.subscribe(account.0);
        let mut conn = ctx.db.conn().await?;
        let bounds = store::bounds(&mut conn, account).await?;
        let cursor = after.unwrap_or(bounds.newest);
        if cursor > bounds.newest {
            let detail = format!("there is no such event yet; the newest has the number {}", bounds.newest);
            return Err(Error::invalid_at("/after", "out-of-range", detail));
        }
        if cursor < bounds.forgotten {
            return Err(too_old(bounds.forgotten));
        }
        Ok((Self { account, cursor, bell, stale: cursor < bounds.newest }, bounds))
    }

    /// Whose log he reads.
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// The number of the last event that he has.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// The next events, `limit` at most; none when he has them all for now.
    pub async fn next(&mut self, ctx: &Context, limit: usize) -> Result<Vec<Item>> {
        if !self.stale {
            return Ok(Vec::new());
        }
        let rows = BUNDLES.min(i64::try_from(limit).unwrap_or(BUNDLES));
        let mut conn = ctx.db.conn().await?;
        let bundles = store::read(&mut conn, self.account, self.cursor, rows).await?;
        drop(conn);
        let (new, cursor) = (bundles.iter().flat_map(items), self.cursor);
        let mut new = new.filter(|item| item.as_ref().map_or(true, |item| item.number > cursor));
        let found = new.by_ref().take(limit).collect::<Result<Vec<Item>>>()?;
        // Fewer than were asked for: these are all for now. What comes later rings.
        let more = new.next().is_some() || i64::try_from(bundles.len()).is_ok_and(|read| read == rows);
        match (found.first(), found.last()) {
            // What lay between was forgotten while he was slow.
            (Some(first), _) if first.number != cursor + 1 => return Err(too_old(first.number - 1)),
            (_, Some(last)) => self.cursor = last.number,
            _ => {}
        }
        self.stale = more;
        Ok(found)
    }

    /// Waits for news, at most for `patience`.
    pub async fn wait(&mut self, ctx: &Context, patience: Duration) -> Woken {
        tokio::select! {
            () = self.bell.woken() => {
                self.stale = true;
                Woken::News
            }
            () = tokio::time::sleep(patience) => Woken::Silence,
            () = ctx.stopped() => Woken::Stop,
        }
    }
}

fn too_old(forgotten: u64) -> Error {
    let detail = format!("What is kept for you begins with event {}.", forgotten + 1);
    Error::new(&problem::CURSOR_TOO_OLD, detail)
}

/// The marker at the beginning of a stream.
pub fn snapshot(ctx: &Context, reader: &Reader, bounds: Bounds) -> Result<Item> {
    let event = kinds::SnapshotEvent::marker(ctx.clock.now(), reader.cursor, bounds.newest);
    let json = serde_json::value::to_raw_value(&event).map_err(Error::internal)?;
    Ok(Item { number: reader.cursor, kind: event.kind().to_owned(), heard: Heard { json } })
}

/// Some of the account's events from behind `after` on, for who keeps his own place and comes again: none when there are no more for now.
pub async fn behind(conn: &mut db::Conn, account: AccountId, after: u64) -> Result<Vec<Item>> {
    let bundles = store::read(conn, account, after, BUNDLES).await?;
    let new = bundles.iter().flat_map(items);
    new.filter(|item| item.as_ref().map_or(true, |item| item.number > after)).collect()
}

/// The event of this number, if it is still kept.
pub async fn one(conn: &mut db::Conn, account: AccountId, number: u64) -> Result<Option<Item>> {
    let bundles = store::read(conn, account, number.saturating_sub(1), 1).await?;
    bundles.iter().flat_map(items).find(|item| item.as_ref().map_or(true, |item| item.number == number)).transpose()
}

/// The newest 1000 events of an account, for its own export: there may be millions, and all of them can be read a page at a time.
pub async fn export(conn: &mut db::Conn, account: AccountId) -> Result<Vec<Heard>> {
    let after = store::bounds(conn, account).await?.newest.saturating_sub(KEPT_AT_LEAST.unsigned_abs());
    // Each row holds an event at least, so these are all, and some that came meanwhile.
    let bundles = store::read(conn, account, after, KEPT_AT_LEAST).await?;
    let new = bundles.iter().flat_map(items);
    let new = new.filter(|item| item.as_ref().map_or(true, |item| item.number > after));
    new.take(KEPT_AT_LEAST as usize).map(|item| item.map(|item| item.heard)).collect()
}

/// The events of a bundle, with their numbers.
pub(super) fn items(bundle: &Bundle) -> impl Iterator<Item = Result<Item>> {
    (bundle.first..).zip(bundle.lines.lines()).map(|(number, line)| {
        let (kind, rest) = line.split_once(' ').ok_or_else(|| Error::internal("a stored event has no kind"))?;
        let json = RawValue::from_string(format!("{{\"number\":{number},{rest}")).map_err(Error::internal)?;
        Ok(Item { number, kind: kind.to_owned(), heard: Heard { json } })
    })
}

//! The epoch of the logs: within an epoch, the number of an event, a report or a message never changes its meaning.
//!
//! After a restore from a backup the logs are shorter, and their numbers are assigned again. A reader who continued
//! after an old number would miss the new entry with that number. So a cursor is an epoch and a number, and a cursor of
//! another epoch is refused: its owner reads everything anew.
//!
//! A new epoch begins automatically when committed data may be lost:
//!
//! - The row isn't where it was written: it was restored from a dump into another cluster, database or table, or
//!   rewritten by another transaction.
//! - The cluster's write-ahead log has another timeline: it was recovered to a point in time, or a standby took over.
//!   A standby that had to confirm each commit has lost nothing, and a node that has lived through the change knows
//!   that from its last heartbeat, which is there and was confirmed. Then the epoch goes on.
//! - A node finds fewer of its own heartbeats than it has written, or a whole match log that differs from the one it
//!   remembers. (A log with a gap, or one that its head contradicts, only means that this match is damaged.)
//!
//! Files of a cluster put back while no node was running look unchanged: `broadside restore` begins a new epoch itself,
//! and `broadside events new-epoch` is for every other way.

pub(crate) mod store;

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use broadside_rules::Time;
use tokio::sync::watch;

use crate::db::{Conn, Db, Tx};
use crate::error::{Error, Result, problem};
use store::{Place, StoredEpoch};

/// Its characters, without those that are easily confused.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Its length in characters: 40 random bits.
const LENGTH: usize = 8;
/// After a match has ended an epoch, no other match ends one for this long.
const REST_MS: i64 = 60_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch([u8; LENGTH]);

impl Epoch {
    /// The epoch from these random bytes.
    pub fn drawn(random: [u8; LENGTH]) -> Self {
        Self(random.map(|byte| ALPHABET[usize::from(byte % 32)]))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.0).unwrap_or_default())
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Epoch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = <[u8; LENGTH]>::try_from(text.as_bytes()).ok();
        let bytes = bytes.filter(|bytes| bytes.iter().all(|byte| ALPHABET.contains(byte)));
        bytes.map(Self).ok_or_else(|| "is not an epoch".to_owned())
    }
}

/// A position in a log: after the entry with this number, in this epoch. 0 alone is the beginning, in every epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// `None` at the beginning of the log.
    epoch: Option<Epoch>,
    /// The last entry that the reader has.
    pub number: u64,
}

impl Cursor {
    /// The beginning of every log.
    pub const BEGINNING: Self = Self { epoch: None, number: 0 };
    /// The largest number that JSON represents exactly.
    const MAX_NUMBER: u64 = (1 << 53) - 1;

    /// The position after the entry with this number.
    pub fn new(epoch: Epoch, number: u64) -> Self {
        Self { epoch: Some(epoch), number }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.epoch {
            Some(epoch) => write!(f, "{epoch}-{}", self.number),
            None => write!(f, "{}", self.number),
        }
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "0" {
            return Ok(Self::BEGINNING);
        }
        let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number <= Self::MAX_NUMBER);
        let read = text.split_once('-').and_then(|(epoch, digits)| Some((epoch.parse().ok()?, number(digits)?)));
        read.map(|(epoch, number)| Self::new(epoch, number))
            .ok_or_else(|| "must be a cursor as an answer gave it, such as k7m2x9pq-17; or 0".to_owned())
    }
}

/// The epoch known to a node.
pub struct Epochs {
    known: watch::Sender<Epoch>,
    /// True once a reader in this epoch was found beyond the end of a log.
    warned: AtomicBool,
    /// The time when this node last ended an epoch because of a match.
    ended_at: AtomicI64,
}

/// A node's memory of its own last heartbeat.
#[derive(Clone, Copy, Default, Debug)]
pub struct Witness {
    /// True if a synchronous standby had to confirm it.
    pub was_synchronous: bool,
    /// True if it is missing from the database.
    pub is_lost: bool,
}

/// The fate of an epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    GoesOn,
    /// It goes on, at another place.
    Moved,
    Over,
}

impl Epochs {
    /// The epoch of the database. A new one begins if there was none or the last one is over.
    pub async fn open(db: &Db, now: Time, new: Epoch) -> Result<Self> {
        let place = place(db).await?;
        let mut tx = db.begin().await?;
        let epoch = settle(&mut tx, place.as_ref(), Witness::default(), now, Some(new)).await?;
        tx.commit().await?;
        Ok(Self {
            known: watch::Sender::new(epoch),
            warned: AtomicBool::new(false),
            ended_at: AtomicI64::new(i64::MIN),
        })
    }

    /// The epoch known to this node.
    pub fn current(&self) -> Epoch {
        *self.known.borrow()
    }

    pub fn learn(&self, epoch: Epoch) {
        let is_new = self.known.send_if_modified(|known| std::mem::replace(known, epoch) != epoch);
        if is_new {
            self.warned.store(false, Ordering::Relaxed);
            tracing::warn!(%epoch, "a new epoch of the logs: what was committed before may be gone, and clients read anew");
        }
    }

    /// Returns when this node knows a different epoch.
    pub async fn other_than(&self, epoch: Epoch) {
        // The sender lives as long as the context, so this can't fail.
        let _ = self.known.subscribe().wait_for(|known| *known != epoch).await;
    }

    /// Ends an epoch in which this node has seen data that is missing now; another one begins, unless it has already.
    /// Fails with `unavailable` if this node ended one within a minute: a match that is put back repeatedly invalidates
    /// everybody's cursors no more often than that.
    pub async fn end(&self, db: &Db, over: Epoch, now: Time) -> Result<()> {
        let ended_at = self.ended_at.load(Ordering::Relaxed);
        if (ended_at..ended_at.saturating_add(REST_MS)).contains(&now.0) && over == self.current() {
            return Err(
                Error::not_ready("This match is read anew in a moment.").retry_after(REST_MS.unsigned_abs() / 1000)
            );
        }
        let place = place(db).await?;
        let mut tx = db.begin().await?;
        let stored = store::find(&mut tx).await?.map(|stored| stored.epoch);
        let witness = Witness { is_lost: stored == Some(over), ..Witness::default() };
        let epoch = settle(&mut tx, place.as_ref(), witness, now, None).await?;
        tx.commit().await?;
        if epoch != over && witness.is_lost {
            self.ended_at.store(now.0, Ordering::Relaxed);
        }
        self.learn(epoch);
        Ok(())
    }

    /// True if a cursor is of this epoch. If it seems not to be, the database is asked, because another node may know
    /// more.
    pub async fn includes(&self, db: &Db, cursor: Cursor) -> Result<bool> {
        let Some(epoch) = cursor.epoch else { return Ok(true) };
        if epoch != self.current()
            && let Some(stored) = store::find(&mut db.conn().await?).await?
        {
            self.learn(stored.epoch);
        }
        Ok(epoch == self.current())
    }

    /// Logs a reader beyond the end of a log: either the cursor was invented, or the database's files were put back
    /// without notice.
    pub fn beyond_the_end(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a reader's cursor is beyond the end of its log: if the files of the database were put back to an earlier \
                 time, run `broadside events new-epoch`"
            );
        }
    }
}

/// Time for which users see the notice of a restore, in milliseconds: 14 days.
const TOLD_MS: i64 = 14 * 86_400_000;

/// A restore from a backup. Changes between the two times are lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Restore {
    /// The time of the restore.
    pub at: Time,
    /// The time of the backup.
    pub to: Time,
}

/// The restore of the last 14 days, if any.
pub async fn recent_restore(conn: &mut Conn, now: Time) -> Result<Option<Restore>> {
    let restored = store::restored(conn).await?;
    Ok(restored.map(|(at, to)| Restore { at, to }).filter(|restore| now.millis_since(restore.at) < TOLD_MS))
}

/// The refusal of an invalidated cursor, with the one for continuing after everything was read anew.
pub fn rewound(next: Cursor) -> Error {
    Error::plain(&problem::LOG_REWOUND).next_cursor(next.to_string())
}

/// The place of the database; `None` if it doesn't tell.
pub async fn place(db: &Db) -> Result<Option<Place>> {
    use crate::error::ProblemKind::Internal;
    match store::place(&mut db.conn().await?).await {
        Ok(place) => Ok(Some(place)),
        Err(error) if error.problem().kind == Internal => Ok(None),
        Err(error) => Err(error),
    }
}

/// Determines the epoch after changes of the database. A new one, if needed, is `new`, or is drawn.
pub async fn settle(
    tx: &mut Tx,
    place: Option<&Place>,
    witness: Witness,
    now: Time,
    new: Option<Epoch>,
) -> Result<Epoch> {
    let known = store::find(tx).await?;
    let verdict = known.as_ref().map_or(Verdict::Over, |known| verdict(known, place, witness));
    let next = match (&known, verdict, new) {
        (Some(known), Verdict::GoesOn, _) => return Ok(known.epoch),
        (Some(known), Verdict::Moved, _) => known.epoch,
        (_, _, Some(new)) => new,
        (_, _, None) => store::draw(tx).await?,
    };
    store::replace(tx, known.as_ref(), next, place, now).await?;
    // Another node may have been faster.
    let stored = store::find(tx).await?.ok_or_else(|| Error::internal("the epoch of the logs isn't there"))?;
    Ok(stored.epoch)
}

fn verdict(known: &StoredEpoch, place: Option<&Place>, witness: Witness) -> Verdict {
    let is_at_home = place.is_none_or(|place| known.is_at(place));
    let is_on_its_timeline = place.is_none_or(|place| known.timeline == place.timeline);
    match (witness.is_lost || !is_at_home, is_on_its_timeline) {
        (true, _) => Verdict::Over,
        (false, true) => Verdict::GoesOn,
        (false, false) if witness.was_synchronous => Verdict::Moved,
        (false, false) => Verdict::Over,
    }
}

/// Begins a new epoch at the operator's request: all earlier cursors become invalid. Running nodes learn of it with
/// their next heartbeat.
pub async fn begin_new(tx: &mut Tx, place: Option<&Place>, now: Time) -> Result<Epoch> {
    let (known, new) = (store::find(tx).await?, store::draw(tx).await?);
    store::replace(tx, known.as_ref(), new, place, now).await?;
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written_and_nothing_else_is_one() {
        let epoch = Epoch::drawn([0, 31, 32, 200, 255, 7, 8, 9]);
        assert_eq!(epoch.to_string().parse(), Ok(epoch));
        for cursor in [Cursor::BEGINNING, Cursor::new(epoch, 0), Cursor::new(epoch, 17)] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        let made = |number: &str| format!("{epoch}-{number}");
        let wrong = ["", "17", "-17", "00", "k7m2x9p-1", "K7M2X9PQ-1", "k7m2x9pl-1", "k7m2x9pq", "k7m2x9pq17"];
        let numbers = ["", "-1", "x", "9007199254740992"].map(made);
        for text in wrong.iter().copied().chain(numbers.iter().map(String::as_str)) {
            assert!(text.parse::<Cursor>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_epoch_goes_on_where_nothing_can_be_lost() {
        let known = StoredEpoch {
            epoch: Epoch::drawn([1; LENGTH]),
            home: "7/5/16400/790".to_owned(),
            here: "16400/790".to_owned(),
            timeline: 3,
        };
        let at = |cluster: &str, timeline| Place { cluster: cluster.to_owned(), timeline, is_synchronous: false };
        let (fresh, synchronous) = (Witness::default(), Witness { was_synchronous: true, is_lost: false });
        let lost = Witness { was_synchronous: true, is_lost: true };
        for (place, witness, expected) in [
            (at("7/5", 3), fresh, Verdict::GoesOn),
            (at("7/5", 4), synchronous, Verdict::Moved),
            (at("7/5", 4), fresh, Verdict::Over),
            (at("8/5", 3), synchronous, Verdict::Over),
            (at("7/6", 3), fresh, Verdict::Over),
            (at("7/5", 3), lost, Verdict::Over),
            (at("7/5", 4), lost, Verdict::Over),
        ] {
            assert_eq!(verdict(&known, Some(&place), witness), expected, "{place:?} {witness:?}");
        }
        let copied = StoredEpoch { here: "16400/791".to_owned(), ..known };
        assert_eq!(verdict(&copied, Some(&at("7/5", 3)), fresh), Verdict::Over);
        assert_eq!(verdict(&copied, None, fresh), Verdict::GoesOn);
    }
}

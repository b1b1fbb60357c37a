//! The log of each account: its events, numbered from 1 without gaps, each written in the transaction that caused
//! it.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | define | event types, as the API shows them | [`kinds`] |
//! | notify | conversion of events to stored lines | here |
//! | read | by number, a page at a time, or as the log grows | [`read`] |
//! | wake | signals to readers on all nodes | [`crate::wakeups`] |
//! | limit | number of waiting readers per account | [`stream_slots`] |
//!
//! An account event is not a match event, which is never shown. What an account learns of a match is its seat's report,
//! made by the same disclosure as every other answer. No event holds a name, so nothing has to be searched when an
//! account is deleted; the exception is what it has written to others, see [`erase_words`].

pub mod audit;
pub mod kinds;
pub mod read;
pub(crate) mod store;
pub mod stream_slots;
pub mod words;

use std::collections::BTreeMap;

use broadside_rules::Time;
use serde::Serialize;

pub use kinds::AccountEvent;
pub use stream_slots::StreamSlots;

use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::AccountId;

/// Retention of events, in seconds: 30 days.
pub const RETENTION_S: u32 = 30 * 24 * 60 * 60;
/// The number of newest events that each account keeps, regardless of age.
pub const MIN_KEPT: i64 = 1000;

/// The events of one transaction for one account, as stored lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    pub account: AccountId,
    pub count: i32,
    /// A line for each event, joined by line breaks.
    pub lines: String,
}

/// A row of the log: events of one transaction.
pub struct StoredEvents {
    pub account: AccountId,
    /// The number of the first event.
    pub first: u64,
    pub count: u32,
    /// The time of the transaction.
    pub at: Time,
    pub lines: String,
}

/// The range of an account's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogRange {
    /// The number of the newest event; 0: none.
    pub newest: u64,
    /// Events up to this number are deleted.
    pub forgotten: u64,
}

/// The beginning of an event's JSON before it is numbered.
const UNNUMBERED: &str = "{\"number\":0,";

/// A notification of these events, in order; `None` for no events.
pub fn notification(account: AccountId, events: &[AccountEvent]) -> Result<Option<Notification>> {
    let lines = events.iter().map(line).collect::<Result<Vec<String>>>()?;
    let count = i32::try_from(lines.len()).map_err(Error::internal)?;
    Ok((count > 0).then(|| Notification { account, count, lines: lines.join("\n") }))
}

/// An event as a line: its type, a space, and its JSON after the number, without line breaks. If it holds a text
/// written by an account, the author and the field follow the type: `chat@0199c2a8-….text`.
fn line(event: &AccountEvent) -> Result<String> {
    let json = serde_json::value::to_raw_value(event).map_err(Error::internal)?;
    let rest = json.get().strip_prefix(UNNUMBERED);
    let rest = rest.ok_or_else(|| Error::internal("an event has a number before it is written"))?;
    let written = event.words().filter(|(_, words)| words.text.is_some());
    let author = written.map(|(field, words)| format!("{}{field}", by(words.author))).unwrap_or_default();
    Ok(format!("{}{author} {rest}", event.kind()))
}

/// Writes notifications in the transaction that caused them, and wakes the readers after the commit. Call it once, as
/// the last step of the transaction.
pub async fn notify(tx: &mut Tx, ctx: &Context, notifications: impl IntoIterator<Item = Notification>) -> Result<()> {
    let notifications = merged(notifications);
    if notifications.is_empty() {
        return Ok(());
    }
    store::append(tx, &notifications, ctx.clock.now()).await?;
    let (wakeups, ids) =
        (ctx.wakeups.clone(), notifications.into_iter().map(|notification| notification.account.0).collect::<Vec<_>>());
    tx.afterwards(move || wakeups.wake(&ids));
    Ok(())
}

/// Merges the notifications of each account, ordered by account. Each account's events keep their order.
pub fn merged(notifications: impl IntoIterator<Item = Notification>) -> Vec<Notification> {
    let mut by_account: BTreeMap<AccountId, Notification> = BTreeMap::new();
    for notification in notifications {
        by_account
            .entry(notification.account)
            .and_modify(|before| {
                before.count += notification.count;
                before.lines = format!("{}\n{}", before.lines, notification.lines);
            })
            .or_insert(notification);
    }
    by_account.into_values().collect()
}

/// Deletes events older than 30 days, except the newest 1000 of each account.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::delete_before(&mut tx, then, MIN_KEPT).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}

/// Deletes the log of a deleted account. Later notifications find no log and are dropped.
pub async fn forget_account(ctx: &Context, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::delete_counter(&mut tx, account).await?;
    tx.commit().await?;
    loop {
        let mut tx = ctx.db.begin().await?;
        // The number of deleted rows is not sufficient: another node may be deleting, too.
        if !store::has_events(&mut tx, account).await? {
            return tx.roll_back().await;
        }
        store::delete_some(&mut tx, account).await?;
        tx.commit().await?;
    }
}

/// Erases the texts written by a deleted account from other accounts' logs: the events stay, with `null` as the text.
/// There may be many, so it uses short transactions.
pub async fn erase_words(ctx: &Context, author: AccountId) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let recipients = store::recipients_of(&mut conn, author, last).await?;
        drop(conn);
        for recipient in &recipients {
            erase_words_in(ctx, *recipient, author).await?;
        }
        last = recipients.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

/// [`erase_words`] in one log, some rows at a time.
async fn erase_words_in(ctx: &Context, recipient: AccountId, author: AccountId) -> Result<()> {
    let (marker, mut after) = (by(author), 0);
    loop {
        let mut conn = ctx.db.conn().await?;
        let rows = store::rows_containing(&mut conn, recipient, after, &marker).await?;
        drop(conn);
        let Some((last, _)) = rows.last() else { return Ok(()) };
        after = *last;
        for (number, lines) in rows.iter().filter_map(|(number, lines)| Some((*number, lines.as_ref()?))) {
            let without: Vec<String> = lines.lines().map(|line| without_words(line, author)).collect();
            // One row per transaction, so that this can't deadlock with the job that deletes old events.
            let mut tx = ctx.db.begin().await?;
            store::rewrite(&mut tx, recipient, number, &without.join("\n")).await?;
            tx.commit().await?;
        }
    }
}

/// The part of a line's head before the name of the field that `author` has written.
fn by(author: AccountId) -> String {
    format!("@{author}.")
}

/// A line of the log without the text of `author`. It is the last field, and no account text precedes it.
fn without_words(line: &str, author: AccountId) -> String {
    let erased = || {
        let (head, rest) = line.split_once(' ')?;
        let (kind, field) = head.split_once(&by(author))?;
        let (before, _) = rest.split_once(&format!(",\"{field}\":"))?;
        Some(format!("{kind} {before},\"{field}\":null}}"))
    };
    erased().unwrap_or_else(|| line.to_owned())
}

#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct EventJson {
    json: Box<serde_json::value::RawValue>,
}

impl EventJson {
    /// The JSON on one line.
    pub fn text(&self) -> &str {
        self.json.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ChallengeId;
    use uuid::Uuid;

    fn stored(first: u64, count: u32, lines: &str) -> StoredEvents {
        StoredEvents { account: AccountId(Uuid::from_u128(1)), first, count, at: Time(0), lines: lines.to_owned() }
    }

    #[test]
    fn an_event_that_cannot_be_read_keeps_its_place() {
        let good =
            line(&kinds::ChallengeLeftEvent::at(Time(0), ChallengeId(Uuid::nil()), AccountId(Uuid::nil())).into());
        let good = good.unwrap();
        for (lines, expected) in [
            (format!("{good}\nnonsense\n{good}"), ["challenge-left", "unreadable", "challenge-left"]),
            (good.clone(), ["challenge-left", "unreadable", "unreadable"]),
            (String::new(), ["unreadable"; 3]),
            (format!("{good}\n{good} {{\n{good}\n{good}"), ["challenge-left", "unreadable", "challenge-left"]),
        ] {
            let read = read::logged_events(&stored(5, 3, &lines)).collect::<Result<Vec<_>>>().unwrap();
            let read: Vec<_> = read.iter().map(|event| (event.number, event.kind.as_str())).collect();
            assert_eq!(read, (5..).zip(expected).collect::<Vec<_>>(), "{lines}");
        }
    }

    #[test]
    fn an_event_comes_out_as_it_went_in_and_numbered() {
        let (anna, challenge) = (AccountId(Uuid::from_u128(1)), ChallengeId(Uuid::from_u128(2)));
        let events = [
            kinds::ChallengeWithdrawnEvent::at(Time(0), challenge).into(),
            kinds::ChallengeLeftEvent::at(Time(0), challenge, anna).into(),
        ];
        let notification = notification(anna, &events).unwrap().unwrap();
        assert_eq!((notification.account, notification.count), (anna, 2));
        let logged_events =
            read::logged_events(&stored(41, 2, &notification.lines)).collect::<Result<Vec<_>>>().unwrap();
        let kinds: Vec<_> = logged_events.iter().map(|event| (event.number, event.kind.as_str())).collect();
        assert_eq!(kinds, [(41, "challenge-withdrawn"), (42, "challenge-left")]);
        let json: serde_json::Value = serde_json::from_str(logged_events[1].json.text()).unwrap();
        assert_eq!((&json["number"], &json["type"]), (&42.into(), &"challenge-left".into()));
        assert_eq!(json["player_id"], anna.to_string());
        assert!(super::notification(anna, &[]).unwrap().is_none());
    }

    #[test]
    fn the_words_of_who_is_gone_are_taken_out_and_no_others() {
        let (anna, ben) = (AccountId(Uuid::from_u128(1)), AccountId(Uuid::from_u128(2)));
        let said = |author, text: &str| {
            let id = crate::ids::MatchId(Uuid::from_u128(9));
            let text = Some(text.to_owned());
            line(&kinds::ChatEvent::at(Time(0), id, "players", author, 4, words::Words { author, text }).into())
                .unwrap()
        };
        let shown = |line: &str| {
            let event = read::logged_events(&stored(7, 1, line)).next().unwrap().unwrap();
            (event.kind, serde_json::from_str::<serde_json::Value>(event.json.text()).unwrap()["text"].clone())
        };
        let tricky = format!("chat@{ben}.text \",\"text\":\"x\",{}", by(ben));
        let (first, second) = (said(anna, &tricky), said(ben, &tricky));
        assert_eq!(shown(&first), ("chat".to_owned(), tricky.into()));
        assert_eq!(without_words(&first, ben), first);
        let blank = without_words(&first, anna);
        assert_eq!(shown(&blank), ("chat".to_owned(), serde_json::Value::Null));
        assert!(blank.ends_with("\"message_number\":4,\"text\":null}"), "{blank}");
        assert_eq!(without_words(&second, ben), blank.replace(&anna.to_string(), &ben.to_string()));
        let other =
            line(&kinds::ChallengeReceivedEvent::at(Time(0), ChallengeId(Uuid::from_u128(3)), anna).into()).unwrap();
        assert_eq!(without_words(&other, anna), other);
    }
}

//! What each account hears of: one log an account, numbered from 1 without gaps, written in the transaction of what caused it.
//!
//! | step | what it does | file |
//! |---|---|---|
//! | say | what there is to hear of, as it goes out | [`kinds`] |
//! | tell | from events to the lines that are stored | here |
//! | read | by number, a page or all that comes | [`read`] |
//! | hint | who may have news, on this node and on the others | [`crate::wakeups`] |
//! | bound | how many may wait for one account | [`places`] |
//!
//! An event of an account is not an event of a match, which never leaves the house: what an account hears of a match is its seat's report, made by the same
//! disclosure as every other answer. No event holds a name, so that nothing has to be looked for when somebody deletes his account; but for
//! what he said, see [`forget_words`].

pub mod kinds;
pub mod read;
pub(crate) mod store;
pub mod stream_slots;

use std::collections::BTreeMap;

use serde::Serialize;

pub use kinds::AccountEvent;
pub use stream_slots::StreamSlots;

use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::AccountId;

/// How long events are kept, in seconds: 30 days.
pub const KEPT_S: u32 = 30 * 24 * 60 * 60;
/// So many of the newest events of each account are kept, however old they are.
pub const KEPT_AT_LEAST: i64 = 1000;

/// What one commit tells one account: the lines that are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Who is told.
    pub account: AccountId,
    /// How many events.
    pub count: i32,
    /// A line for each.
    pub lines: String,
}

/// Some lines as they are stored.
pub struct Bundle {
    /// The number of the first.
    pub first: u64,
    /// A line for each event.
    pub lines: String,
}

/// How far an account's log goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The number of the newest event; 0 when there was none.
    pub newest: u64,
    /// Up to this number events are no longer kept.
    pub forgotten: u64,
}

/// How the JSON of an event begins before it has a number.
const UNNUMBERED: &str = "{\"number\":0,";

/// What an account is told by one commit, in order; `None`: nothing.
pub fn told(account: AccountId, events: &[AccountEvent]) -> Result<Option<Told>> {
    let lines = events.iter().map(line).collect::<Result<Vec<String>>>()?;
    let count = i32::try_from(lines.len()).map_err(Error::internal)?;
    Ok((count > 0).then(|| Told { account, count, lines: lines.join("\n") }))
}

/// An event as a line: its kind, a space, and its JSON from behind the number on. (JSON has no line breaks but those that serialisers put there.)
fn line(event: &AccountEvent) -> Result<String> {
    let json = serde_json::value::to_raw_value(event).map_err(Error::internal)?;
    let rest = json.get().strip_prefix(UNNUMBERED);
    let rest = rest.ok_or_else(|| Error::internal("an event has a number before it is written"))?;
    Ok(format!("{} {rest}", event.kind()))
}

/// Tells accounts in the transaction of what they are told of; and once it lasts, everybody who waits for it. Once a transaction, at its end.
pub async fn tell(tx: &mut Tx, ctx: &Context, told: impl IntoIterator<Item = Told>) -> Result<()> {
    let told = joined(told);
    if told.is_empty() {
        return Ok(());
    }
    store::append(tx, &told, ctx.clock.now()).await?;
    let (wakeups, ids) = (ctx.wakeups.clone(), told.into_iter().map(|told| told.account.0).collect::<Vec<_>>());
    tx.afterwards(move || wakeups.wake(&ids));
    Ok(())
}

/// The same with one item for each account, in the order of the accounts: what an account is told keeps its order.
pub fn joined(told: impl IntoIterator<Item = Told>) -> Vec<Told> {
    let mut by_account: BTreeMap<AccountId, Told> = BTreeMap::new();
    for told in told {
        by_account
            .entry(told.account)
            .and_modify(|before| {
                before.count += told.count;
                before.lines = format!("{}\n{}", before.lines, told.lines);
            })
            .or_insert(told);
    }
    by_account.into_values().collect()
}

/// Forgets what is older than 30 days, but for the newest 1000 of each account.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(KEPT_S) * 1000);
    loop {
        let mut tx = ctx.db.begin().await?;
        let forgotten = store::forget_before(&mut tx, then, KEPT_AT_LEAST).await?;
        tx.commit().await?;
        if forgotten == 0 {
            return Ok(());
        }
    }
}

/// Begins the logs of accounts that a node of an older version has registered.
pub async fn begin_missing(ctx: &Context) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::begin_missing(&mut tx).await?;
    tx.commit().await
}

/// Forgets all that an account has heard of, since it has been deleted. Whoever tells it of anything from now on finds that it hears nothing.
pub async fn forget_account(ctx: &Context, account: AccountId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    store::end(&mut tx, account).await?;
    tx.commit().await?;
    loop {
        let mut tx = ctx.db.begin().await?;
        // Not by what was deleted: another node may be at it, too.
        if !store::is_kept(&mut tx, account).await? {
            return tx.roll_back().await;
        }
        store::forget_some(&mut tx, account).await?;
        tx.commit().await?;
    }
}

/// Takes the words of an account that is gone out of what others were told: their messages stay, with nothing in them. It may have said much to many, so
/// it is done in short steps.
pub async fn forget_words(ctx: &Context, author: AccountId) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let hearers = store::hearers_of(&mut conn, author, last).await?;
        drop(conn);
        for hearer in &hearers {
            forget_words_in(ctx, *hearer, author).await?;
        }
        last = hearers.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

/// The same in one log, a stretch at a time.
async fn forget_words_in(ctx: &Context, hearer: AccountId, author: AccountId) -> Result<()> {
    let (said, mut after) = (said_by(author), 0);
    loop {
        let mut conn = ctx.db.conn().await?;
        let stretch = store::stretch_holding(&mut conn, hearer, after, &said).await?;
        drop(conn);
        let Some((last, _)) = stretch.last() else { return Ok(()) };
        after = *last;
        for (number, lines) in stretch.iter().filter_map(|(number, lines)| Some((*number, lines.as_ref()?))) {
            let without: Vec<String> = lines.lines().map(|line| without_words(line, author)).collect();
            // One row a transaction: who forgets what is old never waits in a circle with this.
            let mut tx = ctx.db.begin().await?;
            store::rewrite(&mut tx, hearer, number, &without.join("\n")).await?;
            tx.commit().await?;
        }
    }
}

/// What stands in a line that tells of what an account has said.
fn said_by(author: AccountId) -> String {
    format!("\"from\":\"{author}\",\"message_number\":")
}

/// A line of the log, without its text if it tells of what `author` has said. The text comes last, and nothing before it was written by anybody.
fn without_words(line: &str, author: AccountId) -> String {
    match line.split_once(",\"text\":") {
        Some((head, _)) if line.starts_with("chat ") && head.contains(&said_by(author)) => {
            format!("{head},\"text\":null}}")
        }
        _ => line.to_owned(),
    }
}

/// An event as it goes out.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Heard {
    json: Box<serde_json::value::RawValue>,
}

impl Heard {
    /// Its JSON, on one line.
    pub fn text(&self) -> &str {
        self.json.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ChallengeId;
    use broadside_rules::Time;
    use uuid::Uuid;

    #[test]
    fn an_event_comes_out_as_it_went_in_and_numbered() {
        let (anna, challenge) = (AccountId(Uuid::from_u128(1)), ChallengeId(Uuid::from_u128(2)));
        let events = [
            kinds::ChallengeWithdrawnEvent::at(Time(0), challenge).into(),
            kinds::ChallengeLeftEvent::at(Time(0), challenge, anna).into(),
        ];
        let told = told(anna, &events).unwrap().unwrap();
        assert_eq!((told.account, told.count), (anna, 2));
        let items = read::items(&Bundle { first: 41, lines: told.lines }).collect::<Result<Vec<_>>>().unwrap();
        let kinds: Vec<_> = items.iter().map(|item| (item.number, item.kind.as_str())).collect();
        assert_eq!(kinds, [(41, "challenge-withdrawn"), (42, "challenge-left")]);
        let json: serde_json::Value = serde_json::from_str(items[1].heard.text()).unwrap();
        assert_eq!((&json["number"], &json["type"]), (&42.into(), &"challenge-left".into()));
        assert_eq!(json["by"], anna.to_string());
        assert!(super::told(anna, &[]).unwrap().is_none());
    }

    #[test]
    fn the_words_of_who_is_gone_are_taken_out_and_no_others() {
        let (anna, ben) = (AccountId(Uuid::from_u128(1)), AccountId(Uuid::from_u128(2)));
        let said = |author, text: &str| {
            let id = crate::ids::MatchId(Uuid::from_u128(9));
            line(&kinds::ChatEvent::at(Time(0), id, "players", author, 4, Some(text.to_owned())).into()).unwrap()
        };
        let tricky = format!("\",\"text\":\"x\",{}", said_by(ben));
        let (hers, his) = (said(anna, &tricky), said(ben, &tricky));
        assert_eq!(without_words(&hers, ben), hers);
        let blank = without_words(&hers, anna);
        assert!(blank.ends_with("\"message_number\":4,\"text\":null}") && !blank.contains("x\\"), "{blank}");
        assert_eq!(without_words(&his, ben), blank.replace(&anna.to_string(), &ben.to_string()));
        let other =
            line(&kinds::ChallengeReceivedEvent::at(Time(0), ChallengeId(Uuid::from_u128(3)), anna).into()).unwrap();
        assert_eq!(without_words(&other, anna), other);
    }
}

//! An operator's check: the numbers in each account's log follow each other up to its counter, and every event can be
//! read.

use super::read::logged_event;
use super::store::{self, LogRow};
use crate::context::Context;
use crate::due::or_fault;
use crate::error::Result;
use crate::ids::AccountId;

/// How many accounts are read at a time.
const AT_ONCE: i64 = 50;

/// What was found.
#[derive(Default, Debug)]
pub struct Findings {
    /// How many accounts have a log.
    pub accounts: u64,
    /// How many events are kept.
    pub events: u64,
    /// What is wrong, a line each.
    pub faults: Vec<String>,
}

/// Checks the log of every account.
pub async fn all(ctx: &Context) -> Result<Findings> {
    let (mut found, mut after) = (Findings::default(), None);
    loop {
        let mut conn = ctx.db.conn().await?;
        let rows = store::logs_after(&mut conn, after, AT_ONCE).await;
        drop(conn);
        let Some(rows) = or_fault(rows, "the events", &mut found.faults)? else { return Ok(found) };
        let Some(last) = rows.last() else { return Ok(found) };
        after = Some(AccountId(last.account_id));
        rows.chunk_by(|one, next| one.account_id == next.account_id).for_each(|log| check(log, &mut found));
    }
}

fn check(log: &[LogRow], found: &mut Findings) {
    let Some(first) = log.first() else { return };
    let mut wrong = |what: String| found.faults.push(format!("events of {}: {what}", first.account_id));
    found.accounts += 1;
    let mut last = first.deleted_up_to;
    for (number, count, lines) in log.iter().filter_map(LogRow::events) {
        found.events += u64::from(count.unsigned_abs());
        let before = number - i64::from(count);
        if before < last {
            wrong(format!("the number {} exists twice", before + 1));
        } else if before > last {
            wrong(format!("the events from {} to {before} are missing", last + 1));
        }
        last = last.max(number);
        let mut lines = lines.lines();
        for number in before + 1..=number {
            if logged_event(number.unsigned_abs(), lines.next()).is_err() {
                wrong(format!("the event {number} can't be read"));
            }
        }
    }
    if first.newest != last {
        wrong(format!("the counter says {}, the newest event is {last}", first.newest));
    }
}

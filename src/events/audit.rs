//! An operator's check: the numbers in each account's log are contiguous up to its counter, and every event is
//! readable.

use super::read::logged_event;
use super::store::{self, LogRow};
use crate::context::Context;
use crate::db::Conn;
use crate::due::{self, Findings};
use crate::error::Result;
use crate::ids::AccountId;

/// The number of accounts per query.
const AT_ONCE: i64 = 50;

/// Checks the log of every account.
pub async fn all(ctx: &Context) -> Result<Findings> {
    let page = async |conn: &mut Conn, after| store::logs_after(conn, after, AT_ONCE).await;
    let check = |rows: &[LogRow], found: &mut Findings| {
        rows.chunk_by(|one, next| one.account_id == next.account_id).for_each(|log| check(log, found));
    };
    due::audit(ctx, "the events", page, |row| AccountId(row.account_id), check).await
}

fn check(log: &[LogRow], found: &mut Findings) {
    let Some(first) = log.first() else { return };
    let mut wrong = |what: String| found.faults.push(format!("events of {}: {what}", first.account_id));
    found.logs += 1;
    let mut last = first.deleted_up_to;
    for (number, count, lines) in log.iter().filter_map(LogRow::events) {
        found.entries += u64::from(count.unsigned_abs());
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

//! Operator commands on down times; they work with and without a running service.

use broadside_rules::{DownTime, Time};

use super::store;
use crate::clock::Clock;
use crate::db::{Db, Tx};
use crate::error::Result;

const MOST_LISTED: i64 = 10_000;

/// Records an outage reported by the operator. Returns false, and records nothing, if the span isn't over by the
/// database's clock. Running nodes learn of it with their next heartbeat.
pub async fn rest_clocks(tx: &mut Tx, clock: &Clock, down: DownTime) -> Result<bool> {
    // Numbers become visible in order: a node that knows one knows all before it.
    store::lock_last(tx).await?;
    let told = store::now(tx).await?;
    let now = clock.of_database().unwrap_or(told);
    if down.until > now {
        return Ok(false);
    }
    store::insert(tx, down, now).await?;
    Ok(true)
}

/// Every down time, one per line.
pub async fn list(db: &Db) -> Result<Vec<String>> {
    let mut conn = db.conn().await?;
    let all = store::after(&mut conn, 0, Time(i64::MIN), MOST_LISTED).await?;
    let line = |down: &store::StoredDownTime| {
        let told = if down.all_told { "all matches have been told" } else { "matches are being told" };
        format!("from {} until {}, noted at {}: {told}", down.span.from, down.span.until, down.noted_at)
    };
    Ok(all.iter().map(line).collect())
}

//! The SQL of a repair: rewriting a head from its log, or removing an unreadable part of a log.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::entries::MatchHead;
use crate::db::schema::{match_heads, match_log, match_seats};
use crate::db::{At, Run, Tx, sql};
use crate::error::{Error, Result};
use crate::ids::MatchId;

/// Locks the head of a match. False: the length of head or log has changed since it was read.
pub async fn lock(tx: &mut Tx, id: MatchId, seq: u32, rows: usize) -> Result<bool> {
    let head = match_heads::table.find(id.0).select(match_heads::seq).for_no_key_update();
    let found: Option<i32> = head.first(tx.sql()).await.optional()?;
    let count: i64 = match_log::table.filter(match_log::match_id.eq(id.0)).count().get_result(tx.sql()).await?;
    Ok(found.map(i32::unsigned_abs) == Some(seq) && usize::try_from(count) == Ok(rows))
}

/// Removes the entries after the first `kept` ones, and updates the log's length. Nodes that remember more of the match
/// read it again.
pub async fn cut(tx: &mut Tx, id: MatchId, kept: u32) -> Result<()> {
    let kept = i32::try_from(kept).map_err(Error::internal)?;
    let gone = match_log::table.filter(match_log::match_id.eq(id.0)).filter(match_log::seq.not_between(1, kept));
    diesel::delete(gone).run(tx).await?;
    let columns = (match_heads::seq.eq(kept), match_heads::side_version.eq(match_heads::side_version + 1));
    diesel::update(match_heads::table.find(id.0)).set(columns).run(tx).await
}

/// Writes a head that follows from a complete log of `seq` entries. If the match is over, missing results are computed
/// again.
pub async fn rewrite_head(tx: &mut Tx, id: MatchId, seq: u32, head: &MatchHead) -> Result<()> {
    let columns = (
        match_heads::seq.eq(i32::try_from(seq).map_err(Error::internal)?),
        match_heads::side_version.eq(match_heads::side_version + 1),
        match_heads::status.eq(head.status),
        match_heads::to_act.eq(head.to_act),
        match_heads::deadline.eq(head.deadline.map(At)),
        match_heads::check_at.eq(head.wake_at.filter(|_| head.finished_at.is_none()).map(At)),
        match_heads::started_at.eq(head.started_at.map(At)),
        match_heads::finished_at.eq(head.finished_at.map(At)),
        match_heads::result.eq(head.result.clone()),
        match_heads::at_fault.eq(head.at_fault.iter().map(|account| account.0).collect::<Vec<Uuid>>()),
    );
    diesel::update(match_heads::table.find(id.0)).set(columns).run(tx).await?;
    let is_over = head.finished_at.is_some();
    let seats = match_seats::table.filter(match_seats::match_id.eq(id.0));
    diesel::update(seats).set(match_seats::running.eq(!is_over)).run(tx).await?;
    if is_over {
        sql!("INSERT INTO match_results_due (match_id) VALUES ($1) ON CONFLICT DO NOTHING", id.0).run(tx).await?;
    }
    Ok(())
}

/// True if a seat of the match is marked as running.
pub async fn has_running_seats(tx: &mut Tx, id: MatchId) -> Result<bool> {
    let running = match_seats::table.filter(match_seats::match_id.eq(id.0)).filter(match_seats::running);
    Ok(diesel::select(diesel::dsl::exists(running)).get_result(tx.sql()).await?)
}

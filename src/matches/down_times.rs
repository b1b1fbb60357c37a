//! Downtime of the service, which is charged to no player.
//!
//! A downtime is stored once, for all matches (`heartbeat`). A match records it with its own entry before its next
//! event or judgement of its clock, and at the latest when the job reaches it. The match alone determines the relevant
//! downtimes: those that would move a deadline. So each is recorded once, regardless of the number of nodes and of
//! interruptions.
//!
//! Recording it in all running matches takes a while. Nothing has to wait for it: it only shows players their new
//! deadlines, in steps that leave room for moves and time-outs.

use broadside_rules::{Entry, Time};
use futures_util::{StreamExt, TryStreamExt};

use super::expire::TimeOut;
use super::match_state::MatchState;
use crate::context::Context;
use crate::due::pass_over;
use crate::error::{ProblemKind, Result};
use crate::heartbeat;
use crate::matches::{Matches, store};

/// The number of matches per step.
const AT_MOST: i64 = 500;
/// The number of matches at once.
const AT_ONCE: usize = 16;

/// The entry that records downtimes in a match. `None`: none are relevant any more. `unavailable` while this node
/// doesn't know them.
pub(super) fn entry(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    let down_times = ctx.heartbeat.down_times()?;
    // The clock of the node that stored it may have been slightly ahead of ours.
    let at = down_times.newest.map_or(now, |newest| newest.max(now));
    let events = state.battle.rest_clocks(&down_times.spans, at);
    Ok((!events.is_empty()).then_some(Entry { at, seat: None, events }))
}

/// Records new downtimes in all running matches.
pub async fn tell(matches: &Matches) -> Result<()> {
    while !matches.is_stopping() {
        let Ok(known) = matches.heartbeat.down_times() else { return Ok(()) };
        let mut conn = matches.db.conn().await?;
        let Some((number, told)) = heartbeat::store::untold(&mut conn).await? else { return Ok(()) };
        // This node can't record what it doesn't know yet.
        if number > known.number {
            return Ok(());
        }
        let ids = store::matches::timed_after(&mut conn, told, AT_MOST).await?;
        drop(conn);
        let last = ids.last().copied();
        let telling = futures_util::stream::iter(ids).map(|id| async move {
            match matches.update(id, &TimeOut).await {
                // Other writers were always faster, and have recorded it.
                Err(error) if error.problem().kind == ProblemKind::Conflict => Ok(()),
                done => {
                    pass_over(done, id, "a match could not be told that the service could not be reached").map(drop)
                }
            }
        });
        telling.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        let mut tx = matches.db.begin().await?;
        heartbeat::store::told(&mut tx, number, last).await?;
        tx.commit().await?;
    }
    Ok(())
}

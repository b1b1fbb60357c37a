//! Time in which the service could not be reached is charged to no player.
//!
//! A down time is noted once, for all matches (`heartbeat`). A match takes it in with an entry of its own: when
//! anything is about to happen in it, before its clock is judged, and at the latest when it is told. Which down times
//! concern a match follows from the match alone: those that would move a deadline. So a match takes each in once,
//! whoever comes first, however many nodes there are, and whatever was interrupted.
//!
//! Telling all running matches takes a while where there are many. Nothing has to wait for it: it only lets players see
//! their new deadlines, in steps that leave room for moves and time-outs.

use broadside_rules::{Entry, Time};
use futures_util::{StreamExt, TryStreamExt};

use super::expire::TimeOut;
use super::match_state::MatchState;
use crate::context::Context;
use crate::due::pass_over;
use crate::error::{ProblemKind, Result};
use crate::heartbeat;
use crate::matches::{Matches, store};

/// How many matches are told in one step.
const AT_MOST: i64 = 500;
/// How many of them at once.
const AT_ONCE: usize = 16;

/// The entry by which a match takes in when the service could not be reached. `None`: that concerns it no more.
/// `unavailable` while this node doesn't know when that was.
pub(super) fn entry(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    let down_times = ctx.heartbeat.down_times()?;
    // The node that has noted it may have been a little ahead of this one.
    let at = down_times.newest.map_or(now, |newest| newest.max(now));
    let events = state.battle.rest_clocks(&down_times.spans, at);
    Ok((!events.is_empty()).then_some(Entry { at, seat: None, events }))
}

/// Tells all running matches of down times of which they have not been told.
pub async fn tell(matches: &Matches) -> Result<()> {
    while !matches.is_stopping() {
        let Ok(known) = matches.heartbeat.down_times() else { return Ok(()) };
        let mut conn = matches.db.conn().await?;
        let Some((number, told)) = heartbeat::store::untold(&mut conn).await? else { return Ok(()) };
        // This node would tell nothing of what it hasn't heard of.
        if number > known.number {
            return Ok(());
        }
        let ids = store::matches::timed_after(&mut conn, told, AT_MOST).await?;
        drop(conn);
        let last = ids.last().copied();
        let telling = futures_util::stream::iter(ids).map(|id| async move {
            match matches.update(id, &TimeOut).await {
                // Others were faster every time, and have told it.
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

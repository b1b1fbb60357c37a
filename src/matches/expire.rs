//! The clock acts for players who didn't, with nobody connected.
//!
//! Each node sweeps; a time-out is written like any move, so with several nodes one of them wins and the others find the work done. `wake_at` is
//! at or before the next time at which something is due: a match that is woken too early is put back to sleep until then. Several matches are looked at
//! at once, so that their time-outs ride in one statement, as moves do.

use broadside_rules::Entry;
use futures_util::StreamExt;

use super::play::{ATTEMPTS, commit, is_behind, load, sealed};
use super::{reminders, replan};
use crate::error::Result;
use crate::ids::MatchId;
use crate::matches::Matches;
use crate::matches::store;

/// How many matches one sweep takes at most; the next comes at once when there were as many.
const AT_MOST: i64 = 500;
/// How many of them are looked at at once. Each takes a connection for a moment only, while its log is read.
const AT_ONCE: usize = 32;

/// Does everything that is due.
pub async fn sweep(matches: &Matches) -> Result<()> {
    loop {
        let mut conn = matches.db.conn().await?;
        let due = store::matches::due(&mut conn, matches.clock.now(), AT_MOST).await?;
        drop(conn);
        let full = i64::try_from(due.len()).is_ok_and(|found| found == AT_MOST);
        let done: Vec<bool> =
            futures_util::stream::iter(due).map(|id| look_at(matches, id)).buffer_unordered(AT_ONCE).collect().await;
        // When nothing at all could be done, trying again at once would do no more.
        if !full || !done.contains(&true) {
            return Ok(());
        }
    }
}

async fn look_at(matches: &Matches, id: MatchId) -> bool {
    match expire(matches, id).await {
        Ok(()) => true,
        Err(error) => {
            tracing::error!(%error, cause = error.cause().map(tracing::field::display), "what is due in a match could not be done");
            false
        }
    }
}

/// Plays a match's time-out, or does what is due before.
async fn expire(matches: &Matches, id: MatchId) -> Result<()> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    if let Some(live) = place.as_ref()
        && is_behind(matches, live).await?
    {
        *place = None;
    }
    for _ in 0..ATTEMPTS {
        let live = load(matches, id, &mut place).await?;
        let now = matches.clock.now();
        let events = live.battle.expire(now);
        if events.is_empty() {
            return reminders::ring(matches, live, now).await;
        }
        let Some(plan) = replan::before_time_is_over(matches, live, now).await? else {
            let events = sealed(matches, live, events);
            commit(matches, &mut place, Entry { at: now, seat: None, events }, None).await?;
            return Ok(());
        };
        commit(matches, &mut place, plan, None).await?;
    }
    // Others were faster every time; the next sweep comes soon.
    Ok(())
}

//! The clock acts for players who didn't, with nobody connected.
//!
//! Each node sweeps; a time-out is written like any move, so with several nodes one of them wins and the others find the work done. `wake_at` is
//! at or before the deadline: a match that is woken too early is put back to sleep until its deadline.

use broadside_rules::Entry;

use super::play::{commit, is_behind, load, sealed};
use crate::app::App;
use crate::error::Result;
use crate::ids::MatchId;
use crate::store;

/// How many matches one sweep takes at most; the next comes at once when there were as many.
const AT_MOST: i64 = 500;

/// Plays every time-out that is due.
pub async fn sweep(app: &App) -> Result<()> {
    loop {
        let mut conn = app.db.conn().await?;
        let due = store::matches::due(&mut conn, app.clock.now(), AT_MOST).await?;
        drop(conn);
        let full = i64::try_from(due.len()).is_ok_and(|found| found == AT_MOST);
        for id in due {
            if let Err(error) = expire(app, id).await {
                tracing::error!(%error, cause = error.cause().map(tracing::field::display), "a time-out could not be played");
            }
        }
        if !full {
            return Ok(());
        }
    }
}

async fn expire(app: &App, id: MatchId) -> Result<()> {
    let table = app.matches.table(id);
    let mut place = table.live.lock().await;
    if let Some(live) = place.as_ref()
        && is_behind(app, live).await?
    {
        *place = None;
    }
    let live = load(app, id, &mut place).await?;
    let now = app.clock.now();
    let events = live.battle.expire(now);
    if !events.is_empty() {
        let events = sealed(app, live, events);
        commit(app, &mut place, Entry { at: now, seat: None, events }, None).await?;
        return Ok(());
    }
    let (seq, deadline) = (live.seq, live.battle.deadline());
    let mut tx = app.db.begin().await?;
    store::matches::sleep(&mut tx, id, seq, deadline).await?;
    tx.commit().await
}

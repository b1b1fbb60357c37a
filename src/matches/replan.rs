//! A calendar has changed: its account's running matches are planned anew, each with an entry of its own.
//!
//! The change is stored with a note in a queue, so that whatever is killed in between, some node's sweep finds it and does the rest. Doing it twice, or on
//! two nodes at once, changes nothing: a plan that comes to the same makes no entry.

use broadside_rules::{Entry, Rests};

use super::plans;
use super::play::{ATTEMPTS, commit, is_behind, load, sealed};
use crate::app::App;
use crate::calendar;
use crate::error::{Error, Kind, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::store;

/// How many accounts one sweep takes.
const AT_MOST: i64 = 50;

/// Plans the matches of every account that somebody has changed and nobody has caught up with.
pub async fn sweep(app: &App) -> Result<()> {
    let mut conn = app.db.conn().await?;
    let waiting = store::calendars::all_queued(&mut conn, AT_MOST).await?;
    drop(conn);
    for account in waiting {
        catch_up_or_log(app, account).await;
    }
    Ok(())
}

/// The same for one account, right after a change. What can't be done now is left to the sweep.
pub async fn catch_up_or_log(app: &App, account: AccountId) {
    if let Err(error) = catch_up(app, account).await {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, "matches could not be planned anew; they wait for the next sweep");
    }
}

async fn catch_up(app: &App, account: AccountId) -> Result<()> {
    loop {
        let mut conn = app.db.conn().await?;
        let Some(edition) = store::calendars::queued(&mut conn, account).await? else { return Ok(()) };
        let running = store::matches::running_of(&mut conn, account).await?;
        drop(conn);
        for id in &running {
            match one(app, *id, account).await {
                // A damaged log must not keep the others from being planned.
                Err(error) if error.problem().kind == Kind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, "a match could not be planned anew");
                }
                planned => planned?,
            }
        }
        let mut tx = app.db.begin().await?;
        // He may want to be warned earlier than the match would be looked at.
        store::matches::wake(&mut tx, &running, app.clock.now()).await?;
        let settled = store::calendars::settle(&mut tx, account, edition).await?;
        tx.commit().await?;
        if settled {
            return Ok(());
        }
    }
}

async fn one(app: &App, id: MatchId, account: AccountId) -> Result<()> {
    let table = app.matches.table(id);
    let mut place = table.live.lock().await;
    for _ in 0..ATTEMPTS {
        if let Some(live) = place.as_ref()
            && is_behind(app, live).await?
        {
            *place = None;
        }
        let live = load(app, id, &mut place).await?;
        if live.terms.setup.clock.rests() == Rests::None || live.battle.status().is_over() {
            return Ok(());
        }
        let now = app.clock.now();
        let mut entry = Entry { at: now, seat: None, events: sealed(app, live, live.battle.expire(now)) };
        if entry.events.is_empty() {
            let mut conn = app.db.conn().await?;
            let known = calendar::for_plans(&mut conn, &[account], now).await?;
            drop(conn);
            entry.events = known.iter().flat_map(|known| plans::changed(live, known, &entry)).collect();
            if entry.events.is_empty() || commit(app, &mut place, entry, None).await?.is_some() {
                return Ok(());
            }
        } else {
            commit(app, &mut place, entry, None).await?;
        }
    }
    Err(Error::plain(&problem::MOVED_MEANWHILE))
}

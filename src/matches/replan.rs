//! A calendar has changed: its account's running matches are planned anew, each with an entry of its own.
//!
//! The change is stored with a note in a queue, so that whatever is killed in between, some node's sweep finds it and does the rest. Doing it twice, or on
//! two nodes at once, changes nothing: a plan that comes to the same makes no entry.

use broadside_rules::{Entry, Rests, Time};

use super::match_state::Live;
use super::plans;
use super::play::{ATTEMPTS, commit, is_behind, load, sealed};
use crate::calendar;
use crate::context::Context;
use crate::error::{Error, Kind, Result, problem};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::matches::store;

/// How many accounts one sweep takes.
const AT_MOST: i64 = 50;

/// Plans the matches of every account that somebody has changed and nobody has caught up with.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let waiting = calendar::store::accounts_with_changes(&mut conn, AT_MOST).await?;
    drop(conn);
    for account in waiting {
        catch_up_or_log(matches, account).await;
    }
    Ok(())
}

/// The same for one account, right after a change. What can't be done now is left to the sweep.
pub async fn catch_up_or_log(matches: &Matches, account: AccountId) {
    if let Err(error) = catch_up(matches, account).await {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, "matches could not be planned anew; they wait for the next sweep");
    }
}

async fn catch_up(matches: &Matches, account: AccountId) -> Result<()> {
    loop {
        let mut conn = matches.db.conn().await?;
        let Some(edition) = calendar::store::pending_change(&mut conn, account).await? else { return Ok(()) };
        let running = store::matches::running_of(&mut conn, account).await?;
        drop(conn);
        for id in &running {
            match one(matches, *id, account).await {
                // A damaged log must not keep the others from being planned.
                Err(error) if error.problem().kind == Kind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, "a match could not be planned anew");
                }
                planned => planned?,
            }
        }
        let mut tx = matches.db.begin().await?;
        // He may want to be warned earlier than the match would be looked at.
        store::matches::wake(&mut tx, &running, matches.clock.now()).await?;
        let settled = calendar::store::finish_change(&mut tx, account, edition).await?;
        tx.commit().await?;
        if settled {
            return Ok(());
        }
    }
}

/// What has to be written before somebody's time is found to be over: the plans of players whose changes were acknowledged in time, and that nobody has caught
/// up with. The entry bears the time of the first of these changes, or of the last entry, if that is later. None: the time is over indeed.
pub(super) async fn before_time_is_over(ctx: &Context, live: &Live, now: Time) -> Result<Option<Entry>> {
    if live.terms.setup.clock.rests() == Rests::None {
        return Ok(None);
    }
    let players: Vec<AccountId> = live.terms.players.iter().map(|player| player.id).collect();
    let mut conn = ctx.db.conn().await?;
    let waiting = calendar::store::changes_of(&mut conn, &players).await?;
    drop(conn);
    // One after the other: what one was promised before the other's time was over must not be judged by the other's moment.
    let mut waiting: Vec<_> = waiting.into_iter().map(|(account, at)| (at.max(live.last_at), account)).collect();
    waiting.sort_unstable();
    for (at, account) in waiting {
        if at > now || !live.battle.expire(at).is_empty() {
            continue;
        }
        let entry = planned(ctx, live, &[account], at).await?;
        if !entry.events.is_empty() {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The plans of these players' calendars, in an entry of their own; it is empty if they come to the same.
async fn planned(ctx: &Context, live: &Live, accounts: &[AccountId], at: Time) -> Result<Entry> {
    let mut conn = ctx.db.conn().await?;
    let known = calendar::for_plans(&mut conn, accounts, at).await?;
    drop(conn);
    let mut entry = Entry { at, seat: None, events: Vec::new() };
    entry.events = known.iter().flat_map(|known| plans::changed(live, known, &entry)).collect();
    Ok(entry)
}

async fn one(matches: &Matches, id: MatchId, account: AccountId) -> Result<()> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    for _ in 0..ATTEMPTS {
        if let Some(live) = place.as_ref()
            && is_behind(matches, live).await?
        {
            *place = None;
        }
        let live = load(matches, id, &mut place).await?;
        if live.terms.setup.clock.rests() == Rests::None || live.battle.status().is_over() {
            return Ok(());
        }
        let now = matches.clock.now();
        let ended = live.battle.expire(now);
        if ended.is_empty() {
            let entry = planned(matches, live, &[account], now.max(live.last_at)).await?;
            if entry.events.is_empty() || commit(matches, &mut place, entry, None).await?.is_some() {
                return Ok(());
            }
        } else {
            let entry = before_time_is_over(matches, live, now).await?;
            let entry = entry.unwrap_or_else(|| Entry { at: now, seat: None, events: sealed(matches, live, ended) });
            commit(matches, &mut place, entry, None).await?;
        }
    }
    Err(Error::plain(&problem::MOVED_MEANWHILE))
}

//! Command: a calendar has changed, so its account's running matches are planned anew, each with an entry of its own.
//!
//! The change is stored with a row in a queue. If the node is killed, the sweep of any node finds the row and does the
//! rest. Doing it twice, or on two nodes at once, changes nothing: a plan that gives the same rests makes no entry.

use broadside_rules::{Dice, Entry, Rests, Time};

use super::match_state::MatchState;
use super::plans;
use super::update::Command;
use crate::calendar::{self, AccountCalendar};
use crate::context::Context;
use crate::db::is_held_up;
use crate::error::{ProblemKind, Result};
use crate::ids::AccountId;
use crate::matches::{Matches, store};

/// How many accounts one sweep takes.
const AT_MOST: i64 = 50;

/// Plans the matches of every account in the queue.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let waiting = calendar::store::accounts_with_changes(&mut conn, AT_MOST).await?;
    drop(conn);
    for account in waiting {
        catch_up_or_log(matches, account).await;
    }
    Ok(())
}

/// The same for one account, right after a change. What fails is logged and left to the sweep.
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
        // Read after the edition: if the calendar changes from here on, the edition says so, and all of it is done
        // again.
        let replan = Replan { known: calendar::for_plans(&mut conn, &[account], matches.clock.now()).await? };
        drop(conn);
        let mut held_up = None;
        for id in &running {
            match matches.update(*id, &replan).await {
                // A damaged log must not keep the others from being planned.
                Err(error) if error.problem().kind == ProblemKind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, "a match could not be planned anew");
                }
                // Nor must one that somebody holds; but it is still to be done.
                Err(error) if is_held_up(&error) => held_up = Some(error),
                planned => planned.map(drop)?,
            }
        }
        if let Some(error) = held_up {
            return Err(error);
        }
        let mut tx = matches.db.begin().await?;
        // The player may want a reminder before the match is due to be looked at.
        store::matches::wake(&mut tx, &running, matches.clock.now()).await?;
        let settled = calendar::store::finish_change(&mut tx, account, edition).await?;
        tx.commit().await?;
        if settled {
            return Ok(());
        }
    }
}

/// What has to be written before a time-out: the plans of players whose changes were acknowledged before it and are
/// still in the queue. The entry has the time of the first of these changes, or of the last entry, if that is later.
/// `None`: the time is over.
pub(super) async fn before_time_is_over(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    if state.terms.setup.clock.rests() == Rests::None {
        return Ok(None);
    }
    let players: Vec<AccountId> = state.terms.players.iter().map(|player| player.id).collect();
    let mut conn = ctx.db.conn().await?;
    let waiting = calendar::store::changes_of(&mut conn, &players).await?;
    drop(conn);
    // One after the other, each at its own time: one player's later change must not move another player's earlier one.
    let mut waiting: Vec<_> = waiting.into_iter().map(|(account, at)| (at.max(state.last_at), account)).collect();
    waiting.sort_unstable();
    for (at, account) in waiting {
        if at > now || !state.battle.expire(at).is_empty() {
            continue;
        }
        let entry = planned(ctx, state, &[account], at).await?;
        if !entry.events.is_empty() {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The plans of these players' calendars in an entry of its own, without events if the rests stay the same.
async fn planned(ctx: &Context, state: &MatchState, accounts: &[AccountId], at: Time) -> Result<Entry> {
    let mut conn = ctx.db.conn().await?;
    let known = calendar::for_plans(&mut conn, accounts, at).await?;
    drop(conn);
    Ok(entry(state, &known, at))
}

fn entry(state: &MatchState, known: &[AccountCalendar], at: Time) -> Entry {
    let mut entry = Entry { at, seat: None, events: Vec::new() };
    entry.events = known.iter().flat_map(|known| plans::changed(state, known, &entry)).collect();
    entry
}

/// Plans the rests of one player anew, by the calendar as it was read.
struct Replan {
    known: Vec<AccountCalendar>,
}

impl Command for Replan {
    fn judge(&self, state: &MatchState, now: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        if state.terms.setup.clock.rests() == Rests::None || state.battle.status().is_over() {
            return Ok(None);
        }
        let entry = entry(state, &self.known, now.max(state.last_at));
        Ok((!entry.events.is_empty()).then_some(entry))
    }
}

//! Command: after a calendar change, the account's running matches are planned anew, each with its own entry.
//!
//! The first changes are planned at once. Those that soon follow are collected for some minutes, so that they can't
//! fill the match logs. They still count: waiting changes are planned before a time-out.
//!
//! The change is stored with a queue row. If the node is killed, any node's sweep finds the row and completes the work.
//! Repeated or concurrent planning is harmless: a plan with the same rests makes no entry.

use broadside_rules::{Dice, Entry, Rests, Time};
use futures_util::StreamExt;

use super::match_state::MatchState;
use super::plans;
use super::update::Command;
use crate::budget_owner;
use crate::calendar::{self, AccountCalendar};
use crate::context::Context;
use crate::db::is_held_up;
use crate::error::{ProblemKind, Result};
use crate::ids::AccountId;
use crate::matches::{Matches, store};

/// The maximum number of accounts per sweep.
const AT_MOST: i64 = 50;
/// The number of concurrent accounts, so that one with many matches doesn't delay the others.
const AT_ONCE: usize = 4;
/// The cost of replanning a match, in milliseconds of processor time.
const MATCH_MS: u32 = 3;
/// The part of the cost included in the price of a change, in milliseconds.
const PAID_MS: u32 = 25;
/// The maximum cost of a change, in milliseconds: half of an account's budget per minute.
const MOST_MS: u32 = 600;

/// Plans the matches of every account in the queue.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let waiting = calendar::store::accounts_with_changes(&mut conn, matches.clock.now(), AT_MOST).await?;
    drop(conn);
    let planning = futures_util::stream::iter(waiting).map(|account| catch_up_or_log(matches, account));
    planning.buffer_unordered(AT_ONCE).collect::<()>().await;
    Ok(())
}

/// Charges the current request for a change of its account's calendar, by the number of matches to replan.
/// `too-many-requests` when the budget is exceeded.
pub async fn charge(matches: &Matches, account: AccountId) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let running = store::matches::running_of(&mut conn, account).await?;
    drop(conn);
    let ms = u32::try_from(running.len()).unwrap_or(u32::MAX).saturating_mul(MATCH_MS);
    budget_owner::charge_more(matches.rate_limits.as_ref(), ms.saturating_sub(PAID_MS).min(MOST_MS))
}

/// Replans one account's matches right after a change. Failures are logged and left to the sweep.
pub async fn catch_up_or_log(matches: &Matches, account: AccountId) {
    if let Err(error) = catch_up(matches, account).await {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, "matches could not be planned anew; they wait for the next sweep");
    }
}

async fn catch_up(matches: &Matches, account: AccountId) -> Result<()> {
    let (mut tx, now) = (matches.db.begin().await?, matches.clock.now());
    let is_pending = calendar::store::pending_change(&mut tx, account, now).await?.is_some();
    if !is_pending || !calendar::store::take_planning(&mut tx, account, now).await? {
        return tx.roll_back().await;
    }
    tx.commit().await?;
    loop {
        let (mut conn, now) = (matches.db.conn().await?, matches.clock.now());
        let pending = calendar::store::pending_change(&mut conn, account, now).await?;
        let Some(change) = pending else { return Ok(()) };
        let running = store::matches::running_of(&mut conn, account).await?;
        // Read after the change: a later change of the calendar causes another planning.
        let at = change.at;
        let known = calendar::for_plans_between(&mut conn, &[account], at, matches.clock.now()).await?;
        let replan = Replan { known, at };
        drop(conn);
        let mut held_up = None;
        for id in &running {
            match matches.update(*id, &replan).await {
                // A damaged log must not block the planning of other matches.
                Err(error) if error.problem().kind == ProblemKind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, "a match could not be planned anew");
                }
                // Nor must a locked one; but it remains to be done.
                Err(error) if is_held_up(&error) => held_up = Some(error),
                planned => planned.map(drop)?,
            }
        }
        if let Some(error) = held_up {
            return Err(error);
        }
        let mut tx = matches.db.begin().await?;
        // The player may want a reminder before the match's next wake-up.
        store::matches::wake(&mut tx, &running, matches.clock.now()).await?;
        calendar::store::finish_change(&mut tx, account, change).await?;
        tx.commit().await?;
    }
}

/// The entry due before a time-out: the plans of players whose changes were acknowledged before the time was over, and
/// are still in the queue. Its time is that of the first change, or of the last entry, if that is later. `None`: the
/// time is over.
pub(super) async fn before_time_is_over(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    if state.terms.setup.clock.rests() == Rests::None {
        return Ok(None);
    }
    let players: Vec<AccountId> = state.terms.players.iter().map(|player| player.id).collect();
    let mut conn = ctx.db.conn().await?;
    let waiting = calendar::store::changes_of(&mut conn, &players, now).await?;
    drop(conn);
    // In sequence, each at its own time: one player's later change must not move another player's earlier one.
    let mut waiting: Vec<_> = waiting.into_iter().map(|(account, at)| (state.not_before_last(at), account)).collect();
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

/// The plans of these players' calendars in one entry, without events if the rests stay the same.
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

/// Replans one player's rests from the calendar as read, from the time of the change.
struct Replan {
    known: Vec<AccountCalendar>,
    at: Time,
}

impl Command for Replan {
    fn judge(&self, state: &MatchState, _: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        if state.terms.setup.clock.rests() == Rests::None || state.battle.status().is_over() {
            return Ok(None);
        }
        let entry = entry(state, &self.known, state.not_before_last(self.at));
        Ok((!entry.events.is_empty()).then_some(entry))
    }
}

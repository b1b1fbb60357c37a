//! Reminders and automatic vacations, due before a player's time is over.
//!
//! A match is looked at (`wake_at`) when half of a clock's time is left. No player can ask for an earlier reminder.
//! Only then the player's calendar is read, and `wake_at` is set to the next due time. Other players can't notice: no
//! entry is made, and no version changes.

use broadside_rules::{Battle, RestKind, Seat, Time};

use super::match_state::MatchState;
use crate::calendar;
use crate::calendar::store::ReminderPreferences;
use crate::calendar::vacations;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::events::kinds::DeadlineNearEvent;
use crate::events::{self, Notification};
use crate::matches::store;

const HOUR_MS: i64 = 60 * 60 * 1000;

/// The next time to look at the match, if no player acts first: the first deadline, or the first time at which half is
/// left of a clock that had at least an hour.
pub(super) fn wake_at(battle: &Battle) -> Option<Time> {
    let halves = battle.to_act().iter().filter_map(|seat| battle.reaches(seat, first_look_ms(battle, seat)?));
    battle.deadline().into_iter().chain(halves).min()
}

/// The time left on a clock when it is first looked at.
fn first_look_ms(battle: &Battle, seat: Seat) -> Option<i64> {
    let given_ms = battle.given_ms(seat)?;
    let half = (given_ms >= HOUR_MS).then_some(given_ms / 2);
    // A vacation may still save a bank that is nearly empty.
    let last_hour = allows_vacations(battle).then_some(given_ms.min(HOUR_MS));
    half.max(last_hour)
}

fn allows_vacations(battle: &Battle) -> bool {
    battle.setup().clock.rests().allows(RestKind::Vacation)
}

/// The action due for a seat, and the time of the next look.
#[derive(Debug, Default, PartialEq)]
struct Due {
    warn: bool,
    vacation: bool,
    next: Option<Time>,
}

/// The action due for a seat at `now`, by its clock and its player's calendar.
fn due(battle: &Battle, seat: Seat, wish: &ReminderPreferences, now: Time) -> Due {
    let mut due = Due::default();
    let (Some(deadline), Some(given_ms)) = (battle.deadline_of(seat), battle.given_ms(seat)) else { return due };
    let mut later = |time: Option<Time>| due.next = due.next.into_iter().chain(time.filter(|time| *time > now)).min();
    later(Some(deadline));
    let rest_ends = battle.rests_until(seat, now);
    let warned_before =
        wish.warned.is_some_and(|(_, at)| battle.reaches(seat, given_ms).is_some_and(|began| began <= at));
    let warn_at = wish.warn_at.filter(|_| given_ms >= HOUR_MS && wish.warned.map(|(about, _)| about) != Some(deadline));
    if let Some(share) = warn_at {
        match battle.reaches(seat, share.of(given_ms)) {
            Some(time) if time > now => later(Some(time)),
            // For example, a vacation has moved a deadline after its reminder: the next reminder can wait for its end.
            Some(_) if warned_before && rest_ends.is_some() => later(rest_ends),
            Some(_) => due.warn = true,
            None => {}
        }
    }
    if wish.automatic_vacation && allows_vacations(battle) {
        match (battle.reaches(seat, HOUR_MS), rest_ends) {
            (Some(time), _) if time > now => later(Some(time)),
            (Some(_), Some(ends)) => later(Some(ends)),
            (Some(_), None) => due.vacation = true,
            (None, _) => {}
        }
    }
    due
}

/// Sends the reminders and begins the vacations that are due in a match, and sets `wake_at`. A vacation queues its
/// account for replanning.
pub(super) async fn remind(ctx: &Context, state: &MatchState, now: Time) -> Result<()> {
    let mut next = state.battle.deadline();
    let mut warnings = Vec::new();
    if state.battle.to_act().iter().any(|seat| first_look_ms(&state.battle, seat).is_some()) {
        let mut conn = ctx.db.conn().await?;
        let wishes = calendar::store::reminder_preferences(&mut conn, state.terms.id).await?;
        drop(conn);
        for wish in wishes {
            let due = due(&state.battle, wish.seat, &wish, now);
            next = next.into_iter().chain(due.next).min();
            // First, in its own transaction: the account's calendar is locked before any match.
            let is_moving = due.vacation && vacations::begin_by_itself(ctx, wish.account, now).await?;
            // The vacation has just moved the deadline, so a warning would be wrong by a day.
            if due.warn && !is_moving {
                warnings.push(wish);
            }
        }
    }
    let mut tx = ctx.db.begin().await?;
    // This locks the head, so the match can't change before the reminder is stored.
    if store::matches::sleep(&mut tx, state.terms.id, state.seq, next).await? {
        let told = warned(&mut tx, state, &warnings, now).await?;
        events::notify(&mut tx, ctx, told).await?;
    }
    tx.commit().await
}

async fn warned(
    tx: &mut Tx,
    state: &MatchState,
    warnings: &[ReminderPreferences],
    now: Time,
) -> Result<Vec<Notification>> {
    let mut told = Vec::new();
    for ReminderPreferences { seat, account, .. } in warnings {
        let (seat, id) = (*seat, state.terms.id);
        let (Some(deadline), Some(left_ms)) = (state.battle.deadline_of(seat), state.battle.left_ms(seat, now)) else {
            continue;
        };
        if calendar::store::mark_warned(tx, id, seat, deadline, now).await? {
            let left_s = u32::try_from(left_ms / 1000).map_err(Error::internal)?;
            told.extend(events::notification(*account, &[DeadlineNearEvent::at(now, id, deadline, left_s).into()])?);
        }
    }
    Ok(told)
}

//! Command: the clock acts for players who didn't, without any connected client.
//!
//! Each node sweeps. A time-out is written like any entry, so one of several nodes writes it and the others find it
//! done. `wake_at` is at or before the next due time; when it was too early, it is set again. Several matches are
//! handled together, so that their time-outs go into one statement. The players whose time it is take turns, so that
//! one who abandons a thousand matches doesn't delay the others.

use broadside_rules::{Dice, Entry, Time};
use futures_util::StreamExt;

use super::match_state::MatchState;
use super::update::{Command, Updated};
use super::{pauses, reminders};
use crate::due::{in_turns, log_seldom};
use crate::error::{ProblemKind, Result};
use crate::ids::MatchId;
use crate::matches::{Matches, store};

/// The maximum number of matches per read, the most overdue first.
const AT_MOST: i64 = 2000;
/// The number of matches handled before due ones are read again.
const BATCH: usize = 500;
/// The number of matches handled at once. Each takes a connection only briefly, while its log is read.
const AT_ONCE: usize = 32;

/// Writes all due time-outs, and sends the reminders.
pub async fn sweep(matches: &Matches) -> Result<()> {
    // A node that doesn't know about downtimes judges no clock.
    while matches.heartbeat.held().is_none() {
        let mut conn = matches.db.conn().await?;
        let due = store::matches::due(&mut conn, matches.clock.now(), AT_MOST).await?;
        drop(conn);
        let full = due.len() > BATCH;
        let due = in_turns(due, |(_, account)| *account).into_iter().take(BATCH);
        let looks = futures_util::stream::iter(due).map(|(id, _)| look_at(matches, id));
        let done: Vec<bool> = looks.buffer_unordered(AT_ONCE).collect().await;
        // If nothing at all could be done, an immediate retry would not help.
        if !full || !done.contains(&true) {
            break;
        }
    }
    Ok(())
}

async fn look_at(matches: &Matches, id: MatchId) -> bool {
    match expire(matches, id).await {
        Ok(()) => true,
        Err(error) => {
            log_seldom(&error, id, "what is due in a match could not be done");
            false
        }
    }
}

/// Writes only the clock's own due entries.
pub(super) struct TimeOut;

impl Command for TimeOut {
    fn judge(&self, _: &MatchState, _: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        Ok(None)
    }
}

/// Writes a match's time-out, or entries due before it.
async fn expire(matches: &Matches, id: MatchId) -> Result<()> {
    match matches.update(id, &TimeOut).await {
        Ok(Updated::Unchanged(state)) if !state.battle.status().is_over() => {
            // A deadline moved by a pause isn't near.
            if pauses::follow(matches, &state).await? {
                return Ok(());
            }
            reminders::remind(matches, &state, matches.clock.now()).await
        }
        // Other writers were always faster. The next sweep comes soon.
        Err(error) if error.problem().kind != ProblemKind::Conflict => Err(error),
        _ => Ok(()),
    }
}

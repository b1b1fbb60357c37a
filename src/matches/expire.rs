//! Command: the clock acts for players who didn't. It needs no connected client.
//!
//! Each node sweeps. A time-out is written like any entry, so one of several nodes writes it and the others find it
//! done. `wake_at` is at or before the next time at which something is due; when it was too early, it is set again.
//! Several matches are looked at together, so that their time-outs go into one statement. The players whose time it is
//! take turns, so one who leaves a thousand matches doesn't delay what others wait for.

use broadside_rules::{Dice, Entry, Time};
use futures_util::StreamExt;

use super::match_state::MatchState;
use super::update::{Command, Updated};
use super::{pauses, reminders};
use crate::due::{in_turns, log_seldom};
use crate::error::{ProblemKind, Result};
use crate::ids::MatchId;
use crate::matches::{Matches, store};

/// How many matches are read at most, the most overdue first.
const AT_MOST: i64 = 2000;
/// How many of them are looked at before it is read again what is due.
const BATCH: usize = 500;
/// How many of them are looked at at once. Each takes a connection for a moment only, while its log is read.
const AT_ONCE: usize = 32;

/// Plays every time-out that is due, and sends the reminders.
pub async fn sweep(matches: &Matches) -> Result<()> {
    // A node that doesn't know whether the service could be reached judges no clock.
    while matches.heartbeat.held().is_none() {
        let mut conn = matches.db.conn().await?;
        let due = store::matches::due(&mut conn, matches.clock.now(), AT_MOST).await?;
        drop(conn);
        let full = due.len() > BATCH;
        let due = in_turns(due, |(_, account)| *account).into_iter().take(BATCH);
        let looks = futures_util::stream::iter(due).map(|(id, _)| look_at(matches, id));
        let done: Vec<bool> = looks.buffer_unordered(AT_ONCE).collect().await;
        // When nothing at all could be done, trying again at once would do no more.
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

/// What the clock has to say, and nothing else.
pub(super) struct TimeOut;

impl Command for TimeOut {
    fn judge(&self, _: &MatchState, _: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        Ok(None)
    }
}

/// Plays a match's time-out, or does what is due before.
async fn expire(matches: &Matches, id: MatchId) -> Result<()> {
    match matches.update(id, &TimeOut).await {
        Ok(Updated::Unchanged(state)) if !state.battle.status().is_over() => {
            // What a pause moves isn't near.
            if pauses::follow(matches, &state).await? {
                return Ok(());
            }
            reminders::remind(matches, &state, matches.clock.now()).await
        }
        // Others were faster every time. The next sweep comes soon.
        Err(error) if error.problem().kind != ProblemKind::Conflict => Err(error),
        _ => Ok(()),
    }
}

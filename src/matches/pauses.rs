//! Command: a match's ladder or tournament is paused, or the end of its pause changes.
//!
//! A pause is stored once, for all matches of its contest, and each match records it with its own entry, including the
//! end. So no clock needs a change when it ends by itself; if an organizer ends it earlier, a second entry shortens it.
//! Players may move during a pause, and no time is charged.
//!
//! Recording it in many matches takes a moment. Until then the clock of a match runs on, but isn't judged: pauses are
//! read before a time-out and before a reminder. Ordinary moves read nothing. The effect of a pause on a match follows
//! from the match alone, so it is recorded once, whichever node comes first.

use broadside_rules::{Dice, Entry, Pause, Time, Viewer};
use futures_util::{StreamExt, TryStreamExt};

use super::match_state::MatchState;
use super::store::pauses::{self as pause_store, UntoldPause};
use super::update::Command;
use crate::context::Context;
use crate::db::Conn;
use crate::due::{each_due, pass_over};
use crate::error::{ProblemKind, Result};
use crate::ids::MatchId;
use crate::matches::{Contest, Matches};

/// The number of pauses per query.
const PAUSES: i64 = 50;
/// The number of matches per step.
const AT_MOST: i64 = 500;
/// The number of matches at once.
const AT_ONCE: usize = 16;

/// The pauses of a contest that end after a time, in order: including a current one, with its planned end.
pub async fn of(conn: &mut Conn, contest: Contest, since: Time) -> Result<Vec<Pause>> {
    pause_store::of_contest(conn, contest, since).await
}

/// Records in a match the pauses of its contest that are new to it.
struct Follow<'a> {
    pauses: &'a [Pause],
}

impl Command for Follow<'_> {
    fn judge(&self, state: &MatchState, now: Time, _: &dyn Fn() -> Dice) -> Result<Option<Entry>> {
        Ok(entry_of(state, self.pauses, now))
    }
}

fn entry_of(state: &MatchState, pauses: &[Pause], now: Time) -> Option<Entry> {
    // The clock of the node that started the pause may have been slightly ahead of ours.
    let at = pauses.iter().map(|pause| pause.from).fold(now, Time::max);
    let events = state.battle.pause_clocks(pauses, at);
    (!events.is_empty()).then_some(Entry { at, seat: None, events })
}

async fn of_match(ctx: &Context, state: &MatchState) -> Result<Vec<Pause>> {
    let Some(pairing) = state.terms.pairing else { return Ok(Vec::new()) };
    let mut conn = ctx.db.conn().await?;
    of(&mut conn, pairing.contest, state.terms.created_at).await
}

/// The entry that records pauses of the contest new to the match. `None`: there are none.
pub(super) async fn entry(ctx: &Context, state: &MatchState, now: Time) -> Result<Option<Entry>> {
    Ok(entry_of(state, &of_match(ctx, state).await?, now))
}

/// Records new pauses in a match. False: there are none.
pub(super) async fn follow(matches: &Matches, state: &MatchState) -> Result<bool> {
    let pauses = of_match(matches, state).await?;
    if entry_of(state, &pauses, state.not_before_last(matches.clock.now())).is_none() {
        return Ok(false);
    }
    match matches.update(state.terms.id, &Follow { pauses: &pauses }).await {
        Err(error) if error.problem().kind != ProblemKind::Conflict => Err(error),
        // Other writers were always faster: retried soon.
        _ => Ok(true),
    }
}

/// Records pauses in running matches that lack them or have another end.
pub async fn tell(matches: &Matches) -> Result<()> {
    each_due!(matches, (conn, last) => pause_store::untold(conn, last, PAUSES), pause by pause.id => {
        let id = pause.id;
        pass_over(tell_one(matches, pause).await, id, "matches could not be told of a pause; the next round tries again")?;
    });
    Ok(())
}

async fn tell_one(matches: &Matches, pause: UntoldPause) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let pauses = of(&mut conn, pause.contest, Time(0)).await?;
    drop(conn);
    let follow = &Follow { pauses: &pauses };
    let (mut behind, mut all) = (None, true);
    loop {
        let mut conn = matches.db.conn().await?;
        let ids = pause_store::running(&mut conn, pause.contest, behind, AT_MOST).await?;
        drop(conn);
        behind = ids.last().copied();
        if behind.is_none() {
            break;
        }
        let telling = futures_util::stream::iter(ids).map(|id| tell_match(matches, id, follow));
        let done: Vec<bool> = telling.buffer_unordered(AT_ONCE).try_collect().await?;
        all &= !done.contains(&false);
    }
    if !all {
        return Ok(());
    }
    let mut tx = matches.db.begin().await?;
    pause_store::told(&mut tx, &pause).await?;
    tx.commit().await
}

/// False: other writers were always faster, and it must be retried. (A damaged match is skipped.)
async fn tell_match(matches: &Matches, id: MatchId, follow: &Follow<'_>) -> Result<bool> {
    match matches.update(id, follow).await {
        Err(error) if error.problem().kind == ProblemKind::Conflict => Ok(false),
        done => pass_over(done.map(drop), id, "a match could not be told of a pause").map(|_| true),
    }
}

/// For the operator's check: a line for each pause in a log that its contest doesn't have.
pub(super) async fn faults(ctx: &Context, state: &MatchState) -> Result<Vec<String>> {
    let known = state.view(Viewer::Spectator).pauses();
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let stored = of_match(ctx, state).await?;
    // A match that ended during a pause, or isn't updated yet, has its planned end.
    let is_stored = |one: &Pause| stored.iter().any(|pause| pause.from == one.from && pause.until <= one.until);
    let wrong = known.iter().filter(|one| !is_stored(one));
    Ok(wrong.map(|one| format!("a pause from {} until {} is none of its contest", one.from, one.until)).collect())
}

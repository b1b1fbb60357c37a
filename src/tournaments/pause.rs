//! Pauses of tournaments: no round is drawn and no board opened meanwhile, and the deadlines of rounds move behind the
//! pause. The clocks of matches are handled by the matches.

use super::{Tournament, TournamentStatus, deadlines, entry, umpire};
use crate::accounts::Identity;
use crate::contests::pauses::{self, ContestPause, PauseNews, PauseOrder};
use crate::contests::{Contest, news};
use crate::context::Context;
use crate::db::Tx;
use crate::due::{each_due, pass_over};
use crate::error::Result;
use crate::events;
use crate::ids::TournamentId;
use crate::tournaments::store;

/// Rows read at a time.
const AT_MOST: i64 = 100;

fn is_over(tournament: &Tournament) -> bool {
    matches!(tournament.status, TournamentStatus::Finished | TournamentStatus::Cancelled)
}

/// Pauses a tournament, even before its start. Fails with `tournament-closed` if it is over, and as [`umpire::hold`]
/// and [`pauses::begin`] do.
pub async fn pause(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: TournamentId,
    order: PauseOrder,
) -> Result<ContestPause> {
    let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
    if is_over(&tournament) {
        return Err(entry::closed(&tournament));
    }
    let contest = Contest::Tournament(id);
    let pause = pauses::begin(tx, ctx, (contest, actor), tournament.pause.as_ref(), order).await?;
    deadlines::anew(tx, &tournament).await?;
    Ok(pause)
}

/// Resumes a tournament. Fails with `not-paused`, and as [`umpire::hold`] does.
pub async fn resume(tx: &mut Tx, ctx: &Context, caller: &Identity, id: TournamentId) -> Result<()> {
    let (tournament, actor) = umpire::hold(tx, ctx, caller, id).await?;
    let pause = pauses::ended_by(tx, ctx, (Contest::Tournament(id), actor), tournament.pause.as_ref()).await?;
    pauses::end(tx, &pause, ctx.clock.now(), !is_over(&tournament)).await?;
    deadlines::anew(tx, &tournament).await
}

/// Ends the pauses that are over, and those of finished tournaments.
pub(super) async fn end_due(ctx: &Context) -> Result<()> {
    let now = ctx.clock.now();
    each_due!(ctx, (conn, last) => pauses::due(conn, "tournament", now, last, AT_MOST), id by *id => {
        pass_over(end_one(ctx, TournamentId(id)).await, id, "the pause of a tournament could not be ended")?;
    });
    Ok(())
}

async fn end_one(ctx: &Context, id: TournamentId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::tournaments::lock(&mut tx, id).await?;
    let paused = found.and_then(|tournament| tournament.pause.clone().map(|pause| (tournament, pause)));
    let Some((tournament, pause)) = paused else { return tx.roll_back().await };
    let now = ctx.clock.now();
    let over_at = is_over(&tournament).then(|| tournament.ended_at.unwrap_or(now));
    let Some(at) = over_at.or((pause.until <= now).then_some(pause.until)) else { return tx.roll_back().await };
    pauses::end(&mut tx, &pause, at, over_at.is_none()).await?;
    if over_at.is_none() {
        let told = news::to_runners(tournament.runners(), &pauses::event(&pause, PauseNews::Resumed), &[])?;
        events::notify(&mut tx, ctx, told).await?;
    }
    tx.commit().await
}

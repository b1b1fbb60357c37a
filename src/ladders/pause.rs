//! Pauses of ladders: no pairings and no challenges meanwhile, and time limits are extended. The clocks of matches are
//! handled by the matches.

use broadside_rules::Time;

use super::{Ladder, Season, umpire};
use crate::accounts::Identity;
use crate::contests::pauses::{self, ContestPause, PauseNews, PauseOrder};
use crate::contests::{Contest, news};
use crate::context::Context;
use crate::db::Tx;
use crate::due::{each_due, pass_over};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::ids::LadderId;
use crate::ladders::store;

/// Rows read at a time.
const AT_MOST: i64 = 100;

/// Pauses a ladder. Fails with `ladder-closed`, and as [`umpire::hold`] and [`pauses::begin`] do.
pub async fn pause(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    id: LadderId,
    order: PauseOrder,
) -> Result<ContestPause> {
    let (ladder, actor) = umpire::hold_whole(tx, ctx, caller, id).await?;
    if ladder.closed.is_some() {
        return Err(Error::plain(&problem::LADDER_CLOSED));
    }
    pauses::begin(tx, ctx, (Contest::Ladder(id), actor), ladder.pause.as_ref(), order).await
}

/// Resumes a ladder. Fails with `not-paused`, and as [`umpire::hold`] does.
pub async fn resume(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<()> {
    let (ladder, actor) = umpire::hold_whole(tx, ctx, caller, id).await?;
    let pause = pauses::ended_by(tx, ctx, (Contest::Ladder(id), actor), ladder.pause.as_ref()).await?;
    go_on(tx, ctx, &ladder, &pause, ctx.clock.now()).await
}

/// Ends the pause of a locked ladder: its season is extended, and members are paired again.
async fn go_on(tx: &mut Tx, ctx: &Context, ladder: &Ladder, pause: &ContestPause, at: Time) -> Result<()> {
    let at = at.clamp(pause.from, pause.until);
    pauses::end(tx, pause, at, ladder.closed.is_none()).await?;
    if ladder.closed.is_none() {
        if let Some(season) = longer(&ladder.season, pause.from, at) {
            store::seasons::replan(tx, ladder.id, &season).await?;
            store::ladders::set_season(tx, ladder.id, &season).await?;
        }
        store::ladders::request_matchmaking(tx, ladder.id, ctx.clock.now()).await?;
    }
    Ok(())
}

/// The season, extended by its time in the pause.
fn longer(season: &Season, from: Time, at: Time) -> Option<Season> {
    let in_it_ms = at.millis_since(from.max(season.started_at));
    let ends_at = season.ends_at.filter(|_| in_it_ms > 0)?;
    Some(Season { ends_at: Some(ends_at.plus_ms(in_it_ms)), ..*season })
}

/// Ends the pauses that are over, and those of closed ladders.
pub(super) async fn end_due(ctx: &Context) -> Result<()> {
    let now = ctx.clock.now();
    each_due!(ctx, (conn, last) => pauses::due(conn, "ladder", now, last, AT_MOST), id by *id => {
        pass_over(end_one(ctx, LadderId(id)).await, id, "the pause of a ladder could not be ended")?;
    });
    Ok(())
}

async fn end_one(ctx: &Context, id: LadderId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::ladders::lock(&mut tx, id).await?;
    let Some((ladder, pause)) = found.and_then(|ladder| ladder.pause.clone().map(|pause| (ladder, pause))) else {
        return tx.roll_back().await;
    };
    let now = ctx.clock.now();
    let closed_at = ladder.closed.as_ref().map(|closed| closed.at);
    let Some(at) = closed_at.or((pause.until <= now).then_some(pause.until)) else { return tx.roll_back().await };
    go_on(&mut tx, ctx, &ladder, &pause, at).await?;
    if ladder.closed.is_none() {
        let told = news::to_runners(ladder.runners(), &pauses::event(&pause, PauseNews::Resumed), &[])?;
        events::notify(&mut tx, ctx, told).await?;
    }
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_season_gets_back_what_lies_in_it() {
        let season = Season { number: 2, started_at: Time(100), ends_at: Some(Time(500)), ended_at: None };
        let ends = |from: i64, at: i64| longer(&season, Time(from), Time(at)).and_then(|season| season.ends_at);
        assert_eq!(ends(200, 300), Some(Time(600)));
        // Its terms were changed in the pause, and it began anew.
        assert_eq!(ends(50, 150), Some(Time(550)));
        assert_eq!(ends(50, 100), None);
        // A pause beyond the season's end counts whole: no season ends in a pause.
        assert_eq!(ends(400, 900), Some(Time(1000)));
        assert!(longer(&Season { ends_at: None, ..season }, Time(200), Time(300)).is_none());
    }
}

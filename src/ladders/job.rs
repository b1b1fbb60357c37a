//! The job of ladders: counts results, ends seasons, pairs members, closes deserted ladders, and notifies members. Each
//! step is a short transaction under the ladder's row lock, and a failure delays nothing else.

use super::{announcements, create, matchmaking, pause, position, season, settle};
use crate::context::Context;
use crate::due::{each_due, pass_over};
use crate::error::Result;
use crate::ladders::store;
use crate::ladders::store::ladders::DueFor;
use crate::matches::{Contest, Matches};
use crate::pairings;

/// Rows read at a time.
const AT_MOST: i64 = 100;

/// Does all due work. In this order, work made due by one step for another is done in the same round.
pub async fn run(matches: &Matches) -> Result<()> {
    let resumed = pause::end_due(matches).await;
    // Pairings that ended in time count for the ending season, later ones for the next.
    let settled = settle_all(matches).await;
    let positions = position::job::run(matches).await;
    let turned = each_due(matches, DueFor::Season).await;
    let settled = settled.and(settle_all(matches).await);
    let paired = pair_all(matches).await;
    let closed = each_due(matches, DueFor::Deserted).await;
    let warned = warn_all(matches).await;
    let told = notify_all(matches).await;
    resumed.and(settled).and(positions).and(turned).and(paired).and(closed).and(warned).and(told)
}

/// Counts the results of all finished pairings.
async fn settle_all(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => pairings::due(conn, "ladder", last, AT_MOST), due by due.0 => {
        let (pairing, Contest::Ladder(ladder)) = due else { continue };
        pass_over(settle::settle(ctx, ladder, pairing).await, pairing, "a pairing could not be settled")?;
    });
    Ok(())
}

/// Does the due work of each ladder, except matchmaking.
async fn each_due(matches: &Matches, due: DueFor) -> Result<()> {
    let now = matches.clock.now();
    let at = if due == DueFor::Deserted { now.plus_ms(-i64::from(create::DESERTED_S) * 1000) } else { now };
    each_due!(matches, (conn, last) => store::ladders::due(conn, due, at, last, AT_MOST), id by *id => {
        let done = match due {
            DueFor::Season => season::turn(matches, id).await,
            DueFor::Deserted => create::close_if_deserted(matches, id).await,
            DueFor::Matchmaking => matchmaking::run(matches, id).await.map(drop),
        };
        pass_over(done, id, "what is due on a ladder could not be done")?;
    });
    Ok(())
}

/// Notifies members of seasons that end soon.
async fn warn_all(ctx: &Context) -> Result<()> {
    let now = ctx.clock.now();
    each_due!(ctx, (conn, last) => store::seasons::to_warn(conn, now, last, AT_MOST), id by *id => {
        pass_over(season::warn(ctx, id).await, id, "members could not be told that a season ends soon")?;
    });
    Ok(())
}

/// Pairs members, some at a time for each ladder, until no ladder is due.
async fn pair_all(matches: &Matches) -> Result<()> {
    let mut last = None;
    let mut more = false;
    loop {
        let mut conn = matches.db.conn().await?;
        let found = store::ladders::due(&mut conn, DueFor::Matchmaking, matches.clock.now(), last, AT_MOST).await?;
        drop(conn);
        for id in &found {
            more |= pass_over(matchmaking::run(matches, *id).await, id, "nobody could be paired on a ladder")?
                .unwrap_or(false);
        }
        last = found.last().copied();
        if last.is_none() && !std::mem::take(&mut more) {
            return Ok(());
        }
    }
}

/// Notifies members of events on their ladders.
async fn notify_all(ctx: &Context) -> Result<()> {
    each_due!(ctx, (conn, last) => store::seasons::pending_announcements(conn, last, AT_MOST), id by *id => {
        while pass_over(announcements::notify_some(ctx, id).await, id, "members of a ladder could not be told")?
            .unwrap_or(false)
        {}
    });
    Ok(())
}

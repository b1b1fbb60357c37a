//! The job of ladders: takes in results, ends seasons, brings people together, closes what nobody uses, and tells of it. Each step is a short transaction under the ladder's
//! row, and whatever fails keeps nothing else waiting.

use super::{make, matchmaking, news, position, season, settle};
use crate::context::Context;
use crate::error::{Error, ProblemKind, Result};
use crate::ladders::store;
use crate::ladders::store::ladders::Due;
use crate::matches::Contest;
use crate::matches::Matches;
use crate::pairings;

/// How many are looked up at a time.
const AT_MOST: i64 = 100;

/// Does everything that is due, in an order in which what one step makes due for another is done in the same round.
pub async fn round(matches: &Matches) -> Result<()> {
    // What has ended in time counts for the season that is to end, and what has ended behind it for the next one.
    let settled = settle_all(matches).await;
    let of_places = position::round::sweep(matches).await;
    let turned = each_due(matches, Due::Season).await;
    let settled = settled.and(settle_all(matches).await);
    let paired = pair_all(matches).await;
    let closed = each_due(matches, Due::Lonely).await;
    let told = tell_all(matches).await;
    settled.and(of_places).and(turned).and(paired).and(closed).and(told)
}

/// Takes in the results of all pairings that are over.
async fn settle_all(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let due = pairings::due(&mut conn, "ladder", last, AT_MOST).await?;
        drop(conn);
        for (pairing, contest) in &due {
            let Contest::Ladder(ladder) = *contest else { continue };
            passed_over(settle::settle(ctx, ladder, *pairing).await, "a pairing could not be settled")?;
        }
        last = due.last().map(|(pairing, _)| *pairing);
        if last.is_none() {
            return Ok(());
        }
    }
}

/// Does what is due on each ladder: to bring people together is another matter.
async fn each_due(matches: &Matches, due: Due) -> Result<()> {
    let now = matches.clock.now();
    let at = if due == Due::Lonely { now.plus_ms(-i64::from(make::LONELY_S) * 1000) } else { now };
    let mut last = None;
    loop {
        let mut conn = matches.db.conn().await?;
        let found = store::ladders::due(&mut conn, due, at, last, AT_MOST).await?;
        drop(conn);
        for id in &found {
            let done = match due {
                Due::Season => season::turn(matches, *id).await,
                Due::Lonely => make::close_if_lonely(matches, *id).await,
                Due::Look => matchmaking::look(matches, *id).await.map(drop),
            };
            passed_over(done, "what is due on a ladder could not be done")?;
        }
        last = found.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

/// Brings people together, on each ladder some, until nobody is left whom it is time to look at.
async fn pair_all(matches: &Matches) -> Result<()> {
    let mut last = None;
    let mut more = false;
    loop {
        let mut conn = matches.db.conn().await?;
        let found = store::ladders::due(&mut conn, Due::Look, matches.clock.now(), last, AT_MOST).await?;
        drop(conn);
        for id in &found {
            more |= passed_over(matchmaking::look(matches, *id).await, "nobody could be paired on a ladder")?
                .unwrap_or(false);
        }
        last = found.last().copied();
        if last.is_none() && !std::mem::take(&mut more) {
            return Ok(());
        }
    }
}

/// Tells members of what has happened on their ladders.
async fn tell_all(ctx: &Context) -> Result<()> {
    let mut last = None;
    loop {
        let mut conn = ctx.db.conn().await?;
        let untold = store::seasons::untold(&mut conn, last, AT_MOST).await?;
        drop(conn);
        for id in &untold {
            while passed_over(news::tell_some(ctx, *id).await, "members of a ladder could not be told")?
                .unwrap_or(false)
            {}
        }
        last = untold.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

/// What failed for a reason of ours is logged and passed over, so that the others don't wait behind it. When the database can't be reached, the round is over.
fn passed_over<T>(done: Result<T, Error>, what: &'static str) -> Result<Option<T>> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.problem().kind == ProblemKind::Internal => {
            let cause = error.cause().map(tracing::field::display);
            tracing::error!(%error, cause, what);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

//! An offer's time runs out with nobody asking: those whom it concerned hear of it.
//!
//! Readers reckon by themselves whether an offer has expired. That its row says so too means that it has been told: both happen in one transaction,
//! under the row's lock, so with several nodes one tells and the others find it told.

use super::{Challenge, Status, concerned, told_all};
use crate::context::Context;
use crate::error::{ProblemKind, Result};
use crate::events;
use crate::events::kinds::ChallengeExpiredEvent;
use crate::ids::ChallengeId;
use crate::lobby::store;
use crate::matches::Matches;

/// How many offers are looked up at a time.
const AT_MOST: i64 = 100;

/// Tells of every offer whose time is over by now. One that is damaged is passed over, so that the others don't wait behind it.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let now = matches.clock.now();
    let mut last = None;
    loop {
        let mut conn = matches.db.conn().await?;
        let due = store::challenges::expired(&mut conn, now, last, AT_MOST).await?;
        drop(conn);
        for (_, id) in &due {
            match expire(matches, *id).await {
                Err(error) if error.problem().kind == ProblemKind::Internal => {
                    let cause = error.cause().map(tracing::field::display);
                    tracing::error!(%error, cause, challenge = %id, "a challenge could not be marked as expired");
                }
                told => told?,
            }
        }
        last = due.last().copied();
        if last.is_none() {
            return Ok(());
        }
    }
}

async fn expire(ctx: &Context, id: ChallengeId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::challenges::lock(&mut tx, id).await?;
    let is_due = |challenge: &Challenge| {
        challenge.status == Status::Open && challenge.status_at(ctx.clock.now()) == Status::Expired
    };
    let Some(mut challenge) = found.filter(is_due) else { return tx.roll_back().await };
    challenge.status = Status::Expired;
    store::challenges::settle(&mut tx, &challenge).await?;
    let event = ChallengeExpiredEvent::at(challenge.expires_at, id).into();
    events::tell(&mut tx, ctx, told_all(concerned(&challenge), &event)?).await?;
    tx.commit().await
}

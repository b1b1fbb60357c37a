//! Marks expired challenges, and notifies the players concerned.
//!
//! Readers determine by themselves whether a challenge has expired. The stored status says whether the players were
//! notified: both happen in one transaction, under the row's lock, so only one of several nodes notifies.

use super::{Challenge, ChallengeStatus, concerned, notifications_for};
use crate::context::Context;
use crate::due::pass_over;
use crate::error::Result;
use crate::events;
use crate::events::kinds::ChallengeExpiredEvent;
use crate::ids::ChallengeId;
use crate::lobby::store;
use crate::matches::Matches;

/// Challenges expired in one round of the job.
const AT_MOST: i64 = 1000;

/// Expires the due challenges, in turns of their creators. A damaged row is logged and skipped, so that it does not
/// block the others.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let mut conn = matches.db.conn().await?;
    let due = store::challenges::expired(&mut conn, matches.clock.now(), AT_MOST).await?;
    drop(conn);
    for id in due {
        pass_over(expire(matches, id).await, id, "a challenge could not be marked as expired")?;
    }
    Ok(())
}

async fn expire(ctx: &Context, id: ChallengeId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let found = store::challenges::lock(&mut tx, id).await?;
    let is_due = |challenge: &Challenge| {
        challenge.status == ChallengeStatus::Open && challenge.status_at(ctx.clock.now()) == ChallengeStatus::Expired
    };
    let Some(mut challenge) = found.filter(is_due) else { return tx.roll_back().await };
    challenge.status = ChallengeStatus::Expired;
    store::challenges::update_outcome(&mut tx, &challenge).await?;
    let event = ChallengeExpiredEvent::at(challenge.expires_at, id).into();
    events::notify(&mut tx, ctx, notifications_for(concerned(&challenge), &event)?).await?;
    tx.commit().await
}

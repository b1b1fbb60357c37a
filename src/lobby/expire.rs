//! Marks expired challenges, and notifies the players whom they concern.
//!
//! Readers compute by themselves whether a challenge has expired. The stored status says whether the players were
//! notified: both happen in one transaction, under the row's lock, so only one of several nodes notifies.

use super::{Challenge, ChallengeStatus, concerned, notifications_for};
use crate::context::Context;
use crate::due::{each_due, pass_over};
use crate::error::Result;
use crate::events;
use crate::events::kinds::ChallengeExpiredEvent;
use crate::ids::ChallengeId;
use crate::lobby::store;
use crate::matches::Matches;

/// How many challenges one query reads.
const BATCH: i64 = 100;

/// Expires every challenge that is due. A damaged row is logged and skipped, so that it does not hold up the others.
pub async fn sweep(matches: &Matches) -> Result<()> {
    let now = matches.clock.now();
    each_due!(matches, (conn, last) => store::challenges::expired(conn, now, last, BATCH), due by *due => {
        pass_over(expire(matches, due.1).await, due.1, "a challenge could not be marked as expired")?;
    });
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

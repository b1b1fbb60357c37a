//! Every challenge of an account is taken back at once: before the account is deleted, and when it is suspended.

use super::{DeclineReason, Status, others, store, told_all};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeLeftEvent, ChallengeWithdrawnEvent};
use crate::events::{AccountEvent, Told};
use crate::ids::AccountId;

/// Takes back every open challenge of the account, declines those that are addressed to it, and gives back the seats that it has taken in others. Returns what
/// the others shall hear of it.
pub async fn withdraw_all(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Told>> {
    let now = ctx.clock.now();
    let concerned = store::challenges::lock_concerning(tx, account).await?;
    store::challenges::withdraw_all(tx, account).await?;
    store::challenges::decline_all(tx, account).await?;
    let mut told = Vec::new();
    for challenge in concerned {
        let id = challenge.id;
        store::challenges::vacate(tx, id, account).await?;
        let event: AccountEvent = if challenge.creator.id == account {
            ChallengeWithdrawnEvent::at(now, id).into()
        } else if challenge.opponent.as_ref().is_some_and(|player| player.id == account) {
            ChallengeDeclinedEvent::at(now, id, account, Some(DeclineReason::Generic.word())).into()
        } else {
            ChallengeLeftEvent::at(now, id, account).into()
        };
        if challenge.status_at(now) == Status::Open {
            told.extend(told_all(others(&challenge, account), &event)?);
        }
    }
    Ok(told)
}

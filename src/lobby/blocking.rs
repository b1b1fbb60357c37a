//! What a block means for challenges: the two don't meet. Matches under way go on.
//!
//! Who blocks and who is blocked are refused alike. The one who is blocked is told no more than that it doesn't come to a match: a challenge of the other's isn't
//! there for him, and a name that he challenges is nobody's. (What stands open to everybody he may still see without a token.)

use super::{Challenge, DeclineReason, Status, told_all};
use crate::accounts::{Identity, Username};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeWithdrawnEvent};
use crate::events::{self, AccountEvent};
use crate::ids::AccountId;
use crate::lobby::store;
use crate::social::{Kind, blocks};

/// Blocks a player. What stands open between the two is withdrawn or declined, as if it had been done by hand.
pub async fn block(tx: &mut Tx, ctx: &Context, who: &Identity, name: &Username) -> Result<()> {
    let other = blocks::begin(tx, ctx, who, Kind::Block, name).await?;
    let now = ctx.clock.now();
    let mut told = Vec::new();
    for mut challenge in store::challenges::lock_between(tx, who.account, other.id).await? {
        let was_open = challenge.status_at(now) == Status::Open;
        let event: AccountEvent = if challenge.creator.id == who.account {
            challenge.status = Status::Withdrawn;
            ChallengeWithdrawnEvent::at(now, challenge.id).into()
        } else {
            challenge.status = Status::Declined;
            challenge.reason = Some(DeclineReason::Generic);
            ChallengeDeclinedEvent::at(now, challenge.id, who.account, challenge.reason.map(DeclineReason::word)).into()
        };
        if was_open {
            store::challenges::settle(tx, &challenge).await?;
            told.extend(told_all(vec![other.id], &event)?);
        }
    }
    events::tell(tx, ctx, told).await
}

/// `not-found` when `viewer` and the creator of a challenge are kept apart, unless it has concerned him from before: then he goes on seeing what becomes of it.
pub(super) async fn are_not(conn: &mut Conn, challenge: &Challenge, viewer: AccountId) -> Result<()> {
    let apart = !challenge.concerns(viewer) && blocks::apart(conn, challenge.creator.id, viewer).await?;
    if apart { Err(Error::not_found()) } else { Ok(()) }
}

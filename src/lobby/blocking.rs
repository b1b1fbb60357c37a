//! The effect of a block on challenges: neither player can challenge the other. Running matches go on.
//!
//! Both players are refused. The blocked player learns only that no match is possible: the other's challenges are
//! invisible, and the other's name is unknown when challenging it. (Without a token they still see public open
//! challenges.)

use super::{ChallengeDeclineReason, ChallengeStatus, invitations, notifications_for, others};
use crate::accounts::{Identity, Username};
use crate::contests;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeWithdrawnEvent};
use crate::events::{self, AccountEvent};
use crate::lobby::store;
use crate::social::{BlockKind, blocks};

/// Blocks a player. Open direct challenges between the two are withdrawn or declined, and invitations between them
/// removed.
pub async fn block(tx: &mut Tx, ctx: &Context, who: &Identity, name: &Username) -> Result<()> {
    let other = blocks::add(tx, ctx, who, BlockKind::Block, name).await?;
    contests::entries::part(tx, who.account, other.id).await?;
    let now = ctx.clock.now();
    let mut notifications = Vec::new();
    for mut challenge in store::challenges::lock_between(tx, who.account, other.id).await? {
        let was_open = challenge.status_at(now) == ChallengeStatus::Open;
        if challenge.opponent.is_none() && was_open {
            let invited = if challenge.creator.id == who.account { other.id } else { who.account };
            let reason = ChallengeDeclineReason::Generic;
            let concerned = others(&challenge, who.account);
            let event = invitations::withdraw(tx, ctx, &mut challenge, invited, reason).await?;
            notifications.extend(notifications_for(concerned, &event)?);
            continue;
        }
        let event: AccountEvent = if challenge.creator.id == who.account {
            challenge.status = ChallengeStatus::Withdrawn;
            ChallengeWithdrawnEvent::at(now, challenge.id).into()
        } else {
            challenge.status = ChallengeStatus::Declined;
            challenge.reason = Some(ChallengeDeclineReason::Generic);
            ChallengeDeclinedEvent::at(now, challenge.id, who.account, challenge.reason.map(|reason| reason.into_str()))
                .into()
        };
        if was_open {
            store::challenges::update_outcome(tx, &challenge).await?;
            notifications.extend(notifications_for(vec![other.id], &event)?);
        }
    }
    events::notify(tx, ctx, notifications).await
}

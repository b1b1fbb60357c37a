//! Withdrawal of an account's challenges, when it is suspended or deleted.

use super::{ChallengeDeclineReason, ChallengeStatus, invitations, notifications_for, others, store};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::events::kinds::{ChallengeDeclinedEvent, ChallengeLeftEvent, ChallengeWithdrawnEvent};
use crate::events::{AccountEvent, Notification};
use crate::ids::{AccountId, ChallengeId};
use crate::matches::open::Participant;

/// Withdraws every open challenge of the account, declines those addressed to it and its invitations, and gives back
/// its seats in others. Returns the notifications for the other players.
pub async fn withdraw_all(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    let concerned = store::challenges::lock_concerning(tx, account).await?;
    store::challenges::withdraw_all(tx, account).await?;
    store::challenges::decline_all(tx, account).await?;
    let mut notifications = Vec::new();
    for mut challenge in concerned {
        let id = challenge.id;
        let was_open = challenge.status_at(now) == ChallengeStatus::Open;
        let concerned = others(&challenge, account);
        store::challenges::delete_seat(tx, id, account).await?;
        let event: AccountEvent = if challenge.creator.id == account {
            ChallengeWithdrawnEvent::at(now, id).into()
        } else if challenge.opponent.as_ref().is_some_and(|player| player.id == account) {
            ChallengeDeclinedEvent::at(now, id, account, Some(ChallengeDeclineReason::Generic.into_str())).into()
        } else if was_open && challenge.invited.iter().any(|player| player.id == account) {
            challenge.seats.iter_mut().filter(|seat| is_of(account, seat)).for_each(|seat| *seat = None);
            invitations::withdraw(tx, ctx, &mut challenge, account, ChallengeDeclineReason::Generic).await?
        } else {
            ChallengeLeftEvent::at(now, id, account).into()
        };
        if was_open {
            notifications.extend(notifications_for(concerned, &event)?);
        }
    }
    Ok(notifications)
}

/// [`withdraw_all`] for an account that is being deleted: its own challenges that led to no match are deleted, with
/// their messages and ship names.
pub async fn forget(tx: &mut Tx, ctx: &Context, account: AccountId) -> Result<Vec<Notification>> {
    let told = withdraw_all(tx, ctx, account).await?;
    store::challenges::delete_unplayed(tx, account).await?;
    Ok(told)
}

/// Withdraws a challenge removed by a moderator. Returns the notifications of its players.
pub async fn remove(tx: &mut Tx, ctx: &Context, id: ChallengeId) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    let found = store::challenges::lock(tx, id).await?;
    let Some(mut challenge) = found.filter(|challenge| challenge.status_at(now) == ChallengeStatus::Open) else {
        return Ok(Vec::new());
    };
    challenge.status = ChallengeStatus::Withdrawn;
    store::challenges::update_outcome(tx, &challenge).await?;
    notifications_for(super::concerned(&challenge), &ChallengeWithdrawnEvent::at(now, id).into())
}

fn is_of(account: AccountId, seat: &Option<Participant>) -> bool {
    seat.as_ref().is_some_and(|sitter| sitter.player.id == account)
}

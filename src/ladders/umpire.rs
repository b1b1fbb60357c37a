//! Who runs a ladder judges its matches, as long as they don't take part themselves.

use super::{Ladder, MemberStatus, edit};
use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::contests::organizers::{self, Needs};
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::LadderId;
use crate::ladders::store;

/// Checks under the lock of the ladder that the caller may judge its matches. Fails with `not-an-organizer`,
/// `conflict-of-interest` and `account-suspended`.
pub async fn hold(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<Actor> {
    hold_whole(tx, ctx, caller, id).await.map(|(_, actor)| actor)
}

/// The same, with the ladder.
pub(super) async fn hold_whole(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<(Ladder, Actor)> {
    let (ladder, right) = edit::hold(tx, ctx, caller, id, Needs::Organizer).await?;
    let member = store::members::find(tx, id, caller.account).await?;
    if member.is_some_and(|member| member.status != MemberStatus::Left) {
        return Err(organizers::plays_in_it());
    }
    Ok((ladder, right.actor(caller)))
}

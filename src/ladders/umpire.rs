//! The organizers' right to judge matches of a ladder, unless they take part, or have in this season.

use super::{Ladder, edit};
use crate::accounts::Identity;
use crate::accounts::roles::Actor;
use crate::contests::Contest;
use crate::contests::organizers::{self, Needs};
use crate::contests::store::entries;
use crate::context::Context;
use crate::db::Tx;
use crate::error::Result;
use crate::ids::LadderId;

/// Checks under the lock of the ladder that the caller may judge its matches. Fails with `not-an-organizer`,
/// `conflict-of-interest` and `account-suspended`.
pub async fn hold(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<Actor> {
    hold_whole(tx, ctx, caller, id).await.map(|(_, actor)| actor)
}

/// Like [`hold`], and returns the ladder.
pub(super) async fn hold_whole(tx: &mut Tx, ctx: &Context, caller: &Identity, id: LadderId) -> Result<(Ladder, Actor)> {
    let (ladder, right) = edit::hold(tx, ctx, caller, id, Needs::Organizer).await?;
    if entries::has_a_stake(tx, Contest::Ladder(id), caller.account).await? {
        return Err(organizers::plays_in_it());
    }
    Ok((ladder, right.actor(caller)))
}

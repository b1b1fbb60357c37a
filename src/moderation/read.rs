//! What moderators read: the log of what was done, and what there is to know of a player.

use crate::accounts;
use crate::accounts::roles::{self, Role};
use crate::accounts::{Identity, Suspension, Username};
use crate::audit_log::{self, Listed, Which};
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, DeedId, LadderId, MatchId};
use crate::player::Player;

/// Which deeds somebody wants to read.
#[derive(Default)]
pub struct Wanted {
    /// Only those of this player.
    pub actor: Option<Username>,
    /// Only those about this player.
    pub account: Option<Username>,
    /// Only those about this match.
    pub match_id: Option<MatchId>,
    /// Only those about this ladder.
    pub ladder: Option<LadderId>,
    /// Only those before this one.
    pub before: Option<DeedId>,
}

/// Some deeds, the newest first, for a moderator. Of a name that nobody has there are none.
pub async fn deeds(ctx: &Context, who: &Identity, wanted: Wanted, limit: i64) -> Result<Vec<Listed>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, who, Role::Moderator).await?;
    listed(&mut conn, wanted, limit).await
}

/// The same for the operator, at the command line.
pub async fn deeds_for_operator(ctx: &Context, wanted: Wanted, limit: i64) -> Result<Vec<Listed>> {
    listed(&mut ctx.db.conn().await?, wanted, limit).await
}

async fn listed(conn: &mut Conn, wanted: Wanted, limit: i64) -> Result<Vec<Listed>> {
    let Wanted { actor, account, match_id, ladder, before } = wanted;
    let Some(actor) = id_of(conn, actor).await? else { return Ok(Vec::new()) };
    let Some(account) = id_of(conn, account).await? else { return Ok(Vec::new()) };
    audit_log::list(conn, &Which { actor, account, match_id, ladder, before }, limit).await
}

/// What a moderator knows of a player.
pub struct Known {
    /// Who it is.
    pub player: Player,
    /// What he is beside a player.
    pub roles: Vec<Role>,
    /// His suspension, if one is in force.
    pub suspension: Option<Suspension>,
}

/// A player, for a moderator. `not-found` when nobody has the name.
pub async fn player(ctx: &Context, who: &Identity, name: &Username) -> Result<Known> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, who, Role::Moderator).await?;
    let player = accounts::store::accounts::player_named(&mut conn, name).await?.ok_or_else(Error::not_found)?;
    let account = accounts::store::accounts::find(&mut conn, player.id).await?.ok_or_else(Error::not_found)?;
    let account = account.seen_at(ctx.clock.now());
    Ok(Known { player, roles: account.roles, suspension: account.suspension })
}

/// Whose name it is, if one is given; `None`: nobody's.
async fn id_of(conn: &mut Conn, name: Option<Username>) -> Result<Option<Option<AccountId>>> {
    let Some(name) = name else { return Ok(Some(None)) };
    Ok(accounts::store::accounts::player_named(conn, &name).await?.map(|player| Some(player.id)))
}

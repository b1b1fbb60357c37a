//! Reading for moderators: the audit log, and data about a player.

use broadside_contests::RuleSetHash;

use crate::accounts;
use crate::accounts::account::KnownAccount;
use crate::accounts::roles::{self, Role};
use crate::accounts::{Identity, Suspension, Username};
use crate::audit_log::{self, AuditFilter, NamedAuditEntry};
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId, MatchId, ModerationActionId};
use crate::listed::Listed;
use crate::player::Player;

/// A filter of audit log entries, by names instead of ids; every field narrows the list.
#[derive(Default)]
pub struct AuditQuery {
    pub actor: Option<Username>,
    pub account: Option<Username>,
    pub match_id: Option<MatchId>,
    pub ladder: Option<LadderId>,
    pub named_rule_set: Option<RuleSetHash>,
    pub before: Option<ModerationActionId>,
}

/// At most `limit` entries of the audit log, newest first, for a moderator. An unknown name gives none. Case actions
/// about the reader themselves are left out: they see the decisions like any player.
pub async fn audit_log(
    ctx: &Context,
    who: &Identity,
    query: AuditQuery,
    limit: i64,
) -> Result<Listed<NamedAuditEntry>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    page(&mut conn, query, Some(who.account), limit).await
}

/// The entries for the operator, on the command line.
pub async fn audit_log_for_operator(ctx: &Context, query: AuditQuery, limit: i64) -> Result<Listed<NamedAuditEntry>> {
    page(&mut ctx.db.conn().await?, query, None, limit).await
}

async fn page(
    conn: &mut Conn,
    query: AuditQuery,
    reader: Option<AccountId>,
    limit: i64,
) -> Result<Listed<NamedAuditEntry>> {
    let AuditQuery { actor, account, match_id, ladder, named_rule_set, before } = query;
    let Some(actor) = id_of(conn, actor).await? else { return Ok(Vec::new().into()) };
    let Some(account) = id_of(conn, account).await? else { return Ok(Vec::new().into()) };
    let filter = AuditFilter { actor, account, match_id, ladder, named_rule_set, no_cases_about: reader, before };
    audit_log::store::page(conn, &filter, limit).await
}

/// A player's data for moderators.
pub struct ModerationProfile {
    /// With their current name.
    pub player: Player,
    pub deleted: bool,
    pub roles: Vec<Role>,
    pub suspension: Option<Suspension>,
}

/// A player, for a moderator. Fails with `not-found` if there is no such name. A deleted account keeps its name while
/// suspended.
pub async fn player(ctx: &Context, who: &Identity, name: &Username) -> Result<ModerationProfile> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    let known = accounts::store::accounts::find_by_name(&mut conn, name).await?.ok_or_else(Error::not_found)?;
    let KnownAccount { player, deleted, suspension, .. } = known;
    let roles = accounts::store::roles::of(&mut conn, player.id).await?;
    let suspension = suspension.filter(|suspension| suspension.is_on(ctx.clock.now()));
    Ok(ModerationProfile { player, deleted, roles, suspension })
}

/// The account of a name, if one is given; `None` if there is no such name.
async fn id_of(conn: &mut Conn, name: Option<Username>) -> Result<Option<Option<AccountId>>> {
    let Some(name) = name else { return Ok(Some(None)) };
    Ok(accounts::store::accounts::find_by_name(conn, &name).await?.map(|known| Some(known.player.id)))
}

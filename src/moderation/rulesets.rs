//! Hiding of the title and the text of a named rule set by moderators, and its reversal. The parameters stay, including
//! the names of classes and ships, because running matches and signed records contain them.

use broadside_contests::RuleSetHash;
use serde_json::json;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::rulesets::read::{self, PublishedRuleSet};

/// A named rule set with its texts, hidden or not, for a moderator.
pub async fn find(ctx: &Context, who: &Identity, hash: RuleSetHash) -> Result<PublishedRuleSet> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    read::published(&mut conn, hash).await
}

/// Hides the title and the text of a named rule set, or shows them again. Fails with `not-found` if there is none,
/// `already-done` if nothing changes, and `conflict-of-interest` for the caller's own.
pub async fn set_hidden(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    hash: RuleSetHash,
    hidden: bool,
    reason: AuditReason,
) -> Result<()> {
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    let published = read::published(tx, hash).await?;
    if published.creator == who.account {
        let detail = "The rule set is your own: somebody else decides about it.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    if !read::set_hidden(tx, hash, hidden.then(|| ctx.clock.now())).await? {
        let detail = match (hidden, published.title.as_str()) {
            (true, _) => "It is hidden already.",
            (false, "") => "Its author has deleted the account, and with it title and text.",
            (false, _) => "It is not hidden.",
        };
        return Err(Error::new(&problem::ALREADY_DONE, detail));
    }
    let subject =
        AuditSubject { account: Some(published.creator), named_rule_set: Some(hash), ..AuditSubject::default() };
    let kind = if hidden { AuditKind::RuleSetHidden } else { AuditKind::RuleSetUnhidden };
    let details = json!({ "title": published.title.as_str() });
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

//! Suspension of accounts by moderators: the account starts nothing new, and its opponents lose nothing by it.
//!
//! Its offers and its places in queues are withdrawn in the same transaction. Its running matches go on (`play-on`), or
//! it resigns them all (`forfeit`), as in a deletion: those are many writes, so they are recorded with the suspension
//! and done afterwards, by any node.

use broadside_rules::Time;
use serde_json::json;

use crate::accounts::roles::{self, Role};
use crate::accounts::{Identity, Suspension, Username, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::Tx;
use crate::due::{each_due, in_turns, pass_over};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{AccountSuspendedEvent, SuspensionLiftedEvent};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::{AccountId, MatchId};
use crate::matches::{Matches, play};
use crate::moderation::store;
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::{accounts, lobby};

string_enums! {
    /// What happens to the running matches of a suspended player.
    pub enum RunningMatchesPolicy {
        /// The player plays them to their end.
        PlayOn,
        /// The player resigns them all.
        Forfeit,
    }
}

pub struct SuspensionOrder {
    /// `None` for a permanent suspension.
    pub until: Option<Time>,
    pub running: RunningMatchesPolicy,
    /// Shown to the player and to moderators.
    pub reason: AuditReason,
}

/// The shortest suspension, in seconds, so that the account can't begin a match within it in spite of differences
/// between the clocks of two nodes.
pub const MIN_SUSPENSION_S: u32 = 60;

/// Locks the player and the moderator, and checks the moderator's role.
async fn locked(tx: &mut Tx, ctx: &Context, who: &Identity, name: &Username) -> Result<(Player, roles::Actor)> {
    roles::check(tx, ctx, who, Role::Moderator).await?;
    let player = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    if player.id == who.account {
        return Err(Error::new(
            &problem::OWN_ACCOUNT,
            "A moderator can't suspend themselves, or lift their own suspension.",
        ));
    }
    if !account::lock_both_exclusively(tx, who.account, player.id).await? {
        return Err(Error::not_found());
    }
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    Ok((player, actor))
}

/// The suspension of a locked account, if in force.
async fn in_force(tx: &mut Tx, ctx: &Context, id: AccountId) -> Result<Option<Suspension>> {
    let found = accounts::store::accounts::suspension(tx, id).await?;
    Ok(found.filter(|suspension| suspension.is_on(ctx.clock.now())))
}

/// Suspends an account. Fails with `not-found` if there is no such name, `own-account` for the caller,
/// `player-has-role` for people with a role (the operator must revoke it first), `conflict-of-interest` if the player
/// would resign a match in which the moderator has a seat, and `already-done` if the account is suspended.
pub async fn suspend(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    name: &Username,
    order: SuspensionOrder,
) -> Result<AccountId> {
    let (player, actor) = locked(tx, ctx, who, name).await?;
    for &role in <Role as strum::VariantArray>::VARIANTS {
        if accounts::store::roles::has(tx, player.id, role).await? {
            let detail = format!("{} is a {}: the operator takes that first.", player.username, role.into_str());
            return Err(Error::new(&problem::PLAYER_HAS_ROLE, detail));
        }
    }
    if in_force(tx, ctx, player.id).await?.is_some() {
        return Err(Error::new(&problem::ALREADY_DONE, "The account is suspended already; lift that first."));
    }
    let SuspensionOrder { until, running, reason } = order;
    // Both are locked, so they can't begin a match against each other meanwhile.
    if running == RunningMatchesPolicy::Forfeit && store::share_running_match(tx, player.id, who.account).await? {
        let detail = "A moderator can't win a match by suspending the opponent: choose play-on, or leave it to another moderator.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    let now = ctx.clock.now();
    let suspension = Suspension { since: now, until, reason: reason.as_str().to_owned() };
    accounts::store::accounts::suspend(tx, player.id, Some(&suspension)).await?;
    let mut all = lobby::withdraw_all(tx, ctx, player.id).await?;
    if running == RunningMatchesPolicy::Forfeit {
        store::add_forfeits(tx, player.id, now).await?;
    }
    let details = json!({ "until": until, "running": running.into_str() });
    let (kind, subject) = (AuditKind::AccountSuspended, AuditSubject::account(player.id));
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await?;
    all.extend(told(player.id, AccountSuspendedEvent::at(now, until, suspension.reason).into())?);
    events::notify(tx, ctx, all).await?;
    Ok(player.id)
}

/// Lifts a suspension. Fails with `already-done` if none is in force. Resigned matches stay resigned.
pub async fn lift(tx: &mut Tx, ctx: &Context, who: &Identity, name: &Username, reason: AuditReason) -> Result<()> {
    lift_begun_by(tx, ctx, who, name, Time(i64::MAX), reason).await
}

/// Lifts a suspension that began at that time or earlier.
pub async fn lift_begun_by(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    name: &Username,
    begun_by: Time,
    reason: AuditReason,
) -> Result<()> {
    let (player, actor) = locked(tx, ctx, who, name).await?;
    let found = in_force(tx, ctx, player.id).await?;
    let Some(suspension) = found.filter(|suspension| suspension.since <= begun_by) else {
        return Err(Error::new(&problem::ALREADY_DONE, "The account isn't suspended."));
    };
    accounts::store::accounts::suspend(tx, player.id, None).await?;
    store::remove_forfeits(tx, player.id).await?;
    let details = json!({ "since": suspension.since, "until": suspension.until });
    let (kind, subject) = (AuditKind::SuspensionLifted, AuditSubject::account(player.id));
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await?;
    events::notify(tx, ctx, told(player.id, SuspensionLiftedEvent::at(ctx.clock.now()).into())?).await
}

fn told(account: AccountId, event: AccountEvent) -> Result<Option<Notification>> {
    events::notification(account, &[event])
}

/// Accounts read at a time.
const AT_MOST: i64 = 20;

/// Resigns the matches of all forfeiting accounts, with accounts taking turns. A forfeit is recorded in the transaction
/// of the suspension and removed once none of the matches is running: if a node is killed in between, any node's next
/// round completes it. Repeating it, or doing it on two nodes at once, is harmless.
pub async fn round(matches: &Matches) -> Result<()> {
    let (mut accounts, mut due) = (Vec::new(), Vec::new());
    each_due!(matches, (conn, last) => store::pending(conn, last, AT_MOST), account by *account => {
        let found = pass_over(forfeited(matches, account).await, account, "forfeited matches could not be read")?;
        due.extend(found.into_iter().flatten());
        accounts.push(account);
    });
    for forfeited in in_turns(due, |forfeited| forfeited.account) {
        let id = forfeited.id;
        pass_over(resign(matches, forfeited).await, id, "a forfeited match could not be resigned")?;
    }
    for account in accounts {
        pass_over(strike(matches, account).await, account, "it could not be noted that an account has resigned")?;
    }
    Ok(())
}

/// A match that an account forfeits, with the time of the forfeit.
struct Forfeited {
    account: AccountId,
    since: Time,
    id: MatchId,
}

async fn forfeited(matches: &Matches, account: AccountId) -> Result<Vec<Forfeited>> {
    let mut conn = matches.db.conn().await?;
    let Some(since) = store::since(&mut conn, account).await? else { return Ok(Vec::new()) };
    let running = store::running(&mut conn, account, since.plus_s(MIN_SUSPENSION_S)).await?;
    Ok(running.into_iter().map(|id| Forfeited { account, since, id }).collect())
}

/// Resigns a match if the suspension is still in force.
async fn resign(matches: &Matches, Forfeited { account, since, id }: Forfeited) -> Result<()> {
    if store::since(&mut matches.db.conn().await?, account).await? == Some(since) {
        play::leave(matches, account, id).await;
    }
    Ok(())
}

/// Removes a forfeit when none of its matches is running. Matches that could not be resigned are tried again in the
/// next round, even after the suspension; matches begun later are left alone.
async fn strike(matches: &Matches, account: AccountId) -> Result<()> {
    let mut tx = matches.db.begin().await?;
    let Some(since) = store::lock(&mut tx, account).await? else { return tx.roll_back().await };
    if store::running(&mut tx, account, since.plus_s(MIN_SUSPENSION_S)).await?.is_empty() {
        store::remove_forfeits(&mut tx, account).await?;
    }
    tx.commit().await
}

async fn forfeit(matches: &Matches, account: AccountId) -> Result<()> {
    for forfeited in forfeited(matches, account).await? {
        resign(matches, forfeited).await?;
    }
    strike(matches, account).await
}

/// Resigns the matches of an account that was just suspended; failures are left to the next round.
pub async fn forfeit_or_log(matches: &Matches, account: AccountId) {
    if let Err(error) = forfeit(matches, account).await {
        let cause = error.cause().map(tracing::field::display);
        tracing::warn!(%error, cause, %account, "the matches of a suspended account are left to the next round");
    }
}

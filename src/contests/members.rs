//! Organizers' actions on members: warnings, removals and bars. Each is logged for organizers and moderators. Removing
//! a member is up to the ladder or the tournament.

use broadside_rules::Time;

use super::head::Head;
use super::organizers::Right;
use super::{Contest, either, store};
use crate::accounts::Identity;
use crate::accounts::roles::{self, Role};
use crate::audit_log::AuditReason;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{ContestMemberRemovedEvent, ContestMemberWarnedEvent};
use crate::events::words::Words;
use crate::events::{self, Notification};
use crate::ids::{AccountId, ContestId, ContestLogEntryId};
use crate::listed::Listed;
use crate::pairings::eligibility::{IneligibilityReason, Obstacle};
use crate::player::Player;
use crate::string_enums::string_enums;

/// Most warnings of a member in a contest in a day.
pub const MAX_WARNINGS: i64 = 3;
const DAY_MS: i64 = 86_400_000;

string_enums! {
    /// What an organizer has done about a player.
    pub enum LogAction {
        /// They have removed the player.
        Removed,
        /// They have removed the player, who can't join again.
        Barred,
        /// The player can join again.
        BarLifted,
        /// They have warned the player.
        Warned,
        /// They have declined the player's request to join.
        EntryDeclined,
    }

    /// How a player stands in a ladder or a tournament.
    pub enum ContestMemberStatus {
        /// They take part.
        Active,
        /// On a ladder: they have missed too many pairings in a row, and aren't paired until they join again.
        Inactive,
        /// Of a tournament: they play on no more.
        Withdrawn,
        /// They take no part.
        Left,
    }
}

/// An organizer's action on a player.
pub struct Decision {
    pub contest: Contest,
    pub action: LogAction,
    pub actor: AccountId,
    /// The player.
    pub account: AccountId,
    /// The reason, or the text of a warning.
    pub reason: Option<String>,
    pub at: Time,
}

/// A log entry with names.
pub struct LoggedAction {
    pub id: ContestLogEntryId,
    pub action: LogAction,
    pub actor: Player,
    pub player: Player,
    /// The reason, or the text of a warning.
    pub reason: Option<String>,
    pub at: Time,
}

/// A member or a barred player, as shown to organizers.
pub struct ContestMember {
    pub player: Player,
    /// `None` if they never joined.
    pub joined_at: Option<Time>,
    pub status: ContestMemberStatus,
    /// True if they can't rejoin.
    pub barred: bool,
    /// The number of warnings.
    pub warnings: u32,
}

/// True if the account is barred from joining.
pub async fn is_barred(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    store::members::is_barred(conn, contest, account).await
}

/// The error for a player who isn't in the contest.
pub fn no_member(player: &Player) -> Error {
    Error::nothing(format!("{} takes no part in it.", player.username))
}

/// The obstacle for a barred account; `None` if it isn't barred.
pub async fn obstacle(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Obstacle>> {
    let barred = is_barred(conn, contest, account).await?;
    let detail = "An organizer has removed you, and doesn't let you join again.";
    Ok(barred.then(|| Obstacle::new(IneligibilityReason::Barred, detail)))
}

/// Fails unless the caller may decide about this player of a held contest: with `own-account` for themselves, and with
/// `not-the-creator` for an organizer, about whom only the creator and people with a role decide.
pub fn may_decide(caller: &Identity, (head, right): (&Head, Right), player: &Player) -> Result<()> {
    if player.id == caller.account {
        return Err(Error::new(&problem::OWN_ACCOUNT, "Who wants to go leaves by themselves."));
    }
    let runs = head.runners().right_of(player.id);
    match (runs, right) {
        (None, _) | (Some(_), Right::Role(_)) | (Some(Right::Organizer), Right::Creator) => Ok(()),
        _ => Err(Error::new(&problem::NOT_THE_CREATOR, "Only the creator decides about those who run the contest.")),
    }
}

/// Fails with `conflict-of-interest` if the caller plays against this player, because they would win by the removal.
pub async fn must_not_be_opponents(tx: &mut Tx, caller: &Identity, contest: Contest, player: AccountId) -> Result<()> {
    if store::entries::are_opponents(tx, contest, caller.account, player).await? {
        let detail = "You are playing against them: somebody else removes them, or you do it when that is over.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    Ok(())
}

/// Logs the removal of a member, and bars them if requested. Returns their notification.
pub async fn removed(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, player): (Contest, AccountId),
    reason: &AuditReason,
    bar: bool,
) -> Result<Option<Notification>> {
    let now = ctx.clock.now();
    if bar {
        store::members::bar(tx, contest, player, now).await?;
    }
    let action = if bar { LogAction::Barred } else { LogAction::Removed };
    let (id, words) = note(tx, ctx, caller, (contest, player), action, Some(reason)).await?;
    let (ladder, tournament) = either(contest);
    let event = ContestMemberRemovedEvent::at(now, ladder, tournament, bar, id, words);
    events::notification(player, &[event.into()])
}

/// Warns a member of a held contest, and notifies them. Fails with `not-found` if they aren't a member, and with
/// `quota-exceeded`.
pub async fn warn(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, player): (Contest, &Player),
    text: &AuditReason,
) -> Result<()> {
    if !store::entries::takes_part(tx, contest, player.id).await? {
        return Err(no_member(player));
    }
    let player = player.id;
    let now = ctx.clock.now();
    if store::members::warnings(tx, contest, player, now.plus_ms(-DAY_MS)).await? >= MAX_WARNINGS {
        let detail = format!("A member gets {MAX_WARNINGS} warnings a day at most.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let (id, words) = note(tx, ctx, caller, (contest, player), LogAction::Warned, Some(text)).await?;
    let (ladder, tournament) = either(contest);
    let event = ContestMemberWarnedEvent::at(now, ladder, tournament, id, words);
    events::notify(tx, ctx, events::notification(player, &[event.into()])?).await
}

/// Lifts a player's bar in a held contest; does nothing if they aren't barred.
pub async fn lift_bar(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    contest: Contest,
    player: AccountId,
) -> Result<()> {
    lift(tx, ctx, caller, (contest, player), None).await.map(drop)
}

/// Lifts a bar made at that time or earlier. Returns false if there is none.
pub async fn lift_bar_made_by(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, player): (Contest, AccountId),
    made_by: Time,
) -> Result<bool> {
    lift(tx, ctx, caller, (contest, player), Some(made_by)).await
}

async fn lift(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, player): (Contest, AccountId),
    made_by: Option<Time>,
) -> Result<bool> {
    let lifted = store::members::lift_bar(tx, contest, player, made_by).await?;
    if lifted {
        note(tx, ctx, caller, (contest, player), LogAction::BarLifted, None).await?;
    }
    Ok(lifted)
}

/// Logs an organizer's action. Returns the entry, and the reason for the player's event.
pub(super) async fn note(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, account): (Contest, AccountId),
    action: LogAction,
    reason: Option<&AuditReason>,
) -> Result<(ContestLogEntryId, Words)> {
    let (id, actor, at) = (ctx.new_id(), caller.account, ctx.clock.now());
    let reason = reason.map(|reason| reason.as_str().to_owned());
    let decision = Decision { contest, action, actor, account, reason: reason.clone(), at };
    store::members::note(tx, id, &decision).await?;
    Ok((id, Words { author: actor, text: reason }))
}

/// Members and barred players after an account, in order of id.
pub async fn page(
    conn: &mut Conn,
    contest: Contest,
    behind: Option<AccountId>,
    limit: i64,
) -> Result<Listed<ContestMember>> {
    store::members::page(conn, contest, behind, limit).await
}

/// The log of organizers' actions in a contest, newest first, for its organizers and for moderators.
pub async fn log(
    conn: &mut Conn,
    ctx: &Context,
    caller: &Identity,
    id: ContestId,
    (before, limit): (Option<ContestLogEntryId>, i64),
) -> Result<Listed<LoggedAction>> {
    let contest = match super::head::run_by(conn, ctx, id, caller).await {
        Err(error) if error.problem().code == problem::NOT_AN_ORGANIZER.code => {
            let moderator = roles::check(conn, ctx, caller, Role::Moderator).await;
            moderator.map_err(|_| error)?;
            super::head::seen(conn, ctx, id, Some(caller)).await?.contest
        }
        head => head?.contest,
    };
    store::members::log(conn, contest, before, limit).await
}

/// The organizers' decisions about an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Decision>> {
    store::members::decisions_of(conn, account).await
}

/// Lifts the bars of an account that is being deleted. Log entries keep no name.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::members::forget(tx, account).await
}

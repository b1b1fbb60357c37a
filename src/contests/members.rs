//! What organizers do about members: they warn them, remove them, and bar them from joining again. Each of it stands in
//! a log of the contest, which organizers and moderators read. How a member is taken out is up to the ladder or the
//! tournament.

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

/// How many warnings a member can get in a contest within a day.
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

/// Something that an organizer has done about a player.
pub struct Decision {
    pub contest: Contest,
    pub action: LogAction,
    /// Who has done it.
    pub actor: AccountId,
    /// About whom.
    pub account: AccountId,
    /// Why, or the text of a warning.
    pub reason: Option<String>,
    pub at: Time,
}

/// The same in the log, with names.
pub struct LoggedAction {
    /// Names the entry.
    pub id: ContestLogEntryId,
    /// What was done.
    pub action: LogAction,
    /// By whom.
    pub actor: Player,
    /// About whom.
    pub player: Player,
    /// Why, or the text of a warning.
    pub reason: Option<String>,
    pub at: Time,
}

/// A member, or a player who is barred, as organizers see them.
pub struct ContestMember {
    pub player: Player,
    /// When they joined; none: they never have.
    pub joined_at: Option<Time>,
    /// How they stand.
    pub status: ContestMemberStatus,
    /// Whether they are kept from joining again.
    pub barred: bool,
    /// How many warnings they got.
    pub warnings: u32,
}

/// Whether an organizer keeps the account from joining.
pub async fn is_barred(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<bool> {
    store::members::is_barred(conn, contest, account).await
}

/// What is answered about a player of this name who isn't in the contest.
pub fn no_member(player: &Player) -> Error {
    Error::nothing(format!("{} takes no part in it.", player.username))
}

/// What keeps a barred account from joining; none: it isn't barred.
pub async fn obstacle(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Obstacle>> {
    let barred = is_barred(conn, contest, account).await?;
    let detail = "An organizer has removed you, and doesn't let you join again.";
    Ok(barred.then(|| Obstacle::new(IneligibilityReason::Barred, detail)))
}

/// Fails unless the caller may decide about this player of a held contest: `own-account` for themselves, and
/// `not-the-creator` for somebody who runs it, about whom only its creator and people with a role decide.
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

/// Fails with `conflict-of-interest` where the caller plays against this player: with the opponent gone, they would
/// win.
pub async fn must_not_be_opponents(tx: &mut Tx, caller: &Identity, contest: Contest, player: AccountId) -> Result<()> {
    if store::entries::are_opponents(tx, contest, caller.account, player).await? {
        let detail = "You are playing against them: somebody else removes them, or you do it when that is over.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    Ok(())
}

/// Notes that a member was removed, and bars them if that is wanted. Returns what they are told.
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

/// Warns a member of a held contest, and tells them. Fails with `not-found` for somebody who is none, and with
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

/// Lets a player join a held contest again; does nothing if they aren't barred.
pub async fn lift_bar(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    contest: Contest,
    player: AccountId,
) -> Result<()> {
    lift(tx, ctx, caller, (contest, player), None).await.map(drop)
}

/// The same, if they were barred at that time or earlier. False: they weren't.
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

/// Writes into the log what an organizer has done. Returns the entry, and the reason for the event of the player.
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

/// Members and those who are barred, behind an account, in the order of their ids.
pub async fn page(
    conn: &mut Conn,
    contest: Contest,
    behind: Option<AccountId>,
    limit: i64,
) -> Result<Listed<ContestMember>> {
    store::members::page(conn, contest, behind, limit).await
}

/// What organizers have done in a contest, the newest first, for those who run it and for moderators.
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

/// What organizers have decided about an account, for its own export.
pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Decision>> {
    store::members::decisions_of(conn, account).await
}

/// Lifts the bars of an account that is being deleted. What stands in logs keeps no name.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::members::forget(tx, account).await
}

//! Requests to join a contest, and invitations, for ladders and tournaments.
//!
//! An account has at most one entry in a contest, which is removed when it joins. A request waits for an organizer
//! where entry is by approval. An invitation admits a player within the limits, in contests of every kind. A declined
//! request or invitation can't be repeated for a week. A withdrawn one can, but it notifies at most once a day:
//! otherwise it could be used to harass people.

use broadside_rules::Time;

use super::access::{Access, EntryMode};
use super::head::Head;
use super::members::LogAction;
use super::organizers::{Runners, no_player};
use super::{Contest, either, members, news, store};
use crate::accounts::Identity;
use crate::audit_log::AuditReason;
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events::kinds::{
    ContestEntryAcceptedEvent, ContestEntryDeclinedEvent, ContestEntryRequestedEvent, ContestInvitationDeclinedEvent,
    ContestInvitedEvent,
};
use crate::events::{self, AccountEvent, Notification};
use crate::ids::AccountId;
use crate::listed::Listed;
use crate::pairings::eligibility::{IneligibilityReason, Obstacle};
use crate::player::Player;
use crate::quotas::{self, Quota};
use crate::social::blocks;
use crate::string_enums::string_enums;

/// Most pending requests of a contest, and most pending invitations.
pub const MAX_WAITING: i64 = 200;
/// Most listed requests and invitations of an account.
const MAX_LISTED: i64 = 200;
/// Time before a declined entry can be repeated, in seconds: one week.
pub const AGAIN_S: u32 = 7 * 86_400;
/// Time without another notification of a repeated entry, in seconds: one day.
const QUIET_S: u32 = 86_400;

string_enums! {
    /// How an account stands towards a contest that it isn't in.
    pub enum EntryState {
        /// It has asked to join, and waits for an organizer.
        Requested,
        /// An organizer has invited it.
        Invited,
        /// An organizer has declined its request.
        Declined,
        /// It has declined an invitation.
        Refused,
        /// Its request, or the invitation, was taken back.
        TakenBack,
    }
}

/// The stored relation of an account to a contest before it joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub contest: Contest,
    pub account: AccountId,
    pub state: EntryState,
    /// For a request to a ladder: the requested number of pairings at once.
    pub wanted: u32,
    /// The inviting organizer.
    pub invited_by: Option<AccountId>,
    /// The time of the last change.
    pub at: Time,
}

pub struct NamedEntry {
    pub entry: Entry,
    pub player: Player,
}

/// A request or an invitation, as shown to its player.
pub struct AccountEntry {
    pub contest: Contest,
    pub title: String,
    pub state: EntryState,
    /// The time of the last change.
    pub at: Time,
    pub invited_by: Option<Player>,
}

/// True if the entry after this one should notify.
fn is_news(before: Option<Entry>, now: Time) -> bool {
    before.is_none_or(|before| before.state != EntryState::TakenBack || now >= before.at.plus_s(QUIET_S))
}

/// The obstacle to entering for an account outside the contest; `None` if it may join, or ask to.
pub async fn obstacle(
    conn: &mut Conn,
    (contest, runners, access): (Contest, Runners<'_>, Access),
    account: AccountId,
    now: Time,
) -> Result<Option<Obstacle>> {
    if access.entry == EntryMode::Open || runners.right_of(account).is_some() {
        return Ok(None);
    }
    let entry = store::entries::find(conn, contest, account).await?;
    let state = entry.map(|entry| entry.state);
    if state == Some(EntryState::Invited) {
        return Ok(None);
    }
    if access.entry == EntryMode::Invitation {
        let detail = "Only those can join whom an organizer has invited.";
        return Ok(Some(Obstacle::new(IneligibilityReason::InvitationRequired, detail)));
    }
    let again_at = entry.filter(|entry| entry.state == EntryState::Declined).map(|entry| entry.at.plus_s(AGAIN_S));
    Ok(again_at.filter(|again_at| now < *again_at).map(|again_at| {
        let detail = format!("An organizer has declined your request; you can ask again from {again_at} on.");
        Obstacle::new(IneligibilityReason::RequestDeclined, detail)
    }))
}

/// The obstacle to joining for a substitute who plays a running match of the contest for a member; `None` for other
/// players.
pub async fn of_a_substitute(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Obstacle>> {
    let plays = store::entries::plays_for_another(conn, contest, account).await?;
    let detail = "You play a match of it as a substitute: join when that is over.";
    Ok(plays.then(|| Obstacle::new(IneligibilityReason::PlaysForAnother, detail)))
}

/// True if an account without an obstacle has to ask first.
pub async fn needs_approval(
    conn: &mut Conn,
    (contest, runners, access): (Contest, Runners<'_>, Access),
    account: AccountId,
) -> Result<bool> {
    if access.entry != EntryMode::Approval || runners.right_of(account).is_some() {
        return Ok(false);
    }
    let entry = store::entries::find(conn, contest, account).await?;
    Ok(entry.is_none_or(|entry| entry.state != EntryState::Invited))
}

/// The account's entry in a contest; `None` if there is none or it has joined.
pub async fn find(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Entry>> {
    store::entries::find(conn, contest, account).await
}

/// Requests to join a locked contest; its organizers are notified once. Fails with `quota-exceeded` if too many
/// requests are pending.
pub async fn request(
    tx: &mut Tx,
    ctx: &Context,
    (contest, runners): (Contest, Runners<'_>),
    account: AccountId,
    wanted: u32,
) -> Result<()> {
    let before = store::entries::find(tx, contest, account).await?;
    let waits = before.filter(|entry| entry.state == EntryState::Requested);
    let now = ctx.clock.now();
    let at = waits.map_or(now, |entry| entry.at);
    let entry = Entry { contest, account, state: EntryState::Requested, wanted, invited_by: None, at };
    if waits.is_some() {
        return store::entries::put(tx, &entry).await;
    }
    quotas::check(tx, account, now, &[Quota::EntryRequests]).await?;
    must_have_room(tx, contest, EntryState::Requested).await?;
    store::entries::put(tx, &entry).await?;
    if !is_news(before, now) {
        return Ok(());
    }
    let (ladder, tournament) = either(contest);
    let event = ContestEntryRequestedEvent::at(now, ladder, tournament, account).into();
    events::notify(tx, ctx, news::to_runners(runners, &event, &[account])?).await
}

async fn must_have_room(tx: &mut Tx, contest: Contest, state: EntryState) -> Result<()> {
    if store::entries::count(tx, contest, state).await? < MAX_WAITING {
        return Ok(());
    }
    let detail = format!("In a contest {MAX_WAITING} of them may wait.");
    Err(Error::new(&problem::TOO_MANY_OPEN, detail))
}

/// The player's pending request in a locked contest. Fails with `not-found`.
pub async fn requested(tx: &mut Tx, contest: Contest, player: AccountId) -> Result<Entry> {
    let entry = store::entries::find(tx, contest, player).await?;
    let none = || Error::nothing("The player has not asked to join.");
    entry.filter(|entry| entry.state == EntryState::Requested).ok_or_else(none)
}

/// Removes the entry of an account that has joined.
pub async fn joined(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<()> {
    store::entries::delete(tx, contest, account).await
}

/// The notification of an accepted request.
pub fn accepted(ctx: &Context, contest: Contest, player: AccountId) -> Result<Option<Notification>> {
    let (ladder, tournament) = either(contest);
    events::notification(player, &[ContestEntryAcceptedEvent::at(ctx.clock.now(), ladder, tournament).into()])
}

/// Declines a request in a locked contest, and notifies the player.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    (contest, player): (Contest, AccountId),
    reason: Option<&AuditReason>,
) -> Result<()> {
    let (entry, now) = (requested(tx, contest, player).await?, ctx.clock.now());
    store::entries::put(tx, &Entry { state: EntryState::Declined, at: now, ..entry }).await?;
    let (id, words) = members::note(tx, ctx, caller, (contest, player), LogAction::EntryDeclined, reason).await?;
    let (ladder, tournament) = either(contest);
    let event = ContestEntryDeclinedEvent::at(now, ladder, tournament, id, words).into();
    events::notify(tx, ctx, events::notification(player, &[event])?).await
}

/// Withdraws the caller's own request; does nothing if none is pending.
pub async fn withdraw(tx: &mut Tx, ctx: &Context, contest: Contest, account: AccountId) -> Result<()> {
    take_back(tx, ctx, (contest, account), EntryState::Requested).await
}

async fn take_back(
    tx: &mut Tx,
    ctx: &Context,
    (contest, account): (Contest, AccountId),
    state: EntryState,
) -> Result<()> {
    let found = store::entries::find(tx, contest, account).await?;
    let Some(entry) = found.filter(|entry| entry.state == state) else { return Ok(()) };
    let back = Entry { state: EntryState::TakenBack, invited_by: None, at: ctx.clock.now(), ..entry };
    store::entries::put(tx, &back).await
}

/// Invites a player, locked before, to a locked contest, and notifies them. Does nothing for members, organizers and
/// invited players; turns a pending request into an invitation. Fails with `ladder-closed`, `tournament-closed`,
/// `player-blocked`, `player-barred`, `not-found` if the player blocks the caller, and with `quota-exceeded`.
pub async fn invite(tx: &mut Tx, ctx: &Context, caller: &Identity, head: &Head, player: &Player) -> Result<()> {
    head.must_take_entries()?;
    let contest = head.contest;
    if player.id == caller.account {
        return Err(Error::new(&problem::OWN_ACCOUNT, "Who runs a contest joins it without an invitation."));
    }
    if blocks::blocks(tx, player.id, caller.account).await? {
        return Err(no_player(&player.username));
    }
    if blocks::blocks(tx, caller.account, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    if members::is_barred(tx, contest, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_BARRED));
    }
    let now = ctx.clock.now();
    let before = store::entries::find(tx, contest, player.id).await?;
    let state = before.map(|entry| entry.state);
    if state == Some(EntryState::Invited)
        || head.runners().right_of(player.id).is_some()
        || store::entries::takes_part(tx, contest, player.id).await?
    {
        return Ok(());
    }
    if before.is_some_and(|entry| entry.state == EntryState::Refused && now < entry.at.plus_s(AGAIN_S)) {
        let detail = "They have declined an invitation to it less than seven days ago.";
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    must_have_room(tx, contest, EntryState::Invited).await?;
    let entry = Entry {
        contest,
        account: player.id,
        state: EntryState::Invited,
        wanted: 1,
        invited_by: Some(caller.account),
        at: now,
    };
    store::entries::put(tx, &entry).await?;
    if !is_news(before, now) {
        return Ok(());
    }
    let (ladder, tournament) = either(contest);
    let event = ContestInvitedEvent::at(now, ladder, tournament, Some(caller.account)).into();
    events::notify(tx, ctx, events::notification(player.id, &[event])?).await
}

/// Withdraws an invitation; does nothing if there is none.
pub async fn withdraw_invitation(tx: &mut Tx, ctx: &Context, contest: Contest, player: AccountId) -> Result<()> {
    take_back(tx, ctx, (contest, player), EntryState::Invited).await
}

/// Declines the caller's own invitation to a locked contest, and notifies the inviting organizer; does nothing if there
/// is none.
pub async fn refuse(tx: &mut Tx, ctx: &Context, contest: Contest, account: AccountId) -> Result<()> {
    let found = store::entries::find(tx, contest, account).await?;
    let Some(entry) = found.filter(|entry| entry.state == EntryState::Invited) else { return Ok(()) };
    let now = ctx.clock.now();
    store::entries::put(tx, &Entry { state: EntryState::Refused, at: now, ..entry }).await?;
    let Some(by) = entry.invited_by else { return Ok(()) };
    let (ladder, tournament) = either(contest);
    let event = ContestInvitationDeclinedEvent::at(now, ladder, tournament, account).into();
    events::notify(tx, ctx, events::notification(by, &[event])?).await
}

/// Turns all pending requests into invitations, with notifications, because a locked contest has become open.
pub async fn opened(tx: &mut Tx, ctx: &Context, contest: Contest) -> Result<Vec<Notification>> {
    let now = ctx.clock.now();
    let (ladder, tournament) = either(contest);
    let event: AccountEvent = ContestInvitedEvent::at(now, ladder, tournament, None).into();
    let mut told = Vec::new();
    for account in store::entries::invite_requesters(tx, contest, now).await? {
        told.extend(events::notification(account, std::slice::from_ref(&event))?);
    }
    Ok(told)
}

/// The pending requests, or invitations, of a contest, oldest first.
pub async fn waiting(conn: &mut Conn, contest: Contest, state: EntryState) -> Result<Listed<NamedEntry>> {
    store::entries::list(conn, contest, state, MAX_WAITING).await
}

/// The account's requests and invitations in contests that can still be joined, newest first.
pub async fn pending_of(conn: &mut Conn, account: AccountId) -> Result<Listed<AccountEntry>> {
    store::entries::pending_of(conn, account, MAX_LISTED).await
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Entry>> {
    store::entries::all_of(conn, account).await
}

/// Deletes the invitations between two accounts, because one blocks the other.
pub async fn part(tx: &mut Tx, one: AccountId, other: AccountId) -> Result<()> {
    store::entries::delete_between(tx, one, other).await
}

/// Deletes the entries of an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::entries::forget(tx, account).await
}

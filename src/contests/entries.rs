//! Requests to get into a contest, and invitations: the same for ladders and tournaments.
//!
//! An account has one entry in a contest at most. A request waits for an organizer where entry is by approval. An
//! invitation lets in whoever meets the limits, in contests of every kind. An entry is gone once the player has joined.
//! What was declined can't be repeated for a week. What was taken back can be, but nobody is told of it twice a day:
//! else it would be a way to bother people.

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

/// How many requests and how many invitations may wait in a contest.
pub const MAX_WAITING: i64 = 200;
/// How many requests and invitations of an account are listed.
const MAX_LISTED: i64 = 200;
/// How long what was declined can't be repeated, in seconds: a week.
pub const AGAIN_S: u32 = 7 * 86_400;
/// How long nobody is told again of what was taken back, in seconds: a day.
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

/// How an account stands towards a contest that it isn't in, as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub contest: Contest,
    pub account: AccountId,
    /// How it stands.
    pub state: EntryState,
    /// Of a request to a ladder: how many pairings at once it asks for.
    pub wanted: u32,
    /// The organizer who has invited it.
    pub invited_by: Option<AccountId>,
    /// Since when.
    pub at: Time,
}

/// A request or an invitation, with the player.
pub struct NamedEntry {
    pub entry: Entry,
    pub player: Player,
}

/// A request or an invitation, as its player sees it.
pub struct AccountEntry {
    pub contest: Contest,
    /// What it is called.
    pub title: String,
    /// Whether it is a request or an invitation.
    pub state: EntryState,
    /// Since when.
    pub at: Time,
    pub invited_by: Option<Player>,
}

/// Whether somebody is to be told of an entry that follows this one.
fn is_news(before: Option<Entry>, now: Time) -> bool {
    before.is_none_or(|before| before.state != EntryState::TakenBack || now >= before.at.plus_s(QUIET_S))
}

/// What the way in has against an account that isn't in yet; none: it may join, or ask to.
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

/// What keeps a substitute from joining, who plays a running match of the contest in place of a member; none: they play
/// none.
pub async fn of_a_substitute(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Obstacle>> {
    let plays = store::entries::plays_for_another(conn, contest, account).await?;
    let detail = "You play a match of it as a substitute: join when that is over.";
    Ok(plays.then(|| Obstacle::new(IneligibilityReason::PlaysForAnother, detail)))
}

/// Whether an account that nothing is against has to ask before it is in.
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

/// The account's entry in a contest; none: it has none, or is in.
pub async fn find(conn: &mut Conn, contest: Contest, account: AccountId) -> Result<Option<Entry>> {
    store::entries::find(conn, contest, account).await
}

/// Asks to be let into a locked contest; those who run it are told once. Fails with `quota-exceeded` if too many
/// requests wait.
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

/// The request of a player that waits in a locked contest, or `not-found`.
pub async fn requested(tx: &mut Tx, contest: Contest, player: AccountId) -> Result<Entry> {
    let entry = store::entries::find(tx, contest, player).await?;
    let none = || Error::nothing("The player has not asked to join.");
    entry.filter(|entry| entry.state == EntryState::Requested).ok_or_else(none)
}

/// Somebody is in: their entry is gone.
pub async fn joined(tx: &mut Tx, contest: Contest, account: AccountId) -> Result<()> {
    store::entries::delete(tx, contest, account).await
}

/// What a player is told whose request was accepted.
pub fn accepted(ctx: &Context, contest: Contest, player: AccountId) -> Result<Option<Notification>> {
    let (ladder, tournament) = either(contest);
    events::notification(player, &[ContestEntryAcceptedEvent::at(ctx.clock.now(), ladder, tournament).into()])
}

/// Declines a request in a locked contest, and tells the player.
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

/// Withdraws the caller's own request; does nothing if none waits.
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

/// Invites a player, locked before, to a locked contest, and tells them. Does nothing if they are in it, run it, or are
/// invited already; a request of theirs becomes an invitation. Fails with `ladder-closed`, `tournament-closed`,
/// `player-blocked`, `player-barred`, `not-found` for somebody who blocks the caller, and with `quota-exceeded`.
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

/// Takes an invitation back; does nothing if there is none.
pub async fn withdraw_invitation(tx: &mut Tx, ctx: &Context, contest: Contest, player: AccountId) -> Result<()> {
    take_back(tx, ctx, (contest, player), EntryState::Invited).await
}

/// Declines the caller's own invitation to a locked contest, and tells who has invited them; does nothing if there is
/// none.
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

/// Whoever waited may join now: a locked contest is open to everybody. They are invited, and told.
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

/// The requests, or the invitations, that wait in a contest, the oldest first.
pub async fn waiting(conn: &mut Conn, contest: Contest, state: EntryState) -> Result<Listed<NamedEntry>> {
    store::entries::list(conn, contest, state, MAX_WAITING).await
}

/// The requests and invitations of an account in contests that can still be joined, the newest first.
pub async fn pending_of(conn: &mut Conn, account: AccountId) -> Result<Listed<AccountEntry>> {
    store::entries::pending_of(conn, account, MAX_LISTED).await
}

pub async fn export(conn: &mut Conn, account: AccountId) -> Result<Listed<Entry>> {
    store::entries::all_of(conn, account).await
}

/// One of two accounts blocks the other: invitations of either by the other are gone.
pub async fn part(tx: &mut Tx, one: AccountId, other: AccountId) -> Result<()> {
    store::entries::delete_between(tx, one, other).await
}

/// Takes out an account that is being deleted.
pub async fn forget(tx: &mut Tx, account: AccountId) -> Result<()> {
    store::entries::forget(tx, account).await
}

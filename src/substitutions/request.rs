//! Requests for substitutes, by the player of a seat, an organizer of the match's contest, or a moderator.

use broadside_rules::Seat;
use serde_json::json;

use super::{MAX_A_DAY, OFFER_S, Substitution, SubstitutionMessage, SubstitutionSource, SubstitutionStatus, candidate};
use super::{store, told};
use crate::accounts::roles::Actor;
use crate::accounts::suspension::OtherAccount;
use crate::accounts::{self, Identity, Username, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::{SubstitutionClosedEvent, SubstitutionRequestedEvent};
use crate::ids::{AccountId, MatchId, SubstitutionId};
use crate::matches::Part;
use crate::matches::hand_over::SeatFacts;
use crate::moderation::adjudicate::Judge;
use crate::player::Player;
use crate::social::blocks;

/// A new request.
pub struct NewSubstitution {
    pub match_id: MatchId,
    pub seat: Seat,
    /// The player asked; `None` for an open offer.
    pub named: Option<Username>,
    pub message: Option<SubstitutionMessage>,
}

/// The player of a seat offers it. Fails with `not-a-player` for another player's seat.
pub async fn offer(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    new: NewSubstitution,
) -> Result<Substitution> {
    if facts.part_of(caller.account) != Part::Player(new.seat) || !facts.plays(new.seat) {
        return Err(Error::new(&problem::NOT_A_PLAYER, "You give away your own seat only, while it plays."));
    }
    let named = lock(tx, ctx, caller, new.named.as_ref()).await?;
    insert(tx, ctx, caller, facts, (new, named, SubstitutionSource::Player)).await
}

/// An organizer or a moderator looks for a player for a seat. A moderator may do so only for a player who is suspended
/// or has deleted their account; otherwise it fails with `player-is-active`.
pub async fn seek(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    (new, reason): (NewSubstitution, AuditReason),
) -> Result<Substitution> {
    if facts.part_of(caller.account).has_played() {
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, "Nobody decides about a match in which they play."));
    }
    let source = if judge.contest.is_some() { SubstitutionSource::Organizer } else { SubstitutionSource::Moderator };
    let Some(player) = facts.players.get(new.seat.index()).filter(|_| facts.plays(new.seat)) else {
        return Err(not_playing());
    };
    let named = lock(tx, ctx, caller, new.named.as_ref()).await?;
    let actor = (judge.right)(tx).await?;
    if source == SubstitutionSource::Moderator && !account::is_gone(tx, ctx, player.id).await? {
        return Err(Error::plain(&problem::PLAYER_IS_ACTIVE));
    }
    let details = json!({ "seat": new.seat.0, "named": named.as_ref().map(|named| named.id) });
    let (kind, subject) = (AuditKind::SubstituteRequested, judge.subject(new.match_id));
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await?;
    insert(tx, ctx, caller, facts, (new, named, source)).await
}

fn not_playing() -> Error {
    Error::new(&problem::MATCH_STATE_CHANGED, "The match is over, or the seat doesn't play any more.")
}

/// Locks the caller's account, and that of the named player. Fails with `not-found` if there is no such name or the
/// player blocks the caller, and with `player-blocked`.
async fn lock(tx: &mut Tx, ctx: &Context, caller: &Identity, name: Option<&Username>) -> Result<Option<Player>> {
    let Some(name) = name else {
        account::lock_active(tx, ctx, caller.account).await?;
        return Ok(None);
    };
    let named = accounts::store::accounts::find_player(tx, name).await?.ok_or_else(Error::not_found)?;
    if named.id == caller.account {
        return Err(Error::new(&problem::SUBSTITUTE_NOT_ALLOWED, "Nobody is their own substitute."));
    }
    if account::lock_active_with(tx, ctx, caller.account, named.id).await? != OtherAccount::Active
        || blocks::blocks(tx, named.id, caller.account).await?
    {
        return Err(Error::not_found());
    }
    if blocks::blocks(tx, caller.account, named.id).await? {
        return Err(Error::plain(&problem::PLAYER_BLOCKED));
    }
    Ok(Some(named))
}

async fn insert(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    (new, named, asked_by): (NewSubstitution, Option<Player>, SubstitutionSource),
) -> Result<Substitution> {
    if !facts.plays(new.seat) {
        return Err(not_playing());
    }
    match &named {
        Some(named) => candidate::may_sit(tx, facts, named).await?,
        None if !facts.spectators => {
            let detail = "The match is closed to spectators: name the player who is to take the seat.";
            return Err(Error::new(&problem::CLOSED_TO_SPECTATORS, detail));
        }
        None => {}
    }
    let now = ctx.clock.now();
    if store::count_since(tx, (new.match_id, new.seat), asked_by, now.plus_ms(-86_400_000)).await? >= MAX_A_DAY {
        let detail = format!("A substitute for a seat is asked for {MAX_A_DAY} times a day at most.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    if asked_by != SubstitutionSource::Player {
        refuse_offer(tx, ctx, caller, facts, &new).await?;
    }
    let player = facts.players.get(new.seat.index()).cloned().ok_or_else(not_playing)?;
    let id: SubstitutionId = ctx.new_id();
    let made = store::NewRow {
        id,
        match_id: new.match_id,
        seat: new.seat,
        asked_by,
        requester: caller.account,
        player: player.id,
        named: named.as_ref().map(|named| named.id),
        message: new.message.as_ref().map(SubstitutionMessage::as_str),
        created_at: now,
        due_at: now.plus_s(OFFER_S),
    };
    if !store::insert(tx, &made).await? {
        return Err(Error::plain(&problem::SUBSTITUTION_OPEN));
    }
    let found = super::find(tx, id).await?;
    let event = SubstitutionRequestedEvent::at(now, id, new.match_id, new.seat, caller.account).into();
    events::notify(tx, ctx, told(found.audience(facts, Some(caller.account)), &event)?).await?;
    Ok(found)
}

/// A player's own offer doesn't keep organizers or moderators from looking for a substitute: their request ends it.
async fn refuse_offer(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    new: &NewSubstitution,
) -> Result<()> {
    let waiting = store::lock_waiting(tx, new.match_id, new.seat).await?;
    match waiting.filter(|waiting| waiting.asked_by == SubstitutionSource::Player) {
        Some(offer) => close(tx, ctx, facts, &offer, SubstitutionStatus::Refused, Some(caller.account)).await,
        None => Ok(()),
    }
}

/// The requester withdraws it: fails with `substitution-closed` if it is over, and with `not-found` for anybody else.
pub async fn withdraw(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    id: SubstitutionId,
) -> Result<()> {
    account::lock_existing(tx, caller.account).await?;
    let found = store::lock(tx, id).await?.filter(|found| found.requester == caller.account);
    let found = found.ok_or_else(Error::not_found)?;
    close(tx, ctx, facts, &found, SubstitutionStatus::Withdrawn, Some(caller.account)).await
}

/// Ends a locked request without a hand-over, and notifies everybody but one. Fails with `substitution-closed` if it is
/// over already.
pub(super) async fn close(
    tx: &mut Tx,
    ctx: &Context,
    facts: &SeatFacts,
    found: &Substitution,
    status: SubstitutionStatus,
    but: Option<AccountId>,
) -> Result<()> {
    if found.closed_at.is_some() {
        return Err(Error::plain(&problem::SUBSTITUTION_CLOSED));
    }
    let now = ctx.clock.now();
    store::close(tx, found.id, status, now).await?;
    let event = SubstitutionClosedEvent::at(now, found.id, found.match_id, found.seat, status.into_str()).into();
    events::notify(tx, ctx, told(found.audience(facts, but), &event)?).await
}

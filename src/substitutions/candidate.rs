//! Candidates for a seat: their eligibility, acceptance and withdrawal.

use super::{ANSWER_S, Deciders, Substitution, SubstitutionStatus, request, store, told};
use crate::accounts::{Identity, account, guests};
use crate::contests::{self, news};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::events;
use crate::events::kinds::{SubstitutionProposedEvent, SubstitutionRequestedEvent};
use crate::ids::{AccountId, MatchId, SubstitutionId};
use crate::matches::hand_over::SeatFacts;
use crate::player::Player;
use crate::social::{blocks, chat};

/// Fails with `substitute-not-allowed` for a player who has or had a seat of the match, or takes part in its contest.
/// Visits of the spectators' room aren't disclosed here to those who name a player: [`may_take_it`] checks them.
pub(super) async fn may_sit(conn: &mut Conn, facts: &SeatFacts, player: &Player) -> Result<()> {
    let refused = |detail: &str| Err(Error::new(&problem::SUBSTITUTE_NOT_ALLOWED, detail));
    if facts.part_of(player.id).has_played() {
        return refused("Who has or had a seat of the match can't take another one: they knew a fleet.");
    }
    match facts.contest {
        Some(contest) if contests::store::entries::takes_part(conn, contest, player.id).await? => {
            refused("Who takes part in the ladder or the tournament plays there for nobody else.")
        }
        _ => Ok(()),
    }
}

/// Like `may_sit`, for the player who wants the seat. Also fails for a player who was in the spectators' room, where
/// players may have told what they see elsewhere. (Watching a match is no obstacle: spectators know nothing that isn't
/// told to every player.)
async fn may_take_it(conn: &mut Conn, id: MatchId, facts: &SeatFacts, player: &Player) -> Result<()> {
    may_sit(conn, facts, player).await?;
    if !chat::was_among_spectators(conn, id, player.id).await? {
        return Ok(());
    }
    let detail = "You were in the spectators' room of this match. Nobody who was there can take a seat.";
    Err(Error::new(&problem::SUBSTITUTE_NOT_ALLOWED, detail))
}

/// Like [`may_take_it`] at the hand-over, some time later, including blocks between the player and any holder of a
/// seat. The player's account is locked, so that it can't enter the spectators' room meanwhile.
pub(super) async fn may_still_sit(conn: &mut Conn, id: MatchId, facts: &SeatFacts, player: &Player) -> Result<()> {
    may_take_it(conn, id, facts, player).await?;
    for other in &facts.players {
        if blocks::either_blocks(conn, player.id, other.id).await? {
            return Err(Error::new(&problem::SUBSTITUTE_NOT_ALLOWED, "There is a block between players of the match."));
        }
    }
    Ok(())
}

/// The caller accepts. The other players, or the organizers, are notified, unless it is decided already. Fails with
/// `substitution-closed`, `substitute-not-allowed`, `player-blocked`, and `not-found` for a request addressed to
/// another player.
pub async fn accept(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    id: SubstitutionId,
) -> Result<()> {
    account::lock_active(tx, ctx, caller.account).await?;
    let found = store::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let is_named = found.named.as_ref().map(|named| named.id == caller.account);
    if is_named == Some(false) {
        return Err(Error::not_found());
    }
    let others: Vec<AccountId> = facts.players.iter().map(|player| player.id).collect();
    for other in others.iter().filter(|other| **other != caller.account) {
        if blocks::blocks(tx, *other, caller.account).await? {
            return Err(Error::not_found());
        }
        if blocks::blocks(tx, caller.account, *other).await? {
            return Err(Error::plain(&problem::PLAYER_BLOCKED));
        }
    }
    found.must_be(SubstitutionStatus::Open)?;
    guests::check_rated(caller, facts.rated)?;
    may_take_it(tx, found.match_id, facts, &caller.player()).await?;
    let refused = |detail: &str| Err(Error::new(&problem::SUBSTITUTE_NOT_ALLOWED, detail));
    if caller.bot && is_named.is_none() {
        return refused("An offer to whoever may is for people: a program takes a seat only if it is asked by name.");
    }
    if caller.account == found.requester {
        return refused("Nobody is their own substitute.");
    }
    let now = ctx.clock.now();
    if found.due_at <= now {
        return Err(Error::plain(&problem::SUBSTITUTION_CLOSED));
    }
    let due_at = now.plus_s(ANSWER_S);
    store::propose(tx, id, caller.account, due_at).await?;
    let event = SubstitutionProposedEvent::at(now, id, found.match_id, found.seat, caller.account, due_at).into();
    let mut all = told(found.audience(facts, Some(caller.account)), &event)?;
    if let Deciders::Organizers(contest) = found.deciders(facts)
        && let Some(head) = contests::store::head(tx, contest.id()).await?
    {
        all.extend(news::to_runners(head.runners(), &event, &[caller.account, found.requester])?);
    }
    events::notify(tx, ctx, all).await
}

/// The named player declines, or the candidate withdraws: then an open offer is open again. Fails with
/// `substitution-closed`, and with `not-found` for everybody else.
pub async fn decline(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    id: SubstitutionId,
) -> Result<()> {
    account::lock_existing(tx, caller.account).await?;
    let found = store::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let is = |player: &Option<Player>| player.as_ref().is_some_and(|player| player.id == caller.account);
    if is(&found.named) {
        return request::close(tx, ctx, facts, &found, SubstitutionStatus::Declined, Some(caller.account)).await;
    }
    if !is(&found.candidate) {
        return Err(Error::not_found());
    }
    found.must_be(SubstitutionStatus::Proposed)?;
    reopen(tx, ctx, facts, &found).await
}

/// Reopens an open offer whose candidate has dropped out.
async fn reopen(tx: &mut Tx, ctx: &Context, facts: &SeatFacts, found: &Substitution) -> Result<()> {
    let now = ctx.clock.now();
    store::reopen(tx, found.id, now.plus_s(super::OFFER_S)).await?;
    let event = SubstitutionRequestedEvent::at(now, found.id, found.match_id, found.seat, found.requester).into();
    let candidate = found.candidate.as_ref().map(|candidate| candidate.id);
    events::notify(tx, ctx, told(found.audience(facts, candidate), &event)?).await
}

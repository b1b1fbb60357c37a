//! The decision on a candidate by the other players of a match, or in their place by an organizer or a moderator.

use serde_json::json;

use super::{Deciders, SubstitutionStatus, store};
use crate::accounts::roles::Actor;
use crate::accounts::{Identity, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::SubstitutionId;
use crate::matches::hand_over::SeatFacts;
use crate::moderation::adjudicate::Judge;

/// A player of another seat answers; their last answer counts. Fails with `substitution-closed` without a candidate or
/// when it is over, and with `not-a-player` for anybody whose answer doesn't count.
pub async fn answer(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    (id, agrees): (SubstitutionId, bool),
) -> Result<()> {
    account::lock_existing(tx, caller.account).await?;
    let found = store::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    if found.deciders(facts) != Deciders::Players || !facts.others(found.seat).contains(&caller.account) {
        let detail = "Those decide who play on beside the seat; in a contest, those who run it.";
        return Err(Error::new(&problem::NOT_A_PLAYER, detail));
    }
    found.must_be(SubstitutionStatus::Proposed)?;
    store::answer(tx, id, caller.account, agrees, ctx.clock.now()).await
}

/// An organizer or a moderator answers in place of the players.
pub async fn judge(
    tx: &mut Tx,
    ctx: &Context,
    caller: &Identity,
    facts: &SeatFacts,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    (id, agrees, reason): (SubstitutionId, bool, AuditReason),
) -> Result<()> {
    let actor = (judge.right)(tx).await?;
    let found = store::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    let is_candidate = found.candidate.as_ref().is_some_and(|candidate| candidate.id == caller.account);
    if is_candidate || facts.part_of(caller.account).has_played() {
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, "Nobody decides about a match in which they play."));
    }
    found.must_be(SubstitutionStatus::Proposed)?;
    let details = json!({ "seat": found.seat.0, "agrees": agrees });
    let (kind, subject) = (AuditKind::SubstituteDecided, judge.subject(found.match_id));
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await?;
    store::answer(tx, id, caller.account, agrees, ctx.clock.now()).await
}

//! Adjudication: a moderator ends a match, changes how a finished match counts, or reverses its effect on ratings.
//! Organizers decide the same about the matches of their contests by the same functions: a [`Judge`] carries the right.
//!
//! No player of a match judges it, and moderators' decisions can only be changed by moderators. The reason of an
//! annulment, and of a decision about a finished match, is public in the ledger of ratings; the reason for ending a
//! running match is only in the audit log.

use broadside_rules::Time;
use broadside_rules::record::TimeAdded;
use serde_json::json;

use crate::accounts::Identity;
use crate::accounts::roles::{self, Actor, Role};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::{self, Contest};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events;
use crate::idempotency::Claim;
use crate::ids::{AccountId, MatchId};
use crate::matches::adjudicate::{self, MatchFacts};
use crate::matches::{Matches, more_time};
use crate::ratings::corrections::CountedAs;
use crate::ratings::{Note, Ranks, RatingChange, corrections, rate};
use crate::string_enums::string_enums;

pub use crate::matches::adjudicate::Verdict;

string_enums! {
    /// The state of the match that the moderator saw and decides on. If the match has changed since, nothing happens:
    /// the reason for ending a running match is private and that of a later change of ratings is public, and no
    /// moderator overturns a decision that they have not seen.
    pub enum AdjudicationStatus {
        /// Under way.
        Running,
        /// Over, and it counted as it was played.
        Finished,
        /// Over, and it counted as a moderator had decided afterwards (`result.adjudicated`).
        Adjudicated,
        /// Over and annulled (`result.annulled`).
        Annulled,
    }
}

/// A moderator's decision.
pub struct Decision {
    /// The state seen by the moderator.
    pub was: AdjudicationStatus,
    /// The result, or the way in which the match counts.
    pub verdict: Verdict,
    pub reason: AuditReason,
}

/// The judge of a match, and their right.
pub struct Judge<F> {
    pub account: AccountId,
    /// The contest that they organize; `None` for a moderator, who may judge any match.
    pub contest: Option<Contest>,
    /// Checks the right in the transaction of the decision, under a lock.
    pub right: F,
}

pub fn moderator(ctx: &Context, who: &Identity) -> Judge<impl AsyncFn(&mut Tx) -> Result<Actor>> {
    let right = async |tx: &mut Tx| roles::require(tx, ctx, who, Role::Moderator).await;
    Judge { account: who.account, contest: None, right }
}

impl<F> Judge<F> {
    /// The subject of audit log entries about a match.
    pub(crate) fn subject(&self, id: MatchId) -> AuditSubject {
        let contest = self.contest.map(contests::subject).unwrap_or_default();
        AuditSubject { match_id: Some(id), ..contest }
    }
}

fn refuse_own_match(account: AccountId, facts: &MatchFacts) -> Result<()> {
    if facts.concern(account) {
        let detail = "Nobody can judge a match in which they play, or have played.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    Ok(())
}

fn state_changed(is: &str) -> Error {
    let detail = format!("The match is {is}: read it again, and say in `expected_status` what you decide on.");
    Error::new(&problem::MATCH_STATE_CHANGED, detail)
}

/// Fails with `role-required` for an organizer if a moderator has decided about any of these matches, which are rated
/// together.
async fn must_be_free(tx: &mut Tx, contest: Option<Contest>, matches: &[MatchId]) -> Result<()> {
    if contest.is_some() && audit_log::store::is_decided_for_no_contest(tx, matches).await? {
        let detail = "A moderator has decided about this match: only moderators change that.";
        return Err(Error::new(&problem::ROLE_MISSING, detail));
    }
    Ok(())
}

fn details_of(verdict: Verdict, over: bool) -> serde_json::Value {
    let (word, winner) = match verdict {
        Verdict::Win(seat) => ("win", Some(seat.0)),
        Verdict::Draw => ("draw", None),
        Verdict::NoResult => ("no-result", None),
    };
    json!({ "verdict": word, "winner": winner, "was_over": over })
}

/// Ends a running match. Fails with `match-state-changed` and no effect if the match is over by now; use [`recount`]
/// then.
pub async fn end(
    matches: &Matches,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    id: MatchId,
    decision: &Decision,
    claim: Option<&Claim>,
) -> Result<()> {
    let facts = adjudicate::facts(matches, id).await?;
    refuse_own_match(judge.account, &facts)?;
    let first = async |tx: &mut Tx| {
        let actor = (judge.right)(tx).await?;
        let details = details_of(decision.verdict, false);
        let (kind, reason) = (AuditKind::MatchAdjudicated, decision.reason.clone());
        let subject = judge.subject(id);
        audit_log::append(tx, matches, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
    };
    if adjudicate::end(matches, id, decision.verdict, claim, first).await? {
        Ok(())
    } else {
        Err(state_changed("finished"))
    }
}

/// Gives a seat more time for the current turn. Fails with `match-state-changed` if the match is over by now, and with
/// `validation-failed` if the match isn't waiting for the seat, or the seat would have more than 14 days.
pub async fn add_time(
    matches: &Matches,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    id: MatchId,
    more: TimeAdded,
    reason: &AuditReason,
    claim: Option<&Claim>,
) -> Result<()> {
    let facts = adjudicate::facts(matches, id).await?;
    refuse_own_match(judge.account, &facts)?;
    let first = async |tx: &mut Tx| {
        let actor = (judge.right)(tx).await?;
        let details = json!({ "seat": more.seat.0, "seconds": more.seconds });
        let (kind, subject, reason) = (AuditKind::MatchTimeAdded, judge.subject(id), reason.clone());
        audit_log::append(tx, matches, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
    };
    if more_time::add(matches, id, more, claim, first).await? { Ok(()) } else { Err(state_changed("finished")) }
}

/// The facts of a finished match, for a judge. Fails with `match-state-changed` while it is running.
pub async fn finished<F>(matches: &Matches, judge: &Judge<F>, id: MatchId) -> Result<MatchFacts> {
    let facts = adjudicate::facts(matches, id).await?;
    refuse_own_match(judge.account, &facts)?;
    if facts.over { Ok(facts) } else { Err(state_changed("under way")) }
}

/// Makes a [finished](finished) match count with another result. Its record stays unchanged. Fails with `already-done`
/// if it counts so already, `match-not-rated` if it has changed no rating, `match-state-changed` if another decision
/// was made meanwhile, and `role-required` for an organizer once a moderator has decided about it.
pub async fn recount(
    tx: &mut Tx,
    ctx: &Context,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    id: MatchId,
    facts: &MatchFacts,
    decision: Decision,
) -> Result<()> {
    let actor = (judge.right)(tx).await?;
    let places = places(facts, decision.verdict)?;
    let counted = corrections::counted(tx, id).await?;
    must_be_free(tx, judge.contest, &counted.matches).await?;
    let (is, word) = match counted.counts {
        CountedAs::AsPlayed => (AdjudicationStatus::Finished, "over and counts as it was played"),
        CountedAs::AsDecided => (AdjudicationStatus::Adjudicated, "over and adjudicated"),
        CountedAs::Not => (AdjudicationStatus::Annulled, "over and annulled"),
    };
    if decision.was != is {
        return Err(state_changed(word));
    }
    let note = note_of(&decision.reason)?;
    let changes = corrections::adjudicate(tx, id, &places, &note, ctx.clock.now()).await?;
    if changes.is_empty() {
        return Err(Error::new(&problem::ALREADY_DONE, "The match counts like that already."));
    }
    let details = details_of(decision.verdict, true);
    let entry =
        AuditEntry { kind: AuditKind::MatchAdjudicated, subject: judge.subject(id), reason: decision.reason, details };
    audit_log::append(tx, ctx, actor, entry).await?;
    events::notify(tx, ctx, rate::told(&changes)?).await
}

/// The places for counting a finished match: the winners come first, and the others keep their order.
fn places(facts: &MatchFacts, verdict: Verdict) -> Result<Ranks> {
    let before = facts.places.clone().unwrap_or_else(|| vec![1; facts.players.len()]);
    let places = match verdict {
        Verdict::NoResult => {
            let detail = "the match is over: what it has done to ratings is taken back by annulling it";
            return Err(Error::invalid_at("/verdict", "match-over", detail));
        }
        Verdict::Draw => vec![1; before.len()],
        Verdict::Win(winner) if winner.index() >= before.len() => {
            return Err(Error::invalid_at("/winner", "invalid-winner", "must be a seat of the match"));
        }
        Verdict::Win(winner) => {
            let others =
                |own: u8| (0..before.len()).filter(|seat| *seat != winner.index() && before[*seat] < own).count();
            let place = |seat: usize| if seat == winner.index() { 1 } else { 2 + others(before[seat]) };
            (0..before.len()).map(|seat| u8::try_from(place(seat)).unwrap_or(u8::MAX)).collect()
        }
    };
    Ranks::new(places).map_err(Error::internal)
}

fn note_of(reason: &AuditReason) -> Result<Note> {
    reason.as_str().parse().map_err(|why: String| Error::invalid_at("/reason", "invalid-value", why))
}

/// Checks that the caller may judge the match. Fails with `not-found` if there is none, and with `conflict-of-interest`
/// if they play in it, or have played.
pub async fn may_judge<F>(matches: &Matches, judge: &Judge<F>, id: MatchId) -> Result<()> {
    refuse_own_match(judge.account, &adjudicate::facts(matches, id).await?)
}

/// Reverses a match's effect on ratings, for a caller who [may judge](may_judge) it. Fails with `already-done` if it
/// was reversed before, `match-not-rated` if it has changed no rating, and `role-required` like [`recount`].
pub async fn annul(
    tx: &mut Tx,
    ctx: &Context,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    id: MatchId,
    reason: AuditReason,
) -> Result<()> {
    let actor = (judge.right)(tx).await?;
    let counted = corrections::counted(tx, id).await?;
    must_be_free(tx, judge.contest, &counted.matches).await?;
    if annulled(tx, ctx, actor, judge.subject(id), id, reason).await?.is_empty() {
        return Err(Error::new(&problem::ALREADY_DONE, "The match was annulled before."));
    }
    Ok(())
}

/// Reverses a match's effect on ratings for the operator. Returns the rows; `None` if it was reversed before.
pub async fn annul_as_operator(
    tx: &mut Tx,
    ctx: &Context,
    id: MatchId,
    reason: AuditReason,
) -> Result<Vec<RatingChange>> {
    annulled(tx, ctx, Actor::OPERATOR, AuditSubject::match_id(id), id, reason).await
}

async fn annulled(
    tx: &mut Tx,
    ctx: &Context,
    actor: Actor,
    subject: AuditSubject,
    id: MatchId,
    reason: AuditReason,
) -> Result<Vec<RatingChange>> {
    let changes = corrections::annul(tx, id, &note_of(&reason)?, ctx.clock.now()).await?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let entry = AuditEntry { kind: AuditKind::MatchAnnulled, subject, reason, details: json!({}) };
    audit_log::append(tx, ctx, actor, entry).await?;
    events::notify(tx, ctx, rate::told(&changes)?).await?;
    Ok(changes)
}

/// Makes a finished match count as played again, in place of a decision made at a given time, because of a successful
/// appeal. Returns false if another decision was made since, it counts so already, or it has no result. Fails with
/// `match-not-rated` if it has changed no rating.
pub async fn restore(
    tx: &mut Tx,
    ctx: &Context,
    (actor, contest): (Actor, Option<Contest>),
    (id, facts): (MatchId, &MatchFacts),
    decided_at: Time,
    reason: AuditReason,
) -> Result<bool> {
    let Some(places) = facts.places.clone().filter(|_| facts.over) else { return Ok(false) };
    if corrections::counted(tx, id).await?.since > decided_at {
        return Ok(false);
    }
    let places = Ranks::new(places).map_err(Error::internal)?;
    let changes = corrections::adjudicate(tx, id, &places, &note_of(&reason)?, ctx.clock.now()).await?;
    if changes.is_empty() {
        return Ok(false);
    }
    let subject = AuditSubject { match_id: Some(id), ..contest.map(contests::subject).unwrap_or_default() };
    let details = json!({ "verdict": "as-played", "winner": null, "was_over": true });
    audit_log::append(tx, ctx, actor, AuditEntry { kind: AuditKind::MatchAdjudicated, subject, reason, details })
        .await?;
    events::notify(tx, ctx, rate::told(&changes)?).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadside_rules::Seat;
    use uuid::Uuid;

    fn counted(before: &[u8], verdict: Verdict) -> Vec<u8> {
        let players = vec![AccountId(Uuid::nil()); before.len()];
        let facts =
            MatchFacts { over: true, players, former: Vec::new(), places: Some(before.to_vec()), contest: None };
        places(&facts, verdict).unwrap().as_slice().to_vec()
    }

    #[test]
    fn the_others_keep_their_order_behind_the_winner() {
        assert_eq!(counted(&[1, 2], Verdict::Win(Seat(1))), [2, 1]);
        assert_eq!(counted(&[1, 1], Verdict::Win(Seat(0))), [1, 2]);
        assert_eq!(counted(&[2, 1, 3, 4], Verdict::Win(Seat(2))), [3, 2, 1, 4]);
        assert_eq!(counted(&[1, 1, 3], Verdict::Win(Seat(2))), [2, 2, 1]);
        assert_eq!(counted(&[3, 1, 2], Verdict::Draw), [1, 1, 1]);
    }
}

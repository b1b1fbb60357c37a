//! Appeals: the player may appeal once, and someone other than the original decision-maker decides. If the appeal
//! succeeds, all that is in force because of this case is undone where possible. Later decisions for other reasons
//! stay.

use broadside_rules::Time;
use serde_json::json;

use super::access::{Held, hold, must_be_unconcerned, seen};
use super::file::note;
use super::{Appeal, AppealDecision, AppealOutcome, Case, CaseState, DecisionKind, Remedy, Verdict, store};
use crate::accounts::roles::{self, Role};
use crate::accounts::{self, Identity, account};
use crate::audit_log::{AuditKind, AuditReason};
use crate::contests::{members, news, store as contests};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::events::kinds::{CaseAppealDecidedEvent, CaseAppealedEvent};
use crate::events::{self, Notification};
use crate::ids::{CaseId, MatchId};
use crate::matches::Matches;
use crate::matches::adjudicate::MatchFacts;
use crate::moderation::{adjudicate, suspend};
use crate::social::text::Description;

fn wrong_state(detail: &'static str) -> Error {
    Error::new(&problem::WRONG_CASE_STATE, detail)
}

/// The player of a decided case appeals, even while suspended. The possible deciders are notified. Fails with
/// `not-found` if there is no decided case about the caller, and with `wrong-case-state` if they have appealed before
/// or the time limit has passed.
pub async fn appeal(tx: &mut Tx, ctx: &Context, who: &Identity, id: CaseId, text: Description) -> Result<Case> {
    account::lock_existing(tx, who.account).await?;
    let case = store::lock(tx, id).await?;
    let mut case = case.filter(|case| case.subject == who.account).ok_or_else(Error::not_found)?;
    let now = ctx.clock.now();
    match case.state(now) {
        CaseState::Open => return Err(Error::not_found()),
        CaseState::Decided if case.appeal.is_none() => {}
        CaseState::Closed if case.appeal.is_none() => {
            return Err(wrong_state("The time for an appeal is over, or there is nothing to appeal against."));
        }
        _ => return Err(wrong_state("You have appealed already, which can be done once.")),
    }
    case.appeal = Some(Appeal { text: Some(text.as_str().to_owned()), at: now, decided: None });
    case.closes_at = None;
    store::save(tx, &case).await?;
    let told = told(tx, &case).await?;
    events::notify(tx, ctx, told).await?;
    Ok(case)
}

/// Notifications of an appeal for the organizers of the contest, or the moderators for a case of the server.
async fn told(tx: &mut Tx, case: &Case) -> Result<Vec<Notification>> {
    let (ladder, tournament) = case.of();
    let at = case.appeal.as_ref().map_or(case.opened_at, |appeal| appeal.at);
    let event = CaseAppealedEvent::at(at, case.id, ladder, tournament).into();
    if let Some(contest) = case.contest {
        let head = contests::head(tx, contest.id()).await?.ok_or_else(Error::not_found)?;
        return news::to_runners(head.runners(), &event, &[case.subject]);
    }
    let holders = accounts::store::roles::list(tx).await?;
    let moderators = holders.iter().filter(|holder| holder.role == Role::Moderator && holder.player.id != case.subject);
    moderators
        .filter_map(|holder| events::notification(holder.player.id, std::slice::from_ref(&event)).transpose())
        .collect()
}

/// An appeal that may be decided, as read before the transaction.
pub struct Ready {
    case: Case,
    /// The matches of the decision, as they were played.
    facts: Vec<(MatchId, MatchFacts)>,
}

/// Reads the data for deciding an appeal, and refuses early: with `not-found`, with `wrong-case-state` if no appeal is
/// pending, and with `conflict-of-interest`, also for the original decision-maker.
pub async fn prepare(matches: &Matches, who: &Identity, id: CaseId) -> Result<Ready> {
    let mut conn = matches.db.conn().await?;
    let case = seen(&mut conn, matches, who, id).await?;
    may_decide(&mut conn, &case, who).await?;
    drop(conn);
    let mut facts = Vec::new();
    for id in case.verdict.iter().flat_map(|verdict| &verdict.matches) {
        facts.push((*id, crate::matches::adjudicate::facts(matches, *id).await?));
    }
    Ok(Ready { case, facts })
}

async fn may_decide(conn: &mut crate::db::Conn, case: &Case, who: &Identity) -> Result<()> {
    let waits = case.appeal.as_ref().is_some_and(|appeal| appeal.decided.is_none());
    let Some(verdict) = case.verdict.as_ref().filter(|_| waits) else {
        return Err(wrong_state("No appeal waits for a decision."));
    };
    if verdict.by == who.account {
        let detail = "You have made the decision: another organizer, or a moderator, decides about the appeal.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    must_be_unconcerned(conn, case, who.account).await
}

/// Decides an appeal. If the decision was wrong, it is undone where possible. The player is notified.
pub async fn decide(
    tx: &mut Tx,
    matches: &Matches,
    who: &Identity,
    ready: &Ready,
    outcome: AppealOutcome,
    reason: AuditReason,
) -> Result<()> {
    let overturned = outcome == AppealOutcome::Overturned;
    // Locks both accounts, so it must come first.
    let lifted = match &ready.case.verdict {
        Some(verdict) if overturned && verdict.kind == DecisionKind::Suspension => {
            Some(lift(tx, matches, who, &ready.case, verdict.at, &reason).await?)
        }
        _ => None,
    };
    let held = hold(tx, matches, who, ready.case.id).await?;
    let remedy = match (&ready.case.verdict, lifted) {
        (_, Some(remedy)) => Some(remedy),
        (Some(verdict), None) if overturned => Some(undo(tx, matches, (who, &held), ready, verdict).await?),
        _ => None,
    };
    let mut case = store::lock(tx, ready.case.id).await?.ok_or_else(Error::not_found)?;
    may_decide(tx, &case, who).await?;
    let at = matches.clock.now();
    let reason_text = reason.as_str().to_owned();
    let decided = AppealDecision { outcome, reason: reason_text.clone(), remedy, by: who.account, at };
    case.closes_at = Some(at);
    case.appeal = case.appeal.map(|appeal| Appeal { decided: Some(decided), ..appeal });
    store::save(tx, &case).await?;
    let details = json!({ "outcome": outcome.into_str(), "remedy": remedy.map(Remedy::into_str) });
    note(tx, matches, (held.actor, AuditKind::CaseAppealDecided), &case, Some(&reason), details).await?;
    let (ladder, tournament) = case.of();
    let event = CaseAppealDecidedEvent::at(at, case.id, ladder, tournament, outcome.into_str(), reason_text);
    events::notify(tx, matches, events::notification(case.subject, &[event.into()])?).await
}

/// Lifts the suspension of that decision, if still in force.
async fn lift(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    case: &Case,
    decided_at: Time,
    reason: &AuditReason,
) -> Result<Remedy> {
    let named = accounts::store::accounts::players(tx, &[case.subject.0]).await?.remove(&case.subject.0);
    let Some(Ok(name)) = named.map(|player| player.username.parse()) else { return Ok(Remedy::Stays) };
    roles::check(tx, ctx, who, Role::Moderator).await?;
    match suspend::lift_begun_by(tx, ctx, who, &name, decided_at, reason.clone()).await {
        Ok(()) => Ok(Remedy::Undone),
        Err(error) if [problem::ALREADY_DONE.code, problem::NOT_FOUND.code].contains(&error.problem().code) => {
            Ok(Remedy::Stays)
        }
        Err(error) => Err(error),
    }
}

async fn undo(
    tx: &mut Tx,
    ctx: &Context,
    (who, held): (&Identity, &Held),
    ready: &Ready,
    verdict: &Verdict,
) -> Result<Remedy> {
    match (verdict.kind, ready.case.contest) {
        (DecisionKind::Bar, Some(contest)) => {
            let lifted = members::lift_bar_made_by(tx, ctx, who, (contest, ready.case.subject), verdict.at).await?;
            Ok(if lifted { Remedy::Undone } else { Remedy::Stays })
        }
        (DecisionKind::Annulment | DecisionKind::Adjudication, _) if !verdict.ended_match => {
            let mut undone = 0;
            for (id, facts) in &ready.facts {
                let note = "an appeal was granted".parse().map_err(|why: String| Error::internal(why))?;
                let (by, of) = ((held.actor, held.runs), (*id, facts));
                undone += usize::from(adjudicate::restore(tx, ctx, by, of, verdict.at, note).await?);
            }
            Ok(match undone {
                0 => Remedy::Stays,
                some if some < ready.facts.len() => Remedy::PartlyUndone,
                _ => Remedy::Undone,
            })
        }
        _ => Ok(Remedy::Stays),
    }
}

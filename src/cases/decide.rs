//! Decisions of cases. Their consequences are carried out in the same transaction by other modules: a member is warned
//! or removed, an account suspended, a match annulled or adjudicated.
//!
//! The reason is for the player. Public traces of a decision, such as the ratings ledger, say only that there was a
//! case.

use serde_json::json;

use super::access::{must_be_unconcerned, seen};
use super::file::{must_be_open, note, umpire};
use super::{APPEAL_S, Case, DecisionKind, Verdict, store};
use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::{Identity, Username};
use crate::audit_log::{AuditKind, AuditReason};
use crate::contests::organizers::Needs;
use crate::contests::{Contest, head, members, organizers};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result};
use crate::events;
use crate::events::kinds::CaseDecidedEvent;
use crate::idempotency::Claim;
use crate::ids::{AccountId, CaseId, ContestId, MatchId};
use crate::matches::Matches;
use crate::matches::adjudicate::MatchFacts;
use crate::moderation::adjudicate::{self, AdjudicationStatus, Judge};
use crate::moderation::suspend::{self, RunningMatchesPolicy, SuspensionOrder};
use crate::player::Player;
use crate::{accounts, ladders, tournaments};

pub enum Measure {
    NoAction,
    Warning,
    /// Removes the member, and bars them if `bar` is true.
    Removal {
        /// True if they can't rejoin.
        bar: bool,
    },
    Annulment(Vec<MatchId>),
    Adjudication(MatchId, adjudicate::Decision),
    Suspension(SuspensionOrder),
}

impl Measure {
    fn kind(&self) -> DecisionKind {
        match self {
            Self::NoAction => DecisionKind::NoAction,
            Self::Warning => DecisionKind::Warning,
            Self::Removal { bar: false } => DecisionKind::Removal,
            Self::Removal { bar: true } => DecisionKind::Bar,
            Self::Annulment(_) => DecisionKind::Annulment,
            Self::Adjudication(..) => DecisionKind::Adjudication,
            Self::Suspension(_) => DecisionKind::Suspension,
        }
    }

    fn matches(&self) -> Vec<MatchId> {
        match self {
            Self::Annulment(ids) => ids.clone(),
            Self::Adjudication(id, _) => vec![*id],
            _ => Vec::new(),
        }
    }

    /// True if it ends a running match, which takes the match's own transaction.
    pub fn ends_a_match(&self) -> bool {
        matches!(self, Self::Adjudication(_, decision) if decision.was == AdjudicationStatus::Running)
    }
}

/// JSON pointer of a match's decision in the request, for faults in it.
const ADJUDICATION: &str = "/adjudication";

/// A requested decision.
pub struct Order {
    pub measure: Measure,
    /// Shown to the player.
    pub reason: AuditReason,
}

/// The reason in the public ledger of ratings.
fn public() -> Result<AuditReason> {
    "decided in a case of fair play".parse().map_err(|why: String| Error::internal(why))
}

/// A case ready for this decision, as read before the transaction.
pub struct Ready {
    case: Case,
    /// Facts of a finished match to be adjudicated.
    facts: Option<MatchFacts>,
}

/// Reads the data for a decision, and refuses early: with `not-found`, `wrong-case-state`, `conflict-of-interest`,
/// `match-state-changed`, or `validation-failed` for a measure that doesn't fit the case.
pub async fn prepare(matches: &Matches, who: &Identity, id: CaseId, order: &Order) -> Result<Ready> {
    let mut conn = matches.db.conn().await?;
    let case = seen(&mut conn, matches, who, id).await?;
    match case.contest {
        Some(contest) => drop(head::run_by(&mut conn, matches, ContestId(contest.id()), who).await?),
        None => roles::check(&mut conn, matches, who, Role::Moderator).await?,
    }
    fits(&case, &order.measure)?;
    must_be_open(&case)?;
    must_be_unconcerned(&mut conn, &case, who.account).await?;
    drop(conn);
    let mut found = None;
    for id in order.measure.matches() {
        let facts = crate::matches::adjudicate::facts(matches, id).await?;
        if case.contest.is_some() && facts.contest != case.contest {
            return Err(Error::not_found());
        }
        let plain = Judge { account: who.account, contest: case.contest, right: () };
        adjudicate::may_judge(matches, &plain, id).await?;
        if matches!(order.measure, Measure::Adjudication(..)) && !order.measure.ends_a_match() {
            found = Some(adjudicate::finished(matches, &plain, id).await?);
        }
    }
    Ok(Ready { case, facts: found })
}

/// Fails if the measure doesn't fit a case of a contest, or of the server.
fn fits(case: &Case, measure: &Measure) -> Result<()> {
    match (measure, case.contest) {
        (Measure::Suspension(_), Some(_)) => {
            let detail = "is for cases of the server: organizers suspend nobody";
            Err(Error::invalid_at("/decision", "invalid-value", detail))
        }
        (Measure::Removal { .. }, None) => {
            Err(Error::invalid_at("/decision", "invalid-value", "is for cases of a ladder or a tournament"))
        }
        _ => Ok(()),
    }
}

/// Decides a case and carries the decision out. Returns the account whose running matches are to be resigned. Fails as
/// the measures do, and with `wrong-case-state` if the case was decided meanwhile.
pub async fn decide(
    tx: &mut Tx,
    matches: &Matches,
    who: &Identity,
    ready: Ready,
    order: Order,
) -> Result<Option<AccountId>> {
    let Ready { case, facts } = ready;
    let (kind, of) = (order.measure.kind(), order.measure.matches());
    let Order { measure, reason } = order;
    let player = subject(tx, &case).await?;
    let (mut until, mut forfeits) = (None, None);
    let actor = match (measure, case.contest) {
        (Measure::Suspension(suspension), _) => {
            until = suspension.until;
            let resigns = suspension.running == RunningMatchesPolicy::Forfeit;
            let name = player.ok_or_else(Error::not_found)?.1;
            let account = suspend::suspend(tx, matches, who, &name, suspension).await?;
            forfeits = resigns.then_some(account);
            roles::require(tx, matches, who, Role::Moderator).await?
        }
        (measure, None) => {
            let actor = roles::require(tx, matches, who, Role::Moderator).await?;
            let judge = adjudicate::moderator(matches, who);
            judged(tx, matches, &judge, measure, facts.as_ref()).await?;
            actor
        }
        (measure, Some(contest)) => {
            let actor = of_a_member(tx, matches, who, contest, player, (&measure, &reason)).await?;
            let right = async |tx: &mut Tx| umpire(tx, matches, who, contest).await;
            let judge = Judge { account: who.account, contest: Some(contest), right };
            judged(tx, matches, &judge, measure, facts.as_ref()).await?;
            actor
        }
    };
    let (by, at, reason_text) = (who.account, matches.clock.now(), reason.as_str().to_owned());
    let verdict = Verdict { kind, reason: reason_text, matches: of, ended_match: false, until, by, at };
    settle(tx, matches, (case.id, actor), verdict, &reason).await?;
    Ok(forfeits)
}

/// Decides a case by ending a running match, in the match's transaction. Fails with `match-state-changed` and no effect
/// if the match is over by now.
pub async fn decide_by_ending(
    matches: &Matches,
    who: &Identity,
    ready: Ready,
    order: Order,
    claim: Option<&Claim>,
) -> Result<()> {
    let Order { measure: Measure::Adjudication(id, decision), reason } = order else {
        return Err(Error::internal("no match is to be ended"));
    };
    let case = ready.case;
    let right = async |tx: &mut Tx| -> Result<Actor> {
        let actor = match case.contest {
            None => roles::require(tx, matches, who, Role::Moderator).await?,
            Some(contest) => {
                let player = subject(tx, &case).await?;
                let measure = Measure::Annulment(Vec::new());
                let actor = of_a_member(tx, matches, who, contest, player, (&measure, &reason)).await?;
                umpire(tx, matches, who, contest).await?;
                actor
            }
        };
        let (kind, reason_text) = (DecisionKind::Adjudication, reason.as_str().to_owned());
        let (by, at, matched) = (who.account, matches.clock.now(), vec![id]);
        let verdict = Verdict { kind, reason: reason_text, matches: matched, ended_match: true, until: None, by, at };
        settle(tx, matches, (case.id, actor), verdict, &reason).await?;
        Ok(actor)
    };
    let judge = Judge { account: who.account, contest: case.contest, right };
    adjudicate::end(matches, &judge, id, &decision, claim).await.map_err(|error| error.under(ADJUDICATION))
}

/// True if the same request has already ended the match and decided the case.
pub async fn has_ended(matches: &Matches, who: &Identity, order: &Order, claim: Option<&Claim>) -> bool {
    let (Measure::Adjudication(id, decision), Some(_)) = (&order.measure, claim) else { return false };
    let right = async |_: &mut Tx| -> Result<Actor> { Err(Error::not_found()) };
    let judge = Judge { account: who.account, contest: None, right };
    adjudicate::end(matches, &judge, *id, decision, claim).await.is_ok()
}

/// The subject of a case and their username; `None` if they have deleted their account.
async fn subject(conn: &mut Conn, case: &Case) -> Result<Option<(Player, Username)>> {
    let found = accounts::store::accounts::players(conn, &[case.subject.0]).await?.remove(&case.subject.0);
    let Some(player) = found else { return Ok(None) };
    let Ok(name) = player.username.parse::<Username>() else { return Ok(None) };
    Ok(Some((player, name)))
}

/// Carries out a contest's decision about a member. Fails with `not-an-organizer`, `account-suspended`, and as removing
/// and warning do; with `not-found` for a deleted account, unless the measure is no action.
async fn of_a_member(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    contest: Contest,
    player: Option<(Player, Username)>,
    (measure, reason): (&Measure, &AuditReason),
) -> Result<Actor> {
    let id = ContestId(contest.id());
    if matches!(measure, Measure::NoAction) {
        return Ok(head::hold(tx, ctx, who, id).await?.1.actor(who));
    }
    let (_, name) = player.ok_or_else(Error::not_found)?;
    let player = organizers::lock_named(tx, ctx, who, &name).await?;
    let (head, right) = head::hold(tx, ctx, who, id).await?;
    members::may_decide(who, (&head, right), &player)?;
    match measure {
        Measure::Warning => members::warn(tx, ctx, who, (contest, &player), reason).await?,
        Measure::Removal { bar } => remove(tx, ctx, who, contest, player.id, (reason, *bar)).await?,
        _ => {}
    }
    Ok(right.actor(who))
}

async fn remove(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    contest: Contest,
    player: AccountId,
    (reason, bar): (&AuditReason, bool),
) -> Result<()> {
    let mut told = match contest {
        Contest::Ladder(id) => {
            let (ladder, _) = ladders::edit::hold(tx, ctx, who, id, Needs::Organizer).await?;
            ladders::join::remove(tx, ctx, &ladder, player).await?
        }
        Contest::Tournament(id) => {
            let (tournament, _) = tournaments::edit::hold(tx, ctx, who, id, Needs::Organizer).await?;
            tournaments::entry::remove(tx, ctx, tournament, player).await?
        }
    };
    told.extend(members::removed(tx, ctx, who, (contest, player), reason, bar).await?);
    events::notify(tx, ctx, told).await
}

/// Carries out a decision about finished matches.
async fn judged(
    tx: &mut Tx,
    ctx: &Context,
    judge: &Judge<impl AsyncFn(&mut Tx) -> Result<Actor>>,
    measure: Measure,
    facts: Option<&MatchFacts>,
) -> Result<()> {
    match (measure, facts) {
        (Measure::Annulment(mut ids), _) => {
            ids.sort_unstable();
            for id in ids {
                adjudicate::annul(tx, ctx, judge, id, public()?).await?;
            }
            Ok(())
        }
        (Measure::Adjudication(id, decision), Some(facts)) => {
            let decision = adjudicate::Decision { reason: public()?, ..decision };
            adjudicate::recount(tx, ctx, judge, id, facts, decision).await.map_err(|error| error.under(ADJUDICATION))
        }
        _ => Ok(()),
    }
}

/// Stores the decision and notifies the player.
async fn settle(
    tx: &mut Tx,
    ctx: &Context,
    (id, actor): (CaseId, Actor),
    verdict: Verdict,
    reason: &AuditReason,
) -> Result<()> {
    let mut case = store::lock(tx, id).await?.ok_or_else(Error::not_found)?;
    must_be_open(&case)?;
    must_be_unconcerned(tx, &case, verdict.by).await?;
    // A decision without a measure can't be appealed.
    let open_s = if verdict.kind == DecisionKind::NoAction { 0 } else { APPEAL_S };
    case.closes_at = Some(verdict.at.plus_s(open_s));
    let details = json!({ "decision": verdict.kind.into_str(), "matches": verdict.matches });
    note(tx, ctx, (actor, AuditKind::CaseDecided), &case, Some(reason), details).await?;
    let (ladder, tournament) = case.of();
    let (at, kind) = (verdict.at, verdict.kind.into_str());
    case.verdict = Some(verdict);
    store::save(tx, &case).await?;
    let event = CaseDecidedEvent::at(at, case.id, ladder, tournament, kind, reason.as_str().to_owned());
    events::notify(tx, ctx, events::notification(case.subject, &[event.into()])?).await
}

//! Opening cases and adding to their files: evidence, kept as it was when added, and notes, visible only to handlers of
//! the case.

use broadside_contests::fair_play::{FindingKind, SUSPECT};
use serde_json::{Value, json};

use super::access::{Held, belongs, hold, seen};
use super::{Case, CaseEntry, Content, Evidence, EvidenceKind, MAX_EVIDENCE, MAX_NOTES, MAX_OPEN, store};
use crate::abuse_reports::{self, AbuseSubject};
use crate::accounts::roles::{self, Actor, Role};
use crate::accounts::{Identity, Username};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::contests::{self, Contest, head, members, organizers};
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result, problem};
use crate::ids::{AbuseReportId, CaseId, ContestId, MatchId, PairingId};
use crate::matches::{Matches, adjudicate};
use crate::moderation::shooting;
use crate::ratings::fair_play::{self, FairPlayFilter};
use crate::social::text::{Description, Title};
use crate::{accounts, pairings};

/// The number of newest matches in the analysis of hits.
const JUDGED: i64 = 50;
/// Processor time of the analysis of results, in milliseconds.
const FINDINGS_MS: u32 = 400;

pub struct NewCase {
    /// The contest whose organizers handle it; `None` for moderators.
    pub contest: Option<ContestId>,
    /// The subject.
    pub player: Username,
    pub title: Title,
}

/// Callers who aren't moderators can open cases only in a contest.
fn needs_contest(error: Error) -> Error {
    match error.problem().code {
        code if [problem::ROLE_MISSING.code, problem::INSUFFICIENT_SCOPE.code].contains(&code) => {
            Error::invalid_at("/contest_id", "missing-field", "is required")
        }
        _ => error,
    }
}

/// Opens a case about a present or former participant of the contest; for moderators, about any player. Fails with
/// `not-found`, `own-account`, `not-an-organizer`, `not-the-creator` if the player is an organizer of the contest,
/// `role-required`, and with `quota-exceeded` beyond [`MAX_OPEN`].
pub async fn open(tx: &mut Tx, ctx: &Context, who: &Identity, new: NewCase) -> Result<Case> {
    let NewCase { contest, player, title } = new;
    let (player, contest, actor) = match contest {
        Some(id) => {
            head::seen(tx, ctx, id, Some(who)).await?;
            let player = organizers::lock_named(tx, ctx, who, &player).await?;
            let (head, right) = head::hold(tx, ctx, who, id).await?;
            members::may_decide(who, (&head, right), &player)?;
            if !belongs(tx, head.contest, player.id).await? {
                return Err(members::no_member(&player));
            }
            (player, Some(head.contest), right.actor(who))
        }
        None => {
            let actor = roles::require(tx, ctx, who, Role::Moderator).await.map_err(needs_contest)?;
            let found = accounts::store::accounts::find_player(tx, &player).await?;
            let player = found.ok_or_else(|| organizers::no_player(player.as_str()))?;
            if player.id == who.account {
                return Err(Error::new(&problem::OWN_ACCOUNT, "Nobody opens a case about themselves."));
            }
            (player, None, actor)
        }
    };
    if store::count_open(tx, contest).await? >= MAX_OPEN {
        let detail = format!("There may be {MAX_OPEN} open cases: decide some first.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let case = Case {
        id: ctx.new_id(),
        contest,
        subject: player.id,
        title: title.as_str().to_owned(),
        opened_by: who.account,
        opened_at: ctx.clock.now(),
        verdict: None,
        appeal: None,
        closes_at: None,
    };
    store::insert(tx, &case).await?;
    note(tx, ctx, (actor, AuditKind::CaseOpened), &case, None, json!({})).await?;
    Ok(case)
}

/// A reference to new evidence.
pub enum Pointer {
    Match(MatchId),
    Pairing(PairingId),
    /// A report of the player's words. Moderators only.
    Report(AbuseReportId),
    /// The player's current hit analysis. Moderators only.
    Hits,
    /// A current finding in the player's results. Moderators only.
    Finding(FindingKind),
}

impl Pointer {
    fn is_for_moderators(&self) -> bool {
        matches!(self, Self::Report(_) | Self::Hits | Self::Finding(_))
    }
}

/// Reads the evidence for a case, which may take long, before the transaction that adds it. Fails with `not-found` if
/// there is no such case, or no such evidence about its player (and contest), and with `role-required` for evidence
/// reserved to moderators.
pub async fn look(matches: &Matches, who: &Identity, id: CaseId, pointer: Pointer) -> Result<Evidence> {
    let mut conn = matches.db.conn().await?;
    let case = seen(&mut conn, matches, who, id).await?;
    if pointer.is_for_moderators() {
        roles::check(&mut conn, matches, who, Role::Moderator).await?;
    }
    let evidence = |kind, matches, details| Evidence { kind, matches, pairing: None, report: None, details };
    Ok(match pointer {
        Pointer::Match(id) => {
            let facts = adjudicate::facts(matches, id).await?;
            let of_it = case.contest.is_none() || facts.contest == case.contest;
            of_it
                .then(|| evidence(EvidenceKind::Match, vec![id], json!({})))
                .ok_or_else(|| Error::nothing("The contest of this case has no such match."))?
        }
        Pointer::Pairing(id) => {
            let pairing = pairings::find(&mut conn, id).await?;
            let pairing = pairing.filter(|pairing| case.contest.is_none_or(|contest| contest == pairing.contest));
            let games = pairing
                .ok_or_else(|| Error::nothing("The contest of this case has no such pairing."))?
                .games
                .iter()
                .map(|game| game.match_id)
                .collect();
            Evidence { pairing: Some(id), ..evidence(EvidenceKind::Pairing, games, json!({})) }
        }
        Pointer::Report(id) => {
            let report = abuse_reports::about(&mut conn, id, case.subject).await?;
            let (matches, mut details) = words(report.subject);
            details["reason"] = report.reason.into_str().into();
            Evidence { report: Some(id), ..evidence(EvidenceKind::AbuseReport, matches, details) }
        }
        Pointer::Hits => {
            drop(conn);
            let judged = shooting::of_player(matches, case.subject, JUDGED).await?;
            let test = judged.last().map(|last| last.test).unwrap_or_default();
            let cut = |number: f64| (number * 100.0).floor() / 100.0;
            let details = json!({
                "shots": test.shots(), "hits": test.hits(), "expected_hits": cut(test.expected()),
                "evidence": cut(test.evidence()).clamp(1.0, 1e12), "suspect_from": SUSPECT,
                "is_suspect": test.is_suspect(),
            });
            evidence(EvidenceKind::HitAnalysis, judged.iter().map(|one| one.id).collect(), details)
        }
        Pointer::Finding(kind) => {
            drop(conn);
            crate::budget_owner::charge_more(matches.rate_limits.as_ref(), FINDINGS_MS)?;
            let now = matches.clock.now();
            let report = fair_play::report(&matches.db, &matches.pool, now, FairPlayFilter::default()).await?;
            let about = |players: &[crate::player::Player]| players.iter().any(|player| player.id == case.subject);
            let found = report.findings.into_iter().find(|found| found.kind == kind && about(&found.players));
            let found = found.ok_or_else(Error::not_found)?;
            // Other players in it are no part of this case.
            let details = json!({
                "kind": kind, "pool": found.pool, "figures": found.figures, "since": report.since, "until": report.until,
            });
            evidence(EvidenceKind::FairPlayFinding, found.matches, details)
        }
    })
}

/// The reported text by the player.
fn words(subject: AbuseSubject) -> (Vec<MatchId>, Value) {
    match subject {
        AbuseSubject::Message { match_id, room, number, text } => {
            (vec![match_id], json!({ "subject": "message", "room": room.into_str(), "number": number, "text": text }))
        }
        AbuseSubject::RuleSet { hash, title, text } => (
            Vec::new(),
            json!({ "subject": "rule-set", "named_rule_set": hash.as_str(), "title": title, "text": text }),
        ),
        AbuseSubject::Profile { username, bio, club } => {
            (Vec::new(), json!({ "subject": "profile", "username": username, "bio": bio, "club": club }))
        }
        AbuseSubject::Text { kind, id, title, text } => {
            (Vec::new(), json!({ "subject": kind.into_str(), "subject_id": id, "title": title, "text": text }))
        }
    }
}

/// Adds evidence that was [read before](look). Fails with `not-found`, `wrong-case-state` once the case is decided, and
/// with `quota-exceeded`.
pub async fn add_evidence(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: CaseId,
    evidence: Evidence,
) -> Result<CaseEntry> {
    let Held { case, actor, .. } = hold(tx, ctx, who, id).await?;
    let case = store::lock(tx, case.id).await?.ok_or_else(Error::not_found)?;
    must_be_open(&case)?;
    if store::count_entries(tx, id, false).await? >= MAX_EVIDENCE {
        let detail = format!("A case has {MAX_EVIDENCE} pieces of evidence at most.");
        return Err(Error::new(&problem::TOO_MANY_OPEN, detail));
    }
    let details = json!({ "evidence": evidence.kind.into_str() });
    let content = Content::Evidence(evidence);
    let entry = CaseEntry { id: ctx.new_id(), author: who.account, at: ctx.clock.now(), content };
    store::add(tx, id, &entry).await?;
    note(tx, ctx, (actor, AuditKind::CaseEvidenceAdded), &case, None, details).await?;
    Ok(entry)
}

/// Adds a note. Fails with `not-found`, and with `quota-exceeded`.
pub async fn add_note(tx: &mut Tx, ctx: &Context, who: &Identity, id: CaseId, text: Description) -> Result<CaseEntry> {
    let Held { case, actor, .. } = hold(tx, ctx, who, id).await?;
    if store::count_entries(tx, id, true).await? >= MAX_NOTES {
        return Err(Error::new(&problem::TOO_MANY_OPEN, format!("A case has {MAX_NOTES} notes at most.")));
    }
    let content = Content::Note(text.as_str().to_owned());
    let entry = CaseEntry { id: ctx.new_id(), author: who.account, at: ctx.clock.now(), content };
    store::add(tx, id, &entry).await?;
    note(tx, ctx, (actor, AuditKind::CaseNoted), &case, None, json!({})).await?;
    Ok(entry)
}

pub(super) fn must_be_open(case: &Case) -> Result<()> {
    if case.verdict.is_none() {
        return Ok(());
    }
    Err(Error::new(&problem::WRONG_CASE_STATE, "The case is decided."))
}

/// Records an action on a case in the audit log, which keeps no texts of the case.
pub(super) async fn note(
    tx: &mut Tx,
    ctx: &Context,
    (actor, kind): (Actor, AuditKind),
    case: &Case,
    reason: Option<&AuditReason>,
    mut details: Value,
) -> Result<()> {
    details["case_id"] = json!(case.id);
    let contest = case.contest.map(contests::subject).unwrap_or_default();
    let subject = AuditSubject { account: Some(case.subject), ..contest };
    let reason = match reason {
        Some(reason) => reason.clone(),
        None => "see the case".parse().map_err(|why: String| Error::internal(why))?,
    };
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await.map(drop)
}

/// The right to judge matches of the contest: that of an organizer who doesn't play in it.
pub(super) async fn umpire(tx: &mut Tx, ctx: &Context, who: &Identity, contest: Contest) -> Result<Actor> {
    match contest {
        Contest::Ladder(id) => crate::ladders::umpire::hold(tx, ctx, who, id).await,
        Contest::Tournament(id) => crate::tournaments::umpire::hold(tx, ctx, who, id).await.map(|(_, actor)| actor),
    }
}

//! JSON views of cases, for their handlers and for the player.

use broadside_rules::Time;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::cases::read::WholeCase;
use crate::cases::{
    AppealOutcome, Case, CaseEntry, CaseState, Content, DecisionKind, Evidence, EvidenceKind, Remedy, Verdict,
};
use crate::ids::{AbuseReportId, CaseEntryId, CaseId, LadderId, MatchId, PairingId, TournamentId};
use crate::player::Player;

crate::api::openapi::free_form! {
    /// What there was to know when the evidence was added, by its kind: nothing more of a match or a pairing; the
    /// words and the reason of a report; `shots`, `hits`, `expected_hits`, `evidence`, `suspect_from` and `is_suspect`
    /// of a hit analysis; `kind`, `pool`, `figures`, `since` and `until` of a fair-play finding.
    pub struct CaseEvidenceDetails;
}

/// A piece of evidence in a case, as it was when it was added.
#[derive(Serialize, ToSchema)]
#[schema(as = CaseEvidence)]
pub struct EvidenceBody {
    id: CaseEntryId,
    kind: EvidenceKind,
    /// The matches that it is about.
    #[schema(max_items = 50)]
    match_ids: Vec<MatchId>,
    /// The pairing; null: it is none.
    pairing_id: Option<PairingId>,
    #[schema(value_type = CaseEvidenceDetails)]
    details: Value,
    /// When it was added.
    at: Time,
}

impl EvidenceBody {
    pub fn of(entry: &CaseEntry) -> Option<Self> {
        let Content::Evidence(Evidence { kind, matches, pairing, details, .. }) = &entry.content else { return None };
        let (match_ids, details) = (matches.clone(), details.clone());
        Some(Self { id: entry.id, kind: *kind, match_ids, pairing_id: *pairing, details, at: entry.at })
    }
}

/// A piece of evidence, as those see it who look after the case.
#[derive(Serialize, ToSchema)]
#[schema(as = FiledCaseEvidence)]
pub struct FiledEvidenceBody {
    #[serde(flatten)]
    evidence: EvidenceBody,
    /// The report that it was taken from; null: it is none.
    abuse_report_id: Option<AbuseReportId>,
    /// Who has added it.
    author: Option<Player>,
}

/// A note in a case, for those who look after it.
#[derive(Serialize, ToSchema)]
#[schema(as = CaseNote)]
pub struct NoteBody {
    id: CaseEntryId,
    author: Option<Player>,
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    at: Time,
}

/// What was decided of a case.
#[derive(Serialize, ToSchema)]
#[schema(as = CaseDecision)]
pub struct DecisionBody {
    kind: DecisionKind,
    /// Why.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: String,
    /// Of which matches.
    #[schema(max_items = 20)]
    match_ids: Vec<MatchId>,
    /// Until when an account is suspended; null: for good, or it isn't.
    suspended_until: Option<Time>,
    at: Time,
}

impl From<&Verdict> for DecisionBody {
    fn from(verdict: &Verdict) -> Self {
        let Verdict { kind, reason, matches, until, at, .. } = verdict.clone();
        Self { kind, reason, match_ids: matches, suspended_until: until, at }
    }
}

/// An appeal, and what became of it.
#[derive(Serialize, ToSchema)]
#[schema(as = CaseAppeal)]
pub struct AppealBody {
    /// What the player says; null: they have deleted their account.
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: Option<String>,
    at: Time,
    /// Whether the decision stands; null: that isn't decided.
    outcome: Option<AppealOutcome>,
    /// Why; null: it isn't decided.
    #[schema(max_length = 500, pattern = "^[^\\u0000-\\u001f\\u007f]+$")]
    reason: Option<String>,
    /// What was undone; null: the decision stands, or that isn't decided.
    remedy: Option<Remedy>,
    /// When it was decided; null: it isn't.
    decided_at: Option<Time>,
}

impl AppealBody {
    fn of(case: &Case) -> Option<Self> {
        let appeal = case.appeal.clone()?;
        let decided = appeal.decided;
        Some(Self {
            text: appeal.text,
            at: appeal.at,
            outcome: decided.as_ref().map(|decided| decided.outcome),
            reason: decided.as_ref().map(|decided| decided.reason.clone()),
            remedy: decided.as_ref().and_then(|decided| decided.remedy),
            decided_at: decided.map(|decided| decided.at),
        })
    }
}

/// A case in a list, for those who look after it.
#[derive(Serialize, ToSchema)]
#[schema(as = CaseSummary)]
pub struct SummaryBody {
    id: CaseId,
    /// The ladder that it belongs to; null: it is no ladder's.
    ladder_id: Option<LadderId>,
    /// The tournament that it belongs to; null: it is no tournament's. The server's, where both are null.
    tournament_id: Option<TournamentId>,
    /// About whom it is; null: that account is gone.
    player: Option<Player>,
    /// What it is about.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    state: CaseState,
    opened_at: Time,
    /// What was decided; null: it is open.
    decision: Option<DecisionKind>,
    /// From when on it is closed; null: it is open, or an appeal waits.
    closes_at: Option<Time>,
}

impl From<WholeCase> for SummaryBody {
    fn from(whole: WholeCase) -> Self {
        let player = whole.player(whole.case.subject);
        let (ladder_id, tournament_id) = whole.case.of();
        let Case { id, title, opened_at, verdict, closes_at, .. } = whole.case;
        let decision = verdict.map(|verdict| verdict.kind);
        Self { id, ladder_id, tournament_id, player, title, state: whole.state, opened_at, decision, closes_at }
    }
}

/// A case, for those who look after it.
#[derive(Serialize, ToSchema)]
#[schema(as = Case)]
pub struct CaseBody {
    #[serde(flatten)]
    summary: SummaryBody,
    /// Who has opened it.
    opened_by: Option<Player>,
    /// What speaks for or against the player, the oldest first.
    #[schema(max_items = 50)]
    evidence: Vec<FiledEvidenceBody>,
    /// Notes, the oldest first.
    #[schema(max_items = 200)]
    notes: Vec<NoteBody>,
    /// What was decided; null: it is open.
    verdict: Option<DecisionBody>,
    /// Who has decided it.
    decided_by: Option<Player>,
    /// The appeal; null: there is none.
    appeal: Option<AppealBody>,
    /// Who has decided the appeal.
    appeal_decided_by: Option<Player>,
}

impl From<WholeCase> for CaseBody {
    fn from(whole: WholeCase) -> Self {
        let player = |id: Option<_>| id.and_then(|id| whole.player(id));
        let evidence = whole.entries.iter().filter_map(|entry| {
            let Content::Evidence(Evidence { report, .. }) = &entry.content else { return None };
            let evidence = EvidenceBody::of(entry)?;
            Some(FiledEvidenceBody { evidence, abuse_report_id: *report, author: player(Some(entry.author)) })
        });
        let notes = whole.entries.iter().filter_map(|entry| note(&whole, entry));
        let decided = whole.case.appeal.as_ref().and_then(|appeal| appeal.decided.as_ref());
        Self {
            opened_by: player(Some(whole.case.opened_by)),
            evidence: evidence.collect(),
            notes: notes.collect(),
            verdict: whole.case.verdict.as_ref().map(DecisionBody::from),
            decided_by: player(whole.case.verdict.as_ref().map(|verdict| verdict.by)),
            appeal: AppealBody::of(&whole.case),
            appeal_decided_by: player(decided.map(|decided| decided.by)),
            summary: whole.into(),
        }
    }
}

pub(super) fn note(whole: &WholeCase, entry: &CaseEntry) -> Option<NoteBody> {
    let Content::Note(text) = &entry.content else { return None };
    Some(NoteBody { id: entry.id, author: whole.player(entry.author), text: text.clone(), at: entry.at })
}

/// A case about you that was decided.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnCase)]
pub struct OwnCaseBody {
    id: CaseId,
    /// The ladder whose organizers have decided it; null: it is no ladder's.
    ladder_id: Option<LadderId>,
    /// The tournament whose organizers have decided it; null: it is no tournament's. Moderators, where both are null.
    tournament_id: Option<TournamentId>,
    /// What it is about.
    #[schema(max_length = 80, pattern = "^[^\\u0000-\\u001f]+$")]
    title: String,
    state: CaseState,
    /// On what it is based, the oldest first.
    #[schema(max_items = 50)]
    evidence: Vec<EvidenceBody>,
    /// What was decided.
    decision: Option<DecisionBody>,
    /// Until when you can appeal; null: you can't.
    appeal_until: Option<Time>,
    /// Your appeal; null: there is none.
    appeal: Option<AppealBody>,
}

impl From<WholeCase> for OwnCaseBody {
    fn from(whole: WholeCase) -> Self {
        let (ladder_id, tournament_id) = whole.case.of();
        let evidence = whole.entries.iter().filter_map(EvidenceBody::of).collect();
        let (decision, appeal) = (whole.case.verdict.as_ref().map(DecisionBody::from), AppealBody::of(&whole.case));
        let Case { id, title, closes_at, .. } = whole.case;
        let appeal_until = closes_at.filter(|_| whole.state == CaseState::Decided);
        let state = whole.state;
        Self { id, ladder_id, tournament_id, title, state, evidence, decision, appeal_until, appeal }
    }
}

/// A note that the account has written in a case.
#[derive(Serialize, ToSchema)]
pub struct ExportedCaseNote {
    case_id: CaseId,
    #[schema(max_length = 2000, pattern = "^[^\\u0000-\\u0009\\u000b-\\u001f]+$")]
    text: String,
    at: Time,
}

impl From<(CaseId, Time, String)> for ExportedCaseNote {
    fn from((case_id, at, text): (CaseId, Time, String)) -> Self {
        Self { case_id, text, at }
    }
}

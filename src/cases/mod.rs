//! Cases: what speaks for it that a player has broken the rules, what was decided and why, and one appeal.
//!
//! A case belongs to a ladder or a tournament, whose organizers look after it, or to the whole server, and then the
//! moderators do. What is decided is carried out by what does it elsewhere, too ([`decide`]), in the transaction that
//! decides the case; so there is no decision that wasn't carried out, and nothing is done twice.
//!
//! | what | file |
//! |---|---|
//! | who looks after a case, and who is concerned by it | [`access`] |
//! | it is opened; evidence and notes | [`file`] |
//! | it is decided | [`decide`] |
//! | the player appeals, and that is decided | [`appeal`] |
//! | lists, what the player reads, the export | [`read`] |
//!
//! Accounts and contests are locked before a case, and what they decide is done before its row is written.

pub mod access;
pub mod appeal;
pub mod decide;
pub mod file;
pub mod read;
pub(crate) mod store;

use broadside_rules::Time;
use serde_json::Value;

use crate::contests::{Contest, either};
use crate::context::Context;
use crate::error::Result;
use crate::ids::{AbuseReportId, AccountId, CaseEntryId, CaseId, MatchId, PairingId};
use crate::string_enums::string_enums;

/// How long the player may appeal, in seconds: 14 days.
pub const APPEAL_S: u32 = 14 * 24 * 60 * 60;
/// How long a case is kept after it is closed, in seconds: a year.
pub const RETENTION_S: u32 = 365 * 24 * 60 * 60;
/// How many cases of a contest may be open at once; the same number for the server.
pub const MAX_OPEN: i64 = 100;
/// How many pieces of evidence a case has at most.
pub const MAX_EVIDENCE: i64 = 50;
/// How many notes a case has at most.
pub const MAX_NOTES: i64 = 200;

string_enums! {
    /// How far a case is.
    pub enum CaseState {
        /// Nothing is decided yet.
        Open,
        /// It is decided, and the player may appeal.
        Decided,
        /// The player has appealed, and that isn't decided.
        Appealed,
        /// It is over.
        Closed,
    }

    /// What is decided of a case.
    #[schema(as = CaseDecisionKind)]
    pub enum DecisionKind {
        /// Nothing is done; the case is closed, and nobody can appeal.
        NoAction,
        /// The player is warned.
        Warning,
        /// Of a contest: the player is removed, and may join again.
        Removal,
        /// Of a contest: the player is removed, and can't join again.
        Bar,
        /// What matches have done to ratings is taken back.
        Annulment,
        /// A match ends, or counts, as it is decided.
        Adjudication,
        /// By moderators: the account is suspended.
        Suspension,
    }

    /// What becomes of a decision by an appeal.
    #[schema(as = CaseAppealOutcome)]
    pub enum AppealOutcome {
        /// The decision stands.
        Upheld,
        /// The decision was wrong.
        Overturned,
    }

    /// What overturning a decision has undone.
    #[schema(as = CaseRemedy)]
    pub enum Remedy {
        /// All of it: the bar or the suspension is lifted, or the matches count as they were played.
        Undone,
        /// Some of it: of several matches, some.
        PartlyUndone,
        /// Nothing: a warning was given, a match has ended, the player was removed (they may join again), it was over
        /// already, or something else was decided since.
        Stays,
    }

    /// What a piece of evidence is.
    #[schema(as = CaseEvidenceKind)]
    pub enum EvidenceKind {
        /// A match.
        Match,
        /// A pairing of the ladder or the tournament, with its matches.
        Pairing,
        /// Words of the player that were reported.
        AbuseReport,
        /// Whether the player hits too well, as it was judged then.
        HitAnalysis,
        /// What was striking in the results of the player's rated duels then.
        FairPlayFinding,
    }
}

/// What was decided.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub kind: DecisionKind,
    /// Why; the player reads it.
    pub reason: String,
    pub matches: Vec<MatchId>,
    /// Whether it has ended a match that was under way.
    pub ended_match: bool,
    /// Until when an account is suspended; none: for good, or it isn't.
    pub until: Option<Time>,
    /// By whom.
    pub by: AccountId,
    pub at: Time,
}

/// The appeal against a decision.
#[derive(Clone, Debug)]
pub struct Appeal {
    /// What the player says; none: they have deleted their account.
    pub text: Option<String>,
    /// When they said it.
    pub at: Time,
    /// What became of it; none: it waits.
    pub decided: Option<AppealDecision>,
}

/// What became of an appeal.
#[derive(Clone, Debug)]
pub struct AppealDecision {
    /// Whether the decision stands.
    pub outcome: AppealOutcome,
    /// Why; the player reads it.
    pub reason: String,
    /// What was undone; none: the decision stands.
    pub remedy: Option<Remedy>,
    /// By whom.
    pub by: AccountId,
    pub at: Time,
}

/// A case as it is stored.
#[derive(Clone, Debug)]
pub struct Case {
    /// Names it.
    pub id: CaseId,
    /// Whose organizers look after it; none: moderators do.
    pub contest: Option<Contest>,
    /// About whom it is.
    pub subject: AccountId,
    /// What it is about.
    pub title: String,
    pub opened_by: AccountId,
    pub opened_at: Time,
    /// What was decided.
    pub verdict: Option<Verdict>,
    pub appeal: Option<Appeal>,
    /// From when on it is closed; none: it is open, or an appeal waits.
    pub closes_at: Option<Time>,
}

impl Case {
    /// How far it is.
    pub fn state(&self, now: Time) -> CaseState {
        match (&self.verdict, self.closes_at) {
            (None, _) => CaseState::Open,
            (Some(_), None) => CaseState::Appealed,
            (Some(_), Some(at)) if now < at => CaseState::Decided,
            (Some(_), Some(_)) => CaseState::Closed,
        }
    }

    /// The ladder or the tournament that it belongs to.
    pub fn of(&self) -> (Option<crate::ids::LadderId>, Option<crate::ids::TournamentId>) {
        self.contest.map_or((None, None), either)
    }
}

/// Something that speaks for or against the player, as it was when it was added.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// The matches that it is about.
    pub matches: Vec<MatchId>,
    pub pairing: Option<PairingId>,
    pub report: Option<AbuseReportId>,
    /// What there was to know, as a JSON object.
    pub details: Value,
}

/// What an entry of the file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A piece of evidence.
    Evidence(Evidence),
    /// A note of those who look after the case.
    Note(String),
}

/// An entry of the file of a case.
#[derive(Clone, Debug)]
pub struct CaseEntry {
    /// Names it.
    pub id: CaseEntryId,
    /// Who has added it.
    pub author: AccountId,
    pub at: Time,
    /// What it holds.
    pub content: Content,
}

/// Deletes cases that have been closed for a year.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    let mut tx = ctx.db.begin().await?;
    store::forget_closed_before(&mut tx, then).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_case_is_open_then_decided_then_closed_and_an_appeal_keeps_it_from_closing() {
        let by = AccountId(Uuid::nil());
        let (id, title) = (CaseId(Uuid::nil()), "Two accounts".to_owned());
        let mut case = Case {
            id,
            contest: None,
            subject: by,
            title,
            opened_by: by,
            opened_at: Time(0),
            verdict: None,
            appeal: None,
            closes_at: None,
        };
        assert_eq!(case.state(Time(5)), CaseState::Open);
        let (kind, reason) = (DecisionKind::Warning, "because".to_owned());
        case.verdict =
            Some(Verdict { kind, reason, matches: Vec::new(), ended_match: false, until: None, by, at: Time(5) });
        case.closes_at = Some(Time(10));
        assert_eq!([Time(9), Time(10)].map(|now| case.state(now)), [CaseState::Decided, CaseState::Closed]);
        case.closes_at = None;
        assert_eq!(case.state(Time(20)), CaseState::Appealed);
    }
}

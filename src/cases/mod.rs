//! Cases: the evidence that a player has broken the rules, the decision with its reason, and one appeal.
//!
//! A case belongs to a ladder or a tournament, and is handled by its organizers, or to the whole server, and is handled
//! by moderators. A decision is carried out in the transaction that records it ([`decide`]), so every recorded decision
//! has taken effect, exactly once.
//!
//! | topic | file |
//! |---|---|
//! | handlers of a case, and the people concerned | [`access`] |
//! | opening; evidence and notes | [`file`] |
//! | decision | [`decide`] |
//! | appeal and its decision | [`appeal`] |
//! | lists, the player's view, the export | [`read`] |
//!
//! Lock order: accounts and contests before the case. Measures run before the row of the case is written.

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

/// Time to appeal, in seconds: 14 days.
pub const APPEAL_S: u32 = 14 * 24 * 60 * 60;
/// Retention of closed cases, in seconds: one year.
pub const RETENTION_S: u32 = 365 * 24 * 60 * 60;
/// Most open cases of a contest; the same limit holds for the server.
pub const MAX_OPEN: i64 = 100;
/// Most pieces of evidence in a case.
pub const MAX_EVIDENCE: i64 = 50;
/// Most notes in a case.
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

#[derive(Clone, Debug)]
pub struct Verdict {
    pub kind: DecisionKind,
    /// Shown to the player.
    pub reason: String,
    pub matches: Vec<MatchId>,
    /// True if it ended a running match.
    pub ended_match: bool,
    /// The end of a suspension; `None` if permanent, or if nobody is suspended.
    pub until: Option<Time>,
    /// The account that decided.
    pub by: AccountId,
    pub at: Time,
}

#[derive(Clone, Debug)]
pub struct Appeal {
    /// The player's text; `None` if they have deleted their account.
    pub text: Option<String>,
    pub at: Time,
    /// `None` while the appeal is pending.
    pub decided: Option<AppealDecision>,
}

#[derive(Clone, Debug)]
pub struct AppealDecision {
    pub outcome: AppealOutcome,
    /// Shown to the player.
    pub reason: String,
    /// `None` if the decision stands.
    pub remedy: Option<Remedy>,
    /// The account that decided.
    pub by: AccountId,
    pub at: Time,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub id: CaseId,
    /// The contest whose organizers handle it; `None` for moderators.
    pub contest: Option<Contest>,
    /// The player concerned.
    pub subject: AccountId,
    pub title: String,
    pub opened_by: AccountId,
    pub opened_at: Time,
    pub verdict: Option<Verdict>,
    pub appeal: Option<Appeal>,
    /// The time when it closes; `None` while it is open or an appeal is pending.
    pub closes_at: Option<Time>,
}

impl Case {
    pub fn state(&self, now: Time) -> CaseState {
        match (&self.verdict, self.closes_at) {
            (None, _) => CaseState::Open,
            (Some(_), None) => CaseState::Appealed,
            (Some(_), Some(at)) if now < at => CaseState::Decided,
            (Some(_), Some(_)) => CaseState::Closed,
        }
    }

    /// The ladder or the tournament of the case.
    pub fn of(&self) -> (Option<crate::ids::LadderId>, Option<crate::ids::TournamentId>) {
        self.contest.map_or((None, None), either)
    }
}

/// A piece of evidence, as it was when added.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub kind: EvidenceKind,
    /// The matches that it concerns.
    pub matches: Vec<MatchId>,
    pub pairing: Option<PairingId>,
    pub report: Option<AbuseReportId>,
    /// A JSON object.
    pub details: Value,
}

/// The content of an entry in a case's file.
#[derive(Clone, Debug)]
pub enum Content {
    Evidence(Evidence),
    /// A note by a handler of the case.
    Note(String),
}

/// An entry in the file of a case.
#[derive(Clone, Debug)]
pub struct CaseEntry {
    pub id: CaseEntryId,
    pub author: AccountId,
    pub at: Time,
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

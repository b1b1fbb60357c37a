//! The audit log: actions by moderators, organizers and the operator, one row for each.
//!
//! An entry is appended in the transaction of its action, so there is never one without the other. Nothing here changes
//! or deletes a row. Accounts are stored by id, so entries stay true when a player renames or deletes the account.

pub(crate) mod store;

use broadside_contests::RuleSetHash;
use broadside_rules::Time;
use serde_json::Value;

use crate::accounts::roles::Actor;
use crate::context::Context;
use crate::db::Tx;
use crate::error::{Error, Result};
use crate::ids::{AccountId, LadderId, MatchId, ModerationActionId, TournamentId};
use crate::player::Player;
use crate::string_enums::string_enums;
use crate::texts::{line, texts};

string_enums! {
    /// The kind of an action.
    #[schema(as = ModerationKind)]
    pub enum AuditKind {
        /// An account was given a role.
        RoleGranted,
        /// A role was taken from an account.
        RoleRevoked,
        /// The operator made a link with which the owner of an account chooses another password.
        PasswordResetLinkMade,
        /// The operator removed the second factor of an account.
        SecondFactorRemoved,
        /// The operator suspended an app that an account has registered: its grants ended, and it gets no others.
        AppSuspended,
        /// The operator let such an app get grants again.
        AppResumed,
        /// The operator removed an app that an account had registered: its grants ended.
        AppRemoved,
        /// The operator ended every session of an account.
        SignedOutEverywhere,
        /// An account was suspended.
        AccountSuspended,
        /// A suspension was lifted before its time.
        SuspensionLifted,
        /// A match's effect on ratings was reversed.
        MatchAnnulled,
        /// A match was ended, or a finished match was rated again with other ranks.
        MatchAdjudicated,
        /// Who runs a ladder or a tournament gave a seat of a match more time.
        MatchTimeAdded,
        /// Who runs a ladder or a tournament, or a moderator, asked for a substitute in a match.
        SubstituteRequested,
        /// They agreed to one, or objected.
        SubstituteDecided,
        /// Who runs a tournament moved the deadline of a round.
        RoundExtended,
        /// Who runs a tournament paired a round by hand before it began.
        RoundPaired,
        /// They let it begin.
        RoundReleased,
        /// Who runs a tournament gave a player a bye, or took it back.
        TournamentByeChanged,
        /// Who runs a tournament stated what the rounds are worth that a late entrant has missed.
        LateEntryScored,
        /// Who runs a ladder or a tournament paused it.
        ContestPaused,
        /// They let it go on before its pause ended by itself.
        ContestResumed,
        /// A report of abuse was dealt with.
        AbuseReportResolved,
        /// A case about a player was opened.
        CaseOpened,
        /// Evidence was added to a case.
        CaseEvidenceAdded,
        /// A note was added to a case.
        CaseNoted,
        /// A case was decided.
        CaseDecided,
        /// An appeal was decided.
        CaseAppealDecided,
        /// An organizer closed another player's ladder.
        LadderClosed,
        /// An organizer started another player's tournament.
        TournamentStarted,
        /// An organizer cancelled another player's tournament.
        TournamentCancelled,
        /// An organizer changed another player's ladder or tournament.
        ContestChanged,
        /// Title and text of a named rule set were hidden.
        RuleSetHidden,
        /// They were shown again.
        RuleSetUnhidden,
        /// The operator said that the service could not be reached, so that clocks rested.
        ClocksRested,
        /// The operator said that the database was put back to an earlier time.
        EpochBegan,
        /// The operator repaired a damaged match, or aborted it.
        MatchRepaired,
    }
}

impl AuditKind {
    /// The case actions; the player concerned doesn't see these entries here.
    pub const OF_CASES: [Self; 5] =
        [Self::CaseOpened, Self::CaseEvidenceAdded, Self::CaseNoted, Self::CaseDecided, Self::CaseAppealDecided];
}

texts! {
    /// The reason of an action: 1 to 500 characters on one line, not all of them blank.
    pub struct AuditReason: |text| line(text, 1, 500);
}

/// The subject of an action: any combination of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AuditSubject {
    pub account: Option<AccountId>,
    pub match_id: Option<MatchId>,
    pub ladder: Option<LadderId>,
    pub tournament: Option<TournamentId>,
    pub named_rule_set: Option<RuleSetHash>,
}

impl AuditSubject {
    pub fn account(account: AccountId) -> Self {
        Self { account: Some(account), ..Self::default() }
    }

    pub fn ladder(ladder: LadderId) -> Self {
        Self { ladder: Some(ladder), ..Self::default() }
    }

    pub fn match_id(match_id: MatchId) -> Self {
        Self { match_id: Some(match_id), ..Self::default() }
    }
}

/// An action, as described by the code that performs it.
pub struct AuditEntry {
    pub kind: AuditKind,
    pub subject: AuditSubject,
    pub reason: AuditReason,
    /// A JSON object; its fields depend on the kind.
    pub details: Value,
}

/// An entry as stored.
pub struct StoredAuditEntry {
    /// Ascends with time.
    pub id: ModerationActionId,
    /// The actor; `None` for the operator.
    pub actor: Option<AccountId>,
    pub entry: AuditEntry,
    pub at: Time,
}

/// An entry with the current names of its accounts.
pub struct NamedAuditEntry {
    pub stored: StoredAuditEntry,
    /// The actor; `None` for the operator.
    pub actor: Option<Player>,
    /// The account concerned.
    pub account: Option<Player>,
}

impl NamedAuditEntry {
    /// The entry on one line, for the command line.
    pub fn line(&self) -> String {
        let StoredAuditEntry { entry, at, .. } = &self.stored;
        let actor = self.actor.as_ref().map_or("the operator", |player| &player.username);
        let account = self.account.as_ref().map(|player| player.username.clone());
        let subject = [
            account,
            entry.subject.match_id.map(|id| format!("match {id}")),
            entry.subject.ladder.map(|id| format!("ladder {id}")),
            entry.subject.tournament.map(|id| format!("tournament {id}")),
        ];
        let subject: Vec<String> = subject.into_iter().flatten().collect();
        format!(
            "{at} {} {} by {actor}: {} {}",
            entry.kind.into_str(),
            subject.join(", "),
            entry.reason.as_str(),
            entry.details
        )
    }
}

/// A filter of entries; every field narrows the list.
#[derive(Default)]
pub struct AuditFilter {
    pub actor: Option<AccountId>,
    pub account: Option<AccountId>,
    pub match_id: Option<MatchId>,
    pub ladder: Option<LadderId>,
    pub named_rule_set: Option<RuleSetHash>,
    /// Excludes the case actions about this account.
    pub no_cases_about: Option<AccountId>,
    pub before: Option<ModerationActionId>,
}

/// The reason recorded when none was asked for.
pub fn changed_by_an_organizer() -> Result<AuditReason> {
    "changed by an organizer".parse().map_err(|why: String| Error::internal(why))
}

/// Appends an entry in the transaction of its action, and returns its id.
pub async fn append(tx: &mut Tx, ctx: &Context, actor: Actor, entry: AuditEntry) -> Result<ModerationActionId> {
    let stored = StoredAuditEntry { id: ctx.new_id(), actor: actor.account(), entry, at: ctx.clock.now() };
    store::insert(tx, &stored).await?;
    Ok(stored.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use uuid::Uuid;

    #[test]
    fn a_reason_is_one_line_that_says_something() {
        assert!("played by one person in two seats".parse::<AuditReason>().is_ok());
        for bad in ["", "   ", "a\nb", "a\u{1b}[2J", &"x".repeat(501)] {
            assert!(bad.parse::<AuditReason>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_entry_is_one_line() {
        let ben = Player { id: AccountId(Uuid::nil()), username: "ben".to_owned(), bot: false };
        let entry = AuditEntry {
            kind: AuditKind::AccountSuspended,
            subject: AuditSubject::account(ben.id),
            reason: "again".parse().unwrap(),
            details: json!({ "until": null }),
        };
        let stored = StoredAuditEntry { id: ModerationActionId(Uuid::nil()), actor: None, entry, at: Time(0) };
        let named = NamedAuditEntry { stored, actor: None, account: Some(ben) };
        assert!(named.line().ends_with("account-suspended ben by the operator: again {\"until\":null}"));
    }
}

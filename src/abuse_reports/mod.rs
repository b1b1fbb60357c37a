//! Abuse reports to moderators, about a chat message, a named rule set, a profile or another text ([`texts`]). A report
//! keeps a copy of the reported text. Each reporter has one report per subject; for profiles and titles, which change,
//! one open report.
//!
//! Reports are visible to moderators and the operator; reporters see their own in their export. They are kept for 180
//! days, even if the author deletes the account: deletion must not be an escape from a report.

mod store;
pub mod texts;

use broadside_contests::RuleSetHash;
use broadside_rules::Time;
use serde_json::json;
use texts::TextKind;
use uuid::Uuid;

use crate::accounts::account::KnownAccount;
use crate::accounts::profiles::AccountProfile;
use crate::accounts::roles::{self, Role};
use crate::accounts::{self, Identity, Username, account};
use crate::audit_log::{self, AuditEntry, AuditKind, AuditReason, AuditSubject};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AbuseReportId, AccountId, MatchId};
use crate::listed::Listed;
use crate::player::Player;
use crate::quotas::{Quota, Room};
use crate::social::chat::{self, ChatRoom, RoomAccess};
use crate::social::text::ChatText;
use crate::string_enums::string_enums;
use crate::{bot_offers, events, rulesets};

/// Retention of reports, in seconds: 180 days.
pub const RETENTION_S: u32 = 180 * 24 * 60 * 60;

string_enums! {
    /// Why something was reported.
    pub enum AbuseReason {
        /// It insults or harasses somebody.
        Harassment,
        /// It threatens somebody.
        Threat,
        /// It is directed against a group of people.
        Hate,
        /// It advertises, or repeats itself.
        Spam,
        /// It helps a player to information that the player may not have.
        Cheating,
        /// Something else, as the comment says.
        Other,
    }

    /// What was done about a report.
    pub enum AbuseReportResolution {
        /// No action: nothing is wrong, or not enough.
        NoAction,
        /// The author was suspended.
        Suspended,
        /// The reported words were removed.
        Removed,
        /// Something else, as the audit log says.
        Other,
    }
}

/// The subject of a report, with its text at the time of the report.
#[derive(Debug)]
pub enum AbuseSubject {
    Message {
        match_id: MatchId,
        room: ChatRoom,
        /// The number of the message in its room.
        number: u32,
        text: String,
    },
    /// Title and text of a named rule set. (The names of classes and ships are parameters, which stay readable under
    /// the hash.)
    RuleSet {
        hash: RuleSetHash,
        /// `None` if the author has deleted the account.
        title: Option<String>,
        text: Option<String>,
    },
    Profile {
        username: String,
        /// The player's bio; for a bot, its description is on a second line.
        bio: Option<String>,
        club: Option<String>,
    },
    Text {
        kind: TextKind,
        id: Uuid,
        title: Option<String>,
        text: Option<String>,
    },
}

pub struct AbuseReport {
    pub id: AbuseReportId,
    pub subject: AbuseSubject,
    pub reporter: AccountId,
    pub author: AccountId,
    pub reason: AbuseReason,
    pub comment: Option<String>,
    pub at: Time,
}

/// The reason and the comment of the reporter.
pub struct Complaint {
    pub reason: AbuseReason,
    pub comment: Option<ChatText>,
}

/// Reports a message of a room. A second report by the same account changes nothing. Fails with `not-found` when there
/// is no such message or its text is erased, and with `own-message` for the caller's own message.
pub async fn report_message(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    access: &RoomAccess,
    number: u32,
    complaint: Complaint,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let RoomAccess { match_id, room, .. } = *access;
    let (author, text) = chat::find(tx, match_id, room, number).await?.ok_or_else(Error::not_found)?;
    if author == who.account {
        return Err(Error::new(&problem::OWN_MESSAGE, "This message is your own."));
    }
    file(tx, ctx, who, author, AbuseSubject::Message { match_id, room, number, text }, complaint).await
}

/// Reports the words of a named rule set. A second report by the same account changes nothing. Fails with `not-found`
/// when there is no such rule set, and with `own-rule-set` for the caller's own.
pub async fn report_rule_set(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    hash: RuleSetHash,
    complaint: Complaint,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let published = rulesets::read::published(tx, hash).await?;
    if published.creator == who.account {
        return Err(Error::new(&problem::OWN_RULE_SET, "This rule set is your own."));
    }
    let title = Some(published.title.as_str().to_owned()).filter(|title| !title.is_empty());
    let text = published.text.map(|text| text.as_str().to_owned());
    file(tx, ctx, who, published.creator, AbuseSubject::RuleSet { hash, title, text }, complaint).await
}

/// Reports the name and the profile of a player. A second report by the same account changes nothing until the first is
/// resolved. Fails with `not-found` when there is no such player, and with `own-account` for the caller's own profile.
pub async fn report_profile(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    name: &Username,
    complaint: Complaint,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let known = accounts::store::accounts::find_by_name(tx, name).await?.filter(|known| !known.deleted);
    let KnownAccount { player, profile, .. } = known.ok_or_else(Error::not_found)?;
    if player.id == who.account {
        return Err(Error::new(&problem::OWN_ACCOUNT, "This profile is your own."));
    }
    let AccountProfile { bio, club, .. } = profile;
    let lines: Vec<String> = bio.into_iter().chain(bot_offers::description(tx, player.id).await?).collect();
    let bio = (!lines.is_empty()).then(|| lines.join("\n"));
    let subject = AbuseSubject::Profile { username: player.username, bio, club };
    file(tx, ctx, who, player.id, subject, complaint).await
}

async fn file(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    author: AccountId,
    subject: AbuseSubject,
    complaint: Complaint,
) -> Result<()> {
    let Complaint { reason, comment } = complaint;
    let comment = comment.map(|comment| comment.as_str().to_owned());
    let (id, reporter, at) = (ctx.new_id(), who.account, ctx.clock.now());
    let room = Room::of(tx, reporter, at, Quota::ReportsADay).await?;
    store::insert(tx, &AbuseReport { id, subject, reporter, author, reason, comment, at }).await?;
    room.check(tx).await
}

/// A report with the current names of the reporter and the author.
pub struct NamedAbuseReport {
    pub report: AbuseReport,
    pub reporter: Player,
    pub author: Player,
    /// The time and the resolution; `None` while the report is open.
    pub resolved: Option<(Time, AbuseReportResolution)>,
}

impl NamedAbuseReport {
    /// The report as text: one line about it, then the reported words, each line behind a bar.
    pub fn lines(&self) -> Vec<String> {
        let Self { report, reporter, author, resolved } = self;
        let (place, words) = match &report.subject {
            AbuseSubject::Message { match_id, room, number, text } => {
                (format!("match {match_id}, {} {number}", room.into_str()), [Some(text), None])
            }
            AbuseSubject::RuleSet { hash, title, text } => {
                (format!("the rule set {hash}"), [title.as_ref(), text.as_ref()])
            }
            AbuseSubject::Profile { username, bio, club } => {
                (format!("the profile of {username}"), [bio.as_ref(), club.as_ref()])
            }
            AbuseSubject::Text { kind, id, title, text } => {
                (format!("the {} {id}", kind.into_str()), [title.as_ref(), text.as_ref()])
            }
        };
        let resolved =
            resolved.map(|(at, what)| format!(" (dealt with at {at}: {})", what.into_str())).unwrap_or_default();
        let (at, reason) = (report.at, report.reason.into_str());
        let (reporter, author) = (&reporter.username, &author.username);
        let head = format!("{at} {reason}: {author} in {place}, reported by {reporter}{resolved}");
        let words = words.into_iter().flatten().flat_map(|text| text.lines()).map(|line| format!("  | {line}"));
        let comment = report.comment.iter().flat_map(|comment| comment.lines()).map(|line| format!("  > {line}"));
        [head].into_iter().chain(words).chain(comment).collect()
    }
}

/// All stored reports, oldest first.
pub async fn list(conn: &mut Conn) -> Result<Listed<NamedAbuseReport>> {
    store::list(conn).await
}

/// Selects the reports of a page.
#[derive(Clone, Copy, Default)]
pub struct AbuseReportFilter {
    /// True for resolved reports, false for open ones.
    pub resolved: bool,
    pub after: Option<AbuseReportId>,
}

/// A page of reports, the oldest first, for a moderator.
pub async fn page(
    ctx: &Context,
    who: &Identity,
    filter: AbuseReportFilter,
    limit: i64,
) -> Result<Listed<NamedAbuseReport>> {
    let mut conn = ctx.db.conn().await?;
    roles::check(&mut conn, ctx, who, Role::Moderator).await?;
    store::page(&mut conn, filter, limit).await
}

/// Resolves a report, and removes the reported text if that is the resolution. Fails with `not-found` if there is no
/// such report, `already-done` if it is resolved, and `conflict-of-interest` if it is about the caller's own text.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    id: AbuseReportId,
    resolution: AbuseReportResolution,
    reason: AuditReason,
) -> Result<()> {
    let actor = roles::require(tx, ctx, who, Role::Moderator).await?;
    let report = store::find(tx, id).await?.ok_or_else(Error::not_found)?;
    if report.author == who.account {
        let detail = "The report is about your own words: somebody else deals with it.";
        return Err(Error::new(&problem::CONFLICT_OF_INTEREST, detail));
    }
    if !store::resolve(tx, id, resolution, ctx.clock.now()).await? {
        return Err(Error::new(&problem::ALREADY_DONE, "Somebody has dealt with this report."));
    }
    let told = match resolution {
        AbuseReportResolution::Removed => texts::remove(tx, ctx, &report).await?,
        _ => Vec::new(),
    };
    let mut subject = AuditSubject::account(report.author);
    let mut details = json!({ "report_id": id, "resolution": resolution.into_str() });
    match report.subject {
        AbuseSubject::Message { match_id, room, number, .. } => {
            subject.match_id = Some(match_id);
            details["room"] = room.into_str().into();
            details["number"] = number.into();
        }
        AbuseSubject::RuleSet { hash, .. } => subject.named_rule_set = Some(hash),
        AbuseSubject::Profile { .. } => details["subject"] = "profile".into(),
        AbuseSubject::Text { kind, id, .. } => {
            details["subject"] = kind.into_str().into();
            details["subject_id"] = json!(id);
        }
    }
    let kind = AuditKind::AbuseReportResolved;
    audit_log::append(tx, ctx, actor, AuditEntry { kind, subject, reason, details }).await?;
    events::notify(tx, ctx, told).await
}

/// A report about a text by this author. Fails with `not-found` if there is none.
pub async fn about(conn: &mut Conn, id: AbuseReportId, author: AccountId) -> Result<AbuseReport> {
    let report = store::find(conn, id).await?.filter(|report| report.author == author);
    report.ok_or_else(Error::not_found)
}

/// The reports of an account, the oldest first, for its own export.
pub async fn export(conn: &mut Conn, reporter: AccountId) -> Result<Listed<AbuseReport>> {
    store::export(conn, reporter).await
}

/// Deletes reports that are older than 180 days.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    let mut tx = ctx.db.begin().await?;
    store::forget_before(&mut tx, then).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_so_that_no_text_passes_for_a_report() {
        let (match_id, room) = (MatchId(Uuid::nil()), ChatRoom::Players);
        let text = "one\n2026-11-21 harassment: anna".to_owned();
        let report = AbuseReport {
            id: AbuseReportId(Uuid::nil()),
            subject: AbuseSubject::Message { match_id, room, number: 3, text },
            reporter: AccountId(Uuid::nil()),
            author: AccountId(Uuid::nil()),
            reason: AbuseReason::Threat,
            comment: Some("twice\nby now".to_owned()),
            at: Time(0),
        };
        let player = |name: &str| Player { id: AccountId(Uuid::nil()), username: name.to_owned(), bot: false };
        let named = NamedAbuseReport { report, reporter: player("anna"), author: player("ben"), resolved: None };
        let lines = named.lines();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].contains("threat: ben in match") && lines[0].ends_with("players 3, reported by anna"));
        assert_eq!(lines[1..], ["  | one", "  | 2026-11-21 harassment: anna", "  > twice", "  > by now"]);
    }
}

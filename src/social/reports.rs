//! Reports of chat messages to the operator: each keeps the text as it was; one report for each reporter and message.
//!
//! Only moderators and the operator read them, and reporters see their own in their export. They are kept for 180 days,
//! also when the author deletes the account: deleting it must not be a way to escape a report.

use broadside_rules::Time;

use super::chat::{ChatRoom, RoomAccess};
use super::text::ChatText;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, ChatReportId, MatchId};
use crate::player::Player;
use crate::social::store;
use crate::string_enums::string_enums;

/// How long reports are kept, in seconds: 180 days.
pub const RETENTION_S: u32 = 180 * 24 * 60 * 60;

string_enums! {
    /// Why a message was reported.
    pub enum ChatReportReason {
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
    pub enum ChatReportOutcome {
        /// No action: nothing is wrong with the message, or not enough.
        NoAction,
        /// Its author was suspended.
        Suspended,
        /// Something else, as the audit log says.
        Other,
    }
}

/// A report as it is stored.
pub struct ChatReport {
    /// The id of the report.
    pub id: ChatReportId,
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: ChatRoom,
    /// The message's number in the room.
    pub number: u32,
    /// The account that reported it.
    pub reporter: AccountId,
    /// The author of the message.
    pub author: AccountId,
    /// The text at the time of the report.
    pub text: String,
    /// The reason.
    pub reason: ChatReportReason,
    /// The reporter's comment.
    pub comment: Option<String>,
    /// When it was reported.
    pub at: Time,
}

/// Reports a message of a room. A second report by the same account changes nothing. Fails with `not-found` when there
/// is no such message or its text is erased, and with `own-message` for the caller's own message.
pub async fn file(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    access: &RoomAccess,
    number: u32,
    reason: ChatReportReason,
    comment: Option<ChatText>,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let RoomAccess { match_id, room, .. } = *access;
    let message = store::chat::find(tx, match_id, room, number).await?;
    let (author, text) = message.and_then(|(author, text)| Some((author, text?))).ok_or_else(Error::not_found)?;
    if author == who.account {
        return Err(Error::new(&problem::OWN_MESSAGE, "This message is your own."));
    }
    let comment = comment.map(|comment| comment.as_str().to_owned());
    let (reporter, at) = (who.account, ctx.clock.now());
    let id = ctx.new_id();
    let report = ChatReport { id, match_id, room, number, reporter, author, text, reason, comment, at };
    store::reports::insert(tx, &report).await
}

/// A report with the current names of the reporter and the author.
pub struct NamedChatReport {
    /// The report.
    pub report: ChatReport,
    /// The account that reported it.
    pub reporter: Player,
    /// The author of the message.
    pub author: Player,
    /// When and how it was resolved; `None`: it is open.
    pub resolved: Option<(Time, ChatReportOutcome)>,
}

impl NamedChatReport {
    /// The report as text: one line about it, then the reported text, each line behind a bar.
    pub fn lines(&self) -> Vec<String> {
        let Self { report, reporter, author, resolved } = self;
        let ChatReport { match_id, room, number, reason, at, .. } = report;
        let (room, reason) = (room.into_str(), reason.into_str());
        let (reporter, author) = (&reporter.username, &author.username);
        let resolved =
            resolved.map(|(at, what)| format!(" (dealt with at {at}: {})", what.into_str())).unwrap_or_default();
        let head =
            format!("{at} {reason}: {author} in match {match_id}, {room} {number}, reported by {reporter}{resolved}");
        let message = report.text.lines().map(|line| format!("  | {line}"));
        let comment = report.comment.iter().flat_map(|comment| comment.lines()).map(|line| format!("  > {line}"));
        [head].into_iter().chain(message).chain(comment).collect()
    }
}

/// Every report that is kept, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<NamedChatReport>> {
    store::reports::list(conn).await
}

/// Selects the reports of a list.
#[derive(Clone, Copy, Default)]
pub struct ReportFilter {
    /// Resolved reports instead of open ones.
    pub resolved: bool,
    /// Only reports after this one.
    pub after: Option<ChatReportId>,
}

/// A page of reports, the oldest first.
pub async fn page(conn: &mut Conn, filter: ReportFilter, limit: i64) -> Result<Vec<NamedChatReport>> {
    store::reports::page(conn, filter, limit).await
}

/// Resolves a report, and returns it. Fails with `not-found` when there is none, and with `already-done` when it is
/// resolved.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    id: ChatReportId,
    resolution: ChatReportOutcome,
) -> Result<ChatReport> {
    let report = store::reports::find(tx, id).await?.ok_or_else(Error::not_found)?;
    if store::reports::resolve(tx, id, resolution, ctx.clock.now()).await? {
        return Ok(report);
    }
    Err(Error::new(&problem::ALREADY_DONE, "Somebody has dealt with this report."))
}

/// The reports of an account, for its own export.
pub(super) async fn export(conn: &mut Conn, reporter: AccountId) -> Result<Vec<ChatReport>> {
    store::reports::export(conn, reporter).await
}

/// Erases the comments of a reporter who deletes the account.
pub(super) async fn erase_comments(tx: &mut Tx, reporter: AccountId) -> Result<()> {
    store::reports::erase_comments(tx, reporter).await
}

/// Deletes reports that are older than 180 days.
pub(super) async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    let mut tx = ctx.db.begin().await?;
    store::reports::forget_before(&mut tx, then).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_report_is_told_so_that_no_text_passes_for_a_report() {
        let report = ChatReport {
            id: ChatReportId(Uuid::nil()),
            match_id: MatchId(Uuid::nil()),
            room: ChatRoom::Players,
            number: 3,
            reporter: AccountId(Uuid::nil()),
            author: AccountId(Uuid::nil()),
            text: "one\n2026-11-21 harassment: anna".to_owned(),
            reason: ChatReportReason::Threat,
            comment: Some("twice\nby now".to_owned()),
            at: Time(0),
        };
        let player = |name: &str| Player { id: AccountId(Uuid::nil()), username: name.to_owned(), bot: false };
        let named = NamedChatReport { report, reporter: player("anna"), author: player("ben"), resolved: None };
        let lines = named.lines();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].contains("threat: ben in match") && lines[0].ends_with("players 3, reported by anna"));
        assert_eq!(lines[1..], ["  | one", "  | 2026-11-21 harassment: anna", "  > twice", "  > by now"]);
    }
}

//! Messages that were reported to the operator: with the text as it was, one report for each reporter and message.
//!
//! Nobody but the operator reads them, and each reporter his own in his export. They are kept for 180 days, also when the author has deleted his account: else
//! that would be the way out.

use std::str::FromStr;

use broadside_rules::Time;
use utoipa::ToSchema;

use super::chat::{Entered, Room};
use super::text::Remark;
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, MatchId, ReportId};
use crate::player::Player;
use crate::social::store;
use crate::words::words;

/// How long reports are kept, in seconds: 180 days.
pub const KEPT_S: u32 = 180 * 24 * 60 * 60;

/// Why a message was reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = ReportReason, rename_all = "kebab-case")]
pub enum Reason {
    /// It insults or hounds somebody.
    Harassment,
    /// It threatens somebody.
    Threat,
    /// It is directed against a group of people.
    Hate,
    /// It advertises, or says the same again and again.
    Spam,
    /// It helps somebody to what he may not know.
    Cheating,
    /// Something else, as the comment says.
    Other,
}

words!(Reason {
    Harassment "harassment", Threat "threat", Hate "hate", Spam "spam", Cheating "cheating", Other "other",
});

/// What was done about a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ToSchema)]
#[schema(as = ReportResolution, rename_all = "kebab-case")]
pub enum Resolution {
    /// Nothing: there is nothing wrong with the message, or not enough.
    NoAction,
    /// Its author was suspended.
    Suspended,
    /// Something else, as the log says.
    Other,
}

words!(Resolution { NoAction "no-action", Suspended "suspended", Other "other" });

/// A report as it is stored.
pub struct Filed {
    /// Its name.
    pub id: ReportId,
    /// The match.
    pub match_id: MatchId,
    /// The room.
    pub room: Room,
    /// The message's number in the room.
    pub number: u32,
    /// Who reported it.
    pub reporter: AccountId,
    /// Who wrote it.
    pub author: AccountId,
    /// What it said.
    pub text: String,
    /// Why.
    pub reason: Reason,
    /// What the reporter says of it.
    pub comment: Option<String>,
    /// When it was reported.
    pub at: Time,
}

/// Reports a message of a room; nothing new if its reporter has reported it before. `not-found` when there is no such message or its text is gone, `not-for-you`
/// for one's own.
pub async fn file(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    entered: &Entered,
    number: u32,
    reason: Reason,
    comment: Option<Remark>,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let Entered { match_id, room, .. } = *entered;
    let message = store::chat::find(tx, match_id, room, number).await?;
    let (author, text) = message.and_then(|(author, text)| Some((author, text?))).ok_or_else(Error::not_found)?;
    if author == who.account {
        return Err(Error::new(&problem::NOT_FOR_YOU, "This message is your own."));
    }
    let comment = comment.map(|comment| comment.as_str().to_owned());
    let (reporter, at) = (who.account, ctx.clock.now());
    let id = ctx.new_id();
    let filed = Filed { id, match_id, room, number, reporter, author, text, reason, comment, at };
    store::reports::insert(tx, &filed).await
}

/// A report with the names of today, for the operator.
pub struct Listed {
    /// The report.
    pub filed: Filed,
    /// Who reported it.
    pub reporter: Player,
    /// Who wrote it.
    pub author: Player,
    /// When somebody has dealt with it, and what was done; none: nobody has.
    pub resolved: Option<(Time, Resolution)>,
}

impl Listed {
    /// The report in words: a line that says what it is about, and the text, each line of it behind a bar.
    pub fn lines(&self) -> Vec<String> {
        let Self { filed, reporter, author, resolved } = self;
        let Filed { match_id, room, number, reason, at, .. } = filed;
        let (room, reason) = (room.word(), reason.word());
        let (reporter, author) = (&reporter.username, &author.username);
        let resolved = resolved.map(|(at, what)| format!(" (dealt with at {at}: {})", what.word())).unwrap_or_default();
        let head =
            format!("{at} {reason}: {author} in match {match_id}, {room} {number}, reported by {reporter}{resolved}");
        let said = filed.text.lines().map(|line| format!("  | {line}"));
        let comment = filed.comment.iter().flat_map(|comment| comment.lines()).map(|line| format!("  > {line}"));
        [head].into_iter().chain(said).chain(comment).collect()
    }
}

/// Every report that is kept, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<Listed>> {
    store::reports::list(conn).await
}

/// Which reports to list.
#[derive(Clone, Copy, Default)]
pub struct Which {
    /// Those that somebody has dealt with, instead of the others.
    pub resolved: bool,
    /// Only those behind this one.
    pub after: Option<ReportId>,
}

/// Some reports, the oldest first.
pub async fn page(conn: &mut Conn, which: Which, limit: i64) -> Result<Vec<Listed>> {
    store::reports::page(conn, which, limit).await
}

/// Notes what was done about a report, and returns it. `not-found` when there is none, `already-done` when that was noted before.
pub async fn resolve(tx: &mut Tx, ctx: &Context, id: ReportId, resolution: Resolution) -> Result<Filed> {
    let filed = store::reports::find(tx, id).await?.ok_or_else(Error::not_found)?;
    if store::reports::resolve(tx, id, resolution, ctx.clock.now()).await? {
        return Ok(filed);
    }
    Err(Error::new(&problem::ALREADY_DONE, "Somebody has dealt with this report."))
}

/// What an account has reported, for its own export.
pub(super) async fn all_of(conn: &mut Conn, reporter: AccountId) -> Result<Vec<Filed>> {
    store::reports::all_of(conn, reporter).await
}

/// Takes the words of somebody who deletes his account out of what he reported.
pub(super) async fn blank(tx: &mut Tx, reporter: AccountId) -> Result<()> {
    store::reports::blank(tx, reporter).await
}

/// Forgets what is too old.
pub(super) async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(KEPT_S) * 1000);
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
        let filed = Filed {
            id: ReportId(Uuid::nil()),
            match_id: MatchId(Uuid::nil()),
            room: Room::Players,
            number: 3,
            reporter: AccountId(Uuid::nil()),
            author: AccountId(Uuid::nil()),
            text: "one\n2026-11-21 harassment: anna".to_owned(),
            reason: Reason::Threat,
            comment: Some("twice\nby now".to_owned()),
            at: Time(0),
        };
        let player = |name: &str| Player { id: AccountId(Uuid::nil()), username: name.to_owned(), bot: false };
        let listed = Listed { filed, reporter: player("anna"), author: player("ben"), resolved: None };
        let lines = listed.lines();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].contains("threat: ben in match") && lines[0].ends_with("players 3, reported by anna"));
        assert_eq!(lines[1..], ["  | one", "  | 2026-11-21 harassment: anna", "  > twice", "  > by now"]);
    }
}

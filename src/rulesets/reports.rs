//! Reports of named rule sets to the moderators: each keeps title and text as they were; one report for each reporter
//! and rule set.
//!
//! As with [reports of messages](crate::social::reports): only moderators and the operator read them, reporters see
//! their own in their export, and they are kept for 180 days, also when the author deletes the account. The names of
//! classes and ships are parameters, which stay readable under the hash.

use broadside_contests::RuleSetHash;
use broadside_rules::Time;

use super::{read, store};
use crate::accounts::{Identity, account};
use crate::context::Context;
use crate::db::{Conn, Tx};
use crate::error::{Error, Result, problem};
use crate::ids::{AccountId, ChatReportId};
use crate::player::Player;
use crate::social::reports::{ChatReportOutcome, ChatReportReason, RETENTION_S, ReportFilter};
use crate::social::text::ChatText;

/// A report as it is stored.
pub struct RuleSetReport {
    /// The id of the report.
    pub id: ChatReportId,
    /// The rule set.
    pub rule_set: RuleSetHash,
    /// The account that reported it.
    pub reporter: AccountId,
    /// Who has published it.
    pub author: AccountId,
    /// The title at the time of the report; empty: its author had deleted the account.
    pub title: String,
    /// The text at the time of the report.
    pub text: Option<String>,
    /// The reason.
    pub reason: ChatReportReason,
    /// The reporter's comment.
    pub comment: Option<String>,
    /// When it was reported.
    pub at: Time,
}

/// A report with the current names of the reporter and the author.
pub struct NamedRuleSetReport {
    /// The report.
    pub report: RuleSetReport,
    /// The account that reported it.
    pub reporter: Player,
    /// Who has published it.
    pub author: Player,
    /// When and how it was resolved; `None`: it is open.
    pub resolved: Option<(Time, ChatReportOutcome)>,
}

impl NamedRuleSetReport {
    /// The report as text: one line about it, then title and text as they were, each line behind a bar.
    pub fn lines(&self) -> Vec<String> {
        let Self { report, reporter, author, resolved } = self;
        let RuleSetReport { rule_set, reason, at, .. } = report;
        let (reason, reporter, author) = (reason.into_str(), &reporter.username, &author.username);
        let resolved =
            resolved.map(|(at, what)| format!(" (dealt with at {at}: {})", what.into_str())).unwrap_or_default();
        let head = format!("{at} {reason}: {author} in the rule set {rule_set}, reported by {reporter}{resolved}");
        let behind = |bar: char, text: &str| text.lines().map(|line| format!("  {bar} {line}")).collect::<Vec<_>>();
        let words = [Some(&report.title), report.text.as_ref()].into_iter().flatten();
        let words = words.flat_map(|text| behind('|', text));
        let comment = report.comment.iter().flat_map(|comment| behind('>', comment));
        [head].into_iter().chain(words).chain(comment).collect()
    }
}

/// Reports a rule set. A second report by the same account changes nothing. Fails with `not-found` when there is no
/// such rule set, and with `own-rule-set` for the caller's own.
pub async fn file(
    tx: &mut Tx,
    ctx: &Context,
    who: &Identity,
    hash: RuleSetHash,
    reason: ChatReportReason,
    comment: Option<ChatText>,
) -> Result<()> {
    account::lock_active(tx, ctx, who.account).await?;
    let published = read::published(tx, hash).await?;
    if published.creator == who.account {
        return Err(Error::new(&problem::OWN_RULE_SET, "This rule set is your own."));
    }
    let report = RuleSetReport {
        id: ctx.new_id(),
        rule_set: hash,
        reporter: who.account,
        author: published.creator,
        title: published.title.as_str().to_owned(),
        text: published.text.map(|text| text.as_str().to_owned()),
        reason,
        comment: comment.map(|comment| comment.as_str().to_owned()),
        at: ctx.clock.now(),
    };
    store::reports::insert(tx, &report).await
}

/// Every report that is kept, the oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<NamedRuleSetReport>> {
    store::reports::list(conn).await
}

/// A page of reports, the oldest first.
pub async fn page(conn: &mut Conn, filter: ReportFilter, limit: i64) -> Result<Vec<NamedRuleSetReport>> {
    store::reports::page(conn, filter, limit).await
}

/// Resolves a report, and returns it. Fails with `not-found` when there is none, and with `already-done` when it is
/// resolved.
pub async fn resolve(
    tx: &mut Tx,
    ctx: &Context,
    id: ChatReportId,
    resolution: ChatReportOutcome,
) -> Result<RuleSetReport> {
    let report = store::reports::find(tx, id).await?.ok_or_else(Error::not_found)?;
    if store::reports::resolve(tx, id, resolution, ctx.clock.now()).await? {
        return Ok(report);
    }
    Err(Error::new(&problem::ALREADY_DONE, "Somebody has dealt with this report."))
}

/// The reports of an account, for its own export.
pub async fn export(conn: &mut Conn, reporter: AccountId) -> Result<Vec<RuleSetReport>> {
    store::reports::export(conn, reporter).await
}

/// Deletes reports that are older than 180 days.
pub async fn forget_old(ctx: &Context) -> Result<()> {
    let then = ctx.clock.now().plus_ms(-i64::from(RETENTION_S) * 1000);
    let mut tx = ctx.db.begin().await?;
    store::reports::forget_before(&mut tx, then).await?;
    tx.commit().await
}

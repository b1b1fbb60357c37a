//! Reading: the reports of a viewer, lists of matches, and waiting for news.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use broadside_rules::{Time, View};
use serde_json::value::RawValue;

use super::access::Access;
use super::documents::{MatchDocument, ReportLog, as_json};
use super::match_state::{disclose_to, entry, terms};
use super::{MatchCounts, MatchFilter, MatchSnapshot, MatchSummary};
use crate::budget_owner;
use crate::context::Context;
use crate::db::{Conn, PublicRead, within};
use crate::document::Document;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::listed::{Listed, readable};
use crate::matches::{Matches, store};
use crate::work_pool::Lane;

/// How often a waiting reader asks the database for news, in case a wake-up was lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Waits until the match has a version above `after` for this viewer, at most for `patience`.
#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
pub async fn wait(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    after: u32,
    patience: Duration,
) -> Result<()> {
    let give_up = tokio::time::Instant::now() + patience;
    // Subscribed before the match is read, so that news between the two isn't missed.
    let mut bell = matches.wakeups.subscribe(id.0);
    loop {
        let version = matches.read(id, account).await?.view().version();
        if version > after || tokio::time::Instant::now() >= give_up {
            return Ok(());
        }
        let pause = tokio::time::sleep_until(give_up.min(tokio::time::Instant::now() + LOOK_AGAIN));
        tokio::select! {
            () = bell.woken() => {}
            () = pause => {}
            () = matches.stopped() => return Ok(()),
        }
    }
}

/// A page of the reports of a match that is over, as `render` makes it of them; it says whether there are more. Nothing
/// is loaded or folded if the page, or the match's reports, are kept.
pub async fn page_of_ended(
    matches: &Matches,
    access: &Access,
    after: u32,
    limit: u32,
    render: impl FnOnce(&[Box<RawValue>], bool) -> Result<Document> + Send + 'static,
) -> Result<Arc<Document>> {
    let make = async {
        let all = matches.documents.reports(access, reports(matches, access, 0, usize::MAX)).await?;
        let cut = move || {
            // Numbers begin at 1 and have no gaps.
            let rest = all.get(after as usize..).unwrap_or_default();
            let page = rest.get(..limit as usize).unwrap_or(rest);
            render(page, rest.len() > page.len())
        };
        matches.pool.run(Lane::Heavy, cut).await?
    };
    matches.documents.document(access, MatchDocument::Reports { after, limit }, make).await
}

/// The viewer's reports with a number above `after`, in order, `limit` at most, each as JSON.
pub async fn reports(matches: &Matches, access: &Access, after: u32, limit: usize) -> Result<ReportLog> {
    let mut stored = if access.is_over {
        matches.stored_ended(access).await?
    } else {
        matches.stored(access.id).await?.ok_or_else(Error::not_found)?
    };
    let (account, is_over) = (access.account, access.is_over);
    let fold = move || {
        let entries = std::mem::take(&mut stored.entries);
        let terms = terms(stored)?;
        let viewer = terms.viewer(account, is_over)?;
        // Only this viewer's view is folded, and no further than the page goes.
        let mut view = View::new(&terms.setup, viewer);
        let mut reports = Vec::new();
        for bytes in entries {
            let entry = entry(&bytes, &terms)?;
            for event in &entry.events {
                let report = disclose_to(&terms.setup, &mut view, event, entry.at);
                if let Some(report) = report.filter(|_| view.version() > after && reports.len() < limit) {
                    reports.push(as_json(&report)?);
                }
            }
            if reports.len() >= limit {
                break;
            }
        }
        Ok(reports)
    };
    matches.pool.run(Lane::Heavy, fold).await?
}

/// A page of matches, the newest first.
pub async fn list(ctx: &Context, filter: &MatchFilter) -> Result<Listed<MatchSummary>> {
    let turn = async { ctx.long_reads.acquire().await.map_err(Error::internal) };
    let _turn = within(ctx.db.deadline(), turn).await?;
    let mut conn = ctx.db.conn().await?;
    store::lists::list(&mut conn, filter).await
}

/// A page of matches that are over, the newest first: everybody may see these. Who else is `viewer` or must act makes
/// no difference.
pub async fn list_finished(ctx: &Context, filter: MatchFilter) -> Result<Listed<MatchSummary>> {
    let turn = async { ctx.long_reads.acquire().await.map_err(Error::internal) };
    let _turn = within(ctx.db.deadline(), turn).await?;
    let filter = &MatchFilter { status: Some(FINISHED.to_owned()), viewer: None, to_act: None, ..filter };
    ctx.public_reads.read(async |conn: &mut PublicRead| store::lists::list_public(conn, filter).await).await
}

/// The status of a match that is over.
pub const FINISHED: &str = "finished";

/// How many matches may wait for an account in one answer.
const MOST_TURNS: i64 = 500;

/// The matches that wait for an account, the most urgent first; those without a deadline last.
pub async fn waiting(ctx: &Context, account: AccountId) -> Result<Listed<MatchSummary>> {
    let me = Some(account);
    let filter = MatchFilter { player: me, to_act: me, viewer: me, limit: MOST_TURNS, ..MatchFilter::default() };
    let mut waiting = list(ctx, &filter).await?;
    waiting.items.sort_by_key(|summary| (summary.deadline.is_none(), summary.deadline, summary.id));
    Ok(waiting)
}

/// A match that waits for an account, as the account sees it.
pub struct Turn {
    /// What is public of it.
    pub summary: MatchSummary,
    /// The account's view.
    pub snapshot: MatchSnapshot,
}

/// The turns of an account.
pub struct Turns {
    /// Those that can be read.
    pub turns: Vec<Turn>,
    /// Whether there are others.
    pub incomplete: bool,
}

/// The views of matches that wait for an account. Those that have gone on meanwhile, and wait for somebody else now,
/// are left out. So is one that can't be read, and then the list is marked as incomplete. What is in memory is taken
/// as it is, without a statement, if it is as new as the list. More than a few cost the caller more
/// than the price: a view of one costs a part of a millisecond, and one that has to be read a millisecond.
pub async fn turns(matches: &Matches, waiting: Listed<MatchSummary>, account: AccountId) -> Result<Turns> {
    let is_known = |summary: &&MatchSummary| matches.known_as_of(summary.id, summary.mark).is_some();
    let mut incomplete = false;
    let waiting = waiting.note(&mut incomplete);
    let known = waiting.iter().filter(is_known).count();
    let ms = (waiting.len() - known) + known / TURNS_A_MS;
    budget_owner::charge_more(matches.rate_limits.as_ref(), u32::try_from(ms).unwrap_or(u32::MAX))?;
    let epoch = matches.epochs.current();
    let mut turns = Vec::with_capacity(waiting.len());
    for summary in waiting {
        let state = match matches.known_as_of(summary.id, summary.mark) {
            Some(state) => Ok(state),
            None => matches.current(summary.id).await,
        };
        let snapshot = state.and_then(|state| MatchSnapshot::of(state, Some(account), epoch));
        let Some(snapshot) = readable("a match can't be read; lists leave it out", summary.id, snapshot)? else {
            incomplete = true;
            continue;
        };
        let view = snapshot.view();
        if view.viewer().seat().is_some_and(|seat| view.to_act().contains(seat)) {
            turns.push(Turn { summary, snapshot });
        }
    }
    Ok(Turns { turns, incomplete })
}

/// Whether the two accounts have a match in common, running or over.
pub async fn have_met(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    store::access::have_met(conn, one, other).await
}

/// How many views with their decisions are made in a millisecond.
const TURNS_A_MS: usize = 4;

/// Every match of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<MatchSummary>> {
    let filter =
        MatchFilter { player: Some(account), viewer: Some(account), limit: i64::MAX, ..MatchFilter::default() };
    store::lists::list(conn, &filter).await
}

/// How many matches each of these accounts plays now; one that plays none is left out.
pub async fn running_of(conn: &mut Conn, accounts: &[AccountId]) -> Result<HashMap<AccountId, u32>> {
    store::lists::running_of(conn, accounts).await
}

/// How many matches an account has played.
pub async fn counts(conn: &mut PublicRead, account: AccountId) -> Result<MatchCounts> {
    store::lists::counts(conn, account).await
}

/// The players who answer for a time-out in any of these matches.
pub async fn at_fault(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    store::lists::at_fault(conn, matches).await
}

/// The players who have given up their seats in any of these matches.
pub async fn former_players(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    store::lists::former_players(conn, matches).await
}

/// The matches that were over with a result in this time, by their ids, from behind one on.
pub async fn finished_in(
    ctx: &Context,
    from: Time,
    until: Time,
    after: Option<MatchId>,
    limit: i64,
) -> Result<Vec<MatchId>> {
    store::lists::finished_in(&mut ctx.db.conn().await?, from, until, after, limit).await
}

//! Reads: a viewer's reports, lists of matches, and waiting for news.

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

/// Interval at which a waiting reader polls the database, in case a wake-up was lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Waits up to `patience` until the match has a version above `after` for this viewer.
#[expect(clippy::disallowed_methods, reason = "it measures a duration, and nothing stored depends on it")]
pub async fn wait(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    after: u32,
    patience: Duration,
) -> Result<()> {
    let give_up = tokio::time::Instant::now() + patience;
    // Subscribe before reading the match, so that news in between isn't missed.
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

/// A page of a finished match's reports, made by `render`, which also gets whether there are more. Nothing is loaded or
/// folded if the page or the reports are cached.
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
            // Numbers start at 1 without gaps.
            let rest = all.get(after as usize..).unwrap_or_default();
            let page = rest.get(..limit as usize).unwrap_or(rest);
            render(page, rest.len() > page.len())
        };
        matches.pool.run(Lane::Heavy, cut).await?
    };
    matches.documents.document(access, MatchDocument::Reports { after, limit }, make).await
}

/// The viewer's reports numbered above `after`, in order, up to `limit`, each as JSON.
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
        // Fold only this viewer's view, and only up to the end of the page.
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

/// A page of matches, newest first.
pub async fn list(ctx: &Context, filter: &MatchFilter) -> Result<Listed<MatchSummary>> {
    let turn = async { ctx.long_reads.acquire().await.map_err(Error::internal) };
    let _turn = within(ctx.db.deadline(), turn).await?;
    let mut conn = ctx.db.conn().await?;
    store::lists::list(&mut conn, filter).await
}

/// A page of finished matches, newest first. They are public, so `viewer` and the seats to act make no difference.
pub async fn list_finished(ctx: &Context, filter: MatchFilter) -> Result<Listed<MatchSummary>> {
    let turn = async { ctx.long_reads.acquire().await.map_err(Error::internal) };
    let _turn = within(ctx.db.deadline(), turn).await?;
    let filter = &MatchFilter { status: Some(FINISHED.to_owned()), viewer: None, to_act: None, ..filter };
    ctx.public_reads.read(async |conn: &mut PublicRead| store::lists::list_public(conn, filter).await).await
}

pub const FINISHED: &str = "finished";

/// The maximum number of turns in one answer.
const MOST_TURNS: i64 = 500;

/// The matches where the account must act, the most urgent first; those without a deadline last.
pub async fn waiting(ctx: &Context, account: AccountId) -> Result<Listed<MatchSummary>> {
    let me = Some(account);
    let filter = MatchFilter { player: me, to_act: me, viewer: me, limit: MOST_TURNS, ..MatchFilter::default() };
    let mut waiting = list(ctx, &filter).await?;
    waiting.items.sort_by_key(|summary| (summary.deadline.is_none(), summary.deadline, summary.id));
    Ok(waiting)
}

/// A match where the account must act, as the account sees it.
pub struct Turn {
    /// The public facts.
    pub summary: MatchSummary,
    pub snapshot: MatchSnapshot,
}

pub struct Turns {
    /// The readable ones.
    pub turns: Vec<Turn>,
    /// True if some could not be read.
    pub incomplete: bool,
}

/// The views of matches where the account must act. Matches that have since moved on to other players are left out. So
/// are unreadable ones, and then the result is marked incomplete. A state in memory is used without a query if it is as
/// new as the list. More than a few views cost the caller more than the base price: a view takes a part of a
/// millisecond, and loading one takes a millisecond.
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

/// True if the two accounts share a match, running or finished.
pub async fn have_met(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    store::access::have_met(conn, one, other).await
}

/// The number of views with decisions made per millisecond.
const TURNS_A_MS: usize = 4;

/// All matches of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Listed<MatchSummary>> {
    let filter =
        MatchFilter { player: Some(account), viewer: Some(account), limit: i64::MAX, ..MatchFilter::default() };
    store::lists::list(conn, &filter).await
}

/// The number of running matches of each account; accounts without any are left out.
pub async fn running_of(conn: &mut Conn, accounts: &[AccountId]) -> Result<HashMap<AccountId, u32>> {
    store::lists::running_of(conn, accounts).await
}

pub async fn counts(conn: &mut PublicRead, account: AccountId) -> Result<MatchCounts> {
    store::lists::counts(conn, account).await
}

/// The players responsible for a time-out in any of these matches.
pub async fn at_fault(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    store::lists::at_fault(conn, matches).await
}

/// The former players of these matches.
pub async fn former_players(conn: &mut Conn, matches: &[MatchId]) -> Result<Vec<AccountId>> {
    store::lists::former_players(conn, matches).await
}

/// Matches finished with a result in this period, by id, after a given one.
pub async fn finished_in(
    ctx: &Context,
    from: Time,
    until: Time,
    after: Option<MatchId>,
    limit: i64,
) -> Result<Vec<MatchId>> {
    store::lists::finished_in(&mut ctx.db.conn().await?, from, until, after, limit).await
}

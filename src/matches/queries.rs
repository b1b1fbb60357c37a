//! Reading: the reports of a viewer, lists of matches, and waiting for news.

use std::time::Duration;

use broadside_rules::{Report, View, Viewer};

use super::match_state::{disclose_to, entry, terms};
use super::{MatchCounts, MatchFilter, MatchSummary};
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::{Matches, store};

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

/// The viewer's reports with a number above `after`, in order, `limit` at most.
pub async fn reports(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    after: u32,
    limit: usize,
) -> Result<Vec<Report>> {
    let mut conn = matches.db.conn().await?;
    let mut stored = store::matches::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    drop(conn);
    let entries = std::mem::take(&mut stored.entries);
    let terms = terms(stored, matches)?;
    // Only this viewer's view is folded. Whether a spectator may look is known at the end.
    let seat = account.and_then(|account| terms.seat_of(account));
    let viewer = seat.map_or(Viewer::Spectator, Viewer::Seat);
    let mut view = View::new(&terms.setup, viewer);
    let mut reports = Vec::new();
    for bytes in entries {
        let entry = entry(&bytes, &terms)?;
        for event in &entry.events {
            let report = disclose_to(&terms.setup, &mut view, event, entry.at);
            reports.extend(report.filter(|_| view.version() > after));
        }
    }
    terms.viewer(account, view.status().is_over())?;
    reports.truncate(limit);
    Ok(reports)
}

/// A page of matches, the newest first.
pub async fn list(ctx: &Context, filter: &MatchFilter) -> Result<Vec<MatchSummary>> {
    let mut conn = ctx.db.conn().await?;
    store::lists::list(&mut conn, filter).await
}

/// Every match of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<MatchSummary>> {
    let filter =
        MatchFilter { player: Some(account), viewer: Some(account), limit: i64::MAX, ..MatchFilter::default() };
    store::lists::list(conn, &filter).await
}

/// How many matches an account has played.
pub async fn counts(conn: &mut Conn, account: AccountId) -> Result<MatchCounts> {
    store::lists::counts(conn, account).await
}

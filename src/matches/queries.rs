//! Reading: one match as its viewer may see it, his reports, lists, and waiting for news.

use std::time::Duration;

use broadside_rules::{Report, View, Viewer};

use super::match_state::{Live, entry, tell};
use super::play::{is_behind, load};
use super::{Listed, Seen, Tally, Which};
use crate::context::Context;
use crate::db::Conn;
use crate::error::{Error, Result};
use crate::ids::{AccountId, MatchId};
use crate::matches::Matches;
use crate::matches::store;

/// How often a waiting reader looks whether somebody has played, in case the hint was lost.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// The match as `account` (or anybody) may see it; `render` makes the answer while it is at hand.
pub async fn look<T>(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    render: impl FnOnce(Seen<'_>) -> Result<T>,
) -> Result<T> {
    let table = matches.table(id);
    let mut place = table.live.lock().await;
    if let Some(live) = place.as_ref()
        && is_behind(matches, live).await?
    {
        *place = None;
    }
    let live = load(matches, id, &mut place).await?;
    render(live.seen(viewer(live, account)?))
}

/// Waits until the match has a version above `after` for this viewer, at most for `patience`.
pub async fn wait(
    matches: &Matches,
    id: MatchId,
    account: Option<AccountId>,
    after: u32,
    patience: Duration,
) -> Result<()> {
    let give_up = tokio::time::Instant::now() + patience;
    // Hung up before looking, so that news between the look and the wait isn't missed.
    let mut bell = matches.wakeups.subscribe(id.0);
    loop {
        let version = look(matches, id, account, |seen| Ok(seen.view.version())).await?;
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

/// Who looks: his seat decides, and it comes from his account.
pub(super) fn viewer(live: &Live, account: Option<AccountId>) -> Result<Viewer> {
    match account.and_then(|account| live.terms.seat_of(account)) {
        Some(seat) => Ok(Viewer::Seat(seat)),
        None if live.terms.spectators || live.battle.status().is_over() => Ok(Viewer::Spectator),
        None => Err(Error::not_found()),
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
    let stored = store::matches::load(&mut conn, id).await?.ok_or_else(Error::not_found)?;
    drop(conn);
    let entries: Vec<Vec<u8>> = stored.entries.clone();
    let live = Live::fold(stored, usize::MAX, matches)?;
    let viewer = viewer(&live, account)?;
    let mut view = View::new(&live.terms.setup, viewer);
    let mut reports = Vec::new();
    for bytes in entries {
        let entry = entry(&bytes, &live.terms)?;
        for event in &entry.events {
            let report = tell(&live.terms.setup, &mut view, event, entry.at);
            reports.extend(report.filter(|_| view.version() > after));
        }
    }
    reports.truncate(limit);
    Ok(reports)
}

/// A page of matches, the newest first.
pub async fn list(ctx: &Context, which: &Which) -> Result<Vec<Listed>> {
    let mut conn = ctx.db.conn().await?;
    store::lists::list(&mut conn, which).await
}

/// Every match of an account, for its own export.
pub async fn all_of(conn: &mut Conn, account: AccountId) -> Result<Vec<Listed>> {
    let which = Which { player: Some(account), viewer: Some(account), limit: i64::MAX, ..Which::default() };
    store::lists::list(conn, &which).await
}

/// How many matches an account has played.
pub async fn tally(conn: &mut Conn, account: AccountId) -> Result<Tally> {
    store::lists::tally(conn, account).await
}
